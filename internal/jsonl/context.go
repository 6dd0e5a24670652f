package jsonl

import (
	"strconv"
	"strings"

	"piarchive/internal/jsonl/syntax"
)

// Context is what a model is sent for a leaf, apart from the messages.
type Context struct {
	ThinkingLevel *string // "off" when never set; nil when set to what is no string
	Model         *Model  // nil when never set
}

// Model names a model. A nil part was not given where it was set.
type Model struct {
	Provider *string `json:"provider,omitempty"`
	ModelID  *string `json:"modelId,omitempty"`
}

// PathEntry is one entry on the path from the root to a leaf, as a [Scanner]
// presents it.
type PathEntry struct {
	ID        string
	Type      string
	Role      string // of a message
	FirstKept string // of a compaction: id of the first entry kept
	Notes     bool   // of a custom entry: omp keeps the notes of a session in it
}

// BuildContext follows pi:
//
//  1. Thinking level and model are those set last on the whole path; an answer
//     sets the model, too.
//  2. Without a compaction on the path, every entry is sent that has something
//     to send: messages, custom messages, non-empty branch summaries.
//  3. Else the last compaction counts: its system message if it has one, its
//     summary, the entries from its first kept one up to it, and all after it.
//     Where that entry is not on the path before it, nothing before it is kept.
//     System messages in the kept range are left out.
//  4. Among these, the last context_edit for an entry replaces its content or,
//     with null, takes it out.
//
// Content that is null or missing is sent as an empty one. This, system messages
// and edits are rules of pi 0.86 and later; older files have nothing that they
// apply to.
//
// The transcript, for display, is what was said on the whole path, as it was, with
// every compaction in its place.
//
// Of the path, line is asked for the raw lines that matter, as a [Scanner] has read
// them, once for each and nearly in order; send is given the messages, JSON in valid
// UTF-8. An error of either ends the work.
func BuildContext(path []PathEntry, transcript bool, line func(i int) ([]byte, error), send func(message string) error) (Context, error) {
	b := contextBuilder{path: path, line: line, send: send, compaction: -1}
	context := b.settings()
	if !transcript {
		b.sections()
		b.edits()
	}
	b.emit()
	return context, b.err
}

type contextBuilder struct {
	path []PathEntry
	line func(i int) ([]byte, error)
	send func(message string) error
	err  error // the first one

	compaction int // position of the last one; -1 if there is none
	kept       int // position of the first entry kept before it; 0 without one
	edited     map[string]value
}

// object reads the entry at a position.
func (b *contextBuilder) object(i int) value {
	if b.err != nil {
		return value{}
	}
	line, err := b.line(i)
	if err != nil {
		b.err = err
		return value{}
	}
	object, _ := parseLine(line, b.path[i].ID)
	return object
}

// settings reads the last entry that sets the thinking level, and the last that
// sets the model.
func (b *contextBuilder) settings() Context {
	off := "off"
	context := Context{ThinkingLevel: &off}
	level, model := false, false
	for i := len(b.path) - 1; i >= 0 && !(level && model); i-- {
		switch e := b.path[i]; {
		case e.Type == "thinking_level_change" && !level:
			level = true
			context.ThinkingLevel = maybe(b.object(i), "thinkingLevel")
		case e.Type == "model_change" && !model:
			model = true
			object := b.object(i)
			context.Model = &Model{Provider: maybe(object, "provider"), ModelID: maybe(object, "modelId")}
		case e.Role == "assistant" && !model:
			model = true
			message := b.object(i).Get("message")
			context.Model = &Model{Provider: maybe(message, "provider"), ModelID: maybe(message, "model")}
		}
	}
	return context
}

// maybe returns the string of a key, nil if it is none.
func maybe(object value, name string) *string {
	v := object.Get(name)
	if !v.IsString() {
		return nil
	}
	s := v.Str()
	return &s
}

// sections finds what of the path is sent.
func (b *contextBuilder) sections() {
	for i, e := range b.path {
		if e.Type == "compaction" {
			b.compaction = i
		}
	}
	if b.compaction < 0 {
		return
	}
	for b.kept = 0; b.kept < b.compaction; b.kept++ {
		if b.path[b.kept].ID == b.path[b.compaction].FirstKept {
			return
		}
	}
}

// edits reads the edits of what is sent.
func (b *contextBuilder) edits() {
	for i := b.kept; i < len(b.path); i++ {
		if b.path[i].Type != "context_edit" {
			continue
		}
		if b.edited == nil {
			b.edited = map[string]value{}
		}
		object := b.object(i)
		if replacement, ok := object.Look("replacement"); ok {
			b.edited[scalar(object.Get("targetId"))] = replacement
		}
	}
}

// removed reports whether an edit takes an entry out.
func (b *contextBuilder) removed(i int) bool {
	replacement, ok := b.edited[b.path[i].ID]
	return ok && replacement.IsNull()
}

