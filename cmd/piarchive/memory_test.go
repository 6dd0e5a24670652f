package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"piarchive/internal/terminal"
)

// TestMemoryLayout compares what a terminal shows of commands, writers and errors
// with the files beside it.
func TestMemoryLayout(t *testing.T) {
	t.Parallel()
	b := newSampleBench(t)
	b.env.IsTerminal = func(fd int) bool { return fd == 1 }
	for _, width := range []int{60, 100} {
		b.env.Width = func() int { return width }
		var got strings.Builder
		for _, args := range [][]string{
			{"how", "npx"}, {"how", "git", "commit"}, {"how", "cargo", "-n", "1"}, {"blame", "src/sixel/decode.ts"}, {"blame", "report/vat.go"},
			{"search", "--fixed", "FAIL"}, {"search", "--fixed", "RangeError"}, {"search", "--fixed", "failed"},
		} {
			b.stdout.Reset()
			if status := run(t.Context(), b.env, append(args, "-q", "--color=never")); status > 1 {
				t.Fatalf("%q: exit status %d, %s", args, status, b.stderr.String())
			}
			fmt.Fprintf(&got, "$ piarchive %s\n%s\n", strings.Join(args, " "), b.stdout.String())
		}
		for line := range strings.Lines(got.String()) {
			if line = strings.TrimSuffix(line, "\n"); terminal.Width(line) > width || terminal.Safe(line) != line {
				t.Errorf("%d cells: %q", terminal.Width(line), line)
			}
		}
		golden := filepath.Join("testdata", "memory", fmt.Sprintf("%d.txt", width))
		if *update {
			if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got.String()); diff != "" {
			t.Errorf("%d cells (-want +got)\n%s", width, diff)
		}
	}
}
