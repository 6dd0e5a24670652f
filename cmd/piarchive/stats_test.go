package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piarchive/internal/query/numbers"
	"piarchive/internal/terminal"
)

// numbersSession is the lines of a session in the project /proj/价格: a question
// and an answer a day, from a Sunday on; the third answer is of a model without
// prices, and the fifth on a branch that was left.
func numbersSession() string {
	var b strings.Builder
	start := time.Date(2026, 1, 4, 22, 50, 0, 0, time.UTC)
	iso := func(t time.Time) string { return t.Format("2006-01-02T15:04:05.000Z") }
	fmt.Fprintf(&b, `{"type":"session","version":3,"id":"0d0d0d0d-0000-4000-8000-000000000001","timestamp":%q,"cwd":"/proj/价格"}`+"\n", iso(start))
	parent := "null"
	for n := range 12 {
		at := start.AddDate(0, 0, 5*n)
		model, cost := "acme\",\"model\":\"big-one", 0.25*float64(n+1)
		if n == 2 {
			model, cost = "home\",\"model\":\"免费", 0
		}
		fmt.Fprintf(&b, `{"type":"message","id":"u%07d","parentId":%s,"timestamp":%q,"message":{"role":"user","content":"question %d","timestamp":%d}}`+"\n", n, parent, iso(at), n, at.UnixMilli())
		fmt.Fprintf(&b, `{"type":"message","id":"a%07d","parentId":"u%07d","timestamp":%q,"message":{"role":"assistant","content":[{"type":"toolCall","id":"t%d","name":"bash","arguments":{"command":"ls"}}],"api":"x","provider":"%s","usage":{"input":%d,"output":20,"cacheRead":300,"cacheWrite":0,"totalTokens":%d,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":%v}},"stopReason":"toolUse","timestamp":%d}}`+"\n",
			n, n, iso(at.Add(20*time.Minute)), n, model, 1000*(n+1), 1000*(n+1)+320, cost, at.UnixMilli())
		fmt.Fprintf(&b, `{"type":"message","id":"r%07d","parentId":"a%07d","timestamp":%q,"message":{"role":"toolResult","toolCallId":"t%d","toolName":"bash","content":[{"type":"text","text":"x"}],"isError":%v,"timestamp":%d}}`+"\n",
			n, n, iso(at.Add(20*time.Minute+90*time.Second)), n, n%4 == 3, at.UnixMilli())
		if n != 4 { // nothing follows the fifth answer
			parent = fmt.Sprintf(`"r%07d"`, n)
		}
	}
	return b.String()
}

