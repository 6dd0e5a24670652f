//go:build unix

package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/sys/unix"

	"piarchive/internal/cli"
)

// inTime fails a test that hangs, instead of hanging with it.
func inTime(t *testing.T, what string, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Fatalf("%s: it waits", what)
	}
}

func mkfifo(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Skipf("no pipes here: %v", err)
	}
}

// No command waits for a pipe in the place of settings, and those that look for
// sessions say what they do not look at.
func TestSettingsThatArePipes(t *testing.T) {
	b := newBench(t)
	home := filepath.Join(b.dir, "home")
	b.env = testEnv(&b.stdout, &b.stderr, map[string]string{"PIARCHIVE_DB": b.archive()})
	b.env.Home, b.env.CWD = home, func() (string, error) { return b.dir, nil }
	settings := filepath.Join(home, ".pi", "agent", "settings.json")
	mkfifo(t, settings)
	mkfifo(t, filepath.Join(b.dir, ".pi", "settings.json"))
	if err := os.Rename(filepath.Join(b.dir, "sessions"), filepath.Join(home, ".pi", "agent", "sessions")); err != nil {
		t.Fatal(err)
	}
	told := "piarchive: " + settings + ": not a regular file; not all that it may name is looked at\n"
	for _, line := range []string{"list", "index", "info", "list --fresh", "search key", "verify", "__complete zsh piarchive_show_", "index --full"} {
		args := strings.Fields(line)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "_show_", " show ")
		}
		inTime(t, line, func() {
			_, stderr := b.run(t, 0, args...)
			looks := line != "search key" && line != "verify" && args[0] != "__complete"
			if strings.Contains(stderr, told) != looks {
				t.Errorf("%s says %q", line, stderr)
			}
		})
	}
}

// A pipe or a device is no archive: it is neither waited for nor replaced.
func TestArchivesThatAreNone(t *testing.T) {
	b := newBench(t)
	b.run(t, 0, "index")
	path := func(name string) string { return filepath.Join(b.dir, name) }
	mkfifo(t, path("pipe"))
	for name, target := range map[string]string{"link.db": path("pipe"), "device.db": os.DevNull, "loop.db": path("loop.db")} {
		if err := os.Symlink(target, path(name)); err != nil {
			t.Fatal(err)
		}
	}
	other, err := os.ReadFile(b.archive())
	if err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"-journal", "-wal", ".lock"} {
		name := "beside" + suffix + ".db"
		if err := os.WriteFile(path(name), other, 0o600); err != nil {
			t.Fatal(err)
		}
		mkfifo(t, path(name)+suffix)
	}
	for _, name := range []string{"pipe", "link.db", "device.db", "loop.db", "pipe/below.db", "beside-journal.db", "beside-wal.db", "beside.lock.db", "."} {
		for _, line := range []string{"list", "index", "index --full", "info", "sql SELECT", "verify", "backup copy.db"} {
			inTime(t, name+": "+line, func() {
				_, stderr := b.run(t, 2, append(strings.Fields(line), "--db", path(name))...)
				if !strings.HasPrefix(stderr, "piarchive: open archive ") || strings.Count(stderr, "\n") > 2 {
					t.Errorf("%s: %s says %q", name, line, stderr)
				}
			})
		}
		inTime(t, name, func() { b.run(t, 0, "show", path("sessions/a.jsonl"), "--db", path(name)) })
	}
	for name, want := range map[string]os.FileMode{"pipe": os.ModeNamedPipe, "link.db": os.ModeSymlink, "device.db": os.ModeSymlink, "loop.db": os.ModeSymlink} {
		if info, err := os.Lstat(path(name)); err != nil || info.Mode().Type() != want {
			t.Errorf("%s has become %v (%v)", name, info, err)
		}
	}
}

// stuck is a stream on which nothing ever comes or goes.
type stuck func()

func (begun stuck) Read([]byte) (int, error) {
	begun()
	select {}
}

