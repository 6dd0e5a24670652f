package jsonl

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// stored takes a stored message, unless it is an answer that says nothing.
func (b *ompBuilder) stored(e PathEntry, message value) {
	m := ompMessage{text: message.Raw, role: e.Role}
	switch e.Role {
	case "toolResult":
		id, _ := member(message, "toolCallId")
		m.result = callKey(id)
	case "custom":
		f := members(message)
		m.custom = f.str("customType")
		if f.str("role") == "hookMessage" {
			m.text = rewrite(message, map[string]string{"role": `"custom"`})
		}
	case "assistant":
		f := members(message)
		stop, content := f.str("stopReason"), f.get("content")
		if !b.transcript && (truthy(f.get("retryRecovery")) || stop == "error" && content.IsArray() && !saysAnything(content)) {
			return
		}
		m.failed = stop == "error" || stop == "aborted"
		items(content, func(block value) {
			if f := members(block); f.str("type") == "toolCall" {
				m.calls = append(m.calls, callKey(f.get("id")))
			}
		})
	}
	b.take(m)
}

// callKey is the id of a call, for comparison.
func callKey(id value) string {
	if isString(id) {
		return `"` + str(id)
	}
	return id.Raw
}

// saysAnything reports whether there is more to an answer than that it failed.
func saysAnything(content value) bool {
	says := false
	items(content, func(block value) {
		f := members(block)
		filled := func(name string) bool { return !blank([]byte(f.str(name))) }
		switch f.str("type") {
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
	})
	return says
}

// custom takes a custom message.
func (b *ompBuilder) custom(f fields) {
	custom, content := f.str("customType"), f.get("content")
	if !b.transcript && (custom == prewalkPlan || custom == vibeModeContext) || !isString(content) && !content.IsArray() {
		return
	}
	kind := f.get("customType").Raw
	if custom == "" {
		custom, kind = "custom-message", `"custom-message"`
	}
	attribution, given := f.look("attribution")
	by := ""
	if given {
		by = `"agent"`
		if str(attribution) == "user" {
			by = `"user"`
		}
	}
	b.take(ompMessage{role: "custom", custom: custom, text: made(
		"role", `"custom"`,
		"customType", kind,
		"content", content.Raw,
		"display", strconv.FormatBool(isTrue(f.get("display"))),
		"details", f.get("details").Raw,
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
		message := gjson.Parse(m.text)
		content, _ := member(message, "content")
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
	items(content, func(block value) {
		f := members(block)
		switch kind := f.str("type"); {
		case kind == "redactedThinking" || kind == "toolCall" && !answered[callKey(f.get("id"))]:
		case kind == "thinking" && truthy(f.get("thinkingSignature")):
			kept = append(kept, rewrite(block, map[string]string{"thinkingSignature": ""}))
		default:
			kept = append(kept, block.Raw)
		}
	})
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
