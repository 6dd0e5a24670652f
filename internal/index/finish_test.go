package index

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// finish stores entries given as "id<parent", applies moves given by sequence,
// and returns the links as "parent" or "=row that counts" for each.
func finish(t *testing.T, ix *Index, moves map[int64]int64, entries ...string) string {
	t.Helper()
	for i, e := range entries {
		id, parent, _ := strings.Cut(e, "<")
		row := entry(i+1, id, parent)
		row.Offset = int64(i)
		add(t, ix, row)
	}
	whole := map[int64]int64{}
	for from, to := range moves {
		whole[ID(1, int(from))] = ID(1, int(to))
	}
	end(t, ix, 1, "/s.jsonl", whole)
	return get[string](t, ix.Query(), `SELECT group_concat(coalesce('=' || (dup_of & 255), parent & 255, '-'), ' ') FROM _entry`)
}

func TestFinish(t *testing.T) {
	tests := []struct {
		name     string
		entries  string
		moves    map[int64]int64
		links    string
		counts   string // entries, leaves
		problems string
	}{
		{"a chain", "a b<a c<b", nil, "- 1 2", "3 1", ""},
		{"branches", "a b<a c<a", nil, "- 1 1", "3 2", ""},
		{"a child before its parent", "b<a a", nil, "2 -", "2 1", ""},
		{"an orphan", "a b<x", nil, "- -", "2 2", "orphan:b"},
		{"its own parent", "a<a b<a", nil, "- 1", "2 1", "self-parent:a"},
		{"a cycle with a tail", "a<c b<a c<b d<b", nil, "3 1 2 2", "4 1", "cycle:a cycle:b cycle:c"},
		{"two cycles", "a<b b<a c<d d<c e", nil, "2 1 4 3 -", "5 1", "cycle:a cycle:b cycle:c cycle:d"},
		{"a way into a cycle", "x<y y<a a<b b<a", nil, "2 3 4 3", "4 1", "cycle:a cycle:b"},
		{"defined twice", "a b<a a c<b", map[int64]int64{1: 3}, "=3 3 - 2", "3 1", "duplicate-id:a"},
		{"defined three times", "a b<a a a", map[int64]int64{1: 3, 3: 4}, "=4 4 =4 -", "2 1", "duplicate-id:a duplicate-id:a"},
		{"a definition that closes a cycle", "a b<a a<b", map[int64]int64{1: 3}, "=3 3 2", "2 0", "cycle:b cycle:a duplicate-id:a"},
		{"nothing", "", nil, "", "0 0", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			ix := memory(t)
			if test.entries == "" {
				end(t, ix, 1, "/s.jsonl", nil)
			} else if links := finish(t, ix, test.moves, strings.Fields(test.entries)...); links != test.links {
				t.Errorf("links %q, want %q", links, test.links)
			}
			if got := get[string](t, ix.Query(), `SELECT n_entries || ' ' || n_leaves FROM _session`); got != test.counts {
				t.Errorf("counts %q, want %q", got, test.counts)
			}
			if got := get[string](t, ix.Query(), `SELECT coalesce(group_concat(what, ' '), '') FROM
 (SELECT p.kind || ':' || e.entry_id AS what FROM _problem p JOIN _entry e ON e.offset = p.offset ORDER BY p.kind, p.offset)`); !sameWords(got, test.problems) {
				t.Errorf("problems %q, want %q", got, test.problems)
			}
		})
	}
}

func sameWords(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// Whatever the links, the members of cycles are the entries that a walk from
// them to the root meets again.
func TestCycles(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 3))
		n := 1 + r.IntN(12)
		var entries []string
		parents := make([]int, n)
		for i := range n {
			parents[i] = r.IntN(n + 1) // n: a root
			e := fmt.Sprintf("e%d", i)
			if parents[i] < n {
				e += fmt.Sprintf("<e%d", parents[i])
			}
			entries = append(entries, e)
		}
		var want []string
		for i := range n {
			at, steps := parents[i], 0
			for ; at != i && at < n && steps <= n; steps++ {
				at = parents[at]
			}
			if at == i && parents[i] != i {
				want = append(want, fmt.Sprintf("e%d", i))
			}
		}
		ix := memory(t)
		finish(t, ix, nil, entries...)
		got := get[string](t, ix.Query(), `SELECT coalesce(group_concat(entry_id, ' '), '') FROM _entry e JOIN _problem p ON p.offset = e.offset AND p.kind = 'cycle'`)
		if !sameWords(got, strings.Join(want, " ")) {
			t.Errorf("%v: cycles %q, want %q", entries, got, want)
		}
	}
}

// Labels, compactions, tokens and money of a session.
func TestFinishTotals(t *testing.T) {
	ix := memory(t)
	entryRow := func(n int) int64 { return ID(1, n) }
	add(t, ix,
		&Label{Entry: entryRow(1), TargetID: "b", Label: ref("one")}, &Label{Entry: entryRow(2), TargetID: "b", Label: ref("two")},
		&Label{Entry: entryRow(3), TargetID: "x", Label: ref("lost")}, &Label{Entry: entryRow(4), TargetID: "a", Label: ref("three")},
		&Label{Entry: entryRow(5), TargetID: "a"},
		&Compaction{Entry: entryRow(4), FirstKeptID: ref("b")}, &Compaction{Entry: entryRow(5), FirstKeptID: ref("x")},
		&TokenUse{Entry: entryRow(1), Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, Total: 10, CostAll: ref(0.5)}, // a is defined again: does not count
		&TokenUse{Entry: entryRow(3), Input: 10, Output: 20, CacheRead: 30, CacheWrite: 40, Total: 100},
		&TokenUse{Entry: entryRow(3), N: 1, Input: 100, CostAll: ref(0.25)}, &TokenUse{Entry: ID(2, 1), Input: 7})
	finish(t, ix, map[int64]int64{1: 3}, "a", "b<a", "a", "c<b", "d<c")
	for query, want := range map[string]string{
		`SELECT labels FROM _session`:                                                                                           `["lost","two"]`,
		`SELECT group_concat(coalesce(target & 255, '-')) FROM _label`:                                                          "2,2,-,3,3",
		`SELECT group_concat(coalesce(first_kept & 255, '-')) FROM _compaction`:                                                 "2,-",
		`SELECT input || ' ' || output || ' ' || cache_read || ' ' || cache_write || ' ' || total || ' ' || cost FROM _session`: "110 20 30 40 100 0.25",
	} {
		if got := get[string](t, ix.Query(), query); got != want {
			t.Errorf("%s gives %q, want %q", query, got, want)
		}
	}
}
