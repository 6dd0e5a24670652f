//go:build unix

package places

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
			if _, err := openSource(Found{Path: name}); err == nil {
				t.Errorf("%s can be read", name)
			} else if !errors.Is(err, ErrNotRegular) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// Nor is it when it stands where roots are named.
func TestDefaultRootsDoNotWait(t *testing.T) {
	h := newHouse(t, "home/.pi/agent", "home/.omp/agent/custom-session-files", "home/.openclaw", "home/moved", "work/.pi")
	for _, name := range []string{"home/.pi/agent/settings.json", "work/.pi/settings.json", "home/.omp/profiles",
		"home/.omp/agent/custom-session-files/1", "home/.openclaw/agents"} {
		if err := unix.Mkfifo(h.path(name), 0o600); err != nil {
			t.Skipf("no pipes here: %v", err)
		}
	}
	symlink(t, os.DevNull, h.path("home/moved/settings.json"))
	symlink(t, h.path("home/.pi/agent/settings.json"), h.path("home/.omp/agent/custom-session-files/2"))
	h.env["PI_CODING_AGENT_DIR"] = h.path("home/moved")
	within(t, func() {
		if roots, unread := DefaultRoots(h.surroundings()); len(roots) != 2 || len(unread) != 2 {
			t.Errorf("roots %v, not read %v", roots, unread)
		}
		if got := ProjectRoot(h.surroundings()); got != "" {
			t.Errorf("the project names %q", got)
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
