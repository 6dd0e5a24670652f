package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// watched is a watch in a process of its own, over two roots.
type watched struct {
	*crowd
	cmd       *exec.Cmd
	out, talk *lineWriter
	end       chan error
}

func newWatched(t *testing.T) *watched {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted here")
	}
	w := &watched{crowd: newCrowd(t), out: &lineWriter{lines: make(chan string, 1000)}, talk: &lineWriter{lines: make(chan string, 1000)}, end: make(chan error, 1)}
	for n := range 6 {
		if err := os.Remove(w.file(fmt.Sprintf("proj%d/s%d.jsonl", n%2, n))); err != nil {
			t.Fatal(err)
		}
	}
	w.begin("here/s0.jsonl")
	w.begin("there/s1.jsonl")
	w.cmd = exec.CommandContext(t.Context(), w.program, "--db", w.archive(), "index", "--wait", "0", "--watch", "20ms", w.file("here"), w.file("there"))
	w.cmd.Stdout, w.cmd.Stderr = w.out, w.talk
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { w.end <- w.cmd.Wait() }()
	w.out.next(t, "2 files: 2 new")
	return w
}

// goesOn checks that what an agent writes now comes into the archive.
func (w *watched) goesOn(name string) {
	w.Helper()
	w.begin(name)
	w.out.next(w.T, " 1 new")
}

// interrupt ends the watch as a person does.
func (w *watched) interrupt() {
	w.Helper()
	if err := w.cmd.Process.Signal(os.Interrupt); err != nil {
		w.Fatal(err)
	}
	err := <-w.end
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 130 {
		w.Errorf("the watch ends with %v", err)
	}
	w.talk.next(w.T, "piarchive: interrupted")
}

// told counts the lines of talk that contain a text, up to now.
func (w *watched) told(text string) (n int) {
	for {
		select {
		case line := <-w.talk.lines:
			if strings.Contains(line, text) {
				n++
			}
		default:
			return n
		}
	}
}

func (w *watched) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// Roots may go, come back, and become something that cannot be read: a watch
// tells of it once, and no session is taken for missing.
func TestWatchRoots(t *testing.T) {
	w := newWatched(t)
	here, there := w.file("here"), w.file("there")
	w.must(os.Rename(here, here+"-away"))
	w.talk.next(t, "here does not exist; its sessions stay as they are")
	w.goesOn("there/s2.jsonl")
	w.must(os.Rename(there, there+"-away"))
	w.talk.next(t, "no such directory or file; watching on")
	time.Sleep(200 * time.Millisecond)
	if n := w.told("does not exist") + w.told("watching on"); n > 1 { // one as the first of the two went
		t.Errorf("told %d times more of what is gone", n)
	}
	w.must(os.Rename(here+"-away", here))
	w.must(os.Rename(there+"-away", there))
	w.goesOn("here/s3.jsonl")

	w.must(os.Rename(there, there+"-away"))
	w.must(os.Symlink(there, there)) // leads nowhere: an error that even root meets
	w.out.next(t, "1 unreadable")
	w.goesOn("here/s4.jsonl")
	w.must(os.Remove(there))
	w.must(os.Rename(there+"-away", there))
	w.goesOn("there/s5.jsonl")

	w.must(os.Remove(w.file("there/s5.jsonl")))
	w.out.next(t, "1 missing")
	w.interrupt()
	out, _ := w.exec([]int{0}, "sql", "SELECT count(*), sum(missing) FROM sessions")
	if got := string(out); !strings.HasSuffix(got, "\n6\t1\n") {
		t.Errorf("sessions and those missing: %q", got)
	}
}

// The archive may be deleted or replaced under a watch, and others may write
// to it: the next look makes good what is missing.
func TestWatchArchive(t *testing.T) {
	w := newWatched(t)
	backup := filepath.Join(w.dir, "backup.db")
	w.exec([]int{0}, "backup", backup)

	w.must(os.Remove(w.archive()))
	w.out.next(t, "2 files: 2 new")
	w.goesOn("here/s2.jsonl")
	for _, path := range []string{w.archive(), w.archive() + "-wal", w.archive() + "-shm", w.archive() + ".lock"} {
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	w.out.next(t, "3 files: 3 new")
	w.goesOn("here/s3.jsonl")

	w.must(os.Rename(backup, w.archive()))
	w.out.next(t, "4 files: 2 new, 2 unchanged")
	w.goesOn("there/s4.jsonl")

	for n := range 5 { // the watch does not wait; then another may be first
		w.begin(fmt.Sprintf("here/s%d.jsonl", 10+n))
		w.exec([]int{0}, "index", "--full", "-q")
	}
	w.begin("there/s20.jsonl")
	w.out.next(t, "11 files: ")
	w.interrupt()
	if out, _ := w.exec([]int{0}, "verify", "--deep"); !strings.HasPrefix(string(out), "11 files, ") {
		t.Errorf("stdout %q", out)
	}
}
