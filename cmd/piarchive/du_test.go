package main

import (
	"strings"
	"testing"

	"piarchive/internal/terminal"
)

func TestDuOnATerminal(t *testing.T) {
	b := newBench(t)
	b.write(t, "b.jsonl", `{"type":"session","version":3,"id":"22222222-0000-4000-8000-000000000002","timestamp":"2026-01-03T03:04:05.000Z","cwd":"/other"}
{"type":"custom","id":"b1","parentId":null,"timestamp":"2026-01-03T03:04:06.000Z","customType":"ho`+"\\u001b"+`arder","data":"`+strings.Repeat("x", 9000)+`"}
`)
	b.run(t, 0, "index")
	b.onTerminal(60)
	stdout, _ := b.run(t, 0, "du", "--color=never", "--by", "custom-type")
	lines := strings.Split(stdout, "\n")
	if want := "9.6 kB in 2 files"; lines[0] != want {
		t.Errorf("%q, want %q", lines[0], want)
	}
	if want := "  94 %  ███████████████   9.2 kB  1 line  ho␛arder"; !strings.HasPrefix(lines[2], "  9") || !strings.HasSuffix(lines[2], "ho␛arder") {
		t.Errorf("%q, want like %q", lines[2], want)
	}
	for _, line := range lines {
		if width := terminal.Width(line); width > 60 {
			t.Errorf("%d cells: %q", width, line)
		}
	}
	stdout, _ = b.run(t, 0, "du", "--color=never", "-n", "1")
	if !strings.Contains(stdout, " more; -n 0 shows all\n") {
		t.Errorf("nothing tells of the rest: %q", stdout)
	}
	b.onTerminal(80)
	stdout, _ = b.run(t, 0, "du", "--color=never", "--by", "session")
	if !strings.Contains(stdout, "  22222222  (no messages)\n") {
		t.Errorf("by session: %q", stdout)
	}
}
