package lineage

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piarchive/internal/ingest/ingesttest"
	"piarchive/internal/query"
)

// tale is a session as it was made.
type tale struct {
	name    string
	entries []string // ids
	parent  int      // that it was forked from, -1
	at      int      // so many entries were copied
	header  string   // how the header names the parent: "", path, moved
	gone    bool     // it was never archived
}

// TestFamilies: of sessions that were forked at random, with headers that are right, that
// name a directory which is no more, or that name nothing, any leads to all, and each
// stands below the one it came from, with the place where it left that.
func TestFamilies(t *testing.T) {
	for seed := range uint64(40) {
		dice := rand.New(rand.NewPCG(seed, 3))
		tales := tellFamily(dice)
		root := t.TempDir()
		for i, s := range tales {
			if !s.gone {
				write(t, root, tales, i)
			}
		}
		a, err := query.Open(t.Context(), ingesttest.Archive(t, root), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range tales {
			if s.gone {
				continue
			}
			asked, err := a.FindSession(t.Context(), s.name, "")
			if err != nil {
				t.Fatal(err)
			}
			f, err := Read(t.Context(), a, asked)
			if err != nil {
				t.Fatal(err)
			}
			if f.Members[f.Asked].Session.Key != asked.Key {
				t.Errorf("seed %d: asked for %s, marked is %s", seed, s.name, f.Members[f.Asked].Session.ID)
			}
			if problem := check(tales, f); problem != "" {
				t.Fatalf("seed %d, asked for %s: %s\n%s", seed, s.name, problem, drawn(f))
			}
		}
		a.Close()
	}
}

func tellFamily(dice *rand.Rand) []tale {
	var tales []tale
	for i := range 2 + dice.IntN(7) {
		s := tale{name: fmt.Sprintf("aaaa%04d", i), parent: -1}
		if i > 0 {
			s.parent = dice.IntN(i)
			from := tales[s.parent]
			// Behind what that one has itself, so that no other may be meant.
			s.at = from.at + 1 + dice.IntN(len(from.entries)-from.at)
			s.entries = append(s.entries, from.entries[:s.at]...)
			s.header = []string{"", "path", "moved"}[dice.IntN(3)]
		}
		for n := range 1 + dice.IntN(4) {
			s.entries = append(s.entries, fmt.Sprintf("e%d-%d", i, n))
		}
		tales = append(tales, s)
	}
	// The first may be gone where all that came from it say so.
	named := true
	for _, s := range tales {
		named = named && (s.parent != 0 || s.header != "")
	}
	tales[0].gone = named && dice.IntN(2) == 0
	return tales
}

func write(t *testing.T, root string, tales []tale, i int) {
	t.Helper()
	s := tales[i]
	parent := ""
	switch s.header {
	case "path":
		parent = fmt.Sprintf(`,"parentSession":%q`, filepath.Join(root, tales[s.parent].name+".jsonl"))
	case "moved":
		parent = fmt.Sprintf(`,"parentSession":"/elsewhere/%s.jsonl"`, tales[s.parent].name)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `{"type":"session","version":3,"id":%q,"timestamp":"2026-01-01T00:%02d:00.000Z","cwd":"/w"%s}`+"\n", s.name, i, parent)
	before := "null"
	for n, id := range s.entries {
		fmt.Fprintf(&b, `{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-01-02T00:%02d:00.000Z","message":{"role":"user","content":"said in %s"}}`+"\n", id, before, n, id)
		before = fmt.Sprintf("%q", id)
	}
	if err := os.WriteFile(filepath.Join(root, s.name+".jsonl"), []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// check says what of a family is not as it was made; "" if all is.
func check(tales []tale, f *Family) string {
	at := map[string]Member{}
	for _, m := range f.Members {
		if _, twice := at[m.Session.ID]; twice {
			return m.Session.ID + " is there twice"
		}
		at[m.Session.ID] = m
	}
	for _, s := range tales {
		m, found := at[s.name]
		switch {
		case s.gone && found:
			return s.name + " is not in the archive"
		case s.gone:
			continue
		case !found:
			return s.name + " is missing"
		case s.parent < 0 && m.Parent >= 0:
			return s.name + " has a parent"
		case s.parent < 0:
			continue
		}
		from, above := tales[s.parent], f.Members[max(0, m.Parent)]
		by := "header"
		if s.header == "" {
			by = "entries"
		}
		switch {
		case m.Relation != "fork" || m.By != by || m.Parent < 0 || m.Depth != above.Depth+1:
			return fmt.Sprintf("%s: %s by %s", s.name, m.Relation, m.By)
		case from.gone && !strings.HasSuffix(above.Named, from.name+".jsonl"):
			return fmt.Sprintf("%s comes from %q", s.name, above.Path())
		case from.gone:
		case above.Session.ID != from.name:
			return fmt.Sprintf("%s comes from %s", s.name, above.Session.ID)
		case m.Shared != s.at || m.Own != len(s.entries)-s.at || m.Left == nil || m.Left.Session.ID != from.name || m.Left.Entry.Line != s.at+1 || m.Last.Entry.Line != s.at+1:
			return fmt.Sprintf("%s left at %+v, shares %d and has %d of its own, not %d and %d", s.name, m.Left, m.Shared, m.Own, s.at, len(s.entries)-s.at)
		}
	}
	return ""
}

func drawn(f *Family) string {
	var b strings.Builder
	for _, m := range f.Members {
		fmt.Fprintf(&b, "%s%s %s by %s\n", strings.Repeat("  ", m.Depth), m.Path(), m.Relation, m.By)
	}
	return b.String()
}
