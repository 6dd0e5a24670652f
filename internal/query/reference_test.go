package query

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFindSession(t *testing.T) {
	texts := []string{"hello"}
	root := newRoot(t, map[string][]string{"01a13952-6e1a": texts, "01a13952-7777": texts, "shorty": texts, "abc": texts, "we[ird]1": texts})
	writeSession(t, root, "latecomer", append(make([]string, 100), "bye"))
	a := newArchiveOf(t, root)
	file := func(id string) string { return filepath.Join(root, "--w-"+id+"--", id+".jsonl") }
	copied := filepath.Join(root, "--w-abc--", "copy.jsonl")
	data, err := os.ReadFile(file("abc"))
	if err == nil {
		err = os.WriteFile(copied, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	bringUpToDate(t, a.Path(), root)

	tests := []struct{ ref, want, problem string }{
		{"01a13952-6e1a", "01a13952-6e1a", ""},
		{"01a13952-6", "01a13952-6e1a", ""},
		{"shor", "shorty", ""},
		{"sho", "", `no session "sho"`},
		{"SHOR", "", `no session "SHOR"`},
		{"s?or*", "", `no session "s?or*"`},
		{"we[i", "we[ird]1", ""},
		{"we?i", "", `no session "we?i"`},
		{"", "", `no session ""`},
		{"01a13952", "", `session "01a13952" is ambiguous: ` + file("01a13952-6e1a") + " (2026-01-01 00:00), " + file("01a13952-7777") + " (2026-01-01 00:00)"},
		{"abc", "", `session "abc" is ambiguous: ` + file("abc") + " (2026-01-01 00:00), " + copied + " (2026-01-01 00:00)"},
		{file("shorty"), "shorty", ""},
		{copied, "abc", ""},
		{filepath.Join("..", "--w-shorty--", "shorty.jsonl"), "shorty", ""},
		{filepath.Join("--w-shorty--", ".", "shorty.jsonl"), "", `no session "` + filepath.Join("--w-shorty--", ".", "shorty.jsonl") + `"`},
		{"latest", "latecomer", ""},
		{"latest:.", "shorty", ""},
	}
	for _, test := range tests {
		cwd := absolutePath("w", "shorty")
		if strings.HasPrefix(test.ref, "..") {
			cwd = filepath.Join(root, "--w-abc--")
		}
		s, err := a.FindSession(t.Context(), test.ref, cwd)
		problem := ""
		if err != nil {
			problem = err.Error()
		}
		if problem != sortedCandidates(test.problem) && problem != test.problem || s.ID != test.want {
			t.Errorf("%q: got %q, %q, want %q, %q", test.ref, s.ID, problem, test.want, test.problem)
		}
	}
	var missing *NotFound
	if _, err := a.FindSession(t.Context(), "latest:.", "/nowhere"); !errors.As(err, &missing) {
		t.Errorf("the latest of nowhere: %v", err)
	}

	for id, want := range map[string]string{"01a13952-6e1a": "01a13952-6e1a", "shorty": "shorty", "abc": file("abc"), "latecomer": "latecome"} {
		got, err := a.Abbreviate(t.Context(), SessionRef{ID: id, Path: file(id)})
		if err != nil || got != want {
			t.Errorf("%s is abbreviated as %q (%v), want %q", id, got, err, want)
		}
	}
}

// sortedCandidates swaps the two candidates of an error: their order is open.
func sortedCandidates(problem string) string {
	head, list, ok := strings.Cut(problem, ": ")
	first, second, two := strings.Cut(list, ", ")
	if !ok || !two {
		return problem
	}
	return head + ": " + second + ", " + first
}

func absolutePath(elements ...string) string {
	path, _ := filepath.Abs(string(filepath.Separator) + filepath.Join(elements...))
	return path
}

func TestWriteLine(t *testing.T) {
	lines := []string{
		`{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}` + "\r\n",
		"\n",
		`{"type":"message","id":"aaaa1111","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":"one"}}` + "\r\n",
		"{broken\n",
		"\x00\x00\x00\x00\n",
		`{"type":"message","id":"aaaa2222","parentId":"aaaa1111","timestamp":"2026-01-01T00:00:02.000Z","message":{"role":"assistant","content":"` + strings.Repeat("long ", 150_000) + `"}}` + "\n",
		`{"type":"label","id":"leaf","parentId":"aaaa2222","timestamp":"2026-01-01T00:00:03.000Z","targetId":"aaaa2222","label":"x"}` + "\n",
		" \t\n",
		`{"type":"message","id":"AAAA1111","parentId":"aaaa1111","timestamp":"2026-01-01T00:00:04.000Z","message":{"role":"user","content":"no line end"}}`,
	}
	root := t.TempDir()
	path := filepath.Join(root, "s.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	a := newArchiveOf(t, root)
	s, err := a.FindSession(t.Context(), path, "")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		ref     string
		line    int
		problem string
	}{
		{"@1", 1, ""}, {"@2", 2, ""}, {"@3", 3, ""}, {"@4", 4, ""}, {"@5", 5, ""}, {"@6", 6, ""}, {"@7", 7, ""}, {"@8", 8, ""}, {"@9", 9, ""},
		{"@10", 0, `no line "@10"`},
		{"@0", 0, `no entry "@0"`},
		{"@-1", 0, `no entry "@-1"`},
		{"@", 0, `no entry "@"`},
		{"@x", 0, `no entry "@x"`},
		{"@99999999999999999999", 0, `no entry "@99999999999999999999"`},
		{"aaaa1111", 3, ""},
		{"aaaa2", 6, ""},
		{"AAAA1111", 9, ""},
		{"AAAA", 9, ""},
		{"leaf", 9, ""},
		{"aaaa", 0, `entry "aaaa" is ambiguous: aaaa1111 (user, line 3), aaaa2222 (assistant, line 6)`},
		{"aaa", 0, `no entry "aaa"`},
		{"aaaa11112", 0, `no entry "aaaa11112"`},
		{"aaaa?111", 0, `no entry "aaaa?111"`},
		{"", 0, `no entry ""`},
	}
	for _, test := range tests {
		var got strings.Builder
		err := a.WriteLine(t.Context(), s, test.ref, &got)
		problem, want := "", ""
		if err != nil {
			problem = err.Error()
		}
		if test.line > 0 {
			want = lines[test.line-1]
		}
		if problem != test.problem || got.String() != want {
			t.Errorf("%q: got %d bytes, %q, want line %d of %d bytes, %q", test.ref, got.Len(), problem, test.line, len(want), test.problem)
		}
	}
}
