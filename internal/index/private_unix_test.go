//go:build unix

package index

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Nobody else reads what people said: not in the archive, nor in the files
// beside it, whatever the umask.
func TestPrivate(t *testing.T) {
	defer unix.Umask(unix.Umask(0))
	dir := filepath.Join(t.TempDir(), "new")
	path := filepath.Join(dir, "archive.db")
	lock, err := Acquire(t.Context(), path, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release(time.Time{})
	building, err := Build(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer building.Close()
	private(t, dir, 2)
	if err := building.Publish(t.Context()); err != nil {
		t.Fatal(err)
	}
	ix, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	begin(t, ix)
	put(t, ix, 1, "/s.jsonl")
	if err := ix.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	private(t, dir, 4)
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the directory has mode %v (%v)", info.Mode(), err)
	}
}

// private checks all files in a directory, of which there must be some number.
func private(t *testing.T, dir string, want int) {
	t.Helper()
	found := names(t, dir)
	if len(found) != want {
		t.Errorf("%d files, want %d: %v", len(found), want, found)
	}
	for _, name := range found {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v (%v)", name, info.Mode(), err)
		}
	}
}
