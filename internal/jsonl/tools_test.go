package jsonl

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestToolCalls(t *testing.T) {
	e := entry(t, said("a", "assistant", `[{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"ls"}},{"type":"text","text":"x"},{"type":"toolCall","id":"c2","name":"read"},{"type":"toolCall"}]`))
	want := []ToolCall{{ID: "c1", Name: "bash", Arguments: len(`{"command":"ls"}`), Argument: "ls"}, {ID: "c2", Name: "read"}, {}}
	if diff := cmp.Diff(want, e.Calls); diff != "" {
		t.Error(diff)
	}
}

func TestToolResults(t *testing.T) {
	tests := []struct {
		message string
		want    ToolResult
	}{
		{`"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[],"isError":false`, ToolResult{CallID: "c1", Name: "bash"}},
		{`"role":"toolResult","toolCallId":"c1","toolName":"bash","isError":true,"details":{"exitCode":2}`, ToolResult{CallID: "c1", Name: "bash", Flagged: true, IsError: true, Exit: 2, HasExit: true}},
		{`"role":"toolResult","toolName":"x","isError":true`, ToolResult{Name: "x", Flagged: true, IsError: true}},
		{`"role":"toolResult","toolName":"exec","isError":false,"details":{"status":"completed","exitCode":1}`, ToolResult{Name: "exec", IsError: true, Exit: 1, HasExit: true}},
		{`"role":"toolResult","toolName":"edit","isError":false,"details":{"status":"error"}`, ToolResult{Name: "edit", IsError: true}},
		{`"role":"toolResult","toolName":"process","details":{"status":"failed","exitCode":0}`, ToolResult{Name: "process", IsError: true, HasExit: true}},
		{`"role":"toolResult","toolName":"process","details":{"status":"running"}`, ToolResult{Name: "process"}},
		{`"role":"toolResult","toolName":"x","details":{"status":["error"],"exitCode":"1"}`, ToolResult{Name: "x"}},
		{`"role":"toolResult","toolName":"bash","details":{"exitCode":0,"truncation":{"truncated":true,"lines":9}}`, ToolResult{Name: "bash", HasExit: true, Truncated: true}},
		{`"role":"toolResult","toolName":"bash","details":{"truncation":{"truncated":false},"truncated":true}`, ToolResult{Name: "bash", Truncated: true}},
		{`"role":"toolResult","toolName":"bash","details":{"exitCode":null,"truncation":"x"}`, ToolResult{Name: "bash"}},
		{`"role":"toolResult","toolName":"bash","details":"x","isError":1`, ToolResult{Name: "bash"}},
		{`"role":"bashExecution","command":"x","exitCode":0,"truncated":true`, ToolResult{Name: "bash", ByUser: true, HasExit: true, Truncated: true}},
		{`"role":"bashExecution","command":"x","exitCode":127`, ToolResult{Name: "bash", ByUser: true, IsError: true, Exit: 127, HasExit: true}},
		{`"role":"bashExecution","command":"x","cancelled":true`, ToolResult{Name: "bash", ByUser: true}},
		{`"role":"pythonExecution","code":"x","exitCode":-9`, ToolResult{Name: "python", ByUser: true, IsError: true, Exit: -9, HasExit: true}},
	}
	for _, tt := range tests {
		e := entry(t, `{"type":"message","id":"a","message":{`+tt.message+`}}`)
		if e.Result == nil || *e.Result != tt.want || e.Tool != tt.want.Name || (e.Flags&IsError != 0) != tt.want.IsError {
			t.Errorf("%s: %+v of %s", tt.message, e.Result, e.Tool)
		}
	}
	if e := entry(t, said("a", "user", `"x"`)); e.Result != nil {
		t.Errorf("a question has a result: %+v", e.Result)
	}
}

// Text that stands only in the details of a result is output as well, each line once;
// what is read of the entry shows it.
func TestDetailText(t *testing.T) {
	tests := []struct{ content, details, want, shown string }{
		{`"cut"`, `{"truncation":{"content":"all\nof it"}}`, "cut\nall\nof it", "all\nof it"},
		{`"head\nof it\n[cut]"`, `{"truncation":{"content":"head\nof it"}}`, "head\nof it\n[cut]", ""},
		{`"head\n[cut]\ntail"`, `{"aggregated":"head\r\nmiddle\r\n\r\ntail","tail":"middle\ntail"}`, "head\n[cut]\ntail\nmiddle", "middle"},
		{`"running"`, `{"tail":"}\nlast\n}"}`, "running\n}\nlast\n}", "}\nlast\n}"},
		{`"ok"`, `{"diff":" 1 a\n+2 b"}`, "ok\n 1 a\n+2 b", ""},
		{`"{}"`, `{"status":"error","error":"no such file"}`, "{}\nno such file", "no such file"},
		{`[]`, `{"stdout":"o","stderr":"e","output":"o"}`, "o\ne", "o\ne"},
		{`"x"`, `{"cwd":"/w","tail":["t"],"truncation":"u","Tail":"v"}`, "x", ""},
		{`"x"`, `"tail"`, "x", ""},
	}
	for _, tt := range tests {
		line := said("a", "toolResult", tt.content, `"toolName":"exec"`, `"details":`+tt.details)
		if got := entry(t, line).Text.Output; got != tt.want {
			t.Errorf("%s %s: output %q, want %q", tt.content, tt.details, got, tt.want)
		}
		shown := ""
		for _, b := range ParseBlocks([]byte(line), "a") {
			if b.Kind == "details" {
				shown = b.Text
			}
		}
		if shown != tt.shown {
			t.Errorf("%s %s: shown %q, want %q", tt.content, tt.details, shown, tt.shown)
		}
	}
}

