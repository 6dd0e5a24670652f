package jsonl

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What each role says, and under which kind of text.
func TestMessageText(t *testing.T) {
	tests := []struct {
		message string
		want    Text
		flags   Flag
	}{
		{`"role":"user","content":"List the routes"`, Text{User: "List the routes"}, 0},
		{`"role":"user","content":[{"type":"text","text":"a"},{"type":"image","data":"AAAA","mimeType":"image/png"},{"type":"text","text":"b"}]`, Text{User: "a\nb"}, HasImage},
		{`"role":"user","content":[{"type":"image","data":"blob:sha256:00ff","mimeType":"image/png"}]`, Text{}, HasImage},
		{`"role":"user","content":"hi","attachments":[{"type":"image","fileName":"s.png","content":"AAAA"},{"type":"document","fileName":"d.pdf","extractedText":"inside","content":"AAAA"}]`,
			Text{User: "hi\ns.png\nd.pdf\ninside"}, HasImage},
		{`"role":"user","content":[null,5,"x",{"type":"text"},{"type":"text","text":7},{"text":"untyped"},{"type":"text","text":"a"}]`, Text{User: "a"}, HidesInPi},
		{`"role":"developer","content":"be brief","synthetic":true`, Text{User: "be brief"}, 0},
		{`"role":"assistant","content":"plain"`, Text{Assistant: "plain"}, 0},
		{`"role":"assistant","content":[{"type":"thinking","thinking":"grep first","thinkingSignature":"c2ln"},{"type":"text","text":"Looking."},` +
			`{"type":"toolCall","id":"c","name":"bash","arguments":{"command":"rg route","timeout":30,"deep":{"n":4,"s":["t"]}}},{"type":"text","text":"Done."}],"stopReason":"toolUse"`,
			Text{Assistant: "Looking.\nDone.", Thinking: "grep first", Call: "bash\nrg route\nt\n30"}, HasThinking | HasToolCall},
		{`"role":"assistant","content":[{"type":"thinking","thinking":"","redacted":true},{"type":"redactedThinking","data":"AAAA"}]`, Text{}, HasThinking},
		{`"role":"assistant","content":[{"type":"image","data":"AAAA"},{"type":"fallback","from":{"model":"x"}},{"type":"anthropicServerTool","block":{"text":"y"}}]`, Text{}, HasImage},
		{`"role":"assistant","content":[],"stopReason":"error","errorMessage":"overloaded"`, Text{Notes: "overloaded"}, IsError},
		{`"role":"assistant","content":[{"type":"text","text":"I wa"}],"stopReason":"aborted"`, Text{Assistant: "I wa"}, IsAborted},
		{`"role":"toolResult","toolCallId":"c","toolName":"bash","content":[{"type":"text","text":"a.ts:3"},{"type":"text","text":"b.ts:4"}],"isError":false`, Text{Output: "a.ts:3\nb.ts:4"}, 0},
		{`"role":"toolResult","toolName":"read","content":[{"type":"image","data":"AAAA"}],"isError":true`, Text{}, HasImage | IsError},
		{`"role":"toolResult","toolName":"read","content":"as text","isError":"true"`, Text{Output: "as text"}, 0},
		{`"role":"system","content":"","sections":{"preamble":"You help.","gone":null,"cwd":"/w"},"toolsAdded":[{"name":"read"}]`, Text{Notes: "You help.\n/w"}, 0},
		{`"role":"system","content":[{"type":"text","text":"Be kind."}]`, Text{Notes: "Be kind."}, 0},
		{`"role":"bashExecution","command":"git status","output":"clean","exitCode":0,"cancelled":false`, Text{Call: "git status", Output: "clean"}, 0},
		{`"role":"bashExecution","command":"sleep 9","output":"","cancelled":true`, Text{Call: "sleep 9"}, IsAborted},
		{`"role":"pythonExecution","code":"1+1","output":"2","exitCode":1`, Text{Call: "1+1", Output: "2"}, IsError},
		{`"role":"fileMention","files":[{"path":"a.go","content":"package a"},{"path":"b.png","image":{"data":"AAAA"}},{"path":"c","image":null}]`,
			Text{Call: "a.go\nb.png\nc", Output: "package a"}, HasImage},
		{`"role":"custom","customType":"my-ext","content":"Reminder"`, Text{Notes: "Reminder"}, 0},
		{`"role":"custom","customType":"my-ext","details":{"x":"private"}`, Text{}, 0},
		{`"role":"branchSummary","summary":"tried","fromId":"x"`, Text{Notes: "tried"}, 0},
		{`"role":"compactionSummary","summary":"so far"`, Text{Notes: "so far"}, 0},
		{`"role":"oracle","content":"known form"`, Text{Notes: "known form"}, 0},
		{`"role":"oracle","saying":"unknown form","more":["x"]`, Text{Notes: "unknown form\nx"}, 0},
		{`"content":"no role"`, Text{Notes: "no role"}, 0},
	}
	for _, tt := range tests {
		e := entry(t, `{"type":"message","id":"a","parentId":null,"message":{`+tt.message+`}}`)
		if diff := cmp.Diff(tt.want, e.Text); diff != "" {
			t.Errorf("%s\n%s", tt.message, diff)
		}
		if e.Flags != tt.flags {
			t.Errorf("%s: flags %b, want %b", tt.message, e.Flags, tt.flags)
		}
	}
}

// Whatever bytes a file holds, what is read from it is UTF-8.
func TestTextIsUTF8(t *testing.T) {
	e := entry(t, said("a", "assistant", `[{"type":"text","text":"a\ud800b`+"\xff"+`"},{"type":"toolCall","name":"\udc00","arguments":{"x":"`+"\xc0"+`"}}]`))
	want := Text{Assistant: "a\ufffdb\ufffd", Call: "\ufffd\n\ufffd"}
	if diff := cmp.Diff(want, e.Text); diff != "" {
		t.Error(diff)
	}
	if e.Listing.Text != "a\ufffdb\ufffd" {
		t.Errorf("listing %q", e.Listing.Text)
	}
}

func TestMessageFields(t *testing.T) {
	e := entry(t, `{"type":"message","id":"a","parentId":null,"message":{"role":"assistant","content":[],"api":"x","provider":"anthropic","model":"m-x","stopReason":"length"}}`)
	if e.Role != "assistant" || e.Provider != "anthropic" || e.Model != "m-x" || e.StopReason != "length" || e.Flags != 0 {
		t.Errorf("%+v", e)
	}
	if e := entry(t, `{"type":"message","id":"a","message":{"role":7,"content":"x"}}`); e.Role != "7" || e.Listing.Talk {
		t.Errorf("a number as a role: %+v", e)
	}
}
