package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"piarchive/internal/index"
	"piarchive/internal/query"
	"piarchive/internal/query/session"
)

// The tests of this file compare trees, paths, labels and contexts with what
// pi's own session manager says about the same files. Ids of version 1 are
// random there, so entries are named by their ordinals: their places among the
// entries of the file.

// recorded is one line of the answers.
type recorded struct {
	Kind string
	File string

	Accepted       *bool // tree: false where pi opens no such file
	Entries, IDs   int
	Roots          int
	LeafOrdinal    *int
	Preorder       [][2]int
	PreorderSHA256 string
	Ordinals       []int // branch
	Note, Error    string
	Leaf           string // context: default or leaf
	Roles          []any  // strings, but pi takes whatever it finds
	ThinkingLevel  *string
	Model          *recordedModel
	Messages       []string
	MessagesSHA256 string
	Labels         [][2]any
	Dangling       [][2]string
}

type recordedModel struct{ Provider, ModelID *string }

// examined is a session of an archive under comparison.
type examined struct {
	t       *testing.T
	ctx     context.Context
	archive *query.Archive
	session query.SessionRef
	counts  map[int64]int64 // of repeated lines: the row that counts
}

func examine(t *testing.T, a *query.Archive, path string) *examined {
	t.Helper()
	x := &examined{t: t, ctx: t.Context(), archive: a, counts: map[int64]int64{}}
	var err error
	if x.session, err = a.FindSession(x.ctx, path, ""); err != nil {
		t.Fatal(err)
	}
	var repeats []struct{ ID, Counts int64 }
	lo, hi := index.Range(x.session.Key)
	if err := a.DB().Select(&repeats, `SELECT id, dup_of AS counts FROM _entry WHERE id BETWEEN ? AND ? AND dup_of IS NOT NULL`, lo, hi); err != nil {
		t.Fatal(err)
	}
	for _, r := range repeats {
		x.counts[r.ID] = r.Counts
	}
	return x
}

// row is the row that counts for the entry at an ordinal.
func (x *examined) row(ordinal int) int64 {
	row := index.ID(x.session.Key, ordinal+1)
	if counts, ok := x.counts[row]; ok {
		return counts
	}
	return row
}

func (x *examined) rows(ordinals []int) []int64 {
	rows := make([]int64, len(ordinals))
	for i, o := range ordinals {
		rows[i] = x.row(o)
	}
	return rows
}

func (x *examined) path(row int64) []session.Step {
	x.t.Helper()
	steps, err := session.PathTo(x.ctx, x.archive, row)
	if err != nil {
		x.t.Fatal(err)
	}
	return steps
}

func stepRows(steps []session.Step) []int64 {
	rows := make([]int64, len(steps))
	for i, s := range steps {
		rows[i] = s.Row
	}
	return rows
}

// preorder lists a tree depth first, each node with its parent, -1 at roots.
func (x *examined) preorder(tree *session.Tree) [][2]int {
	ordinal := func(row int64) int { lo, _ := index.Range(x.session.Key); return int(row-lo) - 1 }
	list := [][2]int{}
	var ancestors []int
	for _, n := range tree.Nodes {
		ancestors = append(ancestors[:n.Depth], ordinal(n.Row))
		parent := -1
		if n.Depth > 0 {
			parent = ancestors[n.Depth-1]
		}
		list = append(list, [2]int{ordinal(n.Row), parent})
	}
	return list
}

func (x *examined) tree(w recorded) {
	tree, err := session.ReadTree(x.ctx, x.archive, x.session)
	if err != nil {
		x.t.Fatal(err)
	}
	// pi has no leaf where the last entry has no id; here it has one made for it.
	if w.LeafOrdinal != nil || w.Entries == 0 {
		leaf := int64(0)
		if w.LeafOrdinal != nil {
			leaf = x.row(*w.LeafOrdinal)
		}
		if tree.Leaf != leaf {
			x.t.Errorf("leaf %#x, want %#x", tree.Leaf, leaf)
		}
	}
	if w.Entries != w.IDs {
		if len(tree.Nodes)+len(tree.Lost) != w.IDs {
			x.t.Errorf("%d nodes for %d ids", len(tree.Nodes), w.IDs)
		}
		return // pi repeats the nodes of repeated ids, and we do not
	}
	got := x.preorder(tree)
	if w.Preorder != nil {
		if diff := cmp.Diff(w.Preorder, got); diff != "" {
			x.t.Errorf("tree (-pi +got)\n%s", diff)
		}
	}
	text, err := json.Marshal(got)
	if sum := sha256.Sum256(text); err != nil || hex.EncodeToString(sum[:]) != w.PreorderSHA256 {
		x.t.Errorf("the tree has another hash (%v)", err)
	}
}

func (x *examined) branch(w recorded) {
	if w.Error != "" {
		return // pi never returns
	}
	if diff := cmp.Diff(x.rows(w.Ordinals), stepRows(x.path(x.row(*w.LeafOrdinal)))); diff != "" {
		x.t.Errorf("path to %d (-pi +got)\n%s", *w.LeafOrdinal, diff)
	}
}

// built is a context as it was recorded.
type built struct {
	Roles    []string
	Thinking string
	Model    *recordedModel
	Messages []string
	Hash     string
}

