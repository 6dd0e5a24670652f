//go:build unix

package ingest

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// What has taken the place of a session since the walk saw it is not waited for
// and not read, and the run goes on.
func TestOpenSourceDoesNotWait(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	if err := unix.Mkfifo(path("pipe.jsonl"), 0o600); err != nil {
		t.Skipf("no pipes here: %v", err)
	}
	listener, err := net.Listen("unix", path("socket.jsonl"))
	if err != nil {
		t.Skipf("no sockets here: %v", err)
	}
	defer listener.Close()
	if err := os.Symlink("pipe.jsonl", path("link.jsonl")); err != nil {
		t.Fatal(err)
	}
	within(t, func() {
		for _, name := range []string{path("pipe.jsonl"), path("link.jsonl"), path("socket.jsonl"), dir, os.DevNull} {
			j := &job{found: Found{Path: name}}
			if f, err := (&reading{}).origin(t.Context(), j); err == nil {
				f.Close()
				t.Errorf("%s can be read", name)
			} else if filepath.Ext(name) == ".jsonl" && filepath.Base(name) != "socket.jsonl" && !errors.Is(err, errNotRegular) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// within fails a test that hangs, instead of hanging with it.
func within(t *testing.T, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Fatal("it waits")
	}
}
