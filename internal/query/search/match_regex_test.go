package search

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"piarchive/internal/ingest/ingesttest"
	"piarchive/internal/query"
	"piarchive/internal/query/question"
)

func mustSearch(t testing.TB, a *query.Archive, text string, o Options) *Result {
	t.Helper()
	r, err := Answer(t.Context(), a, question.Parse(text), o)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return r
}

// utterance is an entry of a session, said so many seconds after a common start;
// less than 0 for one without a time.
type utterance struct {
	second int
	text   string
}

func writeSaid(t testing.TB, root, id string, created string, entries []utterance) {
	t.Helper()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var b strings.Builder
	fmt.Fprintf(&b, `{"type":"session","version":3,"id":"%s","timestamp":"%s","cwd":"/w"}`+"\n", id, created)
	parent := "null"
	for i, e := range entries {
		quoted, err := json.Marshal(e.text)
		if err != nil {
			t.Fatal(err)
		}
		at := ""
		if e.second >= 0 {
			at = start.Add(time.Duration(e.second) * time.Second).Format("2006-01-02T15:04:05.000Z")
		}
		entry := fmt.Sprintf("%08x", i)
		fmt.Fprintf(&b, `{"type":"message","id":"%s","parentId":%s,"timestamp":"%s","message":{"role":"user","content":%s}}`+"\n", entry, parent, at, quoted)
		parent = `"` + entry + `"`
	}
	if err := os.WriteFile(filepath.Join(root, id+".jsonl"), []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Many candidates in one session that lies in several blocks: no block is asked
// for twice.
func TestRegexManyCandidates(t *testing.T) {
	texts := make([]string, 4500)
	for i := range texts {
		texts[i] = fmt.Sprintf("needle %d", i) + strings.Repeat(" and more of it", 20)
	}
	a := newArchiveOf(t, ingesttest.Sessions(t, map[string][]string{"a": texts, "b": texts[:100]}))
	for _, text := range []string{"/needle/ role:user", "/needle/", "needle /[0-9]+/", "/n..dle/ is:active after:2020"} {
		r := mustSearch(t, a, text, Options{Want: WantCount, Timeout: -1})
		if r.Total != len(texts) || r.LowerBound {
			t.Errorf("%s: %d (lower bound %v), want %d", text, r.Total, r.LowerBound, len(texts))
		}
	}
}

// Copies in forks do not use the limit up.
func TestRegexCopiesAndLimit(t *testing.T) {
	sessions := map[string][]string{}
	for i := range 10 {
		sessions[fmt.Sprintf("a%d", i)] = []string{fmt.Sprintf("needle7 number %d", i)}
	}
	for i := range 80 {
		sessions[fmt.Sprintf("fork%02d", i)] = []string{"", "", "", "the needle7 that was copied"}
	}
	a := newArchiveOf(t, ingesttest.Sessions(t, sessions))
	for _, text := range []string{"/needle7/", "/needle[0-9]/ role:user", "/.eedle7/", "/needle7/ sort:old"} {
		r := mustSearch(t, a, text, Options{})
		if len(r.Hits) != 11 || r.Total != 11 || r.LowerBound {
			t.Errorf("%s: %d hits of %d (lower bound %v), want 11", text, len(r.Hits), r.Total, r.LowerBound)
		}
		r = mustSearch(t, a, text, Options{Limit: 3})
		if len(r.Hits) != 3 || r.Total < 3 || r.Total > 11 {
			t.Errorf("%s: %d hits of %d, want 3", text, len(r.Hits), r.Total)
		}
		r = mustSearch(t, a, text, Options{Limit: 70, Expand: true})
		if len(r.Hits) != 70 || r.Total < 70 {
			t.Errorf("%s: %d hits of %d, want 70", text, len(r.Hits), r.Total)
		}
	}
	r := mustSearch(t, a, "-/number/", Options{Limit: 1}) // three are without text
	if len(r.Hits) != 1 || r.Total > 4 || !r.LowerBound {
		t.Errorf("%d hits of %d (lower bound %v), want 1 of at most 4", len(r.Hits), r.Total, r.LowerBound)
	}
}

// However few hits are asked for, they are the newest: sessions are resumed and
// forked, clocks run backwards within a session, entries and sessions lack times.
func TestRegexNewest(t *testing.T) {
	root := t.TempDir()
	const day = 24 * 3600
	entry := func(day_, n int) utterance { return utterance{day_*day + n, fmt.Sprintf("needle %d %d", day_, n)} }
	writeSaid(t, root, "resumed", "2026-01-01T00:00:00.000Z", []utterance{entry(0, 1), entry(0, 2), entry(90, 3)})
	for i := 1; i < 40; i++ {
		entries := []utterance{entry(i, 1), entry(i, 3), entry(i, 2), entry(i-1, 1), entry(i, 5)}
		switch i % 5 {
		case 0:
			entries[0].second = -1
		case 1:
			entries = append([]utterance{entry(7, 7), entry(8, 8)}, entries...)
		}
		created := time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC).Format("2006-01-02T15:04:05.000Z")
		if i%7 == 0 {
			created = "some day"
		}
		writeSaid(t, root, fmt.Sprintf("s%02d", i), created, entries)
	}
	for dir, a := range map[string]*query.Archive{"made": newArchiveOf(t, root), "samples": newSampleArchive(t)} {
		for _, text := range []string{"/needle/", "/nee.*/ role:user", "/[0-9]+ 3/", "-/ 5$/", "/the/", "/[a-z]+/", "/\\w+/ role:user", "/e/ after:2020"} {
			for _, expand := range []bool{false, true} {
				all := mustSearch(t, a, text, Options{Limit: All, Expand: expand, Timeout: -1})
				for _, limit := range []int{1, 2, 5, 20} {
					r := mustSearch(t, a, text, Options{Limit: limit, Expand: expand, Timeout: -1})
					want := all.Hits[:min(limit, len(all.Hits))]
					if !slices.EqualFunc(r.Hits, want, func(a, b Hit) bool { return a.row == b.row }) {
						t.Errorf("%s: the first %d of %s (expand %v) are not those of all %d", dir, limit, text, expand, len(all.Hits))
					}
					if r.Total > all.Total || r.Total < all.Total && !r.LowerBound {
						t.Errorf("%s: %s, limit %d (expand %v): %d hits (lower bound %v) of %d", dir, text, limit, expand, r.Total, r.LowerBound, all.Total)
					}
				}
			}
		}
	}
}

// Where a word and an expression for it find the same, they do so with filters.
func TestRegexFiltered(t *testing.T) {
	a := newSampleArchive(t)
	for _, word := range []string{"second", "version", "wrapped", "glyph", "the"} {
		for _, filter := range []string{"", " after:2020", " -role:assistant", " -is:abandoned", " role:user after:2020", " (role:user OR after:2020)"} {
			o := Options{Want: WantCount, Expand: true, Timeout: -1}
			words := mustSearch(t, a, `"`+word+`"`+filter, o)
			r := mustSearch(t, a, `/(^|[^\pL\pN])`+word+`($|[^\pL\pN])/`+filter, o)
			if r.Total != words.Total {
				t.Errorf("/%s/%s: %d, want %d as for the word", word, filter, r.Total, words.Total)
			}
		}
	}
}

// Titles have no entry, yet meet what is asked of the session, and of what is not
// a thing of entries.
func TestRegexTitles(t *testing.T) {
	a := newSampleArchive(t)
	for _, filter := range []string{"", " after:2020", " -role:user", " after:2020 project:glyphd", " role:user", " is:active", " before:2020"} {
		word := mustSearch(t, a, "übergänge"+filter, Options{})
		r := mustSearch(t, a, "/übergänge/"+filter, Options{})
		if len(r.Hits) != len(word.Hits) || r.Total != word.Total {
			t.Errorf("/übergänge/%s: %d hits of %d, want %d as for the word", filter, len(r.Hits), r.Total, word.Total)
		}
	}
}

// What is only denied is there whether an entry has text or not; titles are
// nothing that is asked for then. It is so with words, too.
func TestRegexDenied(t *testing.T) {
	a := newSampleArchive(t)
	for _, filter := range []string{"", " role:user", " -role:user", " project:glyphd", " after:2020", " type:message is:active", " in:user", " session:0"} {
		for _, expand := range []bool{false, true} {
			o := Options{Want: WantCount, Expand: expand}
			word, r := mustSearch(t, a, "-zzzzq"+filter, o), mustSearch(t, a, "-/zzzzq/"+filter, o)
			if r.Total != word.Total {
				t.Errorf("-/zzzzq/%s (expand %v): %d, want %d as with the word", filter, expand, r.Total, word.Total)
			}
		}
	}
}

// A count that was cut says so, however short the time.
func TestRegexCutCount(t *testing.T) {
	a := newArchiveOf(t, ingesttest.Sessions(t, map[string][]string{"a": {strings.Repeat("needle ", 100_000)}}))
	for timeout, says := range map[time.Duration]string{1: "stopped after 1ns: ", 2500: "stopped after 2.5µs: "} {
		for _, text := range []string{"/e+dle/", "/e+dle/ role:user"} {
			r := mustSearch(t, a, text, Options{Want: WantCount, Timeout: timeout})
			if !r.LowerBound || len(r.Notes) != 1 || !strings.HasPrefix(r.Notes[0], says) {
				t.Errorf("%s in %v: lower bound %v, %q", text, timeout, r.LowerBound, r.Notes)
			}
		}
	}
}
