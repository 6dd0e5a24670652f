package main

import (
	"context"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piarchive/internal/index"
	"piarchive/internal/query"
	"piarchive/internal/terminal"
)

// TestForgetEqualsFresh: what is left after forgetting is what a new archive of
// the files that are left holds.
func TestForgetEqualsFresh(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	was := b.corpus(t, rand.New(rand.NewPCG(7, 8)), 30)
	b.run(t, 0, "index", "-q")
	n := 0
	for path, content := range was {
		var err error
		switch n++; n % 3 {
		case 0:
			err = os.Remove(path)
		case 1:
			err = os.WriteFile(path, []byte(strings.Join(strings.SplitAfter(content, "\n")[:3], "")), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	b.run(t, 0, "index", "-q")
	b.run(t, 0, "forget", "-q", "--missing", "--yes")
	b.run(t, 0, "forget", "-q", "--versions", "--older-than", "0h", "--yes")
	if found := b.vanished(t); len(found) > 0 {
		t.Errorf("%d sessions have vanished", len(found))
	}
	forgotten, counts := b.rows(t), b.counts(t)
	b.run(t, 0, "verify", "-q", "--deep")
	b.run(t, 0, "forget", "-q", "--compact")
	if compact := b.rows(t); compact != forgotten {
		t.Error("compacting has changed what the archive holds")
	}
	b.run(t, 0, "verify", "-q", "--deep")
	if stdout, _ := b.run(t, 0, "index"); !strings.HasPrefix(stdout, "20 files: 20 unchanged\n0 entries added") {
		t.Errorf("index after forget: %s", stdout)
	}
	if err := os.Remove(b.archive()); err != nil {
		t.Fatal(err)
	}
	b.run(t, 0, "index", "-q")
	if fresh := b.rows(t); fresh != forgotten {
		t.Error("a new archive holds something else")
	}
	if fresh := b.counts(t); !maps.Equal(fresh, counts) {
		t.Errorf("rows %v, in a new archive %v", counts, fresh)
	}
}

// Who is asked can say no; nothing but yes is yes.
func TestForgetAsks(t *testing.T) {
	b := newBench(t)
	b.gone(t)
	b.env.IsTerminal = func(int) bool { return true }
	b.env.Width = func() int { return 80 }
	for _, answer := range []string{"", "\n", "n\n", "yep\n", "no\ny\n"} {
		b.env.Stdin = strings.NewReader(answer)
		stdout, stderr := b.run(t, 1, "forget", "1111", "--color", "never")
		if stderr != "Forget 1 session, 299 B, for good? [y/N] piarchive: nothing was forgotten\n" || !strings.Contains(stdout, "where is the brass key") {
			t.Errorf("%q: stdout %q, stderr %q", answer, stdout, stderr)
		}
		for line := range strings.Lines(stdout) {
			if n := terminal.Width(strings.TrimSuffix(line, "\n")); n > 80 {
				t.Errorf("a line of %d cells: %s", n, line)
			}
		}
	}
	b.env.Stdin = strings.NewReader(" YES")
	b.run(t, 0, "forget", "1111")
	if n := b.counts(t)["_source"]; n != 0 {
		t.Errorf("%d sources are left", n)
	}
}

// Who interrupts instead of answering is not waited for.
func TestForgetInterrupted(t *testing.T) {
	b := newBench(t)
	b.gone(t)
	b.env.IsTerminal = func(fd int) bool { return fd == 0 }
	silent, end := io.Pipe()
	defer end.Close()
	b.env.Stdin = silent
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if status := run(ctx, b.env, []string{"forget", "1111"}); status != 130 {
		t.Errorf("exit status %d", status)
	}
	if n := b.counts(t)["_source"]; n != 1 {
		t.Errorf("%d sources are left", n)
	}
}

// Another run keeps forget out, but none of those that only read; and forget
// keeps nobody from reading.
func TestKeepingWhileLocked(t *testing.T) {
	b := newBench(t)
	path := b.gone(t)
	lock, err := index.Acquire(t.Context(), b.archive(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"forget", "1111", "--yes", "--wait", "0"}, {"forget", "--compact", "--wait", "10ms"}} {
		if _, stderr := b.run(t, 75, args...); !strings.HasPrefix(stderr, "piarchive: forget: another run is writing the archive\nhint: try again later") {
			t.Errorf("%q: stderr %q", args, stderr)
		}
	}
	b.run(t, 0, "vanished")
	b.run(t, 0, "forget", "--missing", "--dry-run")
	b.run(t, 0, "backup", filepath.Join(b.dir, "copy.db"))
	b.run(t, 0, "restore", path)
	if err := lock.Release(time.Time{}); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}

	reader, err := query.Open(t.Context(), b.archive(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	tx := reader.DB().MustBegin()
	var n int
	if err := tx.Get(&n, `SELECT count(*) FROM _entry`); err != nil || n != 1 {
		t.Fatalf("%d entries, %v", n, err)
	}
	b.run(t, 0, "forget", "1111", "--yes", "--compact")
	if err := tx.Get(&n, `SELECT count(*) FROM _entry`); err != nil || n != 1 {
		t.Errorf("who reads now sees %d entries, %v", n, err)
	}
	tx.Rollback()
	b.run(t, 1, "list")
}
