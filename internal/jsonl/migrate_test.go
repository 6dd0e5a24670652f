package jsonl

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const headV1 = `{"type":"session","id":"s","timestamp":"2025-11-20T08:00:00.000Z","cwd":"/w"}`

// saidV1 is a message of version 1, which has no ids.
func saidV1(role, content string, extra ...string) string {
	members := append([]string{`"role":` + quote(role), `"content":` + quote(content)}, extra...)
	return `{"type":"message","timestamp":"2025-11-20T08:00:01.000Z","message":{` + strings.Join(members, ",") + `}}`
}

func compactionV1(index string) string {
	return `{"type":"compaction","timestamp":"2025-11-20T08:00:02.000Z","summary":"so far","firstKeptEntryIndex":` + index + `,"tokensBefore":81234}`
}

// kept lists the ordinals that compactions keep from, -1 for none.
func (r scanned) kept() []int {
	var kept []int
	for _, e := range r.entries {
		if e.Compaction != nil {
			kept = append(kept, e.Compaction.FirstKeptOrdinal)
		}
	}
	return kept
}

// The example that was run through pi: two questions and an answer, a compaction
// that keeps from line 3 on, a last question.
func TestVersion1(t *testing.T) {
	lines := []string{headV1, saidV1("user", "q1"), saidV1("assistant", "r1", `"provider":"anthropic"`, `"model":"m-x"`), saidV1("user", "q2"), compactionV1("3"), saidV1("user", "q3")}
	r := scan(t, file(lines...))
	if !r.chained() || len(r.entries) != 5 || r.kinds() != "" {
		t.Fatalf("chained %v, %d entries, problems %s", r.chained(), len(r.entries), r.kinds())
	}
	parent := ""
	for i, e := range r.entries {
		sum := sha256.Sum256([]byte("s\x00" + strconv.Itoa(i) + "\x00" + lines[i+1]))
		if want := "~" + hex.EncodeToString(sum[:])[:11]; e.ID != want || !e.Synthetic {
			t.Errorf("entry %d has id %s, want %s", i, e.ID, want)
		}
		if e.ParentID != parent {
			t.Errorf("entry %d has parent %q, want %q", i, e.ParentID, parent)
		}
		parent = e.ID
	}
	if r.Last() != parent {
		t.Errorf("last is %s", r.Last())
	}
	c := r.entries[3].Compaction
	if c.FirstKeptOrdinal != 2 || c.FirstKeptID != "" || c.TokensBefore != 81234 {
		t.Errorf("compaction %+v", c)
	}
	var texts []string
	for _, e := range r.entries {
		if e.Listing.Text != "" {
			texts = append(texts, e.Listing.Text)
		}
	}
	s := r.Summary()
	if s.Messages != 4 || strings.Join(texts, " ") != "q1 r1 q2 q3" || s.First != "q1" || !slices.Equal(s.Models, []string{"anthropic/m-x"}) {
		t.Errorf("summary %+v, texts %q", s, texts)
	}
}

// The index counts the header and every line that parsed, whatever it holds.
func TestFirstKeptIndex(t *testing.T) {
	u := saidV1("user", "q")
	tests := []struct {
		name  string
		lines []string
		kept  int
	}{
		{"first entry", []string{headV1, u, u, compactionV1("1")}, 0},
		{"header", []string{headV1, u, u, compactionV1("0")}, -1},
		{"itself", []string{headV1, u, u, compactionV1("3")}, -1},
		{"not yet there", []string{headV1, u, compactionV1("3"), u}, -1},
		{"out of range", []string{headV1, u, compactionV1("99"), u}, -1},
		{"negative", []string{headV1, u, compactionV1("-1"), u}, -1},
		{"fraction", []string{headV1, u, compactionV1("1.5"), u}, -1},
		{"huge", []string{headV1, u, compactionV1("1e30"), u}, -1},
		{"no number", []string{headV1, u, compactionV1(`"1"`), u}, -1},
		{"null", []string{headV1, u, compactionV1("null"), u}, -1},
		{"written as a float", []string{headV1, u, u, compactionV1("2.0")}, 1},
		{"malformed line", []string{headV1, u, "{broken", u, compactionV1("2")}, 1},
		{"malformed first line", []string{"{broken", headV1, u, u, compactionV1("2")}, 1},
		{"blank line", []string{headV1, "", u, "  ", u, compactionV1("2")}, 1},
		{"second header", []string{headV1, u, headV1, u, compactionV1("3")}, 1},
		{"second header kept", []string{headV1, u, headV1, u, compactionV1("2")}, -1},
		{"scalar", []string{headV1, u, "5", u, compactionV1("3")}, 1},
		{"scalar kept", []string{headV1, u, "5", u, compactionV1("2")}, -1},
		{"scalar first", []string{"null", headV1, u, u, compactionV1("3")}, 1},
		{"title slot", []string{slot("x"), headV1, u, u, compactionV1("3")}, 1},
		{"several headers", []string{headV1, headV1, u, headV1, headV1, u, compactionV1("5")}, 1},
	}
	for _, tt := range tests {
		if kept := scan(t, file(tt.lines...)).kept(); len(kept) != 1 || kept[0] != tt.kept {
			t.Errorf("%s: kept from %v, want %d", tt.name, kept, tt.kept)
		}
	}
	r := scan(t, file(headV1, u, compactionV1("1"), u, compactionV1("3")))
	if !slices.Equal(r.kept(), []int{0, 2}) {
		t.Errorf("two compactions keep from %v", r.kept())
	}
}

