package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"piarchive/internal/cli"
)

// testEnv is a process without a terminal, in /here, at a known time.
func testEnv(stdout, stderr io.Writer, vars map[string]string) cli.Env {
	return cli.Env{
		Stdin:  strings.NewReader(""),
		Stdout: stdout,
		Stderr: stderr,
		Getenv: func(key string) string {
			if value, ok := vars[key]; ok || key != "PAGER" {
				return value
			}
			return "cat" // whatever is installed
		},
		Now:        func() time.Time { return time.Date(2026, 3, 4, 15, 0, 0, 0, time.UTC) },
		CWD:        func() (string, error) { return absolute("here"), nil },
		Home:       absolute("home"),
		IsTerminal: func(int) bool { return false },
		Width:      func() int { return 0 },
	}
}

// absolute makes a path the platform takes for absolute.
func absolute(elements ...string) string {
	root := "/"
	if runtime.GOOS == "windows" {
		root = `C:\`
	}
	return filepath.Join(append([]string{root}, elements...)...)
}

// testTable is a small program: each command ends in one of the ways there are.
func testTable() []cli.Command {
	does := func(f func(ctx context.Context, c *cli.Call) error) func(*pflag.FlagSet) cli.Runner {
		return func(*pflag.FlagSet) cli.Runner { return f }
	}
	return []cli.Command{
		{Name: "list", Args: "[QUERY | -f FILE]", Summary: "list things", Access: cli.Reads, Lists: true, Help: "Long.\n",
			Bind: func(flags *pflag.FlagSet) cli.Runner {
				long := flags.Bool("long", false, "say more")
				return func(_ context.Context, c *cli.Call) error {
					_, err := fmt.Fprintln(c.Stdout, c.DB, c.Roots, c.Args, *long, c.JSON, c.JSONL, c.Quiet)
					return err
				}
			}},
		{Name: "entry", Args: "SESSION ENTRY", Summary: "print an entry", Bind: does(func(context.Context, *cli.Call) error {
			return errors.New("read \x1b[31ma.jsonl: line 1\nis gone")
		})},
		{Name: "empty", Args: "[WORD…]", Summary: "find nothing", Bind: does(func(context.Context, *cli.Call) error {
			return fmt.Errorf("search: %w", cli.ErrNothing)
		})},
		{Name: "locked", Summary: "be locked out", Bind: does(func(context.Context, *cli.Call) error {
			return cli.WithHint(&cli.ExitError{Code: 75, Kind: "locked", Err: errors.New("index: locked")}, "wait a little")
		})},
		{Name: "wait", Summary: "wait for the end", Bind: does(func(ctx context.Context, c *cli.Call) error {
			for ctx.Err() == nil {
				fmt.Fprintln(c.Stdout, strings.Repeat("x", 1000))
			}
			return fmt.Errorf("wait: %w", ctx.Err())
		})},
		{Name: "secret", Summary: "stay out of the help", Hidden: true, Bind: does(func(_ context.Context, c *cli.Call) error {
			c.Talk("psst\x07")
			return nil
		})},
	}
}

func TestRun(t *testing.T) {
	here := func(name string) string { return absolute("here", name) }
	db := absolute("home", ".local", "share", "piarchive", "archive.db")
	if runtime.GOOS != "linux" {
		db = "" // the default place is tested for every platform in TestArchivePath
	}
	tests := []struct {
		args   string
		code   int
		stdout string
		stderr string
	}{
		{args: "list", stdout: db + " [] [] false false false false\n"},
		{args: "--db a.db list --long x", stdout: here("a.db") + " [] [x] true false false false\n"},
		{args: "list --db a.db -q --json -- --long", stdout: here("a.db") + " [] [--long] false true false true\n"},
		{args: "--root a --db d list --root b --jsonl", stdout: fmt.Sprintf("%s [%s %s] [] false false true false\n", here("d"), here("a"), here("b"))},
		{args: "list a b", code: 2, stderr: "piarchive: too many arguments: list takes [QUERY | -f FILE]\nhint: see piarchive list --help\n"},
		{args: "list --json --jsonl", code: 2, stderr: `{"schema":"piarchive.error/1","error":{"kind":"usage","message":"--json and --jsonl exclude each other","hint":"see piarchive list --help"}}` + "\n"},
		{args: "list --lnog", code: 2, stderr: "piarchive: unknown flag: --lnog\nhint: did you mean --long?\n"},
		{args: "list --db", code: 2, stderr: "piarchive: flag needs an argument: --db\nhint: see piarchive list --help\n"},
		{args: "list --color red", code: 2, stderr: "piarchive: --color is auto, always or never, not \"red\"\nhint: see piarchive list --help\n"},
		{args: "--bogus list", code: 2, stderr: "piarchive: unknown flag: --bogus\nhint: see piarchive --help\n"},
		{args: "lsit", code: 2, stderr: "piarchive: unknown command \"lsit\"\nhint: did you mean list?\n"},
		{args: "secre", code: 2, stderr: "piarchive: unknown command \"secre\"\nhint: see piarchive --help\n"},
		{args: "entry s", code: 2, stderr: "piarchive: entry needs SESSION ENTRY\nhint: see piarchive entry --help\n"},
		{args: "entry --jsonl s e", code: 2, stderr: `{"schema":"piarchive.error/1","error":{"kind":"usage","message":"entry prints no list, so --jsonl does not apply","hint":"see piarchive entry --help"}}` + "\n"},
		{args: "entry s e", code: 2, stderr: "piarchive: read ␛[31ma.jsonl: line 1 is gone\n"},
		{args: "entry --json s e", code: 2, stderr: `{"schema":"piarchive.error/1","error":{"kind":"failure","message":"read \u001b[31ma.jsonl: line 1\nis gone","hint":null}}` + "\n"},
		{args: "empty a b c", code: 1},
		{args: "empty --json", code: 1},
		{args: "locked", code: 75, stderr: "piarchive: index: locked\nhint: wait a little\n"},
		{args: "locked --json", code: 75, stderr: `{"schema":"piarchive.error/1","error":{"kind":"locked","message":"index: locked","hint":"wait a little"}}` + "\n"},
		{args: "locked now", code: 2, stderr: "piarchive: locked takes no arguments\nhint: see piarchive locked --help\n"},
		{args: "secret", stderr: "piarchive: psst␇\n"},
		{args: "secret -q"},
	}
	for _, test := range tests {
		t.Run(test.args, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := cli.Run(t.Context(), testEnv(&stdout, &stderr, nil), testTable(), strings.Fields(test.args))
			if code != test.code {
				t.Errorf("exit status %d, want %d", code, test.code)
			}
			if got := stdout.String(); got != test.stdout && !strings.HasPrefix(test.stdout, " []") {
				t.Errorf("stdout\n got %q\nwant %q", got, test.stdout)
			}
			if diff := cmp.Diff(test.stderr, stderr.String()); diff != "" {
				t.Errorf("stderr (-want +got)\n%s", diff)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	page := func(args ...string) string {
		var stdout, stderr bytes.Buffer
		code := cli.Run(t.Context(), testEnv(&stdout, &stderr, nil), append(testTable(), commands()...), args)
		if code != 0 || stderr.Len() > 0 {
			t.Fatalf("%q: exit status %d, stderr %q", args, code, stderr.String())
		}
		return stdout.String()
	}
	whole := page()
	if !strings.Contains(whole, "list        list things\n") || strings.Contains(whole, "secret") {
		t.Errorf("the page of the program lists the wrong commands:\n%s", whole)
	}
	for _, args := range [][]string{{"-h"}, {"help"}, {"--help"}} {
		if page(args...) != whole {
			t.Errorf("%q prints another page than no arguments", args)
		}
	}
	list := page("help", "list")
	for _, want := range []string{"Usage: piarchive list [flags] [QUERY | -f FILE]\n\nList things.\n\nLong.\n", "--long", "--jsonl", "  75 "} {
		if !strings.Contains(list, want) {
			t.Errorf("the page of list lacks %q:\n%s", want, list)
		}
	}
	for _, args := range [][]string{{"-h", "list"}, {"list", "-h"}, {"list", "too", "many", "--help"}} {
		if page(args...) != list {
			t.Errorf("%q prints another page than help list", args)
		}
	}
	if page("--version") != page("version") {
		t.Error("--version prints something else than version")
	}
}

func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stderr bytes.Buffer
	code := cli.Run(ctx, testEnv(io.Discard, &stderr, nil), testTable(), []string{"wait"})
	if code != 130 || stderr.String() != "piarchive: interrupted\n" {
		t.Errorf("exit status %d, stderr %q", code, stderr.String())
	}
}

// failingWriter is standard output that takes some bytes, then none.
type failingWriter struct {
	room int
	err  error
}

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.room -= len(p); w.room < 0 {
		return 0, w.err
	}
	return len(p), nil
}

func TestFailingOutput(t *testing.T) {
	tests := []struct {
		err    error
		code   int
		stderr string
	}{
		{brokenPipe, 0, ""},
		{&fs.PathError{Op: "write", Path: "/dev/stdout", Err: brokenPipe}, 0, ""},
		{errors.New("disk full"), 2, "piarchive: write output: disk full\n"},
	}
	for _, test := range tests {
		for _, name := range []string{"wait", "list"} { // stopped half way, failed in the last flush
			room := 200_000
			if name == "list" {
				room = 0
			}
			var stderr bytes.Buffer
			code := cli.Run(t.Context(), testEnv(&failingWriter{room, test.err}, &stderr, nil), testTable(), []string{name})
			if code != test.code || stderr.String() != test.stderr {
				t.Errorf("%s, %v: exit status %d, stderr %q", name, test.err, code, stderr.String())
			}
		}
	}
}

// TestFlagsDoNotCollide binds every command with the global flags, which
// panics if two of them share a letter, and looks for shared names.
func TestFlagsDoNotCollide(t *testing.T) {
	for _, cmd := range commands() {
		flags, _ := cmd.FlagSet()
		global := cli.GlobalFlags()
		global.VisitAll(func(f *pflag.Flag) {
			if flags.Lookup(f.Name) != nil {
				t.Errorf("%s: --%s hides the global flag", cmd.Name, f.Name)
			}
		})
		flags.AddFlagSet(global)
	}
}