func (begun stuck) Write([]byte) (int, error) {
	begun()
	select {}
}

// An interruption ends a command that waits for what does not come.
func TestInterruptedWhileReading(t *testing.T) {
	b := newBench(t)
	b.run(t, 0, "index")
	pipe := filepath.Join(b.dir, "pipe")
	mkfifo(t, pipe)
	for _, line := range []string{"sql", "sql -f -", "search -", "sql -f " + pipe} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		b.env.Stdin = stuck(cancel)
		go func() {
			for line == "sql -f "+pipe {
				if end, err := unix.Open(pipe, unix.O_WRONLY|unix.O_NONBLOCK, 0); err == nil { // someone reads
					defer unix.Close(end)
					cancel()
					<-t.Context().Done()
					return
				}
			}
		}()
		b.stderr.Reset()
		inTime(t, line, func() {
			if status := run(ctx, b.env, strings.Fields(line)); status != 130 || b.stderr.String() != "piarchive: interrupted\n" {
				t.Errorf("%s: status %d, %q", line, status, b.stderr.String())
			}
		})
	}
}

// What a pipe that the user names brings is read, as far as it is no flood.
func TestSQLFromAPipe(t *testing.T) {
	b := newBench(t)
	pipe := filepath.Join(b.dir, "pipe")
	mkfifo(t, pipe)
	go os.WriteFile(pipe, []byte(countSessions), 0)
	if stdout, _ := b.run(t, 0, "sql", "-q", "-f", pipe); stdout != "n\n1\n" {
		t.Errorf("%q", stdout)
	}
	for _, args := range [][]string{{"sql", "-f", "/dev/zero"}, {"sql"}, {"search", "-"}} {
		flood, err := os.Open("/dev/zero")
		if err != nil {
			t.Skip(err)
		}
		defer flood.Close()
		b.env.Stdin = io.LimitReader(flood, 32_000_000)
		if _, stderr := b.run(t, 2, args...); !strings.Contains(stderr, ": it has more than 1") {
			t.Errorf("%q says %q", args, stderr)
		}
	}
}

// An interruption ends a command that nothing can cut short, in the end; but not
// while someone reads in a pager.
func TestInterruptedWhileHeldUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	table := []cli.Command{{Name: "show", Summary: "show", Bind: func(*pflag.FlagSet) cli.Runner {
		return func(ctx context.Context, c *cli.Call) error {
			c.Page(ctx)
			if c.Getenv("PAGER") != "" {
				cancel()
				time.Sleep(50 * time.Millisecond) // many times the grace
			}
			_, err := c.Stdout.WriteString("text\n")
			return err
		}
	}}}
	if cli.SystemEnv().Grace <= 0 {
		t.Error("the process waits for ever")
	}
	var stdout, stderr bytes.Buffer
	e := testEnv(stuck(cancel), &stderr, nil)
	e.Grace = time.Millisecond
	inTime(t, "held up by standard output", func() {
		if status := cli.Run(ctx, e, table, []string{"show"}); status != 130 || stderr.String() != "piarchive: interrupted\n" {
			t.Errorf("status %d, %q", status, stderr.String())
		}
	})
	e.Stderr = stuck(func() {})
	inTime(t, "held up by standard error", func() {
		if status := cli.Run(ctx, e, table, []string{"no such command"}); status != 130 {
			t.Errorf("status %d", status)
		}
	})
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	e.Stdout, e.Stderr, e.IsTerminal = &stdout, &stderr, func(int) bool { return true }
	e.Getenv = func(name string) string { return map[string]string{"PAGER": "tr a-z A-Z"}[name] }
	inTime(t, "in a pager", func() {
		if status := cli.Run(ctx, e, table, []string{"show"}); status != 0 || stdout.String() != "TEXT\n" {
			t.Errorf("status %d, %q", status, stdout.String())
		}
	})
}
