package query

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piarchive/internal/ingest/ingesttest"
)

func TestFindSession(t *testing.T) {
	texts := []string{"hello"}
	root := ingesttest.Sessions(t, map[string][]string{"01a13952-6e1a": texts, "01a13952-7777": texts, "shorty": texts, "abc": texts, "we[ird]1": texts})
	ingesttest.Session(t, root, "latecomer", append(make([]string, 100), "bye"))
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
	ingesttest.Update(t, a.Path(), root)

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
		{"01a13952", "", `session "01a13952" is ambiguous: it may be any of 2`},
		{"abc", "", `session "abc" is ambiguous: it may be any of 2`},
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

	for id, want := range map[string]string{"01a13952-6e1a": "01a13952-6e1a", "shorty": "shorty", "abc": "abc", "latecomer": "latecome"} {
		got, err := a.Abbreviate(t.Context(), SessionRef{ID: id, Path: file(id)})
		if err != nil || got != want {
			t.Errorf("%s is abbreviated as %q (%v), want %q", id, got, err, want)
		}
	}
	// Where the files differ, only the path tells one from the other.
	if err := os.WriteFile(copied, append(data, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	ingesttest.Update(t, a.Path(), root)
	if got, err := a.Abbreviate(t.Context(), SessionRef{ID: "abc", Path: copied}); err != nil || got != copied {
		t.Errorf("a file of two is abbreviated as %q (%v), want %q", got, err, copied)
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
