package session

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"modernc.org/sqlite"

	"piarchive/internal/query"
)

// manySessions are sessions of which many have nothing to tell them apart by.
func manySessions(n int, r *rand.Rand) (all []listSession) {
	for i := range n {
		s := listSession{name: fmt.Sprintf("%c/%04d.jsonl", 'a'+r.IntN(3), i), id: fmt.Sprint("s", i), cwd: fmt.Sprint("/w/p", r.IntN(5)),
			created: r.IntN(4), modified: r.IntN(8), mtime: 1 + r.IntN(2), messages: r.IntN(3), missing: r.IntN(5) == 0, said: []string{"x"}}
		if r.IntN(2) == 0 {
			s.cost = float64(r.IntN(3))
		}
		if r.IntN(6) == 0 {
			s.kind = "subagent"
		}
		all = append(all, s)
	}
	return all
}

// TestListPage compares the pages of lists with the beginnings of whole ones.
func TestListPage(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 0))
	for range 8 {
		path := newListArchive(t, manySessions(1+r.IntN(150), r)).Path()
		for _, roots := range [][]string{nil, {"/s"}, {"/"}, {"/s/a", "/s/c"}, {"/s/b", "/s/b/0001.jsonl"}, {"/s/"}, {"/s/a", "/s/b", "/s/c"}, {"/t"}} {
			a, err := query.Open(t.Context(), path, roots)
			if err != nil {
				t.Fatal(err)
			}
			if err := a.Hold(t.Context()); err != nil {
				t.Fatal(err)
			}
			for range 40 {
				o := ListOptions{Sort: Sorts[r.IntN(len(Sorts))], Missing: r.IntN(8) == 0, Subagents: r.IntN(2) == 0, Brief: true,
					Project: []string{"", "", "p1", "/w", "/w/p2", "*"}[r.IntN(6)]}
				if r.IntN(4) == 0 {
					o.Since = time.UnixMilli(*january(1 + r.IntN(8)))
				}
				whole, all, err := List(t.Context(), a, o)
				if err != nil {
					t.Fatal(err)
				}
				o.Limit = 1 + r.IntN(60)
				page, total, err := List(t.Context(), a, o)
				if err != nil {
					t.Fatalf("%+v: %v", o, err)
				}
				if want := whole[:min(o.Limit, len(whole))]; ids(page) != ids(want) || total != all {
					t.Fatalf("%v %+v: %d of %s\nwant %d of %s", roots, o, total, ids(page), all, ids(want))
				}
			}
			a.Close()
		}
	}
}

// pages is how many pages of the archive f looks at.
func pages(t *testing.T, a *query.Archive, f func() error) (n int) {
	t.Helper()
	if _, err := a.DB().ExecContext(t.Context(), "PRAGMA mmap_size = 0"); err != nil { // mapped pages are not counted
		t.Fatal(err)
	}
	count := func() (n int) {
		conn, err := a.DB().Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conn.Raw(func(c any) error {
			for _, op := range []sqlite.DBStatusOp{sqlite.DBStatusCacheHit, sqlite.DBStatusCacheMiss} {
				current, _, err := c.(sqlite.DBStatus).Status(op, true)
				if err != nil {
					t.Fatal(err)
				}
				n += current
			}
			return nil
		})
		return n
	}
	count()
	if err := f(); err != nil {
		t.Fatal(err)
	}
	return count()
}

// TestListReads holds that a page of a list, and the counts below an answer, cost the
// same among few sessions and many.
func TestListReads(t *testing.T) {
	list := func(o ListOptions) func(*query.Archive) error {
		o.Limit, o.Brief = 5, true
		return func(a *query.Archive) error {
			_, _, err := List(t.Context(), a, o)
			return err
		}
	}
	questions := map[string]func(*query.Archive) error{
		"latest": list(ListOptions{}), "created": list(ListOptions{Sort: "created"}), "messages": list(ListOptions{Sort: "messages"}),
		"cost": list(ListOptions{Sort: "cost"}), "project": list(ListOptions{Project: "/w/p0"}), "directory": list(ListOptions{CWD: "/w/p1"}),
		"coverage": func(a *query.Archive) error {
			_, err := a.Coverage(t.Context())
			return err
		},
	}
	read := map[string][]int{}
	for _, n := range []int{40, 4000} {
		var all []listSession
		for i := range n {
			all = append(all, listSession{name: fmt.Sprintf("a/%05d.jsonl", i), id: fmt.Sprint("s", i), cwd: fmt.Sprint("/w/p", i%(n/20)),
				created: 1 + i, modified: 1 + i*7%n, mtime: 1 + i%3, messages: i, cost: float64(i), said: []string{"x"}})
		}
		path := newListArchive(t, all).Path()
		for what, ask := range questions {
			for _, roots := range [][]string{nil, {"/s"}} {
				a, err := query.Open(t.Context(), path, roots)
				if err != nil {
					t.Fatal(err)
				}
				key := fmt.Sprint(what, roots)
				read[key] = append(read[key], pages(t, a, func() error {
					return a.Steady(t.Context(), func() error { return ask(a) })
				}))
				a.Close()
			}
		}
	}
	for key, n := range read {
		t.Log(key, n)
		if n[1] > 3*n[0]+40 { // the depth of trees, and the pages of an index that are counted
			t.Errorf("%s: %d pages among 4000 sessions, %d among 40", key, n[1], n[0])
		}
	}
}
