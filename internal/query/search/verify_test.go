package search

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"piarchive/internal/ingest/ingesttest"
	"piarchive/internal/query/question"
	"piarchive/internal/words"
)

// TestQuotesToTheLetter: of the entries that hold the words of a quoted text in
// a row, those that hold it to the letter come first, however many others
// there are, and what is left out is counted.
func TestQuotesToTheLetter(t *testing.T) {
	var texts []string
	for range 150 {
		texts = append(texts, "alpha, beta")
	}
	texts = append(texts, "a long text about this and that in which Alpha Beta stands among so many other words that it ranks last", "alpha-beta x", "alpha+beta")
	a := newArchiveOf(t, ingesttest.Sessions(t, map[string][]string{"a": texts}))
	tests := []struct {
		text       string
		hits       int
		total      int
		lowerBound bool
		rung       string
		notes      []string
	}{
		{`"Alpha Beta"`, 1, 1, false, "and", []string{"152 more hold the words of the quoted text with something else between them"}},
		{`"alpha beta"`, 1, 1, false, "and", []string{"152 more hold the words of the quoted text with something else between them"}},
		{`"alpha-beta"`, 1, 1, false, "and", []string{"152 more hold the words of the quoted text with something else between them"}},
		{`"alpha;beta"`, 20, 153, false, "tokens", []string{"nothing holds the quoted text to the letter; these hold its words in a row"}},
		{`"alpha, beta"`, 20, 27, true, "and", []string{"153 entries hold the words of the quoted text in a row; of the first 28, 27 hold it to the letter"}},
		{`"alpha, beta" OR "alpha-beta"`, 20, 27, true, "and", []string{"153 entries hold the words of the quoted text in a row; of the first 28, 27 hold it to the letter"}},
		{`"Alpha Beta" OR among`, 1, 1, false, "and", []string{"152 more hold the words of the quoted text with something else between them"}},
		{`"nothing here" OR "so many other"`, 1, 1, false, "and", nil},
		{`"nothing here" OR among`, 1, 1, false, "and", nil},
		{`"alpha beta" "so many"`, 1, 1, false, "and", nil},
		{`"alpha+beta" -"alpha, beta"`, 1, 1, false, "and", []string{"2 more hold the words of the quoted text with something else between them"}},
		{`beta -"alpha, beta"`, 3, 3, false, "and", nil},
		{`beta -"alpha"`, 0, 0, false, "and", nil},
		{`"beta alpha"`, 0, 0, false, "and", nil},
		{`"alpha+beta" role:user`, 1, 1, false, "and", []string{"152 more hold the words of the quoted text with something else between them"}},
		{`("alpha+beta" OR role:assistant)`, 20, 153, false, "and", nil}, // by words, too
	}
	for _, test := range tests {
		r, err := Answer(t.Context(), a, question.Parse(test.text), Options{})
		if err != nil {
			t.Fatalf("%s: %v", test.text, err)
		}
		if len(r.Hits) != test.hits || r.Total != test.total || r.LowerBound != test.lowerBound || r.Rung != test.rung {
			t.Errorf("%s: %d hits of %d (lower bound %v) by %s, want %d of %d (%v) by %s", test.text, len(r.Hits), r.Total, r.LowerBound, r.Rung,
				test.hits, test.total, test.lowerBound, test.rung)
		}
		if !slices.Equal(r.Notes, test.notes) {
			t.Errorf("%s: notes %q, want %q", test.text, r.Notes, test.notes)
		}
	}
	all, err := Answer(t.Context(), a, question.Parse(`"alpha, beta"`), Options{Limit: All})
	if err != nil || len(all.Hits) != 150 || all.LowerBound {
		t.Errorf("all: %d hits, lower bound %v (%v)", len(all.Hits), all.LowerBound, err)
	}
}

// TestQuotesAreFound: whatever is copied out of an entry and quoted finds that
// entry again, and nothing that does not hold it. PIARCHIVE_ROUNDS asks for more
// samples than the usual few hundred.
func TestQuotesAreFound(t *testing.T) {
	t.Parallel()
	samples, unspaced := 200, 100
	if n, err := strconv.Atoi(os.Getenv("PIARCHIVE_ROUNDS")); err == nil {
		samples, unspaced = n, n/5
	}
	t.Run("samples", func(t *testing.T) { checkQuotes(t, sampleRoot, samples, someWords) })
	t.Run("unspaced", func(t *testing.T) { checkQuotes(t, sampleRoot, unspaced, someCharacters) })
	t.Run("corpus", func(t *testing.T) {
		dir := os.Getenv("PIARCHIVE_CORPUS")
		if dir == "" {
			t.Skip("PIARCHIVE_CORPUS is not set: a directory with corpus, goldens and hostile in it")
		}
		checkQuotes(t, filepath.Join(dir, "corpus"), samples, someWords)
	})
}