func TestTouches(t *testing.T) {
	call := func(name, arguments string) string {
		return said("a", "assistant", `[{"type":"toolCall","id":"c","name":`+quote(name)+`,"arguments":`+arguments+`}]`)
	}
	tests := []struct {
		line string
		want []Touch
	}{
		{call("read", `{"path":"/w/a.go","limit":5}`), []Touch{{"read", "/w/a.go"}}},
		{call("Read", `{"file_path":"a.go"}`), []Touch{{"read", "a.go"}}},
		{call("write", `{"content":"x","path":"a.go"}`), []Touch{{"write", "a.go"}}},
		{call("edit", `{"path":"a.go","oldText":"x"}`), []Touch{{"edit", "a.go"}}},
		{call("apply_patch", `{"filePath":"a.go"}`), []Touch{{"edit", "a.go"}}},
		{call("view", `{"file":"a.go"}`), []Touch{{"read", "a.go"}}},
		{call("edit", `{"path":"a.go","path":"b.go"}`), []Touch{{"edit", "b.go"}}}, // of doubled keys the last counts
		{call("edit", `{"input":"[src/a b.go#1A2B]\n12:\n+[x#1A2B]\n[c]\n[d#note!]\n¶b.go#zz9\r\n[src/a b.go#1A2B]\n"}`), []Touch{{"edit", "src/a b.go"}, {"edit", "b.go"}}},
		{call("apply_patch", `{"input":"*** Begin Patch\n*** Update File: a.go\n*** Move to: b.go\n@@\n-x\n*** Add File: c.go\n+*** Add File: no\n*** Delete File: d.go\n*** End Patch"}`),
			[]Touch{{"edit", "a.go"}, {"edit", "b.go"}, {"write", "c.go"}, {"edit", "d.go"}}},
		{call("apply_patch", `{"patch":"*** Update File: a.go"}`), []Touch{{"edit", "a.go"}}},
		{call("read", `{"input":"[a.go#1A2B]"}`), nil},
		{call("read", `{"path":""}`), nil},
		{call("read", `{"path":["a.go"]}`), nil},
		{call("read", `{"Path":"a.go"}`), nil},
		{call("read", `"a.go"`), nil},
		{call("read", `null`), nil},
		{call("bash", `{"path":"a.go","command":"cat a.go"}`), nil},
		{call("ls", `{"path":"/w"}`), nil},
		{`{"type":"compaction","id":"a","details":{"modifiedFiles":["b.go"],"readFiles":["a.go","",7]}}`, []Touch{{"read", "a.go"}, {"edit", "b.go"}}},
		{`{"type":"branch_summary","id":"a","summary":"x","details":{"readFiles":["a.go"],"modifiedFiles":[]}}`, []Touch{{"read", "a.go"}}},
		{`{"type":"compaction","id":"a","details":{"readFiles":"a.go","readFiles":{}}}`, nil},
		{`{"type":"message","id":"a","message":{"role":"fileMention","files":[{"path":"a.go"},{"path":"b.go"}]}}`, []Touch{{"mention", "a.go"}, {"mention", "b.go"}}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, entry(t, tt.line).Touches); diff != "" {
			t.Errorf("%s\n%s", tt.line, diff)
		}
	}
}

// Of the arguments of a call the one is told that says what it was to do.
func TestTellingArgument(t *testing.T) {
	for arguments, want := range map[string]string{
		`{"timeout":9,"command":"go test"}`:               "go test",
		`{"_i":"look","cmd":["bash","-lc","ls -l"]}`:      "ls -l",
		`{"path":"src","pattern":"a.*b"}`:                 "a.*b",
		`{"content":"x","file_path":"a.go"}`:              "a.go",
		`{"input":"*** Begin Patch\n*** Add File: c.go"}`: "c.go",
		`{"n":1,"subject":"keys","body":"x"}`:             "keys",
		`{"n":1,"list":["x"]}`:                            "",
		`"as text"`:                                       "as text",
		`[1]`:                                             "",
		`{"command":7,"query":""}`:                        "",
	} {
		e := entry(t, said("a", "assistant", `[{"type":"toolCall","name":"any","arguments":`+arguments+`}]`))
		if got := e.Calls[0].Argument; got != want {
			t.Errorf("%s: %q", arguments, got)
		}
	}
}
