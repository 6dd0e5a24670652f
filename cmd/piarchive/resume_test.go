package main

import (
	"encoding/base64"
	"strings"
	"testing"
)

// TestResumeCopy: the clipboard gets the command as it is, by way of what is a
// terminal.
func TestResumeCopy(t *testing.T) {
	b := newBench(t)
	b.write(t, "a.jsonl", strings.ReplaceAll(sampleSession, "/proj", strings.ReplaceAll(b.dir, `\`, `\\`)))
	for _, terminal := range []int{1, 2} {
		b.env.IsTerminal = func(fd int) bool { return fd == terminal }
		stdout, stderr := b.run(t, 0, "resume", "latest", "-q", "--copy")
		line := strings.SplitAfter(stdout, "\n")[0]
		sequence := "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(strings.TrimSpace(line))) + "\a"
		if got := map[int]string{1: strings.TrimPrefix(stdout, line), 2: stderr}[terminal]; got != sequence {
			t.Errorf("to %d: %q, want %q", terminal, got, sequence)
		}
		if !strings.HasSuffix(line, "a.jsonl\n") && !strings.HasSuffix(line, "a.jsonl'\n") {
			t.Errorf("line %q", line)
		}
	}
}