// numbersArchive makes a root with that session, an export of it under another
// name, and an empty session.
func numbersArchive(t *testing.T) (db, root string) {
	t.Helper()
	root = filepath.Join(t.TempDir(), "sessions")
	text := numbersSession()
	for name, content := range map[string]string{
		"a.jsonl": text, "exported.jsonl": text,
		"empty.jsonl": `{"type":"session","version":3,"id":"0e0e0e0e-0000-4000-8000-000000000001","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/proj/none"}` + "\n",
	} {
		if err := os.MkdirAll(root, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(t.TempDir(), "archive.db"), root
}

// TestNumbersOnTerminal holds what a person sees, at two widths, with colours,
// and where the locale has ASCII alone.
func TestNumbersOnTerminal(t *testing.T) {
	db, root := numbersArchive(t)
	index := func() {
		var out, errs bytes.Buffer
		if code := run(t.Context(), testEnv(&out, &errs, nil), []string{"--db", db, "index", "-q", root}); code != 0 {
			t.Fatalf("index: %d %s", code, errs.String())
		}
	}
	index()
	commands := []string{
		"stats", "stats --by day --tz Europe/Berlin", "stats --by week --tz America/St_Johns -n 3", "stats --by hour --tz Asia/Kathmandu -n 2", "stats --by model",
		"stats --by project", "stats --by session", "stats --by tool", "stats --plot", "stats --plot --by hour --measure messages", "stats --plot --by model",
		"stats --session %s", "cost", "cost --plot", "cost --by month --plot", "cost --by day --since 2026-01-12 --until 2026-01-16",
	}
	for _, look := range []struct {
		name  string
		width int
		vars  map[string]string
		color string
	}{
		{"60", 60, nil, "never"}, {"80", 80, nil, "never"}, {"200", 200, nil, "never"}, {"ascii", 80, map[string]string{"LANG": "C"}, "never"}, {"colour", 80, map[string]string{"LANG": "en_US.UTF-8"}, "always"},
	} {
		var all strings.Builder
		for _, line := range commands {
			var stdout, stderr bytes.Buffer
			e := testEnv(&stdout, &stderr, look.vars)
			e.IsTerminal = func(fd int) bool { return fd == 1 }
			e.Width = func() int { return look.width }
			args := []string{"--db", db, "--color", look.color}
			for _, arg := range strings.Fields(line) {
				if arg == "%s" {
					arg = filepath.Join(root, "a.jsonl")
				}
				args = append(args, arg)
			}
			if code := run(t.Context(), e, args); code != 0 {
				t.Fatalf("%s: exit status %d, %s", line, code, stderr.String())
			}
			fmt.Fprintf(&all, "$ piarchive %s\n", line)
			for text := range strings.Lines(stdout.String()) {
				if n := terminal.Width(strings.TrimSuffix(text, "\n")); n > look.width && look.color == "never" {
					t.Errorf("%s at %d cells: a line of %d: %s", line, look.width, n, text)
				}
				if look.name == "ascii" && strings.ContainsFunc(strings.NewReplacer("价格", "", "免费", "").Replace(text), func(r rune) bool { return r > '~' }) {
					t.Errorf("%s: not ASCII: %s", line, text)
				}
				if i := strings.Index(text, "indexed "); i >= 0 {
					text = text[:i] + "indexed\n" // when that was changes
				}
				all.WriteString(text)
			}
			all.WriteString("\n")
		}
		golden := filepath.Join("testdata", "numbers", look.name+".txt")
		got := all.String()
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s: not as in %s (-update rewrites it):\n%s", look.name, golden, got)
		}
	}
}

// TestStatsLikePi: over all files of the real programs, the numbers of a session
// are those that pi makes of the file: its footer of every assistant message
// there is, /session of what the model is sent.
func TestStatsLikePi(t *testing.T) {
	t.Parallel()
	corpus := os.Getenv("PIARCHIVE_CORPUS")
	if corpus == "" {
		t.Skip("PIARCHIVE_CORPUS is not set")
	}
	db := filepath.Join(t.TempDir(), "archive.db")
	command := func(args ...string) []byte {
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), testEnv(&stdout, &stderr, nil), append([]string{"--db", db}, args...)); code > 1 {
			t.Fatalf("piarchive %s: exit %d: %s", strings.Join(args, " "), code, stderr.String())
		}
		return stdout.Bytes()
	}
	var files []string
	err := filepath.WalkDir(filepath.Join(corpus, "corpus"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".jsonl") && strings.Contains(path, "driven-pi") {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("no files of pi in %s: %v", corpus, err)
	}
	command("index", "-q", filepath.Join(corpus, "corpus"))
	type usage struct {
		Input, Output, CacheRead, CacheWrite int64
		Cost                                 struct{ Total float64 }
	}
	type message struct {
		Role  string
		Usage usage
	}
	sum := func(all *numbers.SessionStats, m message) {
		all.TotalMessages++
		switch m.Role {
		case "user":
			all.UserMessages++
		case "toolResult":
			all.ToolResults++
		case "assistant":
			all.AssistantMessages++
			all.Tokens.Input += m.Usage.Input
			all.Tokens.Output += m.Usage.Output
			all.Tokens.CacheRead += m.Usage.CacheRead
			all.Tokens.CacheWrite += m.Usage.CacheWrite
			all.Tokens.Total = all.Tokens.Input + all.Tokens.Output + all.Tokens.CacheRead + all.Tokens.CacheWrite
			*all.Cost += m.Usage.Cost.Total
		}
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		footer, sent := numbers.SessionStats{Cost: new(float64)}, numbers.SessionStats{Cost: new(float64)}
		for line := range bytes.Lines(raw) {
			var entry struct {
				Type    string
				Message message
			}
			if json.Unmarshal(line, &entry) == nil && entry.Type == "message" {
				sum(&footer, entry.Message)
			}
		}
		var context struct{ Messages []message }
		if err := json.Unmarshal(command("context", "--as", "pi", file), &context); err != nil {
			t.Fatal(err)
		}
		for _, m := range context.Messages {
			sum(&sent, m)
		}
		var doc struct{ Pi numbers.PiStats }
		if err := json.Unmarshal(command("stats", "--session", file, "--json"), &doc); err != nil {
			t.Fatal(err)
		}
		for _, part := range []struct {
			name      string
			want, got numbers.SessionStats
		}{{"footer", footer, doc.Pi.Assistant}, {"/session", sent, doc.Pi.Context}} {
			part.want.ToolCalls, part.want.Unpriced = part.got.ToolCalls, part.got.Unpriced
			want, _ := json.Marshal(part.want)
			if part.got.Cost == nil {
				part.got.Cost = new(float64)
			}
			if got, _ := json.Marshal(part.got); string(got) != string(want) {
				t.Errorf("%s of %s: got %s, want %s", part.name, file, got, want)
			}
		}
	}
}
