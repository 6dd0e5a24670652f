package session

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"piarchive/internal/ingest/ingesttest"
	"piarchive/internal/query"
)

// scribble is an entry of a random tree.
type scribble struct {
	id, parent string // "" is a root
	at         time.Time
}

func (s scribble) line() string {
	parent := "null"
	if s.parent != "" {
		parent = fmt.Sprintf("%q", s.parent)
	}
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":%q,"message":{"role":"user","content":"x"}}`+"\n",
		s.id, parent, s.at.Format("2006-01-02T15:04:05.000Z"))
}

// randomTree is up to 10 entries that name each other as parents: mostly earlier
// ones, sometimes later ones, themselves or nobody, so that there are chains,
// stars, cycles and orphans; some ids come again.
func randomTree(r *rand.Rand, name string) []scribble {
	n := 1 + r.IntN(10)
	id := func(i int) string { return fmt.Sprintf("%s.%d", name, i) }
	chain := r.IntN(3) == 0
	tree := make([]scribble, n)
	for i := range tree {
		s := scribble{id: id(i), at: time.Date(2026, 1, 1, 0, 0, r.IntN(8), 0, time.UTC)}
		switch k := r.IntN(20); {
		case i == 0 && k > 3, k == 0:
		case k == 1:
			s.parent = id(r.IntN(n)) // an ancestor, a descendant, itself
		case k == 2:
			s.parent = name + ".gone"
		case chain && i > 0:
			s.parent = id(i - 1)
		case i > 0:
			s.parent = id(r.IntN(i))
		}
		if i > 0 && r.IntN(12) == 0 {
			s.id = id(r.IntN(i)) // again, most likely with another parent
		}
		tree[i] = s
	}
	if r.IntN(4) == 0 {
		r.Shuffle(n, func(i, j int) { tree[i], tree[j] = tree[j], tree[i] }) // children before parents
	}
	return tree
}

// walker answers from the entries themselves, in the plainest way.
type walker struct {
	ids   []string // in the order in which they first come
	last  map[string]scribble
	below map[string][]string // children, in that order
}

func newWalker(entries []scribble) walker {
	w := walker{last: map[string]scribble{}}
	for _, e := range entries {
		if _, ok := w.last[e.id]; !ok {
			w.ids = append(w.ids, e.id)
		}
		w.last[e.id] = e
	}
	w.below = map[string][]string{}
	for _, id := range w.ids {
		w.below[w.parent(id)] = append(w.below[w.parent(id)], id)
	}
	return w
}

// parent is the parent of an entry, "" where it is a root.
func (w walker) parent(id string) string {
	parent := w.last[id].parent
	if _, ok := w.last[parent]; !ok || parent == id {
		return ""
	}
	return parent
}

func (w walker) path(id string) (path []string, problem string) {
	for ; id != ""; id = w.parent(id) {
		if slices.Contains(path, id) {
			problem = "cycle"
			break
		}
		path = append(path, id)
	}
	slices.Reverse(path)
	if parent := w.last[path[0]].parent; problem == "" && parent != "" && parent != path[0] {
		problem = "orphan"
	}
	return path, problem
}

// outline lists a subtree with the depth of every node.
func (w walker) outline(id string, depth int) []string {
	list := []string{fmt.Sprintf("%d %s of %q", depth, id, w.last[id].parent)}
	children := slices.Clone(w.below[id])
	slices.SortStableFunc(children, func(x, y string) int { return w.last[x].at.Compare(w.last[y].at) })
	for _, c := range children {
		list = append(list, w.outline(c, depth+1)...)
	}
	return list
}

