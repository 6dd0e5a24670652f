package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piarchive/internal/query"
	"piarchive/internal/query/querytest"
)

const sampleRoot = querytest.Samples

// newSampleArchive makes an archive of the sample sessions.
func newSampleArchive(t testing.TB) *query.Archive { return querytest.Archive(t, sampleRoot) }

func newArchiveOf(t testing.TB, root string) *query.Archive { return querytest.Archive(t, root) }

// through opens an archive again, seen through a root.
func through(t testing.TB, a *query.Archive, root string) *query.Archive {
	return querytest.Open(t, a.Path(), root)
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
		{"@10", 0, `no line 10 in session s: its file has 9`},
		{"@0", 0, `no entry "@0" in session s`},
		{"@-1", 0, `no entry "@-1" in session s`},
		{"@", 0, `no entry "@" in session s`},
		{"@x", 0, `no entry "@x" in session s`},
		{"@99999999999999999999", 0, `no entry "@99999999999999999999" in session s`},
		{"aaaa1111", 3, ""},
		{"aaaa2", 6, ""},
		{"AAAA1111", 9, ""},
		{"AAAA", 9, ""},
		{"leaf", 9, ""},
		{"aaaa", 0, `entry "aaaa" is ambiguous: it may be any of 2`},
		{"aaa", 0, `no entry "aaa" in session s`},
		{"aaaa11112", 0, `no entry "aaaa11112" in session s`},
		{"aaaa?111", 0, `no entry "aaaa?111" in session s`},
		{"", 0, `no entry "" in session s`},
	}
	for _, test := range tests {
		var got strings.Builder
		err := WriteLine(t.Context(), a, s, test.ref, &got)
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
