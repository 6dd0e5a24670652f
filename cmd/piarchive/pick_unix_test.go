//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piarchive/internal/ingest/ingesttest"
)

// window is a terminal with a program in it. What the program left on the screen
// stays there, and its exit status is in a file: what tmux itself tells of a program
// that ended comes at no certain time.
type window struct {
	*testing.T
	dir, socket string
}

// inWindow runs the command in its arguments, and notes its process and how it ended.
const inWindow = `cd "$0"; sh -c 'echo $$ >pid; exec "$@"' sh "$@"; echo $? >ending; mv ending ended; exec sleep 600`

// newWindow runs this program in a window of tmux.
func newWindow(t *testing.T, size [2]string, environment []string, args ...string) window {
	t.Helper()
	return openWindow(t, size, environment, append([]string{"./piarchive"}, args...)...)
}

// openWindow runs a command in a window of tmux, in a directory with this program.
func openWindow(t *testing.T, size [2]string, environment []string, command ...string) window {
	t.Helper()
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		t.Skipf("no terminal to run %s in: %v", command[0], err)
	}
	dir, err := os.MkdirTemp("", "pick") // short: the name of a socket may not be long
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, filepath.Join(dir, "piarchive"))
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "conf"), []byte("set -g set-clipboard on\nset -g default-terminal screen\n"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	w := window{t, dir, filepath.Join(dir, "socket")}
	line := append([]string{"-S", w.socket, "-f", filepath.Join(dir, "conf"), "new-session", "-d", "-x", size[0], "-y", size[1],
		"sh", "-c", inWindow, dir}, command...)
	cmd := exec.Command(tmux, line...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GORACE=atexit_sleep_ms=0", "TERM=xterm"}, environment...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("tmux opens no window: %v, %s", err, out)
	}
	t.Cleanup(func() { exec.Command(tmux, "-S", w.socket, "kill-server").Run() })
	return w
}

func (w window) tmux(args ...string) string {
	w.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", w.socket}, args...)...).CombinedOutput()
	if err != nil {
		w.Fatalf("tmux %q: %v, %s", args, err, out)
	}
	return string(out)
}

// shows waits until the window shows a text.
func (w window) shows(text string) string {
	w.Helper()
	for late := 0; ; time.Sleep(10 * time.Millisecond) {
		ended := w.file("ended")
		screen := w.tmux("capture-pane", "-p", "-J")
		if strings.Contains(screen, text) {
			return screen
		}
		if ended != "" {
			late++ // tmux may still have to read what was written last
		}
		if late > 500 {
			w.Fatalf("it ended, with %s, without %q:\n%s", ended, text, screen)
		}
	}
}

// ends waits until the program has ended, and wants that exit status.
func (w window) ends(status string) {
	w.Helper()
	for w.file("ended") == "" {
		time.Sleep(10 * time.Millisecond)
	}
	if got := w.file("ended"); got != status {
		w.Fatalf("exit status %s, want %s:\n%s", got, status, w.tmux("capture-pane", "-p"))
	}
}

// file is what a file of the window says; "" before it is there.
func (w window) file(name string) string {
	text, _ := os.ReadFile(filepath.Join(w.dir, name))
	return strings.TrimSpace(string(text))
}

func (w window) press(keys ...string) { w.tmux(append([]string{"send-keys"}, keys...)...) }

// TestPick uses the picker as a person does, in a terminal.
func TestPick(t *testing.T) {
	t.Parallel()
	sessions := ingesttest.Sessions(t, map[string][]string{
		"alpha001": {"the gate of the harbour", "a crane lifts the container", "it was heavy"},
		"beta0002": {"\x1b[2Jnests \x1b]0;title\x07 of a 鶴"},
	})
	project := t.TempDir()
	file := filepath.Join(sessions, "--w-alpha001--", "alpha001.jsonl")
	if text, err := os.ReadFile(file); err != nil {
		t.Fatal(err)
	} else if err := os.WriteFile(file, bytes.ReplaceAll(text, []byte("/w/alpha001"), []byte(project)), 0o600); err != nil {
		t.Fatal(err)
	}
	archive := ingesttest.Archive(t, sessions)
	before, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	w := newWindow(t, [2]string{"60", "15"}, []string{"LANG=C.UTF-8"}, "pick", "--no-fresh", "--db", archive)
	w.shows("> the gate of the harbour")
	w.shows("2 sessions")
	w.press("-l", "nes")
	w.shows("␛[2Jnests")
	if title := strings.TrimSpace(w.tmux("display-message", "-p", "#{pane_title}")); title == "title" {
		t.Error("a session has named the window")
	}
	w.press("C-u")
	w.shows("2 sessions")
	w.press("-l", "crane lif")
	screen := w.shows("> user          @3  a crane lifts the container")
	if !strings.Contains(screen, "1 hit ") || !strings.Contains(screen, "it was heavy") {
		t.Errorf("no number of hits, or nothing around:\n%s", screen)
	}
	w.press("C-y")
	w.shows("copied alpha001@3")
	if copied := w.tmux("show-buffer"); copied != "alpha001@3" {
		t.Errorf("the clipboard has %q", copied)
	}
	w.tmux("resize-window", "-x", "130", "-y", "30")
	w.shows("│ > user  @3")
	if _, err := exec.LookPath("less"); err == nil {
		w.press("Enter")
		screen = w.shows("─ user ─")
		if strings.Contains(screen, "all > ") || !strings.Contains(screen, "@3") {
			t.Errorf("not the transcript alone:\n%s", screen)
		}
		w.press("q")
		w.shows("│ > user  @3")
	} else {
		t.Logf("nothing to read with: %v", err)
	}
	w.press("C-r")
	w.shows("cd " + project + " && pi --session " + file)
	w.ends("0")
	after, err := os.ReadFile(archive)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the archive changed (%v)", err)
	}
}

// TestPickLeaves: in a terminal of few signs and colours, by either way out, and when
// the terminal is told to go.
func TestPickLeaves(t *testing.T) {
	t.Parallel()
	archive := ingesttest.Archive(t, ingesttest.Sessions(t, map[string][]string{"alpha001": {"the gate"}}))
	tests := []struct {
		leave  func(w window)
		status string
	}{
		{func(w window) { w.press("Escape"); w.notShown("-----"); w.press("Escape") }, "0"},
		{func(w window) { w.press("C-c") }, "130"},
		{func(w window) {
			if out, err := exec.Command("kill", w.file("pid")).CombinedOutput(); err != nil {
				w.Fatalf("kill: %v, %s", err, out)
			}
		}, "130"},
	}
	for _, test := range tests {
		w := newWindow(t, [2]string{"60", "15"}, []string{"LANG=C", "NO_COLOR=1"}, "pick", "--db", archive, "gate")
		w.shows("--------")
		w.shows("> user          @2  the gate")
		if coloured := w.tmux("capture-pane", "-p", "-e"); strings.Contains(coloured, "\x1b[3") {
			t.Errorf("colours: %q", coloured)
		}
		test.leave(w)
		w.ends(test.status)
	}
}

// notShown waits until the window shows a text no more.
func (w window) notShown(text string) {
	w.Helper()
	for strings.Contains(w.tmux("capture-pane", "-p"), text) {
		time.Sleep(10 * time.Millisecond)
	}
}
