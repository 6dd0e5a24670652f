package jsonl

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"

	"piarchive/internal/jsonl/syntax"
)

// OMPContext is what omp 18 makes of a path, apart from the messages.
type OMPContext struct {
	ThinkingLevel           string            `json:"thinkingLevel"`
	ConfiguredThinkingLevel *string           `json:"configuredThinkingLevel,omitempty"`
	ServiceTier             map[string]string `json:"serviceTier,omitempty"` // by family of models
	Models                  map[string]string `json:"models"`                // by role, as provider/id
	InjectedTtsrRules       []string          `json:"injectedTtsrRules"`
	Mode                    *string           `json:"mode,omitempty"`
	ModeData                json.RawMessage   `json:"modeData,omitempty"`
}

// Custom types that mean something to the context of omp.
const (
	// OMPContextNotes is that of custom entries with the notes of a session.
	OMPContextNotes = "experimental_context_notes"

	prewalkPlan         = "prewalk-plan"         // a custom message that is never sent again
	vibeModeContext     = "vibe-mode-context"    // another
	interruptedThinking = "interrupted-thinking" // goes on for the aborted answer before it
	skillPrompt         = "skill-prompt"         // speaks for the user
	collabPrompt        = "collab-prompt"        // speaks for another user
)

// BuildOMPContext follows omp 18. It differs from [BuildContext] in this:
//
//  1. There is a model for each role. Answers set that of the role default, until
//     an entry has.
//  2. Where a reset_boundary comes after the last compaction, only what stands
//     behind it is sent. An older one cuts nothing.
//  3. A compaction that a provider has made carries what it replaces, and then
//     the kept entries are not sent. One that made pictures of the past brings
//     them back.
//  4. Answers that failed or were aborted are left out, with the results of their
//     calls; so are calls without a result, and answers that have nothing else.
//  5. Some custom messages are not sent. Notes of the session come first of all.
//
// The transcript, for display, is all messages of the path in its order, with the
// compactions among them; only calls without a result are left out of it, and
// counted. line and send are those of BuildContext.
func BuildOMPContext(path []PathEntry, transcript bool, line func(i int) ([]byte, error), send func(message string) error) (OMPContext, error) {
	b := ompBuilder{contextBuilder: contextBuilder{path: path, line: line, send: send, compaction: -1}, transcript: transcript, reset: -1}
	context := b.settings()
	if b.transcript {
		b.all()
	} else {
		b.notes()
		b.sent()
	}
	b.dropDangling()
	if !b.transcript {
		b.dropFailed()
	}
	for _, m := range b.messages {
		if !m.dropped {
			b.add(m.text)
		}
	}
	return context, b.err
}

type ompBuilder struct {
	contextBuilder
	transcript bool
	reset      int // position of the last reset_boundary; -1 if there is none
	messages   []ompMessage
}

// ompMessage is a message that may not be sent after all.
type ompMessage struct {
	text    string
	role    string
	custom  string   // its custom type
	result  string   // of a tool result: which call it is of
	calls   []string // of an answer
	failed  bool     // it ended in an error, or was aborted
	dropped bool
	after   int // the next message that was not dropped when this one was looked at
}