// Later versions name the entry; the index is nothing there.
func TestFirstKeptID(t *testing.T) {
	e := entry(t, `{"type":"compaction","id":"c","parentId":null,"summary":"so far","firstKeptEntryId":"k","firstKeptEntryIndex":1}`)
	if c := e.Compaction; c.FirstKeptID != "k" || c.FirstKeptOrdinal != -1 {
		t.Errorf("compaction %+v", c)
	}
}

// Synthetic ids depend on the content alone: not on line ends, on what could not
// be read, on what follows, or on the place of the file.
func TestSyntheticIDs(t *testing.T) {
	lines := []string{headV1, saidV1("user", "q"), saidV1("user", "q"), saidV1("user", "r")}
	want := scan(t, file(lines...)).entries
	if want[0].ID == want[1].ID {
		t.Error("equal lines have one id")
	}
	for name, text := range map[string]string{
		"CR LF":        strings.Join(lines, "\r\n") + "\r\n",
		"no final LF":  strings.Join(lines, "\n"),
		"damaged":      file(lines[0], "{", lines[1], "", lines[2], "\x00", lines[3]),
		"more":         file(append(slices.Clone(lines), saidV1("user", "s"))...),
		"other header": file(append([]string{`{"version":1,"type":"session","cwd":"/elsewhere","id":"s"}`}, lines[1:]...)...),
	} {
		for i, e := range scan(t, text).entries[:len(want)] {
			if e.ID != want[i].ID {
				t.Errorf("%s: entry %d has id %s, want %s", name, i, e.ID, want[i].ID)
			}
		}
	}
	if other := scan(t, strings.Replace(file(lines...), `"id":"s"`, `"id":"t"`, 1)).entries; other[0].ID == want[0].ID {
		t.Error("another session has the same ids")
	}
}

// Ids of a version 1 file count only where the header says nothing of a version
// and every entry has them: then somebody took the version away.
func TestNativeIDs(t *testing.T) {
	const (
		a    = `{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"q"}}`
		b    = `{"type":"message","id":"b","parentId":"a","message":{"role":"user","content":"r"}}`
		c    = `{"type":"message","id":"c","parentId":"a","message":{"role":"user","content":"s"}}`
		bare = `{"type":"message","id":"d","message":{"role":"user","content":"t"}}`
	)
	versioned := strings.Replace(headV1, "{", `{"version":1,`, 1)
	tests := []struct {
		name         string
		lines        []string
		ids, parents string
		missing      bool
	}{
		{"tree", []string{headV1, a, b, c}, "a b c", "- a a", true},
		{"null version", []string{strings.Replace(headV1, "{", `{"version":null,`, 1), a, b, c}, "a b c", "- a a", true},
		{"version 1", []string{versioned, a, b, c}, "~ ~ ~", "", false},
		{"no ids", []string{headV1, saidV1("user", "q")}, "~", "-", false},
		{"no parent key first", []string{headV1, bare, a}, "~ ~", "", false},
		{"no parent key later", []string{headV1, a, b, bare}, "~ ~ ~", "", false},
		{"no id later", []string{headV1, a, b, saidV1("user", "t"), c}, "~ ~ ~ ~", "", false},
	}
	for _, tt := range tests {
		r := scan(t, file(tt.lines...))
		if r.ids() != tt.ids || tt.parents != "" && r.parents() != tt.parents || r.chained() != strings.HasPrefix(tt.ids, "~") {
			t.Errorf("%s: entries %s, parents %s, chained %v", tt.name, r.ids(), r.parents(), r.chained())
		}
		if got := slices.Contains(r.Summary().Anomalies, "version-missing"); got != tt.missing {
			t.Errorf("%s: version missing %v", tt.name, got)
		}
		for i, e := range r.entries {
			if r.chained() && i > 0 && e.ParentID != r.entries[i-1].ID {
				t.Errorf("%s: entry %d has parent %q", tt.name, i, e.ParentID)
			}
		}
	}
}

