//go:build unix

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// writeSessions writes files of one line of text each.
func writeSessions(t *testing.T, dir string, n int) {
	t.Helper()
	for i := range n {
		text := strings.Repeat(fmt.Sprintf("word%d ", i), 200)
		content := fmt.Sprintf(`{"type":"session","version":3,"id":"s%d","timestamp":"2026-01-02T10:00:00.000Z","cwd":"/w"}
{"type":"message","id":"a%d","parentId":null,"timestamp":"2026-01-02T10:00:00.000Z","message":{"role":"user","content":%q,"timestamp":1767348000000}}
`, i, i, text)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%03d.jsonl", i)), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// spawned starts piarchive index as a process of its own, with its progress as
// lines on standard error.
func spawned(t *testing.T, db, sessions string, args ...string) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Args = append([]string{"piarchive", "index", "--wait", "0", "--progress", "json", "--db", db, sessions}, args...)
	cmd.Env = []string{"HOME=" + t.TempDir(), "GORACE=atexit_sleep_ms=0"}
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewReader(stderr)
}

// An index that is asked to end, in whatever way, ends at once with 130 and one
// line; a build leaves nothing, a later run a whole archive, and the next run
// gets the lock and does the rest.
func TestSignals(t *testing.T) {
	t.Parallel()
	for _, which := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(which.String(), func(t *testing.T) {
			if signal.Ignored(which) {
				t.Skip("the tests were started deaf to it, which is inherited")
			}
			for n := 300; !interrupted(t, which, n); n *= 2 {
				t.Logf("%d files are read before the signal comes", n)
			}
		})
	}
}

// interrupted is false where a run of n files had done its work when it was asked to end.
func interrupted(t *testing.T, which syscall.Signal, n int) bool {
	dir := t.TempDir()
	db, sessions := filepath.Join(dir, "archive", "a.db"), filepath.Join(dir, "sessions")
	if err := os.Mkdir(sessions, 0o700); err != nil {
		t.Fatal(err)
	}
	writeSessions(t, sessions, n)
	interrupt := func(args ...string) bool {
		t.Helper()
		cmd, stderr := spawned(t, db, sessions, args...)
		if _, err := stderr.ReadString('\n'); err != nil { // it is in the middle
			t.Fatal(err)
		}
		cmd.Process.Signal(which) // an error is that it has ended
		said, err := io.ReadAll(stderr)
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err == nil {
			return false
		}
		last := said[strings.LastIndex(strings.TrimSuffix(string(said), "\n"), "\n")+1:]
		if code := cmd.ProcessState.ExitCode(); code != 130 || string(last) != "piarchive: interrupted\n" {
			t.Fatalf("%q: %v, the last line is %q", args, cmd.ProcessState, last)
		}
		return true
	}
	beside := func(want ...string) {
		t.Helper()
		found, err := filepath.Glob(db + "*")
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			want[i] = db + want[i]
		}
		if !slices.Equal(found, want) {
			t.Errorf("the files of the archive are %q, want %q", found, want)
		}
	}
	complete := func() {
		t.Helper()
		cmd, stderr := spawned(t, db, sessions)
		io.Copy(io.Discard, stderr)
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
		if out, _ := newBench(t).run(t, 0, "verify", "--db", db, "--root", sessions); !strings.Contains(out, "the archive equals them") {
			t.Errorf("verify says %q", out)
		}
	}
	if !interrupt() {
		return false
	}
	if _, err := os.Stat(db); err == nil { // it came when all was in its place
		return false
	}
	beside(".lock")
	complete()
	before, err := os.ReadFile(db)
	if err != nil {
		t.Fatal(err)
	}
	if !interrupt("--full") {
		return false
	}
	beside("", "-shm", "-wal", ".lock")
	switch after, err := os.ReadFile(db); {
	case err != nil:
		t.Fatal(err)
	case !bytes.Equal(before, after):
		complete() // a whole archive may have got its place just before
	}
	more := filepath.Join(sessions, "more")
	if err := os.Mkdir(more, 0o700); err != nil {
		t.Fatal(err)
	}
	writeSessions(t, more, n)
	if !interrupt() {
		return false
	}
	complete()
	return true
}

// Whoever starts the program deaf to a signal, as nohup does, has it stay so.
func TestIgnoredSignals(t *testing.T) {
	dir := t.TempDir()
	writeSessions(t, dir, 600)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, filepath.Join(dir, "piarchive")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", `trap '' HUP INT; exec "$0" index --progress json --db "$1/a.db" "$1"`, filepath.Join(dir, "piarchive"), dir)
	cmd.Env = []string{"HOME=" + dir, "GORACE=atexit_sleep_ms=0"}
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(stderr).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	for _, which := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT} {
		if err := cmd.Process.Signal(which); err != nil {
			t.Fatal(err)
		}
	}
	io.Copy(io.Discard, stderr)
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ends with %v", err)
	}
}
