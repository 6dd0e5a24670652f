package jsonl

import (
	"slices"
	"strconv"
	"strings"

	"piarchive/internal/jsonl/syntax"
)

// stored takes a stored message, unless it is an answer that says nothing.
func (b *ompBuilder) stored(e PathEntry, f value) {
	m := ompMessage{text: f.Raw(), role: e.Role}
	switch e.Role {
	case "toolResult":
		m.result = callKey(f.Get("toolCallId"))
	case "custom":
		m.custom = f.Get("customType").Str()
		if f.Get("role").Str() == "hookMessage" {
			m.text = rewrite(f, map[string]string{"role": `"custom"`})
		}
	case "assistant":
		stop, content := f.Get("stopReason").Str(), f.Get("content")
		if !b.transcript && (truthy(f.Get("retryRecovery")) || stop == "error" && content.IsArray() && !saysAnything(content)) {
			return
		}
		m.failed = stop == "error" || stop == "aborted"
		for f := range content.Items() {
			if f.Get("type").Str() == "toolCall" {
				m.calls = append(m.calls, callKey(f.Get("id")))
			}
		}
	}
	b.take(m)
}

// callKey is the id of a call, for comparison.
func callKey(id value) string {
	if id.IsString() {
		return `"` + id.Str()
	}
	return id.Raw()
}

// saysAnything reports whether there is more to an answer than that it failed.
func saysAnything(content value) bool {
	says := false
	for f := range content.Items() {
		filled := func(name string) bool { return !blank([]byte(f.Get(name).Str())) }
		switch f.Get("type").Str() {
		case "text":
			says = says || filled("text")
		case "thinking":
			says = says || filled("thinking") || filled("thinkingSignature")
		case "redactedThinking":
			says = says || filled("data")
		case "fallback":
		default:
			says = true
		}
	}
	return says
}

// custom takes a custom message.
func (b *ompBuilder) custom(f value) {
	custom, content := f.Get("customType").Str(), f.Get("content")
	if !b.transcript && (custom == prewalkPlan || custom == vibeModeContext) || !content.IsString() && !content.IsArray() {
		return
	}
	kind := f.Get("customType").Raw()
	if custom == "" {
		custom, kind = "custom-message", `"custom-message"`
	}
	attribution, given := f.Look("attribution")
	by := ""
	if given {
		by = `"agent"`
		if attribution.Str() == "user" {
			by = `"user"`
		}
	}
	b.take(ompMessage{role: "custom", custom: custom, text: made(
		"role", `"custom"`,
		"customType", kind,
		"content", content.Raw(),
		"display", strconv.FormatBool(f.Get("display").IsTrue()),
		"details", f.Get("details").Raw(),
		"attribution", by,
		"timestamp", milliseconds(f))})
}

func (b *ompBuilder) take(m ompMessage) { b.messages = append(b.messages, m) }

// dropDangling takes the calls without a result out of answers. An answer that was
// changed so loses what a provider has signed, or would refuse it; one of which
// nothing is left is dropped.
func (b *ompBuilder) dropDangling() {
	answered := map[string]bool{}
	for _, m := range b.messages {
		if m.role == "toolResult" {
			answered[m.result] = true
		}
	}
	for i := range b.messages {
		m := &b.messages[i]
		calls := slices.DeleteFunc(slices.Clone(m.calls), func(id string) bool { return !answered[id] })
		dangling := len(m.calls) - len(calls)
		if dangling == 0 {
			continue
		}
		m.calls = calls
		message, _ := syntax.Parse(m.text)
		content := message.Get("content")
		kept := unsigned(content, answered)
		if len(kept) == 0 && !b.transcript {
			m.dropped = true
			continue
		}
		changed := map[string]string{"content": "[" + strings.Join(kept, ",") + "]"}
		if b.transcript {
			changed["strippedToolCalls"] = strconv.Itoa(dangling)
		}
		m.text = rewrite(message, changed)
	}
}

// unsigned is the blocks of a content without signatures, and without calls that
// have no result.
func unsigned(content value, answered map[string]bool) (kept []string) {
	for f := range content.Items() {
		switch kind := f.Get("type").Str(); {
		case kind == "redactedThinking" || kind == "toolCall" && !answered[callKey(f.Get("id"))]:
		case kind == "thinking" && truthy(f.Get("thinkingSignature")):
			kept = append(kept, rewrite(f, map[string]string{"thinkingSignature": ""}))
		default:
			kept = append(kept, f.Raw())
		}
	}
	return kept
}

// dropFailed drops answers that failed or were aborted, and the results of their
// calls. One is kept if the next message goes on with what it thought.
func (b *ompBuilder) dropFailed() {
	results := map[string][]int{} // not dropped, by the call they are of
	next := len(b.messages)       // the next that is not dropped
	for i := len(b.messages) - 1; i >= 0; i-- {
		m := &b.messages[i]
		if m.dropped {
			continue
		}
		for next < len(b.messages) && b.messages[next].dropped {
			next = b.messages[next].after
		}
		m.after = next
		if m.failed && (next == len(b.messages) || b.messages[next].custom != interruptedThinking) {
			m.dropped = true
			for _, id := range m.calls {
				for _, j := range results[id] {
					b.messages[j].dropped = true
				}
				delete(results, id)
			}
			continue
		}
		if m.role == "toolResult" {
			results[m.result] = append(results[m.result], i)
		}
		next = i
	}
}
