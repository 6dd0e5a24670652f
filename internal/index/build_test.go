package index

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func names(t *testing.T, dir string) (found []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		found = append(found, e.Name())
	}
	return found
}

// A build replaces the archive at once, and only when it is published.
func TestBuild(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "archive.db")
	published(t, path, func(ix *Index) { put(t, ix, 1, "/old.jsonl") })
	old := openReaderAt(t, path)
	if got := get[string](t, old, `SELECT path FROM _source`); got != "/old.jsonl" {
		t.Errorf("the first build has %s", got)
	}

	ix, err := Build(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	begin(t, ix)
	put(t, ix, 1, "/new.jsonl")
	if err := ix.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := get[string](t, openReaderAt(t, path), `SELECT path FROM _source`); got != "/old.jsonl" {
		t.Errorf("before it is published, a build shows %s", got)
	}
	if err := ix.Publish(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := get[string](t, openReaderAt(t, path), `SELECT path FROM _source`); got != "/new.jsonl" {
		t.Errorf("a published build shows %s", got)
	}
	if got := get[string](t, old, `SELECT path FROM _source`); got != "/old.jsonl" {
		t.Errorf("who has the old archive open sees %s", got)
	}
	if mode := get[string](t, openReaderAt(t, path), `PRAGMA journal_mode`); mode != "wal" {
		t.Errorf("journal mode %s", mode)
	}
}

// A build that is given up, or cannot be put in place, leaves nothing.
func TestBuildGivenUp(t *testing.T) {
	path := scratch(t)
	ix, err := Build(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	begin(t, ix)
	put(t, ix, 1, "/s.jsonl")
	ix.Close()
	if left := names(t, filepath.Dir(path)); len(left) > 0 {
		t.Errorf("given up: %v are left", left)
	}

	ctx, cancel := context.WithCancel(t.Context())
	if ix, err = Build(ctx, path); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := ix.Publish(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted Publish gives %v", err)
	}
	ix.Close()
	if left := names(t, filepath.Dir(path)); len(left) > 0 {
		t.Errorf("interrupted: %v are left", left)
	}
	if _, err := Build(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted Build gives %v", err)
	}
	if left := names(t, filepath.Dir(path)); len(left) > 0 {
		t.Errorf("interrupted at once: %v are left", left)
	}

	if err := os.MkdirAll(filepath.Join(path, "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	if ix, err = Build(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if err := ix.Publish(t.Context()); err == nil {
		t.Error("a directory was replaced")
	}
	ix.Close()
	if left := names(t, filepath.Dir(path)); !slices.Equal(left, []string{"archive.db"}) {
		t.Errorf("in vain: %v are left", left)
	}
}

// Who takes the lock takes away what killed builds left, whatever the path looks
// like; other files stay.
func TestSweep(t *testing.T) {
	for _, folder := range []string{"plain", "[ab]", `back\slash`, "sta*r"} {
		if !storable(folder) {
			continue
		}
		dir := filepath.Join(t.TempDir(), folder)
		path := filepath.Join(dir, "archive.db")
		published(t, path, nil)
		for _, name := range []string{"archive.db.building", "archive.db.building-wal", "archive.db.bak", "other.db.building"} {
			if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		acquire(t, path).Release(time.Time{})
		if left := names(t, dir); !slices.Equal(left, []string{"archive.db", "archive.db.bak", "archive.db.lock", "other.db.building"}) {
			t.Errorf("%s: left are %v", folder, left)
		}
	}
}

// A build gathers its full text in memory and writes it in one piece: no
// statement of Add or Finish makes FTS5 flush. Where one does, the build takes
// several times as long.
func TestBuildWritesTextOnce(t *testing.T) {
	path := scratch(t)
	published(t, path, func(ix *Index) {
		for source := range int64(50) {
			for n := 1; n < 8; n++ {
				id, parent := ID(source, n), ref("b")
				add(t, ix, &Entry{ID: id, EntryID: "a", ParentID: parent, Type: "label"}, &Text{ID: id, Columns: tokens([6]string{"word", "", "other"})},
					&Prose{ID: id, Text: "word"}, &TokenUse{Entry: id}, &ToolCall{Entry: id}, &ToolResult{Entry: id}, &Touch{Entry: id},
					&Label{Entry: id, TargetID: "a", Label: ref("x")}, &Compaction{Entry: id, FirstKeptID: ref("a")}, &Block{ID: id, Data: []byte{0}},
					&Problem{Source: &source}, &VersionBlock{Version: id, Data: []byte("x")})
			}
			end(t, ix, source, strings.Repeat("/", int(source)+1), map[int64]int64{ID(source, 1): ID(source, 2)})
		}
	})
	if n := get[int](t, openReaderAt(t, path), `SELECT count(DISTINCT segid) FROM fts_idx`); n != 1 {
		t.Errorf("the text was written in %d pieces", n)
	}
}
