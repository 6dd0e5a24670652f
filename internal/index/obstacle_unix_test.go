//go:build unix

package index

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A pipe or a device in the place of an archive, or beside it, is neither waited
// for nor replaced, by readers and writers.
func TestIrregularArchive(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Skipf("no pipes here: %v", err)
	}
	for _, target := range []string{pipe, os.DevNull, "archive.db.lock"} { // the last one leads to itself, or nowhere
		for _, suffix := range []string{"", "-wal", "-shm", "-journal", ".lock", ".older", ".older-wal", "/below.db"} {
			path := filepath.Join(t.TempDir(), "archive.db")
			place := path + suffix
			switch suffix {
			case "":
			case "/below.db":
				path, place = place, path
			default:
				published(t, path, nil)
			}
			os.Remove(place)
			if err := os.Symlink(target, place); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(place); os.IsNotExist(err) {
				continue // what leads nowhere is in nobody's way
			}
			refused := make(chan struct{})
			go func() {
				defer close(refused)
				if db, err := OpenReader(t.Context(), path); err == nil {
					db.Close()
					t.Errorf("%s -> %s: opened for reading", place, target)
				}
				if lock, err := Acquire(t.Context(), path, 0); err == nil {
					lock.Release(time.Time{})
					t.Errorf("%s -> %s: locked", place, target)
				}
			}()
			select {
			case <-refused:
			case <-time.After(30 * time.Second):
				t.Fatalf("%s -> %s: it waits", place, target)
			}
			if to, err := os.Readlink(place); err != nil || to != target {
				t.Errorf("%s leads to %s, %v", place, to, err)
			}
		}
	}
}
