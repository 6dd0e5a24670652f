package jsonl

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseActions(t *testing.T) {
	tests := []struct {
		name, arguments string
		want            Action
	}{
		{"bash", `{"command":"ls -l","timeout":5}`, Action{Command: "ls -l"}},
		{"shell", `{"command":["bash","-lc","ls | wc"]}`, Action{Command: "ls | wc"}},
		{"shell", `{"cmd":["git","log"]}`, Action{Command: "git log"}},
		{"bash", `{"command":7}`, Action{}},
		{"bash", `"ls"`, Action{}},
		{"read", `{"path":"a.go"}`, Action{Path: "a.go"}},
		{"view", `{"command":"view","path":"a.go"}`, Action{Path: "a.go"}},
		{"write", `{"path":"a.go","content":"x\n"}`, Action{Path: "a.go", Changes: []Change{{"write", "a.go", "", "x\n"}}}},
		{"write", `{"path":"a.go","content":""}`, Action{Path: "a.go", Changes: []Change{{"write", "a.go", "", ""}}}},
		{"create", `{"path":"a.go","file_text":"x"}`, Action{Path: "a.go", Changes: []Change{{"write", "a.go", "", "x"}}}},
		{"edit", `{"path":"a.go","oldText":"x","newText":"y"}`, Action{Path: "a.go", Changes: []Change{{"edit", "a.go", "x", "y"}}}},
		{"edit", `{"path":"a.go","oldText":"x"}`, Action{Path: "a.go", Changes: []Change{{"edit", "a.go", "x", ""}}}},
		{"Edit", `{"file_path":"a.go","old_string":"x","new_string":"y"}`, Action{Path: "a.go", Changes: []Change{{"edit", "a.go", "x", "y"}}}},
		{"edit", `{"path":"a.go","edits":[{"oldText":"x","newText":"y"},{"old_text":"v","new_text":"w"}]}`,
			Action{Path: "a.go", Changes: []Change{{"edit", "a.go", "x", "y"}, {"edit", "a.go", "v", "w"}}}},
		{"edit", `{"path":"a.go","edits":[{"op":"replace","pos":"3#AB","lines":["y","z"]}]}`, Action{Path: "a.go", Changes: []Change{{"edit", "a.go", "", "y\nz"}}}},
		{"edit", `{"path":"a.go","edits":[{"op":"update","diff":"@@\n one\n-x\n+y\n"}]}`, Action{Path: "a.go", Changes: []Change{{"edit", "a.go", "one\nx", "one\ny"}}}},
		{"edit", `{"input":"[a.go#1A2B]\nPUT 3.=3:\n+y\n+\n[b.go#zz9]\nCUT 4\nPUT <5:\n+z"}`, Action{Changes: []Change{{"edit", "a.go", "", "y\n"}, {"edit", "b.go", "", "z"}}}},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Update File: a.go\n@@\n k\n-x\n+y\n*** Add File: b.go\n+new\n*** End Patch"}`,
			Action{Changes: []Change{{"edit", "a.go", "k\nx", "k\ny"}, {"write", "b.go", "", "new"}}}},
		{"edit", `{"path":"a.go"}`, Action{Path: "a.go"}},
		{"edit", `{"oldText":"x","newText":"y"}`, Action{}},
	}
	for _, tt := range tests {
		tt.want.Tool = tt.name
		line := said("a", "assistant", `[{"type":"text","text":"x"},{"type":"toolCall","id":"c","name":`+quote(tt.name)+`,"arguments":`+tt.arguments+`}]`)
		if diff := cmp.Diff([]Action{tt.want}, ParseActions([]byte(line), "a")); diff != "" {
			t.Errorf("%s %s\n%s", tt.name, tt.arguments, diff)
		}
	}
}

func TestParseActionsOf(t *testing.T) {
	for _, tt := range []struct {
		line string
		want []Action
	}{
		{`{"type":"message","id":"a","message":{"role":"bashExecution","command":"make","exitCode":0}}`, []Action{{Tool: "bash", Command: "make"}}},
		{said("a", "assistant", `[{"type":"toolCall","name":"x"},{"type":"toolCall"}]`), []Action{{Tool: "x"}, {}}},
		{said("a", "assistant", `"said"`), nil},
		{said("a", "user", `[{"type":"toolCall","name":"x"}]`), nil},
		{`{"type":"compaction","id":"a"}`, nil},
		{`broken`, nil},
	} {
		if diff := cmp.Diff(tt.want, ParseActions([]byte(tt.line), "a")); diff != "" {
			t.Errorf("%s\n%s", tt.line, diff)
		}
	}
}
