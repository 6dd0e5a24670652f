package ingest

import (
	"strings"
	"testing"
)

// A file grows between two runs, or three. What the second run finds joins with
// what the first one stored.
func TestGrowth(t *testing.T) {
	open := func(line string) string { return strings.TrimSuffix(line, "\n") }
	tests := []struct {
		name   string
		pieces []string
		query  string // gives one text
		want   string
	}{
		{"a result answers a call of an earlier run", []string{head + called("a", "", "c1", "c2"), answered("b", "a", "c2")},
			`SELECT (call & 255) || '/' || call_n FROM _tool_result`, "1/1"},
		{"of two calls with one id the last is answered", []string{head + called("a", "", "c", "c"), answered("b", "a", "c")},
			`SELECT (call & 255) || '/' || call_n FROM _tool_result`, "1/1"},
		{"a parent comes after its child", []string{head + said("b", "a", "child"), said("a", "", "parent")},
			`SELECT group_concat((id & 255) || '<' || coalesce(parent & 255, '')) FROM _entry`, "1<2,2<"},
		{"a repeated line counts once", []string{head + said("a", "", "x") + said("b", "a", "y"), said("a", "", "x")},
			`SELECT n_entries || ' ' || (leaf & 255) FROM _session`, "2 1"},
		{"the last definition of an id counts", []string{head + said("a", "", "x") + said("b", "a", "y"), said("a", "", "z"), said("a", "b", "zz")},
			`SELECT group_concat(coalesce(dup_of & 255, '-') || '<' || coalesce(parent & 255, ''), ' ') FROM _entry`, "4< -<4 4< -<2"},
		{"a repeat of a line that no longer counts", []string{head + said("a", "", "x"), said("a", "", "z"), said("a", "", "x")},
			`SELECT group_concat(coalesce(dup_of & 255, '-')) FROM _entry`, "3,3,-"},
		{"an entry gets its label later, and loses it", []string{head + said("a", "", "x"), labelled("l", "a", "a", "mark"), labelled("m", "l", "b", "stop") + labelled("n", "m", "a", "")},
			`SELECT labels || (SELECT count(target) FROM _label) FROM _session`, `["stop"]2`},
		{"a compaction keeps an entry of an earlier run", []string{head + said("a", "", "x"), line("c", "a", `"type":"compaction","summary":"s","firstKeptEntryId":"a"`)},
			`SELECT CAST(first_kept & 255 AS TEXT) FROM _compaction`, "1"},
		{"a chain of version 1 goes on", []string{headV1 + `{"type":"message","message":{"role":"user","content":"x"}}` + "\n", `{"type":"compaction","summary":"s","firstKeptEntryIndex":1}` + "\n"},
			`SELECT (parent & 255) || (SELECT ' ' || (first_kept & 255) FROM _compaction) FROM _entry WHERE parent IS NOT NULL`, "1 1"},
		{"a version 1 file with ids goes on without", []string{headV1 + said("a", "", "x") + said("b", "", "y"), `{"type":"message","message":{"role":"user","content":"z"}}` + "\n"},
			`SELECT group_concat((flags & 128) || '<' || coalesce(parent & 255, '')) FROM _entry`, "128<,128<1,128<2"},
		{"the first message comes late", []string{head + called("a", ""), said("b", "a", "hello"), said("c", "b", "again")},
			`SELECT first_message FROM _session`, "hello"},
		{"the first message stays", []string{head + said("a", "", "hello"), "nothing\n", called("b", "a")},
			`SELECT first_message || (leaf & 255) FROM _session`, "hello2"},

		{"the last line is completed", []string{head + open(said("a", "", "hello")), "\n" + said("b", "a", "x")},
			`SELECT first_message || n_entries FROM _session`, "hello2"},
		{"the last line was no message after all", []string{head + open(said("a", "", "hello")), "x\n"},
			`SELECT coalesce(first_message, '-') || n_entries FROM _session`, "-0"},
		{"two writers share the last line", []string{head + said("a", "", "x") + open(said("a", "", "y")), said("b", "a", "z")},
			`SELECT group_concat(coalesce(dup_of, '-')) FROM _entry`, "-"},
		{"the last line was a parent", []string{head + said("b", "a", "x") + labelled("l", "b", "a", "mark") + open(said("a", "", "y")), "x\n" + said("c", "", "z")},
			`SELECT group_concat(coalesce(parent & 255, '')) || (SELECT count(target) FROM _label) FROM _entry`, ",1,0"},
		{"the header is the last line", []string{open(head), "\n" + said("a", "", "x")},
			`SELECT header_line || ' ' || n_entries FROM _session`, "1 1"},
		{"the header was none", []string{"{}\n" + open(head), "x\n"},
			`SELECT CAST(count(*) AS TEXT) FROM _session`, "0"},
		{"the header is the last line and comes late", []string{said("a", "", "x") + open(head), "\n" + said("b", "a", "y")},
			`SELECT header_line || ' ' || n_entries FROM _session`, "2 2"},
		{"a line is cut short, twice", []string{head + said("a", "", "hello")[:30], said("a", "", "hello")[30:60], said("a", "", "hello")[60:]},
			`SELECT first_message || (SELECT count(*) FROM _problem) FROM _session`, "hello0"},
		{"it becomes a session", []string{"what is this\n", head + said("a", "", "x")},
			`SELECT n_entries || (SELECT group_concat(kind) FROM _problem) FROM _session`, "1malformed-line"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			y := newYard(t)
			for _, piece := range test.pieces {
				y.append("s.jsonl", piece)
				y.index()
			}
			y.same()
			if got := one[string](y, test.query); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if lines := dropped(t, y.archive); len(lines) > 0 {
				t.Errorf("lines that were never dropped are kept as superseded: %q", lines)
			}
		})
	}
}

// Of a file that grew only the proofs and the new bytes are read.
func TestGrowthReadsTheTail(t *testing.T) {
	y := newYard(t)
	y.write("s.jsonl", head, strings.Repeat(said("a", "", "x"), 1500))
	y.index()
	tail := said("b", "a", "y")
	y.append("s.jsonl", tail)
	report := y.index()
	if want := int64(2*proofSize + len(tail)); report.Appended != 1 || report.BytesRead != want || report.EntriesAdded != 1 {
		t.Errorf("report %+v, want %d bytes read", *report, want)
	}
	y.same()
}

// What was read of the last line is kept when the next writer puts something
// else in its place.
func TestGrowthOverATornLine(t *testing.T) {
	y := newYard(t)
	y.write("s.jsonl", head, said("a", "", "x"), `{"id":"b","parentId"`)
	y.index()
	y.write("s.jsonl", head, said("a", "", "x"), said("c", "a", "something else, and longer"))
	if report := y.index(); report.Replaced != 1 {
		t.Errorf("report %+v", *report)
	}
	y.same()
	if got := dropped(t, y.archive)[y.path("s.jsonl")]; len(got) != 1 || got[0] != `{"id":"b","parentId"` {
		t.Errorf("superseded: %q", got)
	}
}