func (b *contextBuilder) emit() {
	if b.compaction >= 0 && !b.removed(b.compaction) {
		f := b.object(b.compaction)
		if system := f.Get("systemMessage"); truthy(system) {
			b.add(system.Raw())
		}
		b.summary(f)
	}
	for i := b.kept; i < len(b.path) && b.err == nil; i++ {
		if !b.removed(i) {
			b.entry(i)
		}
	}
}

func (b *contextBuilder) summary(compaction value) {
	b.add(made(
		"role", `"compactionSummary"`,
		"summary", compaction.Get("summary").Raw(),
		"tokensBefore", compaction.Get("tokensBefore").Raw(),
		"timestamp", milliseconds(compaction)))
}

// entry sends what an entry has to send.
func (b *contextBuilder) entry(i int) {
	switch e := b.path[i]; e.Type {
	case "message":
		if e.Role == "system" && i < b.compaction {
			return
		}
		if message := b.object(i).Get("message"); !message.IsNull() {
			b.add(b.message(e, message))
		}
	case "compaction":
		if b.compaction < 0 {
			b.summary(b.object(i))
		}
	case "custom_message":
		f := b.object(i)
		content := f.Get("content").Raw()
		if f.Get("content").IsNull() {
			content = "[]"
		}
		if replacement, ok := b.edited[e.ID]; ok {
			content = replacement.Get("content").Raw()
		}
		b.add(made(
			"role", `"custom"`,
			"customType", f.Get("customType").Raw(),
			"content", content,
			"display", f.Get("display").Raw(),
			"details", f.Get("details").Raw(),
			"timestamp", milliseconds(f)))
	case "branch_summary":
		f := b.object(i)
		if truthy(f.Get("summary")) {
			b.add(made(
				"role", `"branchSummary"`,
				"summary", f.Get("summary").Raw(),
				"fromId", f.Get("fromId").Raw(),
				"timestamp", milliseconds(f)))
		}
	}
}

// message is the stored message, unchanged but for a role that has changed its
// name, an edited content, and content that is missing.
func (b *contextBuilder) message(e PathEntry, message value) string {
	replacement, edited := b.edited[e.ID]
	if !edited && e.Role != "custom" && !strings.Contains(message.Raw(), "null") && message.Get("content").Exists() {
		return message.Raw() // as nearly all are
	}
	var role, content value
	for key, v := range message.Members() {
		switch key.Str() {
		case "role":
			role = v
		case "content":
			content = v
		}
	}
	var changed map[string]string
	change := func(name, text string) {
		if changed == nil {
			changed = map[string]string{}
		}
		changed[name] = text
	}
	if role.Str() == "hookMessage" && e.Role == "custom" {
		change("role", `"custom"`)
	}
	switch e.Role {
	case "user", "assistant", "toolResult", "custom":
		if edited {
			change("content", EditedContent(e.Role, replacement.Get("content")))
		} else if content.IsNull() && e.Role != "custom" {
			change("content", "[]")
		}
	case "system":
		if content.IsNull() {
			change("content", `""`)
		}
	}
	if changed == nil {
		return message.Raw()
	}
	return rewrite(message, changed)
}

// EditedContent is the content of an edit, as the role of what it edits takes it.
func EditedContent(role string, content syntax.Value) string {
	if content.IsString() && (role == "assistant" || role == "toolResult") {
		return `[{"type":"text","text":` + content.Raw() + `}]`
	}
	return content.Raw()
}

// rewrite is an object with some members of a message changed.
func rewrite(object value, changed map[string]string) string {
	return Rewrite(object, changed, "role", "content", "strippedToolCalls")
}

// Rewrite is an object with some members changed in their places or, of those that
// are named, added behind the others. An empty text leaves a member out.
func Rewrite(object syntax.Value, changed map[string]string, behind ...string) string {
	var o syntax.Object
	written := map[string]bool{}
	for key, v := range object.Members() {
		name := key.Str()
		if text, ok := changed[name]; !ok {
			o.Add(key.Raw(), v.Raw())
		} else if !written[name] {
			written[name] = true
			o.Add(key.Raw(), text)
		}
	}
	for _, name := range behind {
		if !written[name] {
			o.Add(`"`+name+`"`, changed[name])
		}
	}
	return o.End()
}

// made is an object made of names and JSON texts; empty texts are left out, as
// undefined is.
func made(pairs ...string) string {
	var o syntax.Object
	for i := 0; i < len(pairs); i += 2 {
		o.Add(`"`+pairs[i]+`"`, pairs[i+1])
	}
	return o.End()
}

func (b *contextBuilder) add(message string) {
	if b.err == nil {
		b.err = b.send(syntax.Valid(message))
	}
}

// milliseconds is the time of an entry as a number, or null where it is none;
// JavaScript takes null for the beginning of 1970.
func milliseconds(f value) string {
	if f.Get("timestamp").Raw() == "null" {
		return "0"
	}
	e := Entry{}
	e.setTime(f.Get("timestamp"))
	if !e.TimeOK {
		return "null"
	}
	return strconv.FormatInt(e.Time, 10)
}
