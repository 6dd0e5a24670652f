package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// oversized are files that cost more than they should where anything grows with
// the length of a line, their number, or the square of one.
var oversized = []struct {
	name  string
	write func(w *bufio.Writer, f *os.File)
	peak  int64 // megabytes a process may need; index never more than 350
}{
	{"a gigabyte of NUL", func(_ *bufio.Writer, f *os.File) { f.Truncate(1 << 30) }, 300},
	{"three gigabytes of NUL", func(_ *bufio.Writer, f *os.File) { f.Truncate(3 << 30) }, 300},
	{"a line of a gigabyte", func(w *bufio.Writer, _ *os.File) {
		fmt.Fprint(w, largeHead, `{"type":"message","id":"a","message":{"role":"user","content":"`)
		repeat(w, 10<<20, "a word or two, and so on for ever, no end of it in sight at all, really, until it gets boring, and then\\n")
		fmt.Fprint(w, `"}}`, "\n")
	}, 300},
	{"a line of 30 MB", func(w *bufio.Writer, _ *os.File) {
		fmt.Fprint(w, largeHead, `{"type":"message","id":"a","message":{"role":"user","content":"`)
		repeat(w, 6_000_000, "word ")
		fmt.Fprint(w, `"}}`, "\n")
	}, 800},
	// FTS5 keeps all words of one text in memory.
	{"six million words on the longest line that is parsed", func(w *bufio.Writer, _ *os.File) {
		fmt.Fprint(w, largeHead, `{"type":"message","id":"a","message":{"role":"user","content":"`)
		for i := range 5_800_000 {
			fmt.Fprintf(w, "w%09x ", uint64(i)*0x9e3779b97f4a7c15>>28)
		}
		fmt.Fprint(w, `"}}`, "\n")
	}, 600},
	{"600 MB of images", func(w *bufio.Writer, _ *os.File) {
		fmt.Fprint(w, largeHead)
		data := strings.Repeat("QUJD", 150_000)
		for i := range 1000 {
			fmt.Fprintf(w, `{"type":"message","id":"a%d","message":{"role":"user","content":[{"type":"image","data":"%s"}]}}`+"\n", i, data)
		}
	}, 300},
	{"twelve million members", func(w *bufio.Writer, _ *os.File) {
		fmt.Fprint(w, largeHead, `{"type":"x","id":"a"`)
		repeat(w, 12<<20, `,"":0`)
		fmt.Fprint(w, "}\n")
	}, 400},
	{"ten million lines of garbage", func(w *bufio.Writer, _ *os.File) {
		fmt.Fprint(w, largeHead)
		repeat(w, 10_000_000, "x\n")
	}, 200},
	{"ten million numbers in version 1", func(w *bufio.Writer, _ *os.File) {
		fmt.Fprint(w, `{"type":"session","id":"large","timestamp":"2026-01-05T10:00:00.000Z","cwd":"/w"}`, "\n")
		repeat(w, 10_000_000, "5\n")
	}, 200},
	{"a hundred thousand compactions in version 1", func(w *bufio.Writer, _ *os.File) {
		fmt.Fprint(w, `{"type":"session","id":"large","timestamp":"2026-01-05T10:00:00.000Z","cwd":"/w"}`, "\n")
		for i := range 100_000 {
			fmt.Fprintf(w, "5\n"+`{"type":"compaction","firstKeptEntryIndex":%d}`+"\n", 2*i)
		}
	}, 400},
	{"a million writes on one line", func(w *bufio.Writer, _ *os.File) {
		fmt.Fprint(w, `{"kind":"header","v":4,"id":"large","createdAt":1767607200000,"cwd":"/w"}`, "\n[")
		repeat(w, 1_000_000, `{"kind":"entry","id":"a"},`)
		fmt.Fprint(w, `{}]`, "\n")
	}, 300},
	{"a million calls in one entry", func(w *bufio.Writer, _ *os.File) {
		fmt.Fprint(w, largeHead, `{"type":"message","id":"a","message":{"role":"assistant","content":[`)
		repeat(w, 1_000_000, `{"type":"toolCall"},`)
		fmt.Fprint(w, `{}]}}`, "\n")
	}, 400},
	{"a hundred thousand models", func(w *bufio.Writer, _ *os.File) {
		fmt.Fprint(w, largeHead)
		for i := range 100_000 {
			fmt.Fprintf(w, `{"type":"message","id":"a%d","message":{"role":"assistant","model":"m%d","content":[]}}`+"\n", i, i)
		}
	}, 400},
	{"a hundred thousand levels", func(w *bufio.Writer, _ *os.File) {
		fmt.Fprint(w, largeHead, `{"type":"x","id":"a","x":`)
		repeat(w, 99_990, `[`)
		repeat(w, 99_990, `]`)
		fmt.Fprint(w, "}\n"+`{"type":"message","id":"b","message":{"role":"user","content":`)
		repeat(w, 10_000, `[`)
		repeat(w, 10_000, `]`)
		fmt.Fprint(w, "}}\n")
	}, 400},
	{"a star of a hundred thousand", func(w *bufio.Writer, _ *os.File) {
		fmt.Fprint(w, largeHead, `{"type":"message","id":"root","parentId":null,"message":{"role":"user","content":"r"}}`, "\n")
		for i := range 100_000 {
			fmt.Fprintf(w, `{"type":"message","id":"a%d","parentId":"root","message":{"role":"user","content":"entry %d"}}`+"\n", i, i)
		}
	}, 400},
	{"a chain of a hundred thousand", func(w *bufio.Writer, _ *os.File) {
		fmt.Fprint(w, largeHead)
		for i := range 100_000 {
			fmt.Fprintf(w, `{"type":"message","id":"a%d","parentId":"a%d","message":{"role":"user","content":"entry %d"}}`+"\n", i, i-1, i)
		}
	}, 400},
}

