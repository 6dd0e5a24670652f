package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"piarchive/internal/terminal"
)

// TestNarrowWindows: in a narrow window no line is wider than it, paths aside, which
// are to be copied, and no two rows read alike.
func TestNarrowWindows(t *testing.T) {
	t.Parallel()
	b := newSampleBench(t)
	for _, name := range []string{"read", "web_search", "web_fetch", "a_long_name_of_a_tool"} {
		b.write(t, name+".jsonl", fmt.Sprintf(`{"type":"session","version":3,"id":"0197fc3d-%04d-4000-8000-000000000000","timestamp":"2026-01-03T03:04:05.000Z","cwd":"/w"}
{"type":"message","id":"a1","parentId":null,"timestamp":"2026-01-03T03:04:06.000Z","message":{"role":"toolResult","toolCallId":"x","toolName":%q,"content":[{"type":"text","text":"%s"}]}}
{"type":"label","id":"a2","parentId":"a1","timestamp":"2026-01-03T03:04:07.000Z","targetId":"a1","label":"the same words for all of them, whatever it is"}
`, len(name), name, strings.Repeat("x", 300_000)))
	}
	b.run(t, 0, "index", "-q", filepath.Join(b.dir, "sessions"))
	for _, width := range []int{60, 80} {
		b.onTerminal(width)
		for _, line := range []string{"labels", "du", "du --by tool", "cost", "info", "path latest", "help", "search the"} {
			stdout, stderr := b.run(t, 0, append(strings.Fields(line), "--color=never")...)
			rows := map[string]bool{}
			for row := range strings.Lines(stdout + stderr) {
				row = strings.TrimSuffix(row, "\n")
				if n := terminal.Width(row); n > width && !strings.Contains(row, string(filepath.Separator)) {
					t.Errorf("%s in %d cells: a line of %d: %s", line, width, n, row)
				}
				if alike := strings.TrimSpace(row); alike != "" && rows[alike] && !strings.HasPrefix(line, "search") && !strings.HasPrefix(line, "help") {
					t.Errorf("%s in %d cells: two rows read %q", line, width, row)
				} else {
					rows[alike] = true
				}
			}
		}
	}
}
