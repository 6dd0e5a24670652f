package ingest

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piarchive/internal/index"
)

// sameViews compares the public views with those of a fresh build. What the
// archive keeps beyond the files that are there, sessions whose file is gone and
// earlier versions, is forgotten first, in a copy.
func (y *yard) sameViews(fresh string) {
	y.Helper()
	kept := filepath.Join(y.TempDir(), "kept.db")
	if err := index.Backup(y.Context(), y.archive, kept); err != nil {
		y.Fatal(err)
	}
	forgetAside(y.T, kept)
	if diff := dumpViews(y.T, fresh).diff(dumpViews(y.T, kept)); diff != "" {
		y.Fatalf("the views are not those of a fresh build (- fresh, + archive):\n%s", diff)
	}
}

func forgetAside(t *testing.T, archive string) {
	t.Helper()
	ctx := t.Context()
	ix, err := index.Open(ctx, archive)
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	all, err := index.Sources(ctx, ix.Query())
	if err != nil {
		t.Fatal(err)
	}
	sessions := map[int64]bool{}
	d := &dumper{t: t, q: ix.Query()}
	d.each(`SELECT id FROM _session`, func(_ []string, row []any) { sessions[row[0].(int64)] = true })
	if _, err := ix.ForgetVersions(ctx, all, math.MaxInt64); err != nil {
		t.Fatal(err)
	}
	gone := slices.DeleteFunc(all, func(s index.Source) bool { return s.MissingAt == nil || !sessions[s.ID] })
	if forgotten, err := ix.Forget(ctx, gone); err != nil || len(forgotten) != len(gone) {
		t.Fatalf("forgot %d of %d: %v", len(forgotten), len(gone), err)
	}
}

// viewKeys are the columns of views that hold keys of this archive.
var viewKeys = []string{"session", "entry", "parent", "leaf", "copy_of", "result", "target", "first_kept"}

// dumpViews reads every row of every public view, by view. Keys are replaced by
// path and sequence number.
func dumpViews(t *testing.T, archive string) dump {
	t.Helper()
	db, err := index.OpenReader(t.Context(), archive)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	d := &dumper{t: t, q: db, paths: map[int64]string{}, out: dump{}}
	d.each(`SELECT id, path FROM _source`, func(_ []string, row []any) { d.paths[row[0].(int64)] = row[1].(string) })
	var views []string
	d.each(`SELECT name FROM sqlite_schema WHERE type = 'view'`, func(_ []string, row []any) { views = append(views, row[0].(string)) })
	if len(views) < 10 {
		t.Fatalf("views %q", views)
	}
	for _, view := range views {
		d.each("SELECT * FROM "+view, func(columns []string, row []any) {
			var line []string
			for i, c := range columns {
				value := row[i]
				switch v := value.(type) {
				case int64:
					if slices.Contains(viewKeys, c) {
						value = d.key(v)
					}
				case float64:
					value = fmt.Sprintf("%.9g", v) // a sum depends on its order
				}
				line = append(line, fmt.Sprintf("%s=%v", c, value))
			}
			d.add(view, "%s", strings.Join(line, " "))
		})
	}
	for _, lines := range d.out {
		slices.Sort(lines)
	}
	return d.out
}

// key names what the key of a session or of an entry stands for.
func (d *dumper) key(key int64) string {
	if key <= index.MaxSequence {
		return cmp.Or(d.paths[key], fmt.Sprintf("no session %d", key))
	}
	return cmp.Or(d.paths[index.SourceOf(key)], fmt.Sprintf("no session of %d", key)) + fmt.Sprint("#", key&index.MaxSequence)
}

// What a fork was made from does not depend on the order in which files came:
// several may have the id that it names.
func TestViewsOfForks(t *testing.T) {
	y := newYard(t)
	fork := `{"type":"session","version":3,"id":"fork","timestamp":"2026-01-05T10:00:00.000Z","cwd":"/w","parentSession":"original"}` + "\n"
	original := `{"type":"session","version":3,"id":"original","timestamp":"2026-01-04T10:00:00.000Z","cwd":"/w"}` + "\n"
	y.write("fork.jsonl", fork)
	for _, name := range []string{"c.jsonl", "a.jsonl", "b.jsonl"} {
		y.write(name, original, said(name, "", name))
		y.index()
		y.same()
	}
	y.remove("a.jsonl")
	y.index()
	y.same()
	if parent := one[string](y, `SELECT s.path FROM forks f JOIN sessions s ON s.session = f.parent`); parent != y.path("b.jsonl") {
		t.Errorf("it was made from %s", parent)
	}
}
