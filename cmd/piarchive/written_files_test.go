package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piarchive/internal/documents"
)

// TestWrittenFiles restates pi's cases of files that are no sessions, or damaged ones.
func TestWrittenFiles(t *testing.T) {
	const header = `{"type":"session","version":3,"id":"abcd1234","timestamp":"2025-01-01T00:00:00Z","cwd":"/tmp"}` + "\n"
	const message = `{"type":"message","id":"1","parentId":null,"timestamp":"2025-01-01T00:00:01Z","message":{"role":"user","content":"hi","timestamp":1}}` + "\n"
	for _, c := range []struct{ name, content, fails string }{
		{"a file that is not there", "", "there is none"},
		{"an empty file", "", "not a session|no header|nothing in it"},
		{"no header", message, "not a session|no header"},
		{"no JSON", "not json\n", "not a session|no header"},
		{"a session", header + message, ""},
		{"a bad line among good ones", header + "not valid json\n" + message, ""},
		{"no line feed at the end", header + strings.TrimSuffix(message, "\n"), ""},
		{"blank lines", header + "\n\n" + message, ""},
		{"an unknown block", header + strings.Replace(message, `"hi"`, `[{"type":"finalAnswer","text":"ship it"}]`, 1), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &writtenSession{t: t, root: t.TempDir()}
			s.path = filepath.Join(s.root, "--w--", "s.jsonl")
			if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
				t.Fatal(err)
			}
			if c.name != "a file that is not there" {
				if err := os.WriteFile(s.path, []byte(c.content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s.step("user behind")
			if c.fails == "" {
				if !strings.HasPrefix(string(content(t, s.path)), c.content) || len(s.ids) != 1 || s.failure != "" {
					t.Errorf("%q became %q: %s", c.content, content(t, s.path), s.failure)
				}
				if got := s.context("context", ""); !strings.HasSuffix(got, " user:behind") {
					t.Errorf("the context is %s", got)
				}
				return
			}
			if !slices.ContainsFunc(strings.Split(c.fails, "|"), func(one string) bool { return strings.Contains(s.failure, one) }) {
				t.Errorf("it failed with %q, want %s", s.failure, c.fails)
			}
			if now, err := os.ReadFile(s.path); err == nil && string(now) != c.content {
				t.Errorf("%q became %q", c.content, now)
			}
		})
	}
}

// TestMostRecent restates pi's cases of the session to go on with.
func TestMostRecent(t *testing.T) {
	s := &writtenSession{t: t, root: t.TempDir()}
	dir := filepath.Join(s.root, "flat")
	project := func(name string) string {
		path := filepath.Join(s.root, name)
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.do("index")
	older := s.do("new", "--dir", dir, project("a"))
	s.path = s.do("new", "--dir", dir, project("b"))
	newer := s.path
	write("file.txt", "hello")
	write("invalid.jsonl", `{"type":"message"}`+"\n")
	if got := s.do("list", "--json", "-n", "1"); !strings.Contains(got, `"path":`+documentString(newer)) {
		t.Errorf("the newest is %s, want %s", got, newer)
	}
	s.path = older
	s.step("user later")
	if got := s.do("list", "--json", "-n", "1"); !strings.Contains(got, `"path":`+documentString(older)) {
		t.Errorf("the newest is %s, want %s", got, older)
	}
	for name, want := range map[string]string{"a": older, "b": newer} {
		if got := s.do("list", "--json", "--project", project(name)); !strings.Contains(got, `"path":`+documentString(want)) || strings.Count(got, `"parentSessionPath"`) != 1 {
			t.Errorf("of project %s there is %s, want %s", name, got, want)
		}
	}
}

func documentString(s string) string {
	b, err := documents.Encode(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}
