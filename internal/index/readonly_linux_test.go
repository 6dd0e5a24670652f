package index

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// unprivileged runs f as a user whom permissions bind. Linux keeps the user for
// access to files by thread; the thread ends with the goroutine.
func unprivileged(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		if os.Geteuid() == 0 {
			runtime.LockOSThread()
			if err := unix.Setfsuid(65534); err != nil {
				t.Error(err)
				return
			}
		}
		f()
	}()
	<-done
}

// An archive can be read where nothing can be written, whether there is a log
// beside it, which readers leave empty, or not.
func TestReadOnlyDirectory(t *testing.T) {
	t.Run("alone", func(t *testing.T) { readOnlyDirectory(t, false) })
	t.Run("with a log", func(t *testing.T) { readOnlyDirectory(t, true) })
}

func readOnlyDirectory(t *testing.T, log bool) {
	dir, err := os.MkdirTemp("", "readonly") // t.TempDir is closed to others
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o755); os.RemoveAll(dir) })
	path := filepath.Join(dir, "archive.db")
	published(t, path, func(ix *Index) { put(t, ix, 1, "/s.jsonl") })
	if log {
		get[int](t, openReaderAt(t, path), `SELECT count(*) FROM _source`)
	}
	modes := map[string]os.FileMode{dir: 0o555}
	for _, name := range names(t, dir) {
		modes[filepath.Join(dir, name)] = 0o444
	}
	if want := map[bool]int{false: 2, true: 4}[log]; len(modes) != want {
		t.Errorf("the directory has %v", names(t, dir))
	}
	for file, mode := range modes {
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
	}
	unprivileged(t, func() {
		if f, err := os.Create(filepath.Join(dir, "new")); err == nil {
			f.Close()
			t.Error("the directory can be written")
		}
		db, err := OpenReader(t.Context(), path)
		if err != nil {
			t.Error(err)
			return
		}
		defer db.Close()
		var n int
		if err := db.Get(&n, `SELECT count(*) FROM _source`); err != nil || n != 1 {
			t.Errorf("%d sources, %v", n, err)
		}
		if _, err := Build(t.Context(), path); err == nil {
			t.Error("an archive is built where nothing can be written")
		}
		if _, err := Acquire(t.Context(), path, 0); err == nil {
			t.Error("the lock is given where nothing can be written")
		}
	})
}
