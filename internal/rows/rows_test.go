package rows

import (
	"strings"
	"testing"

	"piarchive/internal/index"
	"piarchive/internal/jsonl"
)

// The flags of the reader and those that are added to them are of one number.
func TestFlags(t *testing.T) {
	for flag, want := range map[int]jsonl.Flag{index.FlagImage: jsonl.HasImage, index.FlagThinking: jsonl.HasThinking, index.FlagToolCall: jsonl.HasToolCall,
		index.FlagError: jsonl.IsError, index.FlagAborted: jsonl.IsAborted} {
		if flag != int(want) {
			t.Errorf("by %d the archive means what is %d to the reader", flag, want)
		}
	}
	if index.FlagSynthetic <= int(jsonl.HidesInPi) {
		t.Error("a flag of the archive is one of the reader")
	}
}

// The first line with words of an error is kept, of a tool, of a command of the user
// and of a model; what a terminal would obey is no part of it.
func TestErrorLine(t *testing.T) {
	long := strings.Repeat("ü", 200)
	tests := []struct {
		entry jsonl.Entry
		want  string
	}{
		{jsonl.Entry{Flags: jsonl.IsError, Result: &jsonl.ToolResult{}, Text: jsonl.Text{Output: "\n \x1b[31m\x1b[0m\n  \x1b[31merror:\x1b[0m no key\nexit 1"}}, "error: no key"},
		{jsonl.Entry{Flags: jsonl.IsError, Text: jsonl.Text{Notes: "429 too many\r\nagain", Assistant: "so far"}}, "429 too many"},
		{jsonl.Entry{Result: &jsonl.ToolResult{}, Text: jsonl.Text{Output: "error: none"}}, ""},
		{jsonl.Entry{Flags: jsonl.IsError, Result: &jsonl.ToolResult{}}, ""},
		{jsonl.Entry{Flags: jsonl.IsError, Result: &jsonl.ToolResult{}, Text: jsonl.Text{Output: long}}, long[:252] + "…"},
		{jsonl.Entry{Flags: jsonl.IsError, Result: &jsonl.ToolResult{}, Text: jsonl.Text{Output: long[:256]}}, long[:256]},
	}
	for _, tt := range tests {
		if got := errorLine(&tt.entry); got != tt.want {
			t.Errorf("%+v: %q", tt.entry.Text, got)
		}
	}
}
