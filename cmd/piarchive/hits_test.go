package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"piarchive/internal/terminal"
)

// searchOnTerminal searches the sample sessions on a terminal of a width.
func searchOnTerminal(t *testing.T, b *bench, width int, args ...string) string {
	t.Helper()
	b.env.IsTerminal = func(fd int) bool { return fd == 1 }
	b.env.Width = func() int { return width }
	b.stdout.Reset()
	b.stderr.Reset()
	if code := run(t.Context(), b.env, append([]string{"search"}, args...)); code > 1 || b.stderr.Len() > 0 {
		t.Fatalf("%q: exit status %d, %s", args, code, b.stderr.String())
	}
	return b.stdout.String()
}

// layoutQuestions have hits of many kinds: copies, other branches, titles,
// wide and combining characters, controls, notes, nothing.
var layoutQuestions = []string{
	"terminal path -n 7", "日暮", "dvorak", "übergänge", "颜文字 OR ZWJ", `"escapes" OR "bidi"`, `"path terminal"`, `"hover.ts passes"`, "rol:user terminal --exact", "库存 -n 2", "name with escape", "file:hover.ts",
}

// TestHitLayout compares what a terminal shows with the files beside it.
func TestHitLayout(t *testing.T) {
	t.Parallel()
	b := newSampleBench(t)
	coverage := regexp.MustCompile("(?s)103 sessions · indexed .*") // the last, perhaps on two lines
	place := regexp.MustCompile(`(?m)^  \S*(session-\S+\.jsonl)$`)  // where the samples lie is as long as it is
	for _, width := range []int{60, 80, 120, 200} {
		var got strings.Builder
		for _, question := range layoutQuestions {
			shown := searchOnTerminal(t, b, width, append(strings.Fields(question), "--color=never")...)
			shown = place.ReplaceAllString(shown, "  (path)$1")
			got.WriteString("$ piarchive search " + question + "\n" + coverage.ReplaceAllString(shown, "(coverage)\n\n"))
		}
		compareGolden(t, filepath.Join("testdata", "hits", fmt.Sprintf("%d.txt", width)), got.String())
	}
}

// compareGolden compares a text with what a file has, or with -update writes it.
func compareGolden(t *testing.T, golden, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
		t.Errorf("%s (-want +got)\n%s", golden, diff)
	}
}

// TestReferenceLayout compares what stands around an entry, and the tree that marks
// it, with the files beside it.
func TestReferenceLayout(t *testing.T) {
	t.Parallel()
	b := newSampleBench(t)
	b.env.IsTerminal = func(fd int) bool { return fd == 1 }
	for _, width := range []int{60, 80, 120} {
		b.env.Width = func() int { return width }
		var got strings.Builder
		for _, line := range []string{"show 4a369254@17", "show 4a369254@11 -C 2", "show 4a369254@12 -C 0", "show 4a369254@22 -C 0 --tools", "tree 4a369254@17"} {
			stdout, _ := b.run(t, 0, append(strings.Fields(line), "--color=never")...)
			got.WriteString("$ piarchive " + line + "\n" + stdout + "\n")
			for line := range strings.Lines(stdout) {
				if n := terminal.Width(strings.TrimSuffix(line, "\n")); n > width {
					t.Errorf("%d cells: a line of %d: %s", width, n, line)
				}
			}
		}
		compareGolden(t, filepath.Join("testdata", "references", fmt.Sprintf("%d.txt", width)), got.String())
	}
}

// TestHitWidths: in windows of every width, with colours and without, no line
// is too long, and nothing but our own colours acts on the terminal.
func TestHitWidths(t *testing.T) {
	t.Parallel()
	b := newSampleBench(t)
	colour := regexp.MustCompile("\x1b\\[(0|1|2|31|32|35|36|1;31)m")
	questions := append([]string{"WAL grows -n 50", "the -n 40", "path* -n 40", "type:message -n 60", "é"}, layoutQuestions...)
	for _, question := range questions {
		for _, width := range []int{60, 79, 100, 200, 400} {
			args := strings.Fields(question)
			plain := searchOnTerminal(t, b, width, append(args, "--color=never")...)
			for line := range strings.Lines(plain) {
				if n := terminal.Width(strings.TrimSuffix(line, "\n")); n > width {
					t.Errorf("%s in %d cells: a line of %d: %s", question, width, n, line)
				}
				if s := strings.TrimSuffix(line, "\n"); terminal.Safe(s) != s {
					t.Errorf("%s: line %q", question, line)
				}
			}
			coloured := searchOnTerminal(t, b, width, append(args, "--color=always")...)
			if stripped := colour.ReplaceAllString(coloured, ""); stripped != plain {
				t.Errorf("%s in %d cells: in colours %q, without %q", question, width, coloured, plain)
			}
		}
	}
}

// TestHitHeading: of sessions that share an id the path is shown, its end
// before its beginning.
func TestHitHeading(t *testing.T) {
	b := newSampleBench(t)
	got := searchOnTerminal(t, b, 80, "WAL", "grows", "-n", "1", "--color=never")
	lines := strings.Split(got, "\n")
	if !strings.HasPrefix(lines[0], "ledgerlite · WAL grows without bound  ") || !strings.HasSuffix(lines[0], "  2026-02-19") {
		t.Errorf("heading %q", lines[0])
	}
	if !strings.HasPrefix(lines[1], "  …") || !strings.HasSuffix(lines[1], filepath.Join("gerlite--", "2026-02-19T13-05-44-730Z_375681bc-d21a-4328-9771-70c1151bb30b.jsonl")) || terminal.Width(lines[1]) != 80 {
		t.Errorf("path %q", lines[1])
	}
}
