package index

import (
	"fmt"
	"strings"
	"testing"
)

// Which of some entries with one copy key counts: those of the files that are
// there, of the oldest session, by path; each id for itself, and what has none
// for all.
func TestCountOnce(t *testing.T) {
	const (
		timed = 1 << iota
		synthetic
		repeat // of a line of its file
		gone   // is the file
	)
	type entry struct {
		id      string
		created int64 // of its session; 0: no date
		flags   int
	}
	for _, test := range []struct {
		name    string
		entries []entry
		want    string // the entry that each is a copy of, . for none
	}{
		{"the oldest session", []entry{{"a", 30, timed}, {"a", 10, timed}, {"a", 20, timed}}, "1 . 1"},
		{"by path", []entry{{"a", 10, timed}, {"a", 10, timed}}, ". 0"},
		{"without a date last", []entry{{"a", 0, timed}, {"a", 10, timed}}, "1 ."},
		{"what is there first", []entry{{"a", 10, timed | gone}, {"a", 20, timed}, {"a", 0, timed}}, "1 . 1"},
		{"other ids are other entries", []entry{{"a", 10, timed}, {"b", 20, timed}, {"b", 30, timed}, {"a", 40, timed}}, ". . 1 0"},
		{"no id fits any", []entry{{"a", 10, timed}, {"~1", 20, timed | synthetic}, {"b", 30, timed}}, ". 0 ."},
		{"no id, and first", []entry{{"~1", 10, timed | synthetic}, {"a", 20, timed}, {"b", 30, timed}, {"~2", 40, timed | synthetic}}, ". 0 0 0"},
		{"no time", []entry{{"a", 10, 0}, {"a", 20, 0}, {"a", 30, timed}, {"a", 40, timed}}, ". . . 2"},
		{"a repeated line", []entry{{"a", 10, timed | repeat}, {"a", 20, timed}, {"a", 30, timed}}, ". . 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			ix := memory(t)
			for i, e := range test.entries {
				source := int64(i + 1)
				put(t, ix, source, fmt.Sprintf("/s%d.jsonl", i))
				row := &Entry{ID: ID(source, 1), EntryID: e.id, Type: "message", CopyKey: ref(int64(7))}
				if e.flags&timed != 0 {
					row.At = ref(int64(5))
				}
				if e.flags&synthetic != 0 {
					row.Flags = FlagSynthetic
				}
				if e.flags&repeat != 0 {
					row.DupOf = ref(ID(source, 9))
				}
				add(t, ix, row)
				if e.created > 0 {
					if err := ix.exec(t.Context(), `UPDATE _session SET created_at = ? WHERE id = ?`, e.created, source); err != nil {
						t.Fatal(err)
					}
				}
				if e.flags&gone != 0 {
					if err := ix.SetMissing(t.Context(), source, ref(int64(1))); err != nil {
						t.Fatal(err)
					}
				}
			}
			for range 2 { // and once more, from what it has decided
				if err := ix.countOnce(t.Context(), `SELECT copy_key, count(*) AS n FROM _entry GROUP BY copy_key`); err != nil {
					t.Fatal(err)
				}
				var got []string
				for i := range test.entries {
					of := get[int64](t, ix.Query(), `SELECT coalesce(copy_of, 0) FROM _entry WHERE id = ?`, ID(int64(i+1), 1))
					if of == 0 {
						got = append(got, ".")
					} else {
						got = append(got, fmt.Sprint(SourceOf(of)-1))
					}
				}
				if s := strings.Join(got, " "); s != test.want {
					t.Errorf("copies of %s, want %s", s, test.want)
				}
			}
		})
	}
}
