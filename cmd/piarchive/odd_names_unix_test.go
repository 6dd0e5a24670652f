//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"piarchive/internal/query"
)

// oddNames are names that a file system takes and that people, terminals, JSON
// or a parser of arguments may trip over.
var oddNames = []string{
	"new\nline", "tab\there", "esc\x1b[31mred", "c1\u009b", "bidi\u202e", "del\x7f", "-dash", " blanks ", "perc%25?x=1#frag",
	`quo'te"s`, `back\slash`, "nfd e\u0301", "bad\xff\xfeutf8", "\xed\xa0\x80surrogate", "\xf0\x9fcut", "latest", "@1", "~", "*",
	strings.Repeat("n", 255-len(".jsonl")),
}

// oddRoot makes a root with a session of each name, and below a directory of
// each; it returns their paths by session id.
func oddRoot(t *testing.T, b *bench) map[string]string {
	t.Helper()
	root := filepath.Join(b.dir, "sessions")
	if err := os.RemoveAll(root); err != nil {
		t.Fatal(err)
	}
	paths := map[string]string{}
	add := func(path string) {
		id := fmt.Sprintf("odd%05d", len(paths))
		text := `{"type":"session","version":3,"id":"` + id + `","timestamp":"2026-01-05T10:00:00.000Z","cwd":"/w"}` + "\n" +
			`{"type":"message","id":"m1","parentId":null,"timestamp":"2026-01-05T10:00:01.000Z","message":{"role":"user","content":"needle"}}` + "\n"
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		if err != nil {
			t.Logf("this file system does not take %q: %v", filepath.Base(path), err)
			return
		}
		paths[id] = path
	}
	for _, name := range oddNames {
		add(filepath.Join(root, name+".jsonl"))
		add(filepath.Join(root, "d"+name[:min(len(name), 200)], "s.jsonl"))
	}
	deep := root // close to the longest path there can be
	for len(deep) < 3700 {
		deep = filepath.Join(deep, strings.Repeat("L", 200))
	}
	add(filepath.Join(deep, "s.jsonl"))
	return paths
}

// TestOddNames asks every command about sessions with odd names: each is found
// by its path and by the path that a document shows, documents stay documents,
// and nothing that a terminal obeys gets out.
func TestOddNames(t *testing.T) {
	b := newBench(t)
	paths := oddRoot(t, b)
	if err := unix.Mkfifo(filepath.Join(b.dir, "sessions", "pipe.jsonl"), 0o600); err != nil {
		t.Logf("no pipes here: %v", err)
	}
	b.run(t, 0, "index", "-q")
	for _, args := range []string{
		"list", "list --long", "list --json", "list --jsonl", "search needle", "search needle -C 1", "search needle --files", "search needle --json",
		"search needle --sessions", "search needle --entries", "search needle --jsonl", "labels --json", "verify --json", "verify --deep", "info", "info --json",
		"index --json", "vanished --json",
	} {
		status := 0
		if strings.HasPrefix(args, "vanished") || strings.HasPrefix(args, "labels") { // there are none
			status = 1
		}
		b.checkClean(t, status, strings.Fields(args)...)
	}
	b.checkClean(t, 0, "sql", "--json", "SELECT path FROM sessions UNION ALL SELECT path FROM problems")

	var list struct {
		Sessions []struct{ ID, Path string }
	}
	stdout, _ := b.run(t, 0, "list", "--json")
	if err := json.Unmarshal([]byte(stdout), &list); err != nil || len(list.Sessions) != len(paths) {
		t.Fatalf("%d sessions of %d are listed, %v", len(list.Sessions), len(paths), err)
	}
	for _, s := range list.Sessions {
		path := paths[s.ID]
		if s.Path != query.ShownPath(path) {
			t.Errorf("%q is shown as %q", path, s.Path)
		}
		refs := []string{s.Path}
		if s.Path != path {
			refs = append(refs, path)
		}
		for _, ref := range refs {
			for _, args := range [][]string{{"show"}, {"show", "--json"}, {"tree"}, {"tree", "--json"}, {"path"}, {"path", "--json"},
				{"context", "--json"}, {"verify"}, {"restore", "-o", "-"}} {
				b.checkClean(t, 0, append(args, "--", ref)...)
			}
			for _, args := range [][]string{{"entry"}, {"entry", "--json"}, {"children", "--json"}} {
				b.checkClean(t, 0, append(args, "--", ref, "leaf")...)
			}
		}
		back := filepath.Join(t.TempDir(), "back")
		b.checkClean(t, 0, "restore", "-o", back, "--", s.Path)
		was, _ := os.ReadFile(path)
		if got, err := os.ReadFile(back); err != nil || string(got) != string(was) {
			t.Errorf("%q comes back as %q, %v", path, got, err)
		}
	}
	b.checkRestored(t, paths)
}

// checkRestored takes all files away and wants them back under their names.
func (b *bench) checkRestored(t *testing.T, paths map[string]string) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(b.dir, "sessions")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(b.dir, "sessions"), 0o700); err != nil {
		t.Fatal(err)
	}
	b.run(t, 0, "index", "-q")
	b.checkClean(t, 0, "vanished")
	b.checkClean(t, 0, "vanished", "--json")
	b.checkClean(t, 0, "restore", "--all", "--json")
	for _, path := range paths {
		if _, err := os.Lstat(path); err != nil {
			t.Error(err)
		}
	}
}

// checkClean runs a command whose output must be fit for a terminal, and a
// document where one is asked for.
func (b *bench) checkClean(t *testing.T, status int, args ...string) {
	t.Helper()
	stdout, stderr := b.run(t, status, args...)
	for _, out := range []string{stdout, stderr} {
		if i := strings.IndexFunc(out, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r == '\u202e' }); i >= 0 || !utf8.ValidString(out) {
			t.Errorf("%q prints %q", args, out)
		}
	}
	var doc any
	switch {
	case slices.Contains(args, "--jsonl"):
		for line := range strings.Lines(stdout) {
			if err := json.Unmarshal([]byte(line), &doc); err != nil {
				t.Errorf("%q: %v", args, err)
			}
		}
	case slices.Contains(args, "--json"):
		if err := json.Unmarshal([]byte(stdout), &doc); err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
}

// TestNamesShownAlike: a path that could be either of two files names neither.
func TestNamesShownAlike(t *testing.T) {
	b := newBench(t)
	for i, name := range []string{"x\xff", "x\xfe"} {
		path := filepath.Join(b.dir, "sessions", name+".jsonl")
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(sampleSession, "11111111", fmt.Sprint("2222222", i))), 0o600); err != nil {
			t.Skipf("this file system does not take %q: %v", name, err)
		}
	}
	b.run(t, 0, "index", "-q")
	if _, stderr := b.run(t, 2, "show", filepath.Join(b.dir, "sessions", "x\ufffd.jsonl")); !strings.Contains(stderr, "is ambiguous") {
		t.Errorf("stderr %q", stderr)
	}
	b.run(t, 0, "show", filepath.Join(b.dir, "sessions", "x\xfe.jsonl"))
}