// settings reads the entries that set something, from the root on.
func (b *ompBuilder) settings() OMPContext {
	mode := "none"
	context := OMPContext{ThinkingLevel: "off", Models: map[string]string{}, InjectedTtsrRules: []string{}, Mode: &mode}
	rules := map[string]bool{}
	last := map[string]int{} // of what only the last entry counts for
	for i, e := range b.path {
		switch e.Type {
		case "model_change":
			object := b.object(i)
			role := maybe(object, "role")
			if name := object.Get("model").Str(); name != "" && role != nil {
				context.Models[*role] = name
			} else if name != "" {
				context.Models["default"] = name
			}
		case "ttsr_injection":
			for rule := range b.object(i).Get("injectedRules").Items() {
				if name := rule.Str(); !rules[name] {
					rules[name] = true
					context.InjectedTtsrRules = append(context.InjectedTtsrRules, name)
				}
			}
		case "thinking_level_change", "service_tier_change", "mode_change":
			last[e.Type] = i
		case "compaction":
			b.compaction = i
		case "reset_boundary":
			b.reset = i
		}
		if e.Role == "assistant" {
			last["answer"] = i
		}
	}
	if i, ok := last["answer"]; ok && context.Models["default"] == "" {
		f := b.object(i).Get("message")
		context.Models["default"] = inTemplate(f.Get("provider")) + "/" + inTemplate(f.Get("model"))
	}
	if i, ok := last["thinking_level_change"]; ok {
		object := b.object(i)
		level := maybe(object, "thinkingLevel")
		if level != nil {
			context.ThinkingLevel = *level
		}
		if context.ConfiguredThinkingLevel = maybe(object, "configured"); context.ConfiguredThinkingLevel == nil {
			context.ConfiguredThinkingLevel = level
		}
	}
	if i, ok := last["service_tier_change"]; ok {
		context.ServiceTier = serviceTier(b.object(i).Get("serviceTier"))
	}
	if i, ok := last["mode_change"]; ok {
		object := b.object(i)
		context.Mode, context.ModeData = maybe(object, "mode"), json.RawMessage(syntax.Valid(object.Get("data").Raw()))
	}
	return context
}

// inTemplate is a value as JavaScript puts it into a text.
func inTemplate(v value) string {
	switch {
	case !v.Exists():
		return "undefined"
	case v.IsNull():
		return "null"
	}
	return scalar(v)
}

// serviceTier reads a service tier by family of models. Older sessions have one
// name, which says the families, too.
func serviceTier(v value) map[string]string {
	tiers := map[string]string{}
	add := func(family, tier string) {
		if slices.Contains([]string{"auto", "default", "flex", "scale", "priority"}, tier) {
			tiers[family] = tier
		}
	}
	switch name := v.Str(); name {
	case "":
		for _, family := range []string{"openai", "anthropic", "google"} {
			add(family, v.Get(family).Str())
		}
	case "priority":
		tiers = map[string]string{"openai": name, "anthropic": name, "google": name}
	case "openai-only":
		add("openai", "priority")
	case "claude-only":
		add("anthropic", "priority")
	default:
		add("openai", name)
	}
	if len(tiers) == 0 {
		return nil
	}
	return tiers
}

// sent takes what the model is sent.
func (b *ompBuilder) sent() {
	if b.reset >= b.compaction { // where there is neither, from the first entry on
		b.entries(b.reset+1, len(b.path))
		return
	}
	f := b.object(b.compaction)
	kept := b.find(b.path[b.compaction].FirstKept)
	if kept < 0 || kept > b.compaction {
		kept = b.compaction
	}
	payload, timestamp := openAIPayload(f.Get("preserveData")), milliseconds(f)
	from := kept
	if payload != "" {
		from = b.compaction
		if through := b.find(f.Get("providerReplayThroughEntryId").Str()); through >= 0 && through < b.compaction {
			from = through + 1
		}
	}
	if own := anthropicPayload(f.Get("preserveData")); own != "" {
		payload, timestamp = cmp.Or(payload, own), b.before(kept, timestamp)
	}
	b.compacted(b.compaction, f, payload, timestamp)
	if details := f.Get("details"); details.Get("kind").Str() == "experimental-context-rollover" {
		b.request()
	}
	b.entries(from, b.compaction)
	b.entries(b.compaction+1, len(b.path))
}

// find returns the position of the entry with an id, -1 if the path has none.
func (b *ompBuilder) find(id string) int {
	return slices.IndexFunc(b.path, func(e PathEntry) bool { return e.ID == id })
}

