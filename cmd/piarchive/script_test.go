package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite what the scripts expect")

// programs are what the test binary is under other names.
var programs = map[string]func(){"piarchive": main, "openclaw": openclaw}

func TestMain(m *testing.M) {
	testscript.Main(m, programs)
}

// TestScript runs the command lines of testdata/script. A script has a home
// directory of its own and nothing of the environment of the test.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, "home")
			e.Setenv("HOME", home)
			e.Setenv("USERPROFILE", home)
			e.Setenv("LOCALAPPDATA", filepath.Join(home, "AppData", "Local"))
			// A program built with the race detector otherwise idles a second before it exits.
			e.Setenv("GORACE", "atexit_sleep_ms=0")
			return os.MkdirAll(home, 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "pack": pack},
	})
}

// exits is exec that asks for one exit status: exits STATUS COMMAND [ARGS].
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND [ARGS]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// pack compresses a file as the name of another says, and removes it: pack FILE TO.
func pack(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: pack FILE TO")
	}
	var b bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&b)
	if filepath.Ext(args[1]) == ".zst" {
		var err error
		w, err = zstd.NewWriter(&b)
		ts.Check(err)
	}
	_, err := io.WriteString(w, ts.ReadFile(args[0]))
	ts.Check(errors.Join(err, w.Close(), os.WriteFile(ts.MkAbs(args[1]), b.Bytes(), 0o600), os.Remove(ts.MkAbs(args[0]))))
}
