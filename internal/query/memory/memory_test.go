package memory

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"piarchive/internal/ingest/ingesttest"
	"piarchive/internal/query"
	"piarchive/internal/query/question"
	"piarchive/internal/query/search"
)

// story is a session being written: each thing done is an entry, or a call and its
// result, one second after the other.
type story struct {
	lines []string
	last  string // id that the next entry hangs from
}

func newStory(id, cwd string) *story {
	return &story{lines: []string{fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":"2026-01-01T00:00:00.000Z","cwd":%q}`, id, cwd)}}
}

func (s *story) message(message string) *story {
	parent := "null"
	if s.last != "" {
		parent = fmt.Sprintf("%q", s.last)
	}
	n := len(s.lines)
	s.last = fmt.Sprintf("%08x", n)
	at := time.Date(2026, 1, 1, 0, 0, n, 0, time.UTC).Format("2006-01-02T15:04:05.000Z")
	s.lines = append(s.lines, fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":%q,"message":{%s}}`, s.last, parent, at, message))
	return s
}

func (s *story) user(text string) *story {
	return s.message(fmt.Sprintf(`"role":"user","content":%q`, text))
}

// call adds a call, and unless output is "-" its result; one that begins with ! is
// an error.
func (s *story) call(tool, arguments, output string) *story {
	id := fmt.Sprintf("call%d", len(s.lines))
	s.message(fmt.Sprintf(`"role":"assistant","content":[{"type":"toolCall","id":%q,"name":%q,"arguments":%s}]`, id, tool, arguments))
	if output == "-" {
		return s
	}
	text, failed := strings.CutPrefix(output, "!")
	return s.message(fmt.Sprintf(`"role":"toolResult","toolCallId":%q,"toolName":%q,"isError":%v,"content":[{"type":"text","text":%q}]`, id, tool, failed, text))
}

func (s *story) bash(command, output string) *story {
	quoted, _ := json.Marshal(command)
	return s.call("bash", fmt.Sprintf(`{"command":%s}`, quoted), output)
}

func (s *story) edit(path, old, new string) *story {
	return s.call("edit", fmt.Sprintf(`{"path":%q,"oldText":%q,"newText":%q}`, path, old, new), "done")
}

// fork is the story so far in a session of its own.
func (s *story) fork(id string) *story {
	header := fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":"2026-01-02T00:00:00.000Z","cwd":"/fork"}`, id)
	return &story{lines: append([]string{header}, s.lines[1:]...), last: s.last}
}

func open(t *testing.T, stories ...*story) *query.Archive {
	t.Helper()
	root := t.TempDir()
	for i, s := range stories {
		if err := os.WriteFile(filepath.Join(root, fmt.Sprintf("s%d.jsonl", i)), []byte(strings.Join(s.lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a, err := query.Open(t.Context(), ingesttest.Archive(t, root), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

func same(t *testing.T, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestCommands(t *testing.T) {
	first := newStory("aaaaaaaa", "/w/one").user("go").bash("npm test", "!failed").bash("npm test", "ok").bash("cd x && npm ci", "ok").
		bash("npm never", "-").message(`"role":"bashExecution","command":"npm audit","output":"0","exitCode":0`).
		message(`"role":"bashExecution","command":"npm login","output":"","exitCode":1`).message(`"role":"bashExecution","command":"npm top","output":"","cancelled":true`)
	other := newStory("bbbbbbbb", "/w/two").bash("ls", "x").bash("  npm ci\n", "ok").bash("cd x && npm ci", "ok").bash("echo npm", "npm").
		call("write", `{"path":"npm","content":"npm test"}`, "ok").call("shell", `{"command":["npm","view"]}`, "ok")
	a := open(t, first, other, first.fork("cccccccc").bash("npm pack", "ok"))
	ask := func(program string, others []string, f Filter, most int) []string {
		t.Helper()
		list, err := Commands(t.Context(), a, program, others, f, most)
		if err != nil {
			t.Fatal(err)
		}
		got := []string{fmt.Sprint(list.Total)}
		for _, c := range list.Commands {
			got = append(got, fmt.Sprintf("%d %s: %s in %s@%d", c.Runs, c.Tool, c.Line, c.Last.Session.ID, c.Last.Entry.Line))
		}
		return got
	}
	same(t, []string{"6", "2 bash: cd x && npm ci in aaaaaaaa@7", "1 bash: npm pack in cccccccc@13", "1 shell: npm view in bbbbbbbb@12",
		"1 bash: npm audit in aaaaaaaa@10", "1 bash: npm test in aaaaaaaa@5", "1 bash: npm ci in bbbbbbbb@4"}, ask("npm", nil, Filter{}, 9))
	same(t, []string{"2", "2 bash: cd x && npm ci in aaaaaaaa@7"}, ask("npm ci", nil, Filter{}, 1))
	same(t, []string{"1", "1 bash: npm audit in aaaaaaaa@10"}, ask("npm", []string{"AUD"}, Filter{}, 9))
	same(t, []string{"2", "1 bash: npm audit in aaaaaaaa@10", "1 bash: cd x && npm ci in aaaaaaaa@7"}, ask("bash", nil, Filter{Project: "one", Since: time.Date(2026, 1, 1, 0, 0, 5, 0, time.UTC)}, 9))
	same(t, []string{"1", "1 shell: npm view in bbbbbbbb@12"}, ask("shell", nil, Filter{}, 9))
	same(t, []string{"2", "1 shell: npm view in bbbbbbbb@12", "1 bash: cd x && npm ci in bbbbbbbb@6"}, ask("npm", nil, Filter{Project: "two", Since: time.Date(2026, 1, 1, 0, 0, 4, 0, time.UTC)}, 9))
	same(t, []string{"1", "1 bash: npm test in aaaaaaaa@5"}, ask("npm", nil, Filter{Project: "one", Until: time.Date(2026, 1, 1, 0, 0, 6, 0, time.UTC)}, 9))
	same(t, []string{"0"}, ask("pnpm", nil, Filter{}, 9))
	same(t, []string{"0"}, ask("[", nil, Filter{}, 9)) // no word: the full text is of no help
}

func TestBlame(t *testing.T) {
	one := newStory("aaaaaaaa", "/w/one").user("write it").call("write", `{"path":"a.go","content":"package a\n\nfunc Open() {}\n"}`, "ok").
		user("close it, too").edit("./a.go", "{}", "{}\n\nfunc Close() {}").call("edit", `{"path":"a.go","oldText":"x","newText":"func Lost() {}"}`, "!no such text").
		call("edit", `{"path":"a.go","oldText":"x","newText":"func Lost() {}"}`, "-")
	two := newStory("bbbbbbbb", "/w/two").user("and here").call("apply_patch", `{"input":"*** Update File: sub/a.go\n-x\n+func Open() {}"}`, "ok").
		user("wait").user("all anew").call("write", `{"path":"/w/one/a.go","content":"package a\n\nfunc Open() {}\n\nfunc Close() {}\n\nfunc New() {}\n"}`, "ok")
	a := open(t, one, two, one.fork("cccccccc"))
	file := strings.Split("package a\n\nfunc Open() {}\n\nfunc Close() {}\n\nfunc New() {}", "\n")
	ask := func(f File, most int) []string {
		t.Helper()
		list, err := Blame(t.Context(), a, f, Filter{}, most)
		if err != nil {
			t.Fatal(err)
		}
		got := []string{fmt.Sprintf("exact %v more %v", list.Exact, list.More)}
		for _, w := range list.Writers {
			got = append(got, fmt.Sprintf("%s %s in %s@%d: %s, %s", w.Op, w.Path, w.Session.ID, w.Entry.Line, w.Prompt, w.Session.Title()))
		}
		return got
	}
	exact := File{Name: "a.go", Path: "/w/one/a.go"}
	write, edit, again := "write a.go in aaaaaaaa@3: write it, write it", "edit ./a.go in aaaaaaaa@6: close it, too, write it", "write /w/one/a.go in bbbbbbbb@7: all anew, and here"
	same(t, []string{"exact true more false", again, edit, write}, ask(exact, 9))
	same(t, []string{"exact true more true", again}, ask(exact, 1))
	line := func(n int) File { return File{Name: "a.go", Path: "/w/one/a.go", Near: file, At: n} }
	same(t, []string{"exact true more false", write}, ask(line(2), 9)) // later calls kept it
	same(t, []string{"exact true more false", edit}, ask(line(4), 9))
	same(t, []string{"exact true more false", again}, ask(line(6), 9))
	same(t, []string{"exact false more false", "edit sub/a.go in bbbbbbbb@3: and here, and here"}, ask(File{Name: "sub/a.go", Path: "/elsewhere/sub/a.go"}, 9))
	same(t, []string{"exact false more false"}, ask(File{Name: "b.go", Path: "/w/one/b.go"}, 9))
	same(t, []string{"exact true more false"}, ask(File{Name: "a.go", Path: "/w/one/a.go", Near: []string{"func Lost() {}"}}, 9))
}

func TestFixes(t *testing.T) {
	ask := func(t *testing.T, text string, stories ...*story) []string {
		t.Helper()
		list, err := Fixes(t.Context(), open(t, stories...), question.Parse(text), search.Options{}, 9)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range list.Cases {
			head := fmt.Sprintf("%s@%d %s: %s again %d", c.Session.ID, c.Entry.Line, c.Command, c.Outcome, c.Again)
			if c.End != nil {
				head += fmt.Sprintf(" @%d", c.End.Line)
			}
			got = append(got, head)
			for _, s := range c.Steps {
				got = append(got, strings.TrimSuffix(fmt.Sprintf("  %s %s @%d %v", s.What, s.Text, s.Entry.Line, s.Failed), " false"))
			}
		}
		return append(got, list.Notes...)
	}
	begin := func() *story { return newStory("aaaaaaaa", "/w").user("go").bash("cd a && make all", "!E42 boom") }

	t.Run("passed", func(t *testing.T) {
		same(t, []string{"aaaaaaaa@4 cd a && make all: passed again 1 @16", "  edit a.c @6", "  run ./configure @10", "  run make -j all @12 true", "  edit a.c @14"},
			ask(t, "E42", begin().edit("a.c", "x", "y").bash("cat a.c", "E42").bash("./configure", "ok").bash("make -j all", "!E42").edit("a.c", "y", "z").bash("make all", "ok").edit("b.c", "", "q")))
	})
	t.Run("came back later", func(t *testing.T) {
		same(t, []string{"aaaaaaaa@8 make all: unfixed again 0", "  run ls-files @10", "aaaaaaaa@4 cd a && make all: passed again 0 @6"},
			ask(t, "E42", begin().bash("make all", "ok").bash("make all", "!E42").bash("ls-files", "x")))
	})
	t.Run("other errors show that it is gone", func(t *testing.T) {
		same(t, []string{"aaaaaaaa@4 cd a && make all: gone again 0 @6"}, ask(t, "E42", begin().bash("make all", "!E43").bash("make all", "!E43")))
	})
	t.Run("one other error does not, if it comes again", func(t *testing.T) {
		same(t, []string{"aaaaaaaa@4 cd a && make all: passed again 1 @10", "  run make all @6 true", "  run make all @8 true"},
			ask(t, "E42", begin().bash("make all", "!E43").bash("make all", "!E42").bash("make all", "ok")))
	})
	t.Run("behind a pipe", func(t *testing.T) {
		same(t, []string{"aaaaaaaa@3 make 2>&1 | tail: gone again 0 @7", "  run make | wc -l @5"},
			ask(t, "E42", newStory("aaaaaaaa", "/w").bash("make 2>&1 | tail", "E42").bash("make | wc -l", "9").bash("make 2>&1 | tail", "done")))
	})
	t.Run("no error", func(t *testing.T) {
		same(t, []string{"left out: 2 times only looking at something failed, such as cat or grep"},
			ask(t, "E42", newStory("aaaaaaaa", "/w").bash("make", "E42 is what I print").bash("cat log", "E42").bash("cat E42", "!E42").call("read", `{"path":"E42"}`, "!E42").user("E42?")))
	})
	t.Run("only some of the words", func(t *testing.T) {
		for _, line := range ask(t, "E42 zyzzyva boom", begin()) {
			if strings.Contains(line, "@4") {
				t.Error(line)
			}
		}
	})
	t.Run("an edit", func(t *testing.T) {
		same(t, []string{"aaaaaaaa@3 edit a.c: passed again 0 @7", "  edit b.c @5"},
			ask(t, `"no match"`, newStory("aaaaaaaa", "/w").call("edit", `{"path":"a.c","oldText":"x"}`, "!no match").edit("b.c", "x", "y").edit("a.c", "y", "x")))
	})
	t.Run("other commands on the way", func(t *testing.T) {
		same(t, []string{"aaaaaaaa@4 cd a && make all: passed again 0 @8", "  run ninja @6 true"}, ask(t, "E42", begin().bash("ninja", "!E42").bash("make all", "ok")))
		same(t, []string{"aaaaaaaa@6 ninja: unfixed again 0", "aaaaaaaa@4 cd a && make all: unfixed again 0", "  run ninja @6 true"}, ask(t, "E42", begin().bash("ninja", "!E42")))
	})
	t.Run("in a fork", func(t *testing.T) {
		s := begin()
		same(t, []string{"bbbbbbbb@4 cd a && make all: passed again 0 @6"}, ask(t, "E42", s, s.fork("bbbbbbbb").bash("make all", "ok")))
	})
	t.Run("on a branch that was left", func(t *testing.T) {
		s := begin()
		s.edit("a.c", "x", "y").last = "00000001"
		same(t, []string{"aaaaaaaa@4 cd a && make all: passed again 0 @10", "  edit a.c @6", "  edit b.c @8"}, ask(t, "E42", s.edit("b.c", "x", "y").bash("make all", "ok")))
	})
	t.Run("many steps", func(t *testing.T) {
		s := begin()
		for i := range 50 {
			s.bash(fmt.Sprintf("step%d", i), "ok")
		}
		for outcome, want := range map[Outcome]string{Unfixed: "10 from step0, 40 left", Passed: "40 from step10, 10 left"} {
			if outcome == Passed {
				s = s.fork("dddddddd").bash("make all", "ok")
			}
			list, err := Fixes(t.Context(), open(t, s), question.Parse("E42"), search.Options{}, 9)
			if err != nil || len(list.Cases) != 1 {
				t.Fatal(list, err)
			}
			c := list.Cases[0]
			if got := fmt.Sprintf("%d from %s, %d left", len(c.Steps), c.Steps[0].Text, c.Left); c.Outcome == outcome && got != want {
				t.Errorf("%v: %s", outcome, got)
			}
		}
	})
}