// TestRandomTrees holds paths, trees and children against a plain walk over the
// same entries: random trees, a hundred to a session and mixed with each other. Some
// sessions are read in two parts. PIARCHIVE_ROUNDS says how many sessions.
func TestRandomTrees(t *testing.T) {
	sessions, trees := 20, 100
	if n, err := strconv.Atoi(os.Getenv("PIARCHIVE_ROUNDS")); err == nil {
		sessions = n
	}
	r := rand.New(rand.NewPCG(71, 103))
	root := t.TempDir()
	written := make([][]scribble, sessions)
	file := func(i int) string { return filepath.Join(root, "--w--", fmt.Sprintf("s%03d.jsonl", i)) }
	add := func(i int, text string) {
		f, err := os.OpenFile(file(i), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = f.WriteString(text)
			f.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(root, "--w--"), 0o700); err != nil {
		t.Fatal(err)
	}
	later := make([]string, sessions)
	for i := range sessions {
		open := make([][]scribble, trees)
		for k := range open {
			open[k] = randomTree(r, fmt.Sprintf("t%d", k))
		}
		for len(open) > 0 {
			k := r.IntN(len(open))
			if r.IntN(2) == 0 {
				k = len(open) - 1 // so that some of a tree stays together
			}
			written[i] = append(written[i], open[k][0])
			if open[k] = open[k][1:]; len(open[k]) == 0 {
				open = slices.Delete(open, k, k+1)
			}
		}
		head := fmt.Sprintf(`{"type":"session","version":3,"id":"s%03d","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}`+"\n", i)
		lines := make([]string, len(written[i]))
		for k, s := range written[i] {
			lines[k] = s.line()
		}
		cut := len(lines)
		if i%4 == 0 {
			cut = r.IntN(len(lines))
		}
		add(i, head+strings.Join(lines[:cut], ""))
		later[i] = strings.Join(lines[cut:], "")
	}
	a := newArchiveOf(t, root)
	for i := range sessions {
		add(i, later[i])
	}
	ingesttest.Update(t, a.Path(), root)
	for i := range sessions {
		session, err := a.FindSession(t.Context(), file(i), "")
		if err != nil {
			t.Fatal(err)
		}
		compareWithWalk(t, a, session, written[i], r)
	}
}

func compareWithWalk(t *testing.T, a *query.Archive, session query.SessionRef, entries []scribble, r *rand.Rand) {
	t.Helper()
	w := newWalker(entries)
	tree, err := ReadTree(t.Context(), a, session)
	if err != nil {
		t.Fatal(err)
	}
	var want, got, wantLost, gotLost []string
	reached := map[string]bool{}
	for _, id := range w.below[""] {
		want = append(want, w.outline(id, 0)...)
	}
	rows := map[string]int64{}
	for _, n := range tree.Nodes {
		rows[n.ID] = n.Row
		reached[n.ID] = true
		got = append(got, fmt.Sprintf("%d %s of %q", n.Depth, n.ID, n.ParentID))
	}
	for _, s := range tree.Lost {
		rows[s.ID] = s.Row
		gotLost = append(gotLost, s.ID)
	}
	for _, id := range w.ids {
		if !reached[id] {
			wantLost = append(wantLost, id)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s: tree (-walk +got)\n%s", session.ID, diff)
	}
	if diff := cmp.Diff(wantLost, gotLost); diff != "" {
		t.Fatalf("%s: lost (-walk +got)\n%s", session.ID, diff)
	}
	if leaf := entries[len(entries)-1].id; tree.LeafID != leaf {
		t.Errorf("%s: leaf %s, want %s", session.ID, tree.LeafID, leaf)
	}
	asked := map[string]bool{} // one entry of every tree
	for _, i := range r.Perm(len(w.ids)) {
		if name, _, _ := strings.Cut(w.ids[i], "."); !asked[name] {
			asked[name] = true
			comparePath(t, a, session, w, w.ids[i], rows)
		}
	}
	id := w.ids[r.IntN(len(w.ids))]
	children, err := ChildrenOf(t.Context(), a, session, rows[id])
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(w.below[id], stepIDs(children)); diff != "" {
		t.Errorf("%s: children of %s (-walk +got)\n%s", session.ID, id, diff)
	}
}

func comparePath(t *testing.T, a *query.Archive, session query.SessionRef, w walker, id string, rows map[string]int64) {
	t.Helper()
	path, err := PathTo(t.Context(), a, rows[id])
	if err != nil {
		t.Fatal(err)
	}
	want, wantProblem := w.path(id)
	if diff := cmp.Diff(want, stepIDs(path)); diff != "" {
		t.Fatalf("%s: path to %s (-walk +got)\n%s", session.ID, id, diff)
	}
	problem := ""
	switch top := path[0]; {
	case top.Orphan:
		problem = "orphan"
	case top.Parent != 0:
		problem = "cycle"
	}
	if problem != wantProblem {
		t.Errorf("%s: path to %s: problem %q, want %q", session.ID, id, problem, wantProblem)
	}
	for _, s := range path {
		if last := w.last[s.ID]; s.ParentID != last.parent || !s.Time.Equal(last.at) {
			t.Errorf("%s: %s has parent %q and time %v, want %q and %v", session.ID, s.ID, s.ParentID, s.Time, last.parent, last.at)
		}
	}
}

func stepIDs(steps []Step) []string {
	var ids []string
	for _, s := range steps {
		ids = append(ids, s.ID)
	}
	return ids
}
