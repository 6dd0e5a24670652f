package jsonl

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// header reads a source of one line.
func header(t *testing.T, line string) *Header {
	t.Helper()
	h, _ := scan(t, line+"\n").Header()
	if h == nil {
		t.Fatalf("%s is no header", line)
	}
	return h
}

func TestHeader(t *testing.T) {
	tests := []struct {
		line string
		want Header
	}{
		{head, Header{ID: "s", Timestamp: "2026-03-01T10:00:00.000Z", Created: 1772359200000, CreatedOK: true, CWD: "/w", Version: 3, Versioned: true}},
		{`{"type":"session"}`, Header{Version: 1, Linear: true}},
		{`{"type":"session","id":7,"timestamp":8,"cwd":9,"parentSession":10,"title":11}`, Header{Version: 1, Linear: true}},
		{`{"type":"session","version":3,"id":"s","timestamp":"soon","cwd":null}`, Header{ID: "s", Timestamp: "soon", Version: 3, Versioned: true}},
		{`{"cwd":"/a b/ünï%20/'\"\n","id":"s","type":"session","version":3,"more":{"type":"x","id":"y"}}`, // any order, unknown fields
			Header{ID: "s", CWD: "/a b/ünï%20/'\"\n", Version: 3, Versioned: true}},
		{`{"type":"session","version":3,"ID":"S","Cwd":"/x","id":"s","id":"t"}`, Header{ID: "t", Version: 3, Versioned: true}},
		{`{"type":"session","id":"s","model":"anthropic/claude/x","thinkingLevel":"off"}`, // pi 0.7.6
			Header{ID: "s", Version: 1, Linear: true, Provider: "anthropic", Model: "claude/x", Thinking: "off"}},
		{`{"type":"session","id":"s","provider":"openai","modelId":"g","thinkingLevel":"high"}`, // pi 0.13
			Header{ID: "s", Version: 1, Linear: true, Provider: "openai", Model: "g", Thinking: "high"}},
		{`{"type":"session","id":"s","provider":"openai","modelId":"g","model":"other/one"}`,
			Header{ID: "s", Version: 1, Linear: true, Provider: "openai", Model: "g"}},
		{`{"type":"session","id":"s","model":"bare"}`, Header{ID: "s", Version: 1, Linear: true, Model: "bare"}},
		{`{"type":"session","version":3,"id":"s","title":"","titleSource":"user"}`, Header{ID: "s", Version: 3, Versioned: true, HasTitle: true}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(&tt.want, header(t, tt.line)); diff != "" {
			t.Errorf("%s\n%s", tt.line, diff)
		}
	}
}

// Absent and null are version 1; what compares as 3 or more, or as no number at
// all, is migrated by nobody.
func TestHeaderVersion(t *testing.T) {
	tests := []struct {
		member            string
		version           int
		versioned, linear bool
	}{
		{``, 1, false, true},
		{`,"version":null`, 1, false, true},
		{`,"version":0`, 0, true, true},
		{`,"version":1`, 1, true, true},
		{`,"version":1.5`, 1, true, true},
		{`,"version":-3`, -3, true, true},
		{`,"version":2`, 2, true, false},
		{`,"version":3`, 3, true, false},
		{`,"version":9`, 9, true, false},
		{`,"version":99`, 99, true, false},
		{`,"version":1e400`, 0, true, false},
		{`,"version":"3"`, 3, true, false},
		{`,"version":"1"`, 1, true, true},
		{`,"version":"null"`, 0, true, false},
		{`,"version":"x"`, 0, true, false},
		{`,"version":{}`, 0, true, false},
		{`,"version":3,"version":1`, 1, true, true},
		{`,"version":3,"version":null`, 1, false, true},
	}
	for _, tt := range tests {
		h := header(t, `{"type":"session","id":"s"`+tt.member+`}`)
		if h.Version != tt.version || h.Versioned != tt.versioned || h.Linear != tt.linear {
			t.Errorf("%s: version %d, stated %v, linear %v", tt.member, h.Version, h.Versioned, h.Linear)
		}
	}
}

func TestHeaderParent(t *testing.T) {
	tests := []struct{ members, parent, form string }{
		{`"parentSession":"/p.jsonl"`, "/p.jsonl", "parentSession"},
		{`"parentSession":"0199f0aa-1"`, "0199f0aa-1", "parentSession"}, // omp: an id
		{`"branchedFrom":"/b.jsonl"`, "/b.jsonl", "branchedFrom"},
		{`"branchedFrom":"/b.jsonl","parentSession":"/p.jsonl"`, "/p.jsonl", "parentSession"},
		{`"branchedFrom":"/b.jsonl","parentSession":""`, "/b.jsonl", "branchedFrom"},
		{`"branchedFrom":"/b.jsonl","parentSession":5`, "/b.jsonl", "branchedFrom"},
		{`"x":1`, "", ""},
	}
	for _, tt := range tests {
		h := header(t, `{"type":"session","version":3,"id":"s",`+tt.members+`}`)
		if h.Parent != tt.parent || h.ParentForm != tt.form {
			t.Errorf("%s: %q from %q", tt.members, h.Parent, h.ParentForm)
		}
	}
}

// The header's line can be read again, whatever fields it has.
func TestHeaderLine(t *testing.T) {
	const before, line = "\n{broken\n", head + "\r\n"
	_, at := scan(t, before+line+said("a", "user", `"x"`)+"\n").Header()
	if want := (Line{No: 3, Offset: int64(len(before)), Bytes: int64(len(line))}); !cmp.Equal(at, want) {
		t.Errorf("at %+v, want %+v", at, want)
	}
}

// slot is omp's title line, 256 bytes with its LF.
func slot(title string) string {
	s := `{"type":"title","v":1,"title":` + quote(title) + `,"source":"auto","updatedAt":"2026-11-01T10:00:00.000Z","pad":"`
	return s + strings.Repeat(" ", 256-1-2-len(s)) + `"}`
}

func TestTitleSlot(t *testing.T) {
	r := scan(t, file(slot("Fix login"), head, said("a", "user", `"x"`)))
	if s := r.Slot(); s == nil || s.Title != "Fix login" {
		t.Errorf("slot %+v", s)
	}
	if _, at := r.Header(); at.No != 2 || at.Offset != 256 {
		t.Errorf("header at %+v", at)
	}
	if r.ids() != "a" || r.kinds() != "" || r.entries[0].Ordinal != 0 || len(r.Summary().Anomalies) > 0 {
		t.Errorf("entries %s, problems %s, anomalies %q", r.ids(), r.kinds(), r.Summary().Anomalies)
	}
}

func TestTitleSlotShape(t *testing.T) {
	tests := []struct {
		line string
		want bool
	}{
		{`{"type":"title","v":1,"title":"","updatedAt":"","pad":""}`, true},
		{`{"type":"title","v":1.0,"title":"","source":"user","updatedAt":"","pad":"","more":1}`, true},
		{`{"type":"title","v":2,"title":"","updatedAt":"","pad":""}`, false},
		{`{"type":"title","v":"1","title":"","updatedAt":"","pad":""}`, false},
		{`{"type":"title","v":1,"title":null,"updatedAt":"","pad":""}`, false},
		{`{"type":"title","v":1,"title":"","source":"model","updatedAt":"","pad":""}`, false},
		{`{"type":"title","v":1,"title":"","source":null,"updatedAt":"","pad":""}`, false},
		{`{"type":"title","v":1,"title":"","pad":""}`, false},
		{`{"type":"title","v":1,"title":"","updatedAt":""}`, false},
		{`{"type":"titles","v":1,"title":"","updatedAt":"","pad":""}`, false},
	}
	for _, tt := range tests {
		if got := scan(t, file(tt.line, head)).Slot() != nil; got != tt.want {
			t.Errorf("%s: slot %v", tt.line, got)
		}
	}
}

// Only the first physical line can be the slot. Behind the header it is an
// entry of a type nobody knows; in front of it, pi rejects the file.
func TestTitleSlotPlace(t *testing.T) {
	r := scan(t, file(head, slot("late")))
	if r.Slot() != nil || len(r.entries) != 1 || r.entries[0].Type != "title" {
		t.Errorf("behind the header: slot %v, %d entries", r.Slot(), len(r.entries))
	}
	r = scan(t, file("", slot("second"), head))
	if r.Slot() != nil || len(r.entries) != 1 {
		t.Errorf("on the second line: slot %v, %d entries", r.Slot(), len(r.entries))
	}
	if r = scan(t, "\ufeff"+file(slot("marked"), head)); r.Slot() == nil {
		t.Error("not found behind a byte order mark")
	}
}
