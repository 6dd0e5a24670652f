package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"piarchive/internal/cli"
	"piarchive/internal/index"
)

const sampleSession = `{"type":"session","version":3,"id":"11111111-0000-4000-8000-000000000001","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/proj"}
{"type":"message","id":"a1","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"where is the brass key","timestamp":1767323046000}}
`

// bench is a directory with one session root, an archive's place, and a
// process to run commands in.
type bench struct {
	dir            string
	stdout, stderr bytes.Buffer
	env            cli.Env
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{dir: t.TempDir()}
	b.env = testEnv(&b.stdout, &b.stderr, map[string]string{"PIARCHIVE_DB": b.archive(), "PIARCHIVE_ROOTS": filepath.Join(b.dir, "sessions")})
	b.env.Now = time.Now
	b.write(t, "a.jsonl", sampleSession)
	return b
}

func (b *bench) archive() string { return filepath.Join(b.dir, "archive.db") }

func (b *bench) write(t *testing.T, name, content string) {
	t.Helper()
	path := filepath.Join(b.dir, "sessions", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// run runs a command and wants its status.
func (b *bench) run(t *testing.T, status int, args ...string) (stdout, stderr string) {
	t.Helper()
	b.stdout.Reset()
	b.stderr.Reset()
	if got := run(t.Context(), b.env, args); got != status {
		t.Errorf("%q: exit status %d, want %d; stderr %q", args, got, status, b.stderr.String())
	}
	return b.stdout.String(), b.stderr.String()
}

// tamper changes the archive behind the program's back.
func (b *bench) tamper(t *testing.T, query string) {
	t.Helper()
	db, err := sqlx.Open("sqlite", b.archive())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(query); err != nil {
		t.Fatal(err)
	}
}

const countSessions = "SELECT count(*) AS n FROM sessions"

func TestLocked(t *testing.T) {
	b := newBench(t)
	lock, err := index.Acquire(t.Context(), b.archive(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if stdout, stderr := b.run(t, 75, "index", "--wait", "0", "--json"); stdout != "" || !strings.HasPrefix(stderr, `{"schema":"piarchive.error/1","error":{"kind":"locked"`) {
		t.Errorf("stdout %q, stderr %q", stdout, stderr)
	}
	if err := lock.Release(time.Time{}); err != nil {
		t.Fatal(err)
	}
	b.run(t, 0, "index", "--wait", "0")

	// A reading command makes do without the lock, and does not wait for it.
	if lock, err = index.Acquire(t.Context(), b.archive(), 0); err != nil {
		t.Fatal(err)
	}
	b.write(t, "b.jsonl", sampleSession)
	if stdout, stderr := b.run(t, 0, "sql", countSessions); stdout != "n\n1\n" || stderr != "" {
		t.Errorf("stdout %q, stderr %q", stdout, stderr)
	}
	stdout, stderr := b.run(t, 0, "sql", "--fresh", countSessions)
	if stdout != "n\n1\n" || stderr != "piarchive: another run is writing the archive; the answer may lack the latest\n" {
		t.Errorf("stdout %q, stderr %q", stdout, stderr)
	}

	// A run that may wait gets its turn.
	go func() {
		time.Sleep(50 * time.Millisecond)
		lock.Release(time.Time{})
	}()
	b.run(t, 0, "index", "--wait", "10s")
	if stdout, _ := b.run(t, 0, "sql", countSessions); stdout != "n\n2\n" {
		t.Errorf("stdout %q", stdout)
	}
}

func TestNewerArchive(t *testing.T) {
	for _, change := range []string{"PRAGMA user_version = 99", "UPDATE _meta SET value = 99 WHERE key = 'projection'"} {
		b := newBench(t)
		b.run(t, 0, "index")
		b.tamper(t, change)
		before, err := os.ReadFile(b.archive())
		if err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"index"}, {"index", "--full"}, {"info"}, {"sql", countSessions}, {"sql", "--fresh", countSessions}, {"verify"}} {
			stdout, stderr := b.run(t, 76, args...)
			if stdout != "" || !strings.Contains(stderr, "was written by a newer piarchive\nhint: update piarchive; the archive stays as it is\n") {
				t.Errorf("%s, %q: stdout %q, stderr %q", change, args, stdout, stderr)
			}
		}
		if after, err := os.ReadFile(b.archive()); err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s: the archive has changed (%v)", change, err)
		}
	}
}

func TestForeignArchive(t *testing.T) {
	b := newBench(t)
	b.tamper(t, "CREATE TABLE t (a)")
	before, err := os.ReadFile(b.archive())
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"index"}, {"info"}} {
		_, stderr := b.run(t, 2, args...)
		if !strings.Contains(stderr, "not an archive of piarchive\nhint: name another file with --db FILE") {
			t.Errorf("%q: stderr %q", args, stderr)
		}
	}
	if after, err := os.ReadFile(b.archive()); err != nil || !bytes.Equal(before, after) {
		t.Errorf("another program's database has changed (%v)", err)
	}
}

// An archive of an older layout is made anew by whoever needs it first, from
// the files and from what only it holds.
func TestOutdatedArchive(t *testing.T) {
	b := newBench(t)
	b.write(t, "gone.jsonl", strings.ReplaceAll(sampleSession, "brass", "silver"))
	b.run(t, 0, "index")
	os.Remove(filepath.Join(b.dir, "sessions", "gone.jsonl"))
	b.run(t, 0, "index")
	b.tamper(t, "UPDATE _meta SET value = 0 WHERE key = 'projection'")
	stdout, stderr := b.run(t, 0, "sql", "SELECT text FROM messages ORDER BY text")
	if want := "text\nwhere is the brass key\nwhere is the silver key\n"; stdout != want {
		t.Errorf("stdout %q, want %q", stdout, want)
	}
	if want := "piarchive: the archive is of an older version; reading the sessions into " + b.archive() + "\npiarchive: 1 file, 299 B; the archive takes "; !strings.HasPrefix(stderr, want) {
		t.Errorf("stderr %q, want %q", stderr, want)
	}
	// Without any place that has sessions, from itself alone.
	b.tamper(t, "UPDATE _meta SET value = 0 WHERE key = 'projection'")
	b.env = testEnv(&b.stdout, &b.stderr, map[string]string{"PIARCHIVE_DB": b.archive(), "HOME": b.dir})
	if again, _ := b.run(t, 0, "sql", "SELECT text FROM messages ORDER BY text"); again != stdout {
		t.Errorf("without roots: %q, want %q", again, stdout)
	}
}

func TestInterruptedIndex(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if status := run(ctx, b.env, []string{"index"}); status != 130 || b.stderr.String() != "piarchive: interrupted\n" {
		t.Errorf("exit status %d, stderr %q", status, b.stderr.String())
	}
	if index.Exists(b.archive()) {
		t.Error("half an archive was left")
	}
	b.run(t, 0, "index")
}
