package search

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"piarchive/internal/ingest/ingesttest"
	"piarchive/internal/query"
	"piarchive/internal/query/question"
)

// TestManyHits: beyond 5,000 hits the newest are ranked, and it says so.
func TestManyHits(t *testing.T) {
	t.Parallel()
	texts := make([]string, 6000)
	for i := range texts {
		texts[i] = "common"
		switch {
		case i == 0:
			texts[i] = "common old gold"
		case i%20 == 0:
			texts[i] = "common middling"
		case i >= 5500:
			texts[i] = "common late"
		}
	}
	a := newArchiveOf(t, ingesttest.Sessions(t, map[string][]string{"a": texts, "b": texts}))
	newest := "very common words: ranked among the newest 2000 hits (--exact ranks all)"
	rarer := "very common words: ranked among the 950 hits of the rarer ones (--exact ranks all)"
	tests := []struct {
		text    string
		options Options
		total   int
		copies  bool
		note    string
	}{
		{"common", Options{}, 12_000, true, newest},
		{"common -gold", Options{}, 11_998, true, `left out: entries with gold (in quotes, -gold is text); ` + newest},
		{"common role:user", Options{}, 12_000, true, newest},
		{"common session:a", Options{}, 6000, true, newest},
		{"common OR late", Options{}, 12_000, true, rarer},
		{"commo*", Options{}, 12_000, true, newest},
		{"common sort:old", Options{}, 12_000, true, ""},
		{"common sort:new", Options{Expand: true}, 12_000, false, ""},
		{"common", Options{Exact: true}, 6000, false, ""},
		{"common", Options{Exact: true, Expand: true}, 12_000, false, ""},
		{"middling", Options{}, 299, false, ""},
		{"middling", Options{Expand: true}, 598, false, ""},
		{"role:user", Options{}, 6000, false, ""},
		{"-late role:user", Options{}, 5525, false, "left out: entries with late (in quotes, -late is text)"},
		{"gold", Options{}, 1, false, ""},
	}
	for _, test := range tests {
		r, err := Answer(t.Context(), a, question.Parse(test.text), test.options)
		if err != nil {
			t.Fatalf("%s: %v", test.text, err)
		}
		if r.Total != test.total || r.LowerBound || r.Copies != test.copies || strings.Join(r.Notes, "; ") != test.note {
			t.Errorf("%s %+v: %d hits (lower bound %v, with copies %v) %q, want %d (%v) %q", test.text, test.options, r.Total, r.LowerBound, r.Copies, r.Notes, test.total, test.copies, test.note)
		}
		if len(r.Hits) != min(test.total, 20) {
			t.Errorf("%s: %d hits returned", test.text, len(r.Hits))
		}
		copies := 1
		if test.options.Expand || strings.Contains(test.text, "session:") {
			copies = 0
		}
		if n := len(r.Hits[0].Copies); n != copies && !strings.Contains(test.text, "session:") {
			t.Errorf("%s: %d copies of the first hit", test.text, n)
		}
	}
	r, err := Answer(t.Context(), a, question.Parse("common old"), Options{})
	if err != nil || len(r.Hits) != 1 || r.Hits[0].Snippet != "common old gold" {
		t.Errorf("a rare word beside a common one: %v (%v)", r.Hits, err)
	}
	r, err = Answer(t.Context(), a, question.Parse("common sort:old limit:1"), Options{})
	if err != nil || r.Hits[0].Snippet != "common old gold" {
		t.Errorf("the oldest: %v (%v)", r.Hits, err)
	}
}

// TestManyCopies: however often a session was forked, there are as many
// different hits as were asked for.
func TestManyCopies(t *testing.T) {
	t.Parallel()
	texts := strings.Split(strings.TrimSpace(strings.Repeat("copied over and over\n", 30)), "\n")
	sessions := map[string][]string{"other": {"", "", "", "", "copied once, in a long text that ranks behind all of the others"}}
	for i := range 40 {
		sessions[fmt.Sprintf("fork%d", i)] = texts
	}
	a := newArchiveOf(t, ingesttest.Sessions(t, sessions))
	for limit, want := range map[int]int{0: 20, 5: 5, 30: 30, 31: 31, 1000: 31, All: 31} {
		r, err := Answer(t.Context(), a, question.Parse("copied"), Options{Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		if r.Total != 31 || len(r.Hits) != want {
			t.Errorf("limit %d: %d hits of %d, want %d of 31", limit, len(r.Hits), r.Total, want)
		}
		for _, h := range r.Hits {
			if n := len(h.Copies); n != 39 && h.Session.ID != "other" {
				t.Errorf("limit %d: %d copies, want 39", limit, n)
			}
		}
	}
}

// TestSearchWhileWriting: each answer is from one state of the archive, also
// while another run replaces the sessions it is about.
func TestSearchWhileWriting(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write := func(n int) {
		texts := make([]string, 200)
		for i := range texts {
			texts[i] = strings.Repeat("shifting text ", 1+(i+n)%7)
		}
		ingesttest.Session(t, root, "a", texts)
	}
	write(0)
	a := newArchiveOf(t, root)
	done := make(chan struct{})
	defer func() { <-done }()
	go func() {
		defer close(done)
		for n := 1; n < 12; n++ {
			write(n)
			ingesttest.Update(t, a.Path(), root)
		}
	}()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		r, err := Answer(t.Context(), a, question.Parse(`"shifting text"`), Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range r.Hits {
			if !strings.HasPrefix(h.Snippet, "shifting text") || len(h.Ranges) == 0 {
				t.Errorf("line %d: %q %v", h.Entry.Line, h.Snippet, h.Ranges)
			}
		}
	}
}

// TestRoots: with roots, what lies outside of them does not exist.
func TestRoots(t *testing.T) {
	root, err := filepath.Abs(sampleRoot)
	if err != nil {
		t.Fatal(err)
	}
	whole := newSampleArchive(t)
	for below, want := range map[string]int{"": 1, "pi-v3": 1, "pi-v3" + string(filepath.Separator): 1, "pi-v": 0, "omp": 0, "pi-v3/--home-mira-src-nightterm--": 1} {
		a, err := query.Open(t.Context(), whole.Path(), []string{filepath.Join(root, "omp", "agent", "blobs"), root + string(filepath.Separator) + filepath.FromSlash(below)})
		if err != nil {
			t.Fatal(err)
		}
		r, err := Answer(t.Context(), a, question.Parse("wrapped flag"), Options{Strict: true})
		if err != nil || len(r.Hits) != want || r.Total != want {
			t.Errorf("below %q: %d hits of %d (%v), want %d", below, len(r.Hits), r.Total, err, want)
		}
		for _, h := range r.Hits {
			for _, c := range h.Copies {
				if !strings.HasPrefix(c.Session.Path, filepath.Join(root, below)) {
					t.Errorf("below %q: a copy in %s", below, c.Session.Path)
				}
			}
		}
		a.Close()
	}
}
