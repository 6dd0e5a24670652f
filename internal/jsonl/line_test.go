package jsonl

import "testing"

func TestParseEntry(t *testing.T) {
	const line = `{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"hello"}}`
	for _, text := range []string{line, line + "\n", line + "\r\n", "\ufeff" + line} {
		if e := ParseEntry([]byte(text), "any"); e == nil || e.ID != "a" || e.Text.User != "hello" {
			t.Errorf("%q: %+v", text, e)
		}
	}
	for _, text := range []string{"", "\n", "{", "5", "null", `"x"`, "[]", line + line} {
		if e := ParseEntry([]byte(text), "a"); e != nil {
			t.Errorf("%q: %+v", text, e)
		}
	}
}

func TestParseEntryPicks(t *testing.T) {
	const line = `[{"kind":"value","id":"b","namespace":"x"},{"kind":"entry","type":"message","id":"a","message":{"role":"user","content":"one"}},` +
		`{"kind":"entry","type":"message","id":"b","message":{"role":"user","content":"two"}},{"kind":"usage","id":"b"}]`
	if e := ParseEntry([]byte(line), "b"); e == nil || e.Text.User != "two" {
		t.Errorf("b: %+v", e)
	}
	if e := ParseEntry([]byte(line), "c"); e != nil {
		t.Errorf("c: %+v", e)
	}
}

func TestParseTitle(t *testing.T) {
	tests := []struct{ line, want string }{
		{`{"type":"session","version":3,"id":"s","title":"Fix \ud83d login"}`, "Fix \ufffd login"},
		{`{"type":"title","v":1,"title":"Slot","updatedAt":"","pad":"  "}` + "\n", "Slot"},
		{`{"type":"title","v":1,"title":"Slot","updatedAt":"","pad":"  "}` + "\nnot json\n", "Slot"},
		{"\ufeff" + `{"type":"session","title":"Marked"}` + "\r\n", "Marked"},
		{`{"type":"session","title":5}`, ""},
		{`{"type":"session"}`, ""},
		{`{"title":`, ""},
		{"", ""},
	}
	for _, tt := range tests {
		if got := ParseTitle([]byte(tt.line)); got != tt.want {
			t.Errorf("ParseTitle(%q) = %q, want %q", tt.line, got, tt.want)
		}
	}
}
