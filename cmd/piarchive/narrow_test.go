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

// TestASCII: where the terminal takes no UTF-8, no command draws with it. What sessions
// hold stays as it is, and so do pipes.
func TestASCII(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.write(t, "b.jsonl", `{"type":"session","version":3,"id":"22222222-0000-4000-8000-000000000002","timestamp":"2026-01-03T03:04:05.000Z","cwd":"/other"}
{"type":"message","id":"a1","parentId":null,"timestamp":"2026-01-03T03:04:06.000Z","message":{"role":"user","content":"`+strings.Repeat("many words ", 30)+`"}}
{"type":"message","id":"a2","parentId":"a1","timestamp":"2026-01-03T03:04:06.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"`+strings.Repeat("ls ", 60)+`"}}],"provider":"p","model":"m","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0.1,"output":0.1,"cacheRead":0,"cacheWrite":0,"total":0.2}},"stopReason":"aborted"}}
{"type":"message","id":"a3","parentId":"a1","timestamp":"2026-01-03T03:04:07.000Z","message":{"role":"user","content":"another way"}}
{"type":"label","id":"a4","parentId":"a3","timestamp":"2026-01-03T03:04:07.000Z","targetId":"a1","label":"here"}
`)
	b.run(t, 0, "index", "-q")
	getenv := b.env.Getenv
	b.env.Getenv = func(name string) string {
		if name == "LC_ALL" {
			return "C"
		}
		return getenv(name)
	}
	b.onTerminal(70)
	for _, line := range []string{"list", "list --long", "search words", "search words -C 1", "show 22222222 --tools", "tree 22222222", "path 22222222", "labels", "stats", "stats --plot", "cost", "cost --plot", "du", "info", "help", "help index", "help search"} {
		stdout, _ := b.run(t, 0, append(strings.Fields(line), "--color=never")...)
		for row := range strings.Lines(stdout) {
			if i := strings.IndexFunc(row, func(r rune) bool { return r > '~' }); i >= 0 {
				t.Errorf("%s: %q in %q", line, row[i:], row)
			}
			if n := terminal.Width(strings.TrimSuffix(row, "\n")); n > 70 && !strings.ContainsAny(row, `/\"`) {
				t.Errorf("%s: a line of %d cells: %s", line, n, row)
			}
		}
	}
	b.env.IsTerminal = func(int) bool { return false }
	if stdout, _ := b.run(t, 0, "sql", "SELECT '… ⚑'"); !strings.Contains(stdout, "… ⚑") {
		t.Errorf("in a pipe: %q", stdout)
	}
}

// TestNarrowNames: where names are cut, what tells them apart is left, and files of
// one id are told apart as well.
func TestNarrowNames(t *testing.T) {
	t.Parallel()
	b := newSampleBench(t)
	for _, width := range []int{60, 80} {
		b.onTerminal(width)
		for _, line := range []string{"stats --by model", "stats --by session", "cost --by model", "du --by session", "du --by project", "list -n 0", "labels"} {
			stdout, _ := b.run(t, 0, append(strings.Fields(line), "--color=never", "--no-pager")...)
			names := map[string]bool{}
			for row := range strings.Lines(stdout) {
				name := row
				switch {
				case strings.Contains(line, "model"):
					name = strings.Fields(row + " -")[0]
				case strings.HasPrefix(line, "du") && strings.Contains(row, "line"):
					_, name, _ = strings.Cut(row, "line")
				}
				if strings.TrimSpace(name) != "" && name != "total" && names[name] {
					t.Errorf("%s in %d cells: two rows are called %q", line, width, name)
				}
				names[name] = true
				if strings.Contains(row, "no such e") && !strings.HasPrefix(row, "⚑") {
					t.Errorf("%s: what is said of a label takes the room of others: %s", line, row)
				}
			}
		}
	}
	b.onTerminal(60)
	help, _ := b.run(t, 0, "help")
	_, help, _ = strings.Cut(help, "Commands:\n")
	help, _, _ = strings.Cut(help, "\n\n")
	for row := range strings.Lines(help) {
		if command := strings.Fields(row); strings.HasPrefix(row, "  ") && row[2] != ' ' {
			stdout, _ := b.run(t, 0, "help", command[0])
			for row := range strings.Lines(stdout) {
				if n := terminal.Width(strings.TrimSuffix(row, "\n")); n > 60 {
					t.Errorf("help %s: a line of %d cells: %s", command[0], n, row)
				}
			}
		}
	}
}