// The entry that breaks the rule may come late: what was read before is void.
func TestRestartChain(t *testing.T) {
	text := file(headV1, `{"type":"x","id":"a","parentId":null}`, saidV1("user", "q"))
	r, err := scanFrom(strings.NewReader(text), Options{})
	if !errors.Is(err, ErrRestart) || r.Restart().Header != nil || !r.Restart().Chain {
		t.Fatalf("%v, options %+v", err, r.Restart())
	}
	r, err = scanFrom(strings.NewReader(text), r.Restart())
	if err != nil || r.ids() != "~ ~" || len(r.Summary().Anomalies) > 0 || r.kinds() != "" {
		t.Errorf("second pass: %v, entries %s, anomalies %q, problems %s", err, r.ids(), r.Summary().Anomalies, r.kinds())
	}
}

// A header behind entries is known from a first pass; both reasons to restart
// may meet.
func TestRestartHeader(t *testing.T) {
	a := `{"type":"x","id":"a","parentId":null}`
	text := file(a, headV1, saidV1("user", "q"), headV1)
	r, err := scanFrom(strings.NewReader(text), Options{})
	if h := r.Restart().Header; !errors.Is(err, ErrRestart) || h == nil || h.ID != "s" {
		t.Fatalf("%v, options %+v", err, r.Restart())
	}
	r, err = scanFrom(strings.NewReader(text), r.Restart())
	if o := r.Restart(); !errors.Is(err, ErrRestart) || o.Header == nil || !o.Chain {
		t.Fatalf("second pass: %v, options %+v", err, o)
	}
	r, err = scanFrom(strings.NewReader(text), r.Restart())
	if err != nil || r.ids() != "~ ~" || r.kinds() != "2:late-header 4:second-header" || !slices.Equal(r.Summary().Anomalies, []string{"pi-rejects"}) {
		t.Errorf("third pass: %v, entries %s, problems %s, anomalies %q", err, r.ids(), r.kinds(), r.Summary().Anomalies)
	}
	if _, at := r.Header(); at.No != 2 || at.Offset != int64(len(a)+1) || at.Bytes != int64(len(headV1)+1) {
		t.Errorf("header at %+v", at)
	}
}

// hookMessage became custom with version 3.
func TestHookMessage(t *testing.T) {
	const hook = `{"type":"message","id":"a","parentId":null,"message":{"role":"hookMessage","customType":"my-ext","content":"do"}}`
	for header, want := range map[string]string{
		headV1: "custom",
		`{"type":"session","version":2,"id":"s"}`:   "custom",
		`{"type":"session","version":3,"id":"s"}`:   "hookMessage",
		`{"type":"session","version":"x","id":"s"}`: "hookMessage",
	} {
		e := scan(t, file(header, hook)).entries[0]
		if e.Role != want || e.Custom != "my-ext" || e.Text.Notes != "do" {
			t.Errorf("%s: role %s, %+v", header, e.Role, e)
		}
	}
}

// Entries of later versions without an id get one and keep their parent.
func TestMissingIDs(t *testing.T) {
	r := scan(t, file(head, `{"type":"x"}`, `{"type":"x"}`, `{"type":"x","parentId":"a"}`, `{"type":"x","id":"a","parentId":null}`))
	if r.ids() != "~ ~ ~ a" || r.parents() != "- - a -" || r.kinds() != "2:missing-id 3:missing-id 4:missing-id" || r.chained() {
		t.Errorf("entries %s, parents %s, problems %s", r.ids(), r.parents(), r.kinds())
	}
	if r.entries[0].ID == r.entries[1].ID {
		t.Error("equal lines have one id")
	}
}
