package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// lineWriter hands on what is written, line by line, as it comes.
type lineWriter struct {
	mu    sync.Mutex
	open  string
	lines chan string
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open += string(p)
	for {
		line, rest, ok := strings.Cut(w.open, "\n")
		if !ok {
			return len(p), nil
		}
		w.open = rest
		w.lines <- line
	}
}

// next waits for a line that contains want.
func (w *lineWriter) next(t *testing.T, want string) {
	t.Helper()
	for {
		select {
		case line := <-w.lines:
			if strings.Contains(line, want) {
				return
			}
		case <-time.After(time.Minute):
			t.Fatalf("no line contains %q", want)
		}
	}
}

// A watch notices what changes, outlives a root that vanishes, and ends when it
// is interrupted.
func TestWatch(t *testing.T) {
	b := newBench(t)
	out := &lineWriter{lines: make(chan string, 100)}
	talk := &lineWriter{lines: make(chan string, 100)}
	b.env.Stdout, b.env.Stderr = out, talk
	ctx, cancel := context.WithCancel(t.Context())
	status := make(chan int, 1)
	go func() { status <- run(ctx, b.env, []string{"index", "--watch=10ms"}) }()

	out.next(t, "1 file: 1 new")
	b.write(t, "b.jsonl", sampleSession)
	out.next(t, "1 new, 1 unchanged")
	root := filepath.Join(b.dir, "sessions")
	if err := os.Rename(root, root+"-away"); err != nil {
		t.Fatal(err)
	}
	talk.next(t, "no such directory or file; watching on")
	if err := os.Rename(root+"-away", root); err != nil {
		t.Fatal(err)
	}
	b.write(t, "b.jsonl", sampleSession+strings.ReplaceAll(strings.SplitAfter(sampleSession, "\n")[1], "a1", "a2"))
	out.next(t, "1 appended, 1 unchanged")
	cancel()
	if got := <-status; got != 130 {
		t.Errorf("exit status %d, want 130", got)
	}
	talk.next(t, "piarchive: interrupted")
	if stdout, _ := newBenchOn(b).run(t, 0, "verify", "--deep"); !strings.HasPrefix(stdout, "2 files, ") {
		t.Errorf("stdout %q", stdout)
	}
}

// newBenchOn is another process in the same place.
func newBenchOn(other *bench) *bench {
	b := &bench{dir: other.dir, env: other.env}
	b.env.Stdout, b.env.Stderr = &b.stdout, &b.stderr
	return b
}

func TestWatchAsDocuments(t *testing.T) {
	b := newBench(t)
	out := &lineWriter{lines: make(chan string, 100)}
	b.env.Stdout = out
	ctx, cancel := context.WithCancel(t.Context())
	status := make(chan int, 1)
	go func() { status <- run(ctx, b.env, []string{"index", "--watch=10ms", "--json", "-q"}) }()
	out.next(t, `{"schema":"piarchive.index/1","files":{"seen":1,"new":1,`)
	b.write(t, "b.jsonl", sampleSession)
	out.next(t, `{"schema":"piarchive.index/1","files":{"seen":2,"new":1,`)
	cancel()
	if got := <-status; got != 130 {
		t.Errorf("exit status %d, want 130", got)
	}
}

func TestIndexProgressAsJSON(t *testing.T) {
	b := newBench(t)
	_, stderr := b.run(t, 0, "index", "--progress", "json")
	if !strings.Contains(stderr, `{"files":{"done":1,"total":1},"bytes":{"done":`) {
		t.Errorf("stderr %q", stderr)
	}
}

// A file that may not be read keeps what is known of it, and is told of.
func TestUnreadableFile(t *testing.T) {
	b := newBench(t)
	b.run(t, 0, "index")
	path := filepath.Join(b.dir, "sessions", "a.jsonl")
	b.write(t, "a.jsonl", sampleSession+"\n")
	b.write(t, "b.jsonl", sampleSession)
	for _, name := range []string{path, filepath.Join(b.dir, "sessions", "b.jsonl")} {
		if err := os.Chmod(name, 0); err != nil {
			t.Fatal(err)
		}
	}
	if f, err := os.Open(path); err == nil {
		f.Close()
		t.Skip("this user, perhaps root, may read every file")
	}
	stdout, _ := b.run(t, 0, "index")
	if !strings.HasPrefix(stdout, "2 files: 2 unreadable\n") {
		t.Errorf("stdout %q", stdout)
	}
	if stdout, _ := b.run(t, 0, "sql", countSessions); stdout != "n\n1\n" {
		t.Errorf("stdout %q", stdout)
	}
	if stdout, _ := b.run(t, 0, "info", "--problems"); strings.Count(stdout, ": unreadable: permission denied\n") != 2 {
		t.Errorf("stdout %q", stdout)
	}
	if _, stderr := b.run(t, 2, "index", "--strict"); !strings.HasPrefix(stderr, "piarchive: index: 2 problems (unreadable)\n") {
		t.Errorf("stderr %q", stderr)
	}
	if stdout, _ := b.run(t, 1, "verify"); stdout != path+": unreadable: permission denied\n" {
		t.Errorf("stdout %q", stdout)
	}
}
