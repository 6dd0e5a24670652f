package jsonl

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const headV4 = `{"v":4,"kind":"header","id":"h","storageVersion":1,"createdAt":1786000000000,"cwd":"/w"}`

func TestHarnessHeader(t *testing.T) {
	tests := []struct {
		line string
		want Header
	}{
		{headV4, Header{ID: "h", Timestamp: "1786000000000", Created: 1786000000000, CreatedOK: true, CWD: "/w", Version: 4, Versioned: true, Harness: true}},
		{`{"v":4,"kind":"header","id":"h","parentSessionId":"p"}`, Header{ID: "h", Version: 4, Versioned: true, Harness: true, Parent: "p", ParentForm: "parentSession"}},
		{`{"v":4,"kind":"header","parentSessionId":"p","legacyParentSessionPath":"/p.jsonl"}`, Header{Version: 4, Versioned: true, Harness: true, Parent: "/p.jsonl", ParentForm: "parentSession"}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(&tt.want, header(t, tt.line)); diff != "" {
			t.Errorf("%s\n%s", tt.line, diff)
		}
	}
	for _, line := range []string{`{"v":"4","kind":"header","id":"h"}`, `{"kind":"header","id":"h"}`, `{"v":4,"kind":"entry","id":"h"}`} {
		if h, _ := scan(t, line+"\n").Header(); h != nil {
			t.Errorf("%s is a header", line)
		}
	}
}

// Entries come one a line or several; what else is written is no entry, and no
// damage either.
func TestHarness(t *testing.T) {
	const (
		a    = `{"kind":"entry","type":"message","id":"a","parentId":null,"seq":1,"timestamp":1786000001000,"message":{"role":"user","content":"q","timestamp":1786000001500}}`
		b    = `{"kind":"entry","type":"message","id":"b","parentId":"a","seq":2,"timestamp":1786000002000,"message":{"role":"assistant","content":[{"type":"text","text":"r"}]}}`
		c    = `{"kind":"entry","type":"compaction","id":"c","parentId":"b","seq":4,"timestamp":1786000003000,"summary":"so far","retainedTail":[],"tokensBefore":9}`
		tip  = `{"kind":"value","op":"set","seq":3,"namespace":"pi.branch.tip","key":"main","value":"b"}`
		name = `{"kind":"value","op":"set","seq":5,"namespace":"pi.session.name","key":"","value":" Route audit "}`
	)
	text := file(headV4, a, "["+b+","+tip+"]", `{"kind":"usage","id":"u","usage":{"input":1}}`, `{"kind":"list","op":"append","namespace":"x"}`, "["+c+","+name+"]", `[]`, `5`, `{"v":4,"kind":"header","id":"again"}`)
	r := scan(t, text)
	if r.ids() != "a b c" || r.parents() != "- a b" || r.kinds() != "8:not-an-object" {
		t.Fatalf("entries %s, parents %s, problems %s", r.ids(), r.parents(), r.kinds())
	}
	for i, line := range []int{2, 3, 6} {
		e := r.entries[i]
		if e.Ordinal != i || e.Line != line || e.NoParent {
			t.Errorf("entry %d: ordinal %d, line %d", i, e.Ordinal, e.Line)
		}
		if again := ParseEntry([]byte(text[e.Offset:e.Offset+e.Bytes]), e.ID); again == nil || again.Text != e.Text || again.Type != e.Type {
			t.Errorf("entry %d reads %+v on its line", i, again)
		}
	}
	if e := r.entries[1]; e.Time != 1786000002000 || e.Text.Assistant != "r" {
		t.Errorf("%+v", e)
	}
	s := r.Summary()
	h, at := r.Header()
	if h.ID != "h" || at.No != 1 || s.Leaf != "b" || s.Name != "Route audit" || s.Messages != 2 || s.First != "q" || s.Activity != 1786000002000 ||
		!slices.Equal(s.Anomalies, []string{"harness-v4"}) {
		t.Errorf("header %+v, summary %+v", h, s)
	}
}

func TestHarnessValues(t *testing.T) {
	value := func(namespace, key, rest string) string {
		return `{"kind":"value","namespace":` + quote(namespace) + `,"key":` + quote(key) + `,` + rest + `}`
	}
	tests := []struct {
		name       string
		lines      []string
		title, tip string
	}{
		{"set", []string{value("pi.session.name", "", `"op":"set","value":"one"`), value("pi.branch.tip", "main", `"op":"set","value":"a"`)}, "one", "a"},
		{"set again", []string{value("pi.session.name", "", `"op":"set","value":"one"`), value("pi.session.name", "", `"op":"set","value":"two"`)}, "two", ""},
		{"deleted", []string{value("pi.session.name", "", `"op":"set","value":"one"`), value("pi.session.name", "", `"op":"delete"`),
			value("pi.branch.tip", "main", `"op":"set","value":"a"`), value("pi.branch.tip", "main", `"op":"delete"`)}, "", ""},
		{"other lanes", []string{value("pi.branch.tip", "side", `"op":"set","value":"a"`), value("pi.session.name", "x", `"op":"set","value":"one"`)}, "", ""},
		{"null tip", []string{value("pi.branch.tip", "main", `"op":"set","value":null`)}, "", ""},
	}
	for _, tt := range tests {
		if s := scan(t, file(append([]string{headV4}, tt.lines...)...)).Summary(); s.Name != tt.title || s.Leaf != tt.tip {
			t.Errorf("%s: name %q, leaf %q", tt.name, s.Name, s.Leaf)
		}
	}
}

// Also this header may come late.
func TestHarnessLateHeader(t *testing.T) {
	r := scan(t, file(`{"kind":"entry","type":"x","id":"a","parentId":null}`, `{"type":"x"}`, headV4, `{"kind":"entry","type":"x","id":"b","parentId":"a"}`))
	if r.ids() != "a b" || r.kinds() != "3:late-header" || !slices.Equal(r.Summary().Anomalies, []string{"pi-rejects", "harness-v4"}) {
		t.Errorf("entries %s, problems %s, anomalies %q", r.ids(), r.kinds(), r.Summary().Anomalies)
	}
	if _, at := r.Header(); at.No != 3 {
		t.Errorf("header at %+v", at)
	}
}

// In a file of another version these lines are entries of no known type, and a
// version 4 header is nothing special.
func TestHarnessElsewhere(t *testing.T) {
	r := scan(t, file(head, `{"kind":"entry","type":"message","id":"a","message":{"role":"user","content":"q"}}`, headV4, `[{"kind":"entry","id":"b"}]`))
	if r.ids() != "a h" || r.kinds() != "4:not-an-object" {
		t.Errorf("entries %s, problems %s", r.ids(), r.kinds())
	}
}
