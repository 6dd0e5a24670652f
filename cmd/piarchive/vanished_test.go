package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"

	"piarchive/internal/documents"
	"piarchive/internal/terminal"
)

// corpus writes session files of all sizes and returns what they hold by path.
func (b *bench) corpus(t *testing.T, r *rand.Rand, files int) map[string]string {
	t.Helper()
	if err := os.Remove(filepath.Join(b.dir, "sessions", "a.jsonl")); err != nil {
		t.Fatal(err)
	}
	words := strings.Fields("alpha beta gamma 竞态 café 🦊 error: \\u001b[31m resolveTerminalPath \\n don't")
	contents := map[string]string{}
	for i := range files {
		var s strings.Builder
		fmt.Fprintf(&s, `{"type":"session","version":3,"id":"%08x-0000-4000-8000-000000000000","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/proj/%d"}`+"\n", i, i%5)
		longest := 30
		if i%10 == 0 {
			longest = 30_000
		}
		for n := range 4 + r.IntN(20) {
			parent := "null"
			if n > 0 {
				parent = fmt.Sprintf(`"%08x"`, r.IntN(n))
			}
			var said []string
			for range 1 + r.IntN(longest) {
				said = append(said, words[r.IntN(len(words))])
			}
			fmt.Fprintf(&s, `{"type":"message","id":"%08x","parentId":%s,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"%d %d %s"}}`+"\n", n, parent, i, n, strings.Join(said, " "))
		}
		content := s.String()
		if r.IntN(4) == 0 {
			content = strings.TrimSuffix(content, "\n")
		}
		name := fmt.Sprintf("--p%d--/%02d.jsonl", i%5, i)
		b.write(t, name, content)
		contents[filepath.Join(b.dir, "sessions", filepath.FromSlash(name))] = content
	}
	return contents
}

// rows is all that an archive knows of its sessions, without what numbers them.
func (b *bench) rows(t *testing.T) string {
	t.Helper()
	out, _ := b.run(t, 0, "sql", "--format=tsv", `SELECT s.path, s.session_id, s.project, s.messages, s.entries, s.leaves, s.bytes, e.entry_id, e.parent_id, e.type, e.timestamp, e.line, e.offset, e.bytes, e.active
 FROM sessions s JOIN entries e USING (session) ORDER BY s.path, e.line`)
	found, _ := b.run(t, 0, "search", "--jsonl", "-n", "0", "--sort", "old", "alpha OR 竞态 OR terminal")
	var lines []string
	for line := range strings.Lines(found) {
		var hit struct {
			Session struct{ Path string }
			Entry   struct{ ID string }
			Snippet string
		}
		if err := json.Unmarshal([]byte(line), &hit); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, hit.Session.Path+" "+hit.Entry.ID+" "+hit.Snippet)
	}
	slices.Sort(lines)
	return out + strings.Join(lines, "\n")
}

// counts counts the rows of the private tables.
func (b *bench) counts(t *testing.T) map[string]int {
	t.Helper()
	db, err := sqlx.Open("sqlite", b.archive())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var tables []string
	if err := db.Select(&tables, `SELECT name FROM sqlite_schema WHERE type = 'table' AND (name NOT LIKE 'fts%' OR name = 'fts_docsize') AND name <> '_meta'`); err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, name := range tables {
		var n int
		if err := db.Get(&n, "SELECT count(*) FROM "+name); err != nil {
			t.Fatal(err)
		}
		counts[name] = n
	}
	return counts
}

// vanishedDoc is a session in piarchive.vanished/1.
type vanishedDoc struct {
	Path, FirstMessage string
	Missing            bool
	Bytes              int64
	Lines              int
	Dropped            *documents.Dropped
	Versions           []struct {
		Version, Lines, Dropped int
		Bytes                   int64
		TitleOnly               bool
		SHA256                  string
	}
}

// vanished returns what vanished lists, by path.
func (b *bench) vanished(t *testing.T) map[string]vanishedDoc {
	t.Helper()
	b.stdout.Reset()
	b.stderr.Reset()
	if status := run(t.Context(), b.env, []string{"vanished", "--json"}); status > 1 || b.stderr.Len() > 0 {
		t.Fatalf("vanished: exit status %d, %s", status, b.stderr.String())
	}
	var doc struct{ Sessions []vanishedDoc }
	decoder := json.NewDecoder(&b.stdout)
	if err := decoder.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	found := map[string]vanishedDoc{}
	for _, s := range doc.Sessions {
		found[s.Path] = s
	}
	return found
}

