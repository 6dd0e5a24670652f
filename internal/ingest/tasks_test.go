package ingest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piarchive/internal/index"
)

// tasked writes a session with one task for each of the subagents named, and
// nothing else; day is when it began.
func (y *yard) tasked(name string, day int, subagents ...string) {
	y.Helper()
	lines := []string{fmt.Sprintf(`{"type":"session","version":3,"id":"s%d","timestamp":"2025-12-%02dT00:00:00.000Z","cwd":"/w"}`, day, day)}
	for n, id := range subagents {
		lines = append(lines, taskLine(n, id))
	}
	y.write(name, strings.Join(lines, "\n"), "\n")
}

func taskLine(n int, subagent string) string {
	return fmt.Sprintf(`{"type":"message","id":"e%07d","parentId":null,"timestamp":"2026-01-01T00:%02d:00.000Z","message":{"role":"toolResult","toolCallId":"c%d","toolName":"task","content":[],"details":{"results":[{"id":%q,"usage":{"input":7,"output":3,"cacheRead":0,"cacheWrite":0}}]}}}`, n, n, n, subagent)
}

// forget forgets sources as `piarchive forget` does.
func (y *yard) forget(names ...string) {
	y.Helper()
	ix, err := index.Open(y.Context(), y.archive)
	if err != nil {
		y.Fatal(err)
	}
	defer ix.Close()
	all, err := index.Sources(y.Context(), ix.Query())
	if err != nil {
		y.Fatal(err)
	}
	for _, s := range all {
		for _, name := range names {
			if s.Path != y.path(name) {
				continue
			}
			if _, err := ix.Forget(y.Context(), []index.Source{s}); err != nil {
				y.Fatal(err)
			}
		}
	}
}

// A subagent's own subagents lie beside it: whichever comes first, and also in a
// first run, their usage is not counted twice.
func TestTasksOfSubagents(t *testing.T) {
	y := newYard(t)
	inChild := func() int { return one[int](y, `SELECT counted_in_child FROM _token_use WHERE carrier = 'task'`) }
	y.tasked("main.jsonl", 1)
	y.tasked("main/First.jsonl", 2, "Second")
	y.index()
	if inChild() != 0 {
		t.Error("a task counts in a subagent that is not there")
	}
	y.tasked("main/Second.jsonl", 3)
	y.index()
	if inChild() != 1 {
		t.Error("a subagent's task does not count in the subagent that came later")
	}
	y.with(Options{Full: true})
	if inChild() != 1 {
		t.Error("a subagent's task does not count there after a run that makes all anew")
	}
	y.forget("main/Second.jsonl")
	if inChild() != 0 {
		t.Error("a task still counts in a subagent that was forgotten")
	}
}

// What tells of a task may lie beside a copy; where the copy goes, it tells no
// more.
func TestTasksOfCopies(t *testing.T) {
	y := newYard(t)
	y.tasked("old.jsonl", 1, "Agent")
	y.tasked("new.jsonl", 2, "Agent")
	y.tasked("new/Agent.jsonl", 3)
	y.index()
	const inChild = `SELECT coalesce(sum(counted_in_child), 0) FROM _token_use WHERE carrier = 'task' AND entry >> 24 = (SELECT id FROM _source WHERE path = ?)`
	if one[int](y, inChild, y.path("old.jsonl")) != 1 {
		t.Fatal("the task does not count in the subagent of its copy")
	}
	y.forget("new.jsonl")
	if one[int](y, inChild, y.path("old.jsonl")) != 0 {
		t.Error("the task still counts in a subagent of what was forgotten")
	}
	y.index()
	y.same()
}

// However files with tasks, copies of them and subagents come, change, move, go
// and are forgotten, the archive is as if it were made anew.
func TestTasksChange(t *testing.T) {
	var names []string
	for i := range 3 {
		names = append(names, fmt.Sprintf("S%d.jsonl", i), fmt.Sprintf("S%d/A0.jsonl", i), fmt.Sprintf("S%d/A1.jsonl", i))
	}
	for round := range rounds(t, 3) {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			y, r := newYard(t), rand.New(rand.NewPCG(uint64(round), 3))
			write := func(name string) {
				y.tasked(name, 1+r.IntN(3))
				for range 1 + r.IntN(3) {
					y.append(name, taskLine(r.IntN(4), fmt.Sprint("A", r.IntN(2))), "\n")
				}
			}
			for i := range 3 {
				write(fmt.Sprintf("S%d.jsonl", i)) // these stay: without them subagents are none
			}
			y.index()
			for range 12 {
				name, to := names[r.IntN(len(names))], names[r.IntN(len(names))]
				_, err := os.Stat(y.path(name))
				_, none := os.Stat(y.path(to))
				stays := err != nil || !strings.Contains(name, "/")
				switch what := r.IntN(6); {
				case what < 2:
					write(name)
				case what == 2 && !stays:
					y.remove(name)
				case what == 3 && err == nil:
					y.append(name, taskLine(r.IntN(4), fmt.Sprint("A", r.IntN(2))), "\n")
				case what == 4 && !stays && none != nil:
					if err := os.MkdirAll(filepath.Dir(y.path(to)), 0o755); err != nil {
						t.Fatal(err)
					}
					y.rename(name, to)
				case what == 5:
					y.forget(name)
				}
				y.index()
				y.anew()
			}
		})
	}
}

// anew compares the archive with what a run that makes all anew makes of it.
func (y *yard) anew() {
	y.Helper()
	copied := filepath.Join(y.TempDir(), "anew.db")
	content, err := os.ReadFile(y.archive)
	if err == nil {
		err = os.WriteFile(copied, content, 0o600)
	}
	if err != nil {
		y.Fatal(err)
	}
	y.with(Options{Archive: copied, Full: true})
	if diff := dumpArchive(y.T, copied).diff(dumpArchive(y.T, y.archive)); diff != "" {
		y.Fatalf("the archive is not what making it anew gives (- anew, + archive):\n%s", diff)
	}
}
