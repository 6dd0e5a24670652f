package index

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
)

// readInTheMiddle makes an archive of one source, begins to read it, and adds a
// second one, so that the log cannot go as long as the reader is there.
func readInTheMiddle(t *testing.T, path string) *sqlx.Tx {
	t.Helper()
	published(t, path, func(ix *Index) { put(t, ix, 1, "/old.jsonl") })
	reader := openReaderAt(t, path).MustBegin()
	t.Cleanup(func() { reader.Rollback() })
	if n := get[int](t, reader, `SELECT count(*) FROM _source`); n != 1 {
		t.Fatalf("%d sources", n)
	}
	ix, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	begin(t, ix)
	put(t, ix, 2, "/s.jsonl")
	if err := ix.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	ix.Close()
	return reader
}

// Before the log of the old archive is removed, its content is in the archive,
// also when somebody reads it.
func TestCheckpoint(t *testing.T) {
	path := scratch(t)
	reader := readInTheMiddle(t, path)
	if whole, err := checkpoint(t.Context(), path); whole || err != nil {
		t.Errorf("with a reader of an earlier state: %t, %v", whole, err)
	}
	reader.Rollback()
	defer openReaderAt(t, path).MustBegin().Rollback()
	if whole, err := checkpoint(t.Context(), path); !whole || err != nil {
		t.Errorf("with a reader of the present state: %t, %v", whole, err)
	}
	alone, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := scratch(t)
	if err := os.WriteFile(elsewhere, alone, 0o600); err != nil {
		t.Fatal(err)
	}
	if n := get[int](t, openReaderAt(t, elsewhere), `SELECT count(*) FROM _source`); n != 2 {
		t.Error("the archive without its log lacks what was written last")
	}
}

// Where a reader needs the log, a swap may be killed between any two steps: who
// opens the archive sees the older one, whole, or the newer one, and whoever
// takes the lock next clears up.
func TestSwapKilled(t *testing.T) {
	for steps := range 6 {
		path := scratch(t)
		reader := readInTheMiddle(t, path)
		build := filepath.Join(t.TempDir(), "new.db")
		published(t, build, nil)
		for _, step := range []func() error{
			func() error { return os.Link(path, path+older) },
			func() error { return os.Rename(path+"-wal", path+older+"-wal") },
			func() error { return os.Rename(path+"-shm", path+older+"-shm") },
			func() error { return os.Rename(build, path) },
			func() error { return os.Remove(path + older + "-shm") },
		}[:steps] {
			if err := step(); err != nil {
				t.Fatal(err)
			}
		}
		want := 2
		if steps > 3 {
			want = 0
		}
		look := func(when string) {
			t.Helper()
			db := openReaderAt(t, path)
			defer db.Close()
			if n := get[int](t, db, `SELECT count(*) FROM _source`); n != want {
				t.Errorf("killed after %d steps, %s: %d sources, want %d", steps, when, n, want)
			}
			if damage, err := IntegrityCheck(t.Context(), db); err != nil || len(damage) > 0 {
				t.Errorf("killed after %d steps, %s: %v, %v", steps, when, damage, err)
			}
			if n := get[int](t, reader, `SELECT count(*) FROM _source`); n != 1 {
				t.Errorf("killed after %d steps, %s: the reader sees %d sources", steps, when, n)
			}
		}
		look("at once")
		acquire(t, path).Release(time.Time{})
		look("cleared up")
		for _, suffix := range []string{"", "-wal", "-shm"} {
			if slices.Contains(names(t, filepath.Dir(path)), filepath.Base(path)+older+suffix) {
				t.Errorf("killed after %d steps: %s is left", steps, older+suffix)
			}
		}
	}
}

// A swap that fails where a reader needs the log leaves all as it was, and one
// that succeeds leaves the reader alone.
func TestSwapBesideReader(t *testing.T) {
	path := scratch(t)
	reader := readInTheMiddle(t, path)
	before := names(t, filepath.Dir(path))
	if err := swap(t.TempDir(), path, false); err == nil {
		t.Error("a directory took the place of the archive")
	}
	nowhere := filepath.Join(t.TempDir(), "gone.db")
	if err := setAside(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(nowhere, path); err == nil {
		t.Fatal("nothing took the place of the archive")
	}
	giveBack(path)
	if after := names(t, filepath.Dir(path)); !slices.Equal(before, after) {
		t.Errorf("beside the archive are %v, before %v", after, before)
	}
	if n := get[int](t, openReaderAt(t, path), `SELECT count(*) FROM _source`); n != 2 {
		t.Errorf("after a failed swap: %d sources", n)
	}
	published(t, path, nil)
	if n := get[int](t, openReaderAt(t, path), `SELECT count(*) FROM _source`); n != 0 {
		t.Errorf("after a swap: %d sources", n)
	}
	if n := get[int](t, reader, `SELECT count(*) FROM _source`); n != 1 {
		t.Errorf("the reader sees %d sources", n)
	}
	if left := names(t, filepath.Dir(path)); slices.Contains(left, filepath.Base(path)+older) || slices.Contains(left, filepath.Base(path)+older+"-wal") {
		t.Errorf("left are %v", left)
	}
}
