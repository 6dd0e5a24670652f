package search

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piarchive/internal/query/question"
)

// branching are sessions with branches, a cycle, an orphan, an id defined
// again, and one without a branch; a label and a name tell their entries apart.
var branching = map[string][]string{
	"forked": {
		`{"type":"message","id":"a0000001","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":"root word"}}`,
		`{"type":"message","id":"a0000002","parentId":"a0000001","timestamp":"2026-01-01T00:00:02.000Z","message":{"role":"user","content":"left word"}}`,
		`{"type":"message","id":"a0000003","parentId":"a0000002","timestamp":"2026-01-01T00:00:03.000Z","message":{"role":"user","content":"left leaf word"}}`,
		`{"type":"message","id":"a0000004","parentId":"a0000001","timestamp":"2026-01-01T00:00:04.000Z","message":{"role":"user","content":"right word"}}`,
		`{"type":"message","id":"a0000005","parentId":"a0000004","timestamp":"2026-01-01T00:00:05.000Z","message":{"role":"user","content":"right leaf word"}}`,
	},
	"straight": {
		`{"type":"message","id":"b0000001","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":"straight word"}}`,
		`{"type":"message","id":"b0000002","parentId":"b0000001","timestamp":"2026-01-01T00:00:02.000Z","message":{"role":"user","content":"end word"}}`,
	},
	"tangled": {
		`{"type":"message","id":"c0000001","parentId":"c0000002","timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":"cycle word"}}`,
		`{"type":"message","id":"c0000002","parentId":"c0000001","timestamp":"2026-01-01T00:00:02.000Z","message":{"role":"user","content":"cycle too word"}}`,
		`{"type":"message","id":"c0000003","parentId":"gone","timestamp":"2026-01-01T00:00:03.000Z","message":{"role":"user","content":"orphan word"}}`,
		`{"type":"message","id":"c0000004","parentId":"c0000003","timestamp":"2026-01-01T00:00:04.000Z","message":{"role":"user","content":"below word"}}`,
		`{"type":"message","id":"c0000003","parentId":"gone","timestamp":"2026-01-01T00:00:05.000Z","message":{"role":"user","content":"orphan again word"}}`,
	},
}

// TestBranchFilters: what is on the current branch, what is not, what ends one,
// and what lies below an entry.
func TestBranchFilters(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, lines := range branching {
		header := `{"type":"session","version":3,"id":"` + name + `-session","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p"}`
		text := strings.Join(append([]string{header}, lines...), "\n") + "\n"
		if err := os.MkdirAll(filepath.Join(root, "--p--"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, "--p--", name+".jsonl"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a := newArchiveOf(t, root)
	tests := []struct {
		text string
		want []string
	}{
		{"is:active session:forked", []string{"a0000001", "a0000004", "a0000005"}},
		{"is:abandoned", []string{"a0000002", "a0000003", "c0000001", "c0000002", "c0000004"}},
		{"-is:active session:forked", []string{"a0000002", "a0000003"}},
		{"is:abandoned session:straight", nil},
		{"is:active session:straight", []string{"b0000001", "b0000002"}},
		{"is:active session:tangled", []string{"c0000003"}},
		{"is:leaf", []string{"a0000003", "a0000005", "b0000002", "c0000004"}},
		{"is:leaf is:abandoned", []string{"a0000003", "c0000004"}},
		{"is:leaf,abandoned session:forked", []string{"a0000002", "a0000003", "a0000005"}},
		{"under:a0000001", []string{"a0000002", "a0000003", "a0000004", "a0000005"}},
		{"under:a0000002", []string{"a0000003"}},
		{"under:a0000003", nil},
		{"under:forked-s@5", []string{"a0000005"}},
		{"under:c0000001", []string{"c0000002"}},
		{"under:c0000003", []string{"c0000004"}},
		{"under:a0000002,a0000004", []string{"a0000003", "a0000005"}},
		{"-under:a0000001 session:forked", []string{"a0000001"}},
		{"under:b000", []string{"b0000002"}},
		{"under:zzzz", nil},
	}
	for _, test := range tests {
		for _, text := range []string{test.text, test.text + " word"} { // by conditions alone, and beside words
			r, err := Answer(t.Context(), a, question.Parse(text), Options{Limit: All})
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			got := map[string]bool{}
			for _, h := range r.Hits {
				got[h.Entry.ID] = true
			}
			if ids := slices.Sorted(maps.Keys(got)); !slices.Equal(ids, test.want) {
				t.Errorf("%s: finds %v, want %v (%v)", text, ids, test.want, r.Notes)
			}
		}
	}
}

// TestBranchesOfHits: filters and hits say the same about each entry, also for
// the sample sessions.
func TestBranchesOfHits(t *testing.T) {
	t.Parallel()
	a := newSampleArchive(t)
	for _, branch := range []string{"active", "abandoned"} {
		r, err := Answer(t.Context(), a, question.Parse("is:"+branch), Options{Limit: All, Expand: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Hits) < 10 {
			t.Errorf("%s: only %d entries", branch, len(r.Hits))
		}
		for _, h := range r.Hits {
			if h.Branch != branch {
				t.Errorf("%s line %d is found as %s and shown as %s", h.Session.Path, h.Entry.Line, branch, h.Branch)
			}
		}
	}
}