// before is the time of a summary that its provider takes back as it gave it: just
// before that of the first entry that is sent after it, lest signed thoughts behind
// it seem older than it.
func (b *ompBuilder) before(kept int, timestamp string) string {
	if kept == b.compaction {
		kept++
	}
	if kept == len(b.path) {
		return timestamp
	}
	at, err := strconv.ParseInt(milliseconds(b.object(kept)), 10, 64)
	if err != nil {
		return timestamp
	}
	return strconv.FormatInt(at-1, 10)
}

// request takes what the user asked last before a compaction, where that is not
// among what it keeps.
func (b *ompBuilder) request() {
	kept := b.find(b.path[b.compaction].FirstKept)
	for i := b.compaction - 1; i > b.reset; i-- {
		if !b.asks(i) {
			continue
		}
		if i < kept {
			b.entry(i)
		}
		return
	}
}

// asks reports whether an entry is what a user asked.
func (b *ompBuilder) asks(i int) bool {
	var f value
	switch e := b.path[i]; {
	case e.Role == "user":
		return true
	case e.Role == "custom":
		f = b.object(i).Get("message")
	case e.Type == "custom_message":
		f = b.object(i)
		if content := f.Get("content"); !content.IsString() && !content.IsArray() {
			return false
		}
	default:
		return false
	}
	custom := f.Get("customType").Str()
	return (custom == skillPrompt || custom == collabPrompt) && f.Get("attribution").Str() == "user"
}

// all takes the messages of every entry. Of compactions only the last tells its
// summary; one of two that follow each other for the same past stands for both.
func (b *ompBuilder) all() {
	for i, e := range b.path {
		if e.Type != "compaction" {
			b.entry(i)
			continue
		}
		f := b.object(i)
		if i+1 < len(b.path) && b.path[i+1].Type == "compaction" && redone(f, b.object(i+1)) {
			continue
		}
		b.compacted(i, f, "", milliseconds(f))
	}
}

// redone reports whether a compaction was made anew by the next.
func redone(f, next value) bool {
	return f.Get("method").Str() == "snapcompact" && next.Get("method").Str() == "snapcompact" &&
		f.Get("firstKeptEntryId").Str() == next.Get("firstKeptEntryId").Str() && f.Get("tokensBefore").Num() == next.Get("tokensBefore").Num()
}

// compacted takes the summary of the compaction at a position.
func (b *ompBuilder) compacted(i int, f value, payload, timestamp string) {
	summary, short := f.Get("summary").Raw(), f.Get("shortSummary").Raw()
	var blocks, images string
	if i == b.compaction {
		blocks, images = pastBlocks(f.Get("preserveData"), b.transcript)
	} else {
		summary, short = `"[Superseded compaction summary elided after a newer compaction]"`, `"Superseded compaction elided"`
	}
	b.take(ompMessage{role: "compactionSummary", text: made(
		"role", `"compactionSummary"`,
		"summary", summary,
		"shortSummary", short,
		"tokensBefore", f.Get("tokensBefore").Raw(),
		"tokensAfter", f.Get("tokensAfter").Raw(),
		"method", f.Get("method").Raw(),
		"providerPayload", payload,
		"blocks", blocks,
		"images", images,
		"warning", f.Get("warning").Raw(),
		"timestamp", timestamp)})
}

// entries takes those from one position up to another.
func (b *ompBuilder) entries(from, to int) {
	for i := from; i < to && b.err == nil; i++ {
		b.entry(i)
	}
}

// entry takes what an entry has to send.
func (b *ompBuilder) entry(i int) {
	switch e := b.path[i]; e.Type {
	case "message":
		if message := b.object(i).Get("message"); !message.IsNull() {
			b.stored(e, message)
		}
	case "custom_message":
		b.custom(b.object(i))
	case "branch_summary":
		f := b.object(i)
		if truthy(f.Get("summary")) {
			b.take(ompMessage{role: "branchSummary", text: made(
				"role", `"branchSummary"`,
				"summary", f.Get("summary").Raw(),
				"fromId", f.Get("fromId").Raw(),
				"timestamp", milliseconds(f))})
		}
	}
}
