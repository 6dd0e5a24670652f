package jsonl

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Context is what a model is sent for a leaf, as pi builds it.
type Context struct {
	Messages      []json.RawMessage
	ThinkingLevel string // "off" when never set
	Model         *Model // nil when never set
}

// Model names a model. A nil part was not given where it was set.
type Model struct {
	Provider *string `json:"provider,omitempty"`
	ModelID  *string `json:"modelId,omitempty"`
}

// PathEntry is one entry on the path from the root to a leaf.
type PathEntry struct {
	ID        string // as presented: synthetic where the file has none
	Line      []byte // raw
	FirstKept string // of a compaction: id of the first entry kept, as presented
	Version   int    // of the session: before 3, role hookMessage reads as custom
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
// A message whose content is null or missing is sent with an empty one. The
// last three of these (system messages, edits, empty content) are rules of pi
// 0.86 and later; older files have nothing they apply to.
func BuildContext(path []PathEntry) Context {
	b := contextBuilder{context: Context{Messages: []json.RawMessage{}, ThinkingLevel: "off"}, compaction: -1}
	for _, p := range path {
		b.read(p)
	}
	b.edits()
	b.emit()
	return b.context
}

// contextEntry is an entry while a context is built.
type contextEntry struct {
	PathEntry
	object value
	f      fields
	kind   string
}

type contextBuilder struct {
	context    Context
	entries    []contextEntry
	compaction int // position of the last one; -1 if there is none
	kept       int // position of the first entry kept before it
	edited     map[string]value
}

// read takes the settings of an entry and remembers it.
func (b *contextBuilder) read(p PathEntry) {
	v, ok := parse(string(p.Line))
	if !ok || tooDeep(p.Line) {
		return
	}
	items(v, func(write value) {
		if f := members(write); v.IsArray() && f.str("id") == p.ID {
			v = write
		}
	})
	e := contextEntry{PathEntry: p, object: v, f: members(v)}
	e.kind = scalar(e.f.get("type"))
	switch e.kind {
	case "thinking_level_change":
		b.context.ThinkingLevel = e.f.str("thinkingLevel")
	case "model_change":
		b.context.Model = &Model{Provider: maybe(e.f.get("provider")), ModelID: maybe(e.f.get("modelId"))}
	case "message":
		if m := members(e.f.get("message")); m.str("role") == "assistant" {
			b.context.Model = &Model{Provider: maybe(m.get("provider")), ModelID: maybe(m.get("model"))}
		}
	case "compaction":
		b.compaction = len(b.entries)
	}
	b.entries = append(b.entries, e)
}

func maybe(v value) *string {
	if !isString(v) {
		return nil
	}
	s := str(v)
	return &s
}

// edits finds the range that is sent and the edits that apply to it.
func (b *contextBuilder) edits() {
	from := 0
	b.kept = b.compaction
	if b.compaction >= 0 {
		from = b.compaction
		for i, e := range b.entries[:b.compaction] {
			if e.ID == b.entries[b.compaction].FirstKept {
				b.kept, from = i, i
				break
			}
		}
	}
	b.edited = map[string]value{}
	for _, e := range b.entries[from:] {
		if e.kind == "context_edit" {
			b.edited[scalar(e.f.get("targetId"))] = e.f.get("replacement")
		}
	}
}

func (b *contextBuilder) emit() {
	if b.compaction < 0 {
		for _, e := range b.entries {
			b.message(e, true)
		}
		return
	}
	c := b.entries[b.compaction]
	if system := c.f.get("systemMessage"); system.IsObject() {
		b.add([]byte(system.Raw))
	}
	b.object(
		"role", quoted("compactionSummary"),
		"summary", raw(c.f.get("summary")),
		"tokensBefore", raw(c.f.get("tokensBefore")),
		"timestamp", c.milliseconds())
	for _, e := range b.entries[b.kept:b.compaction] {
		b.message(e, false)
	}
	for _, e := range b.entries[b.compaction+1:] {
		b.message(e, true)
	}
}

// message sends what an entry has to send.
func (b *contextBuilder) message(e contextEntry, system bool) {
	replacement, edited := b.edited[e.ID]
	if edited && isNull(replacement) {
		return
	}
	switch e.kind {
	case "message":
		message := e.f.get("message")
		if role, _ := member(message, "role"); !system && str(role) == "system" {
			return
		}
		b.add(e.message(message, replacement))
	case "custom_message":
		content := raw(e.f.get("content"))
		if c, ok := member(replacement, "content"); ok {
			content = raw(c)
		}
		b.object(
			"role", quoted("custom"),
			"customType", raw(e.f.get("customType")),
			"content", content,
			"display", raw(e.f.get("display")),
			"details", raw(e.f.get("details")),
			"timestamp", e.milliseconds())
	case "branch_summary":
		if truthy(e.f.get("summary")) {
			b.object(
				"role", quoted("branchSummary"),
				"summary", raw(e.f.get("summary")),
				"fromId", raw(e.f.get("fromId")),
				"timestamp", e.milliseconds())
		}
	}
}

// message is the stored message, unchanged but for a role that changed its name,
// an edited content, and content that is missing.
func (e contextEntry) message(message, replacement value) []byte {
	f := members(message)
	role := f.str("role")
	changed := map[string]string{}
	if role == "hookMessage" && e.Version < 3 {
		changed["role"] = quoted("custom")
	}
	content, present := f.look("content")
	switch role {
	case "user", "assistant", "toolResult", "system", "custom":
		if c, ok := member(replacement, "content"); ok {
			changed["content"] = editedContent(role, c)
		} else if present && isNull(content) || !present && role != "custom" {
			changed["content"] = map[bool]string{true: `""`, false: `[]`}[role == "system"]
		}
	}
	if len(changed) == 0 {
		return []byte(message.Raw)
	}
	return rewrite(message, changed)
}

// editedContent is the content of an edit, as the role takes it.
func editedContent(role string, content value) string {
	if isString(content) && (role == "assistant" || role == "toolResult") {
		return `[{"type":"text","text":` + content.Raw + `}]`
	}
	return content.Raw
}

// rewrite is an object with some members changed or, behind the others, added.
func rewrite(object value, changed map[string]string) []byte {
	var b strings.Builder
	b.WriteByte('{')
	written := map[string]bool{}
	object.ForEach(func(k, v value) bool {
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.WriteString(k.Raw + ":")
		if text, ok := changed[k.Str]; ok {
			b.WriteString(text)
			written[k.Str] = true
		} else {
			b.WriteString(v.Raw)
		}
		return true
	})
	for _, name := range []string{"role", "content"} {
		if text, ok := changed[name]; ok && !written[name] {
			if b.Len() > 1 {
				b.WriteByte(',')
			}
			b.WriteString(quoted(name) + ":" + text)
		}
	}
	b.WriteByte('}')
	return []byte(b.String())
}

// object sends an object made of keys and JSON texts; empty texts are left out,
// as undefined is.
func (b *contextBuilder) object(pairs ...string) {
	var o strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			continue
		}
		if o.Len() > 0 {
			o.WriteByte(',')
		}
		o.WriteString(quoted(pairs[i]) + ":" + pairs[i+1])
	}
	b.add([]byte("{" + o.String() + "}"))
}

func (b *contextBuilder) add(message []byte) {
	if len(message) > 0 {
		b.context.Messages = append(b.context.Messages, message)
	}
}

// milliseconds is the time of an entry as a number, or null where it is none.
func (e contextEntry) milliseconds() string {
	entry := Entry{}
	entry.setTime(e.f.get("timestamp"))
	if !entry.TimeOK {
		return "null"
	}
	return strconv.FormatInt(entry.Time, 10)
}

func raw(v value) string { return v.Raw }

func quoted(s string) string { return strconv.Quote(s) }