const largeHead = `{"type":"session","version":3,"id":"large","timestamp":"2026-01-05T10:00:00.000Z","cwd":"/w"}` + "\n"

func repeat(w *bufio.Writer, n int, text string) {
	for range n {
		w.WriteString(text)
	}
}

// TestOversized runs the program on such files and asks the kernel how much memory
// it took. Each command has to end well within a time that anything quadratic
// would take many times over.
func TestOversized(t *testing.T) {
	if os.Getenv("PIARCHIVE_LARGE") == "" {
		t.Skip("PIARCHIVE_LARGE is not set: it writes and reads gigabytes")
	}
	for _, test := range oversized {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "sessions", "s.jsonl")
			if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			f, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			w := bufio.NewWriterSize(f, 1<<20)
			test.write(w, f)
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
			f.Close()
			for _, args := range []string{"index", "list", "search word", "search /word[^a-z]+zz/", "entry " + path + " @2", "verify", "index"} {
				p := process(t, dir, strings.Fields(args)...)
				peak := test.peak
				if args == "index" {
					peak = min(peak, 350)
				}
				if p.status > 2 || p.peak > peak {
					t.Errorf("%s: exit status %d, %d MB, %v, %s", args, p.status, p.peak, p.took, p.stderr)
				}
				t.Logf("%s: exit status %d, %d MB, %v", args, p.status, p.peak, p.took.Round(10*time.Millisecond))
			}
		})
	}
}

// ended is a process that has ended.
type ended struct {
	status int
	peak   int64 // megabytes
	took   time.Duration
	stderr string
}

// process runs a command in a process of its own: the test binary is the program
// under its name.
func process(t *testing.T, dir string, args ...string) ended {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	c := exec.CommandContext(t.Context(), self)
	c.Args = append([]string{"piarchive"}, args...)
	c.Env = []string{"HOME=" + dir, "PIARCHIVE_DB=" + filepath.Join(dir, "archive.db"), "PIARCHIVE_ROOTS=" + filepath.Join(dir, "sessions")}
	c.Stderr = &stderr
	began := time.Now()
	err = c.Run()
	if c.ProcessState == nil {
		t.Fatal(err)
	}
	usage := c.ProcessState.SysUsage().(*syscall.Rusage)
	return ended{c.ProcessState.ExitCode(), usage.Maxrss >> 10, time.Since(began), stderr.String()}
}