func checkQuotes(t *testing.T, root string, n int, sample func(*rand.Rand, string) string) {
	a := newArchiveOf(t, root)
	var candidates []candidate
	if err := a.DB().Select(&candidates, `SELECT rowid AS id, 0.0 AS score FROM fts WHERE rowid IN (SELECT id FROM _entry) OR rowid IN (SELECT id << 24 FROM _session)`); err != nil {
		t.Fatal(err)
	}
	hits, err := readHits(t.Context(), a, candidates)
	if err != nil || len(hits) == 0 {
		t.Fatal(len(hits), err)
	}
	byRow := map[int64]*Hit{}
	for _, h := range hits {
		byRow[h.row] = h
	}
	if err := readTexts(t.Context(), a, hits); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 6))
	for asked, tries := 0, 0; asked < n; tries++ {
		if tries > 1000*n {
			t.Fatalf("only %d samples in %d tries", asked, tries)
		}
		h := hits[r.IntN(len(hits))]
		quote := sample(r, h.texts[r.IntN(len(h.texts))])
		if quote == "" {
			continue
		}
		asked++
		result, err := Answer(t.Context(), a, question.Parse(`"`+quote+`"`), Options{Limit: All, Expand: true, Exact: true})
		if err != nil {
			t.Fatalf("%q: %v", quote, err)
		}
		found := slices.IndexFunc(result.Hits, func(found Hit) bool { return found.row == h.row })
		switch {
		case found < 0:
			t.Errorf("%s line %d holds %q, which finds %d others", h.Session.Path, h.line.Offset, quote, len(result.Hits))
		case len(result.Hits[found].Ranges) == 0:
			t.Errorf("%s line %d: %q is not marked in %q", h.Session.Path, h.line.Offset, quote, result.Hits[found].Snippet)
		case result.Rung != "and":
			t.Errorf("%s line %d holds %q, which is found by its %s", h.Session.Path, h.line.Offset, quote, result.Rung)
		}
		for _, found := range result.Hits {
			if !holdsASCII(byRow[found.row].texts, quote) {
				t.Errorf("%q is not in %s line %d", quote, found.Session.Path, found.Entry.Line)
			}
		}
	}
}

// holdsASCII says that one of the texts holds a quote, case aside. Of a quote
// that is more than ASCII it says nothing.
func holdsASCII(texts *[6]string, quote string) bool {
	for _, text := range texts {
		if strings.Contains(strings.ToLower(text), strings.ToLower(quote)) || strings.Contains(text, "\x1b") {
			return true
		}
	}
	return strings.ContainsFunc(quote, func(r rune) bool { return r > unicode.MaxASCII })
}

// someCharacters cuts two characters or more out of a run of Chinese, Japanese,
// Korean or Thai, anywhere.
func someCharacters(r *rand.Rand, text string) string {
	var runs [][]rune
	for _, run := range strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
	}) {
		if run := []rune(run); len(run) > 1 {
			runs = append(runs, run)
		}
	}
	if len(runs) == 0 {
		return ""
	}
	run := runs[r.IntN(len(runs))]
	first := r.IntN(len(run) - 1)
	return string(run[first : first+2+r.IntN(min(6, len(run)-first-1))])
}

// someWords cuts a piece from one word to another out of a text, "" if there is
// none without a quote in it.
func someWords(r *rand.Rand, text string) string {
	var spans [][2]int
	words.Tokenize(text, func(_ []byte, start, end int) bool {
		spans = append(spans, [2]int{start, end})
		return true
	})
	if len(spans) == 0 {
		return ""
	}
	first := r.IntN(len(spans))
	last := min(first+r.IntN(12), len(spans)-1)
	piece := text[spans[first][0]:spans[last][1]]
	if strings.Contains(piece, `"`) {
		return ""
	}
	return piece
}
