package ingest

import (
	"strings"
	"testing"

	"piarchive/internal/jsonl"
)

// bulk is a tool result of about n bytes: one long word, which costs little.
func bulk(id, parent string, n int) string {
	return line(id, parent, `"type":"message","message":{"role":"toolResult","toolName":"read","content":[{"type":"text","text":"`+strings.Repeat("abcdefgh", n/8)+`"}]}`)
}

// A source that does not fit into one piece, in all the ways to read it.
func TestLargeSource(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it reads and writes some 200 MB")
	}
	y := newYard(t)
	third := smallSource/3 + 1000
	y.write("small.jsonl", head, said("a", "", "before"))
	y.write("s.jsonl", head, bulk("a", "", third), bulk("b", "a", third), bulk("c", "b", third), said("d", "x", "behind"))
	y.index() // built
	y.whole()
	y.append("s.jsonl", bulk("x", "c", third), bulk("e", "x", third), bulk("f", "e", third), said("b", "e", "again"))
	if report := y.index(); report.Appended != 1 || report.EntriesAdded != 3 { // the other b does not count any more
		t.Errorf("report %+v", *report)
	}
	y.whole()
	y.write("s.jsonl", head, bulk("a", "", third), bulk("b", "a", third), bulk("c", "b", third), bulk("x", "c", third+8))
	if report := y.index(); report.Replaced != 1 {
		t.Errorf("report %+v", *report)
	}
	y.same()
	if lines := dropped(t, y.archive)[y.path("s.jsonl")]; len(lines) != 5 {
		t.Errorf("%d lines are superseded, want 5", len(lines))
	}
}

// A line too long to be parsed is archived all the same.
func TestLineTooLong(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it reads and writes some 300 MB")
	}
	y := newYard(t)
	long := strings.Repeat("x", jsonl.MaxLine+100) + "\n"
	y.write("s.jsonl", head, long, said("a", "", "one"))
	y.index()
	if stored := y.stored()[y.path("s.jsonl")]; stored != head+long+said("a", "", "one") {
		t.Errorf("%d bytes are stored, or others", len(stored))
	}
	y.write("s.jsonl", head, said("a", "", "one"))
	y.index()
	if lines := dropped(t, y.archive)[y.path("s.jsonl")]; len(lines) != 1 || lines[0]+"\n" != long {
		t.Errorf("%d lines are superseded, want the long one", len(lines))
	}
}