// TestNothingIsLost deletes, cuts short and rewrites a third of a corpus. All
// that is lost is listed, no more, and all of it can be had again, byte for
// byte; after that the archive is what it was.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	r := rand.New(rand.NewPCG(5, 6))
	was := b.corpus(t, r, 45)
	b.run(t, 0, "index", "-q")
	before := b.rows(t)

	now := map[string]string{} // what is left of a changed file; "" of one that is gone
	for i, path := range slices.Sorted(maps.Keys(was)) {
		lines := strings.SplitAfter(strings.TrimSuffix(was[path], "\n"), "\n")
		switch i % 9 {
		case 0: // deleted
			now[path] = ""
		case 3: // cut short between lines
			now[path] = strings.Join(lines[:1+r.IntN(len(lines)-1)], "")
		case 6: // rewritten: one line goes, another is changed
			i := 1 + r.IntN(len(lines)-2)
			now[path] = strings.Join(slices.Delete(slices.Clone(lines), i, i+1), "")
			now[path] = strings.Replace(now[path], `"role":"user"`, `"role":"assistant"`, 1)
		default:
			continue
		}
		var err error
		if now[path] == "" {
			err = os.Remove(path)
		} else {
			err = os.WriteFile(path, []byte(now[path]), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	b.run(t, 0, "index", "-q")

	found := b.vanished(t)
	if !slices.Equal(slices.Sorted(maps.Keys(found)), slices.Sorted(maps.Keys(now))) {
		t.Errorf("vanished lists %d sessions, %d were changed", len(found), len(now))
	}
	for path, left := range now {
		if left != "" {
			b.checkDropped(t, path, was[path], left, found[path])
			continue
		}
		if doc := found[path]; !doc.Missing || doc.Dropped != nil || doc.Bytes != int64(len(was[path])) || doc.Lines != len(strings.Split(strings.TrimSuffix(was[path], "\n"), "\n")) {
			t.Errorf("%s: %+v", path, doc)
		}
		stdout, _ := b.run(t, 0, "restore", path, "-o", "-")
		sameBytes(t, path, []byte(stdout), was[path])
	}

	// All at once, to elsewhere and to where it was.
	to := filepath.Join(b.dir, "elsewhere")
	b.run(t, 0, "restore", "-q", "--all", "--to", to)
	b.run(t, 0, "restore", "-q", "--all")
	for path, left := range now {
		if left != "" {
			continue
		}
		below, err := filepath.Rel(filepath.Join(b.dir, "sessions"), path)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{path, filepath.Join(to, below)} {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			sameBytes(t, file, content, was[path])
		}
	}
	// The next run finds what is back, adds nothing and makes nothing twice.
	counts := b.counts(t)
	if stdout, _ := b.run(t, 0, "index"); !strings.HasPrefix(stdout, "45 files: 45 unchanged\n") {
		t.Errorf("index after restore: %s", stdout)
	}
	if after := b.counts(t); !maps.Equal(after, counts) {
		t.Errorf("rows %v, before the restore %v", after, counts)
	}
	for path, doc := range b.vanished(t) {
		if doc.Missing || now[path] == "" {
			t.Errorf("%s is still missing", path)
		}
	}
	for path, left := range now {
		if left != "" {
			if err := os.WriteFile(path, []byte(was[path]), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	b.run(t, 0, "index", "-q")
	if after := b.rows(t); after != before {
		t.Error("with all files as they were, the archive is not what it was")
	}
	b.run(t, 0, "verify", "-q", "--deep")
}

// checkDropped holds a file that was cut short or rewritten against what the
// archive kept: it gives the state before, and counts the lines that are only there.
func (b *bench) checkDropped(t *testing.T, path, was, left string, doc vanishedDoc) {
	t.Helper()
	stdout, _ := b.run(t, 0, "restore", "-q", path, "-o", "-")
	sameBytes(t, path, []byte(stdout), was)
	lines, size := 0, int64(0)
	for line := range strings.SplitSeq(strings.TrimSuffix(was, "\n"), "\n") {
		if !slices.Contains(strings.Split(strings.TrimSuffix(left, "\n"), "\n"), line) {
			lines++
			size += int64(len(line)) + 1
		}
	}
	if doc.Missing || doc.Dropped == nil || doc.Dropped.Lines != lines || doc.Dropped.Bytes != size || doc.Bytes != int64(len(left)) {
		t.Errorf("%s: %+v, want %d lines", path, doc, lines)
	}
}

func sameBytes(t *testing.T, what string, got []byte, want string) {
	t.Helper()
	if sha256.Sum256(got) != sha256.Sum256([]byte(want)) {
		t.Errorf("%s: %d bytes are not the %d there were", what, len(got), len(want))
	}
}

// TestVanishedOnTerminal: the table fits the window, whatever the texts.
func TestVanishedOnTerminal(t *testing.T) {
	b := newBench(t)
	b.write(t, "a.jsonl", strings.NewReplacer("brass", "竞态竞态竞态\\u001b[31m\\u202e", "/proj", "/proj/"+strings.Repeat("仓库", 20)).Replace(sampleSession))
	b.write(t, "b.jsonl", strings.NewReplacer("11111111", "22222222", "where", strings.Repeat("where ", 40)).Replace(sampleSession))
	b.run(t, 0, "index", "-q")
	if err := os.Remove(filepath.Join(b.dir, "sessions", "a.jsonl")); err != nil {
		t.Fatal(err)
	}
	b.write(t, "b.jsonl", strings.SplitAfter(sampleSession, "\n")[0])
	b.run(t, 0, "index", "-q")
	b.env.IsTerminal = func(fd int) bool { return fd == 1 }
	for _, width := range []int{60, 80, 120} {
		b.env.Width = func() int { return width }
		stdout, _ := b.run(t, 0, "vanished", "--color", "never")
		if strings.Count(stdout, "\n") != 3 || strings.ContainsAny(stdout, "\x1b\u202e") {
			t.Errorf("%q", stdout)
		}
		if !strings.Contains(stdout, "just now") || !strings.Contains(stdout, "[rewritt") || !strings.Contains(stdout, "11111111") {
			t.Errorf("%s", stdout)
		}
		for line := range strings.Lines(stdout) {
			if n := terminal.Width(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("%d cells: a line of %d: %s", width, n, line)
			}
		}
	}
	b.write(t, "a.jsonl", sampleSession)
	var none bytes.Buffer
	b.env.Stdout = &none
	b.run(t, 1, "vanished", "--missing", "--fresh")
	if none.Len() > 0 || !strings.HasSuffix(b.stderr.String(), "piarchive: nothing has vanished\n") {
		t.Errorf("stdout %q, stderr %q", none.String(), b.stderr.String())
	}
}