func (x *examined) context(w recorded) {
	if w.Error != "" {
		return // pi fails, or never returns
	}
	want := built{Model: w.Model, Messages: w.Messages, Hash: w.MessagesSHA256}
	if w.ThinkingLevel != nil {
		want.Thinking = *w.ThinkingLevel
	}
	for _, r := range w.Roles {
		role, _ := r.(string)
		want.Roles = append(want.Roles, role)
	}
	leaf := int64(0)
	if w.LeafOrdinal != nil {
		leaf = x.row(*w.LeafOrdinal)
	}
	if diff := cmp.Diff(want, x.build(leaf)); diff != "" {
		x.t.Errorf("context of %s %v (-pi +got)\n%s", w.Leaf, w.LeafOrdinal, diff)
	}
}

// build rebuilds the context of a leaf.
func (x *examined) build(leaf int64) built {
	x.t.Helper()
	got := built{Messages: []string{}}
	var sums []string
	c, err := session.Context(x.ctx, x.archive, leaf, false, func(message string) error {
		text, err := canonical([]byte(message))
		sum := sha256.Sum256([]byte(text))
		sums = append(sums, hex.EncodeToString(sum[:]))
		got.Messages = append(got.Messages, hex.EncodeToString(sum[:8]))
		var object struct{ Role string }
		json.Unmarshal([]byte(message), &object) // a message may be no object, a role no string
		got.Roles = append(got.Roles, object.Role)
		return err
	})
	if err != nil {
		x.t.Fatal(err)
	}
	if c.ThinkingLevel != nil {
		got.Thinking = *c.ThinkingLevel
	}
	if c.Model != nil {
		got.Model = &recordedModel{c.Model.Provider, c.Model.ModelID}
	}
	sum := sha256.Sum256([]byte(strings.Join(sums, "\n")))
	got.Hash = hex.EncodeToString(sum[:])
	return got
}

func (x *examined) labels(w recorded) {
	found, err := session.AllLabels(x.ctx, x.archive, x.session.Key)
	if err != nil {
		x.t.Fatal(err)
	}
	var want, got []string
	for _, l := range w.Labels {
		ordinal, _ := strconv.Atoi(fmt.Sprint(l[0]))
		want = append(want, fmt.Sprintf("%#x %v", x.row(ordinal), l[1]))
	}
	for _, l := range w.Dangling {
		want = append(want, fmt.Sprintf("%q %s", l[0], l[1]))
	}
	for _, l := range found {
		if l.Entry == nil {
			got = append(got, fmt.Sprintf("%q %s", l.TargetID, l.Label))
			continue
		}
		step, err := session.FindEntry(x.ctx, x.archive, x.session, l.TargetID)
		if err != nil {
			x.t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%#x %s", step.Row, l.Label))
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		x.t.Errorf("labels (-pi +got)\n%s", diff)
	}
}

// archiveOf makes an archive of a root and opens it.
func archiveOf(t *testing.T, root string) *query.Archive {
	t.Helper()
	path := filepath.Join(t.TempDir(), "archive.db")
	runJSON(t, new(any), "--db", path, "index", "--json", root)
	a, err := query.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

// TestTreeLikePi compares every session that pi opens: its tree, the path and
// the context of every leaf and of the current one, its labels.
func TestTreeLikePi(t *testing.T) {
	dir := corpus(t)
	goldens, _ := filepath.Glob(filepath.Join(dir, "goldens", "*.pi.jsonl"))
	if len(goldens) == 0 {
		t.Fatalf("no answers in %s", dir)
	}
	for _, golden := range goldens {
		source := strings.TrimSuffix(filepath.Base(golden), ".pi.jsonl")
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			root := filepath.Join(dir, "corpus", source)
			compared := compareTrees(t, archiveOf(t, root), root, readLines[recorded](t, golden), true)
			t.Log(compared)
		})
	}
}

// TestTreeLikeOMP compares what omp has in common with pi. TestContextLikeOMP
// compares contexts, for which it has rules of its own.
func TestTreeLikeOMP(t *testing.T) {
	dir := corpus(t)
	goldens, _ := filepath.Glob(filepath.Join(dir, "goldens", "*.omp.jsonl"))
	for _, golden := range goldens {
		root := filepath.Join(dir, "corpus", strings.TrimSuffix(filepath.Base(golden), ".omp.jsonl"))
		t.Log(compareTrees(t, archiveOf(t, root), root, readLines[recorded](t, golden), false))
	}
}

func compareTrees(t *testing.T, a *query.Archive, root string, lines []recorded, contexts bool) map[string]int {
	compared := map[string]int{}
	for _, w := range lines {
		if w.Accepted != nil && !*w.Accepted || w.Kind == "list" || w.Note != "" || w.Kind == "context" && !contexts {
			continue
		}
		compared[w.Kind]++
		t.Run(w.Kind+" "+w.File, func(t *testing.T) {
			x := examine(t, a, filepath.Join(root, filepath.FromSlash(w.File)))
			switch w.Kind {
			case "tree":
				x.tree(w)
			case "branch":
				x.branch(w)
			case "context":
				x.context(w)
			case "labels":
				x.labels(w)
			}
		})
	}
	return compared
}
