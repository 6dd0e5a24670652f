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

// A path where something else is now is one whose file is gone: to verify as to
// a run.
func TestVerifyWhatTookThePlace(t *testing.T) {
	for name, take := range map[string]func(path string) error{
		"a directory": func(path string) error { return os.Mkdir(path, 0o755) },
		"a pipe":      func(path string) error { return unix.Mkfifo(path, 0o600) },
		"a file in place of the directory": func(path string) error {
			return errors.Join(os.Remove(filepath.Dir(path)), os.WriteFile(filepath.Dir(path), nil, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			v := newVerified(t, map[string]string{"sub/s.jsonl": talk})
			if err := errors.Join(os.Remove(v.path("sub/s.jsonl")), take(v.path("sub/s.jsonl"))); err != nil {
				t.Fatal(err)
			}
			proven(t, v.verify(t, true), 1, 1)
			if report := v.index(t); report.Missing != 1 {
				t.Errorf("report %+v", *report)
			}
			proven(t, v.verify(t, true), 1, 0)
		})
	}
}
