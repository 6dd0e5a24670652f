package search

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"piarchive/internal/index/postings"
	"piarchive/internal/query/question"
)

// askedWords stand in the sample sessions, often, once or never.
var askedWords = []string{
	"the", "a", "error", "file", "terminal", "path", "TerminalPath", "库存", "存", "checksum", "parse", "test", "zzz", "bash", "read",
	"th*", "pa*", "c*", "te*", `"the file"`, `"does not"`, `"the"`, "0.73.1", "in:user", "in:output,call", "-in:notes", "-the", "-error", "OR", "OR", "AND", "NOT", "(", ")",
}

// TestEvaluationLikeFTS5: what is read out of the posting lists is what FTS5
// finds, and without OR it is ranked as FTS5 ranks it.
func TestEvaluationLikeFTS5(t *testing.T) {
	t.Parallel()
	a := newSampleArchive(t)
	reader, err := postings.Open(t.Context(), a.DB())
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 4))
	found := 0
	for range 1000 {
		var text []string
		for range 1 + r.IntN(7) {
			text = append(text, askedWords[r.IntN(len(askedWords))])
		}
		q := question.Parse(strings.Join(text, " "))
		p := q.Compile()
		if p.Match == nil {
			continue
		}
		var want []candidate
		if err := a.DB().SelectContext(t.Context(), &want, `SELECT rowid AS id, `+ranking+` AS score FROM fts WHERE fts MATCH ? ORDER BY rowid`, p.Match.String()); err != nil {
			t.Fatalf("%s: %v", p.Match, err)
		}
		e := &evaluation{lists: newLists(reader)}
		rows, err := e.rows(t.Context(), p.Match, question.AllColumns, true)
		if err != nil {
			t.Fatalf("%s: %v", p.Match, err)
		}
		if !slices.EqualFunc(rows, want, func(row int64, c candidate) bool { return row == c.ID }) {
			t.Fatalf("%s:\n%s\n finds %v, FTS5 %v", q, p.Match, rows, want)
		}
		found += len(rows)
		if !p.Simple || slices.Contains(text, "(") {
			// Here the words of an alternative that is not met add to the score as well, and what is asked
			// for twice counts once. FTS5 has it the other way round.
			continue
		}
		for _, n := range []int{1, 3, All} {
			checkBest(t, e, rows, want, n)
		}
	}
	if found < 1000 {
		t.Errorf("only %d rows were compared", found)
	}
}

// checkBest holds the n best rows against the scores of FTS5. Which of equals
// come first is left open.
func checkBest(t *testing.T, e *evaluation, rows []int64, want []candidate, n int) {
	t.Helper()
	best, err := e.best(t.Context(), rows, n, nil)
	if err != nil {
		t.Fatal(err)
	}
	score := map[int64]float64{}
	for _, c := range want {
		score[c.ID] = c.Score
	}
	want = firstOf(slices.Clone(want), n)
	if len(best) != len(want) {
		t.Fatalf("%d of the best %d", len(best), n)
	}
	for i, c := range best {
		if d := c.Score - want[i].Score; d > 1e-9 || d < -1e-9 {
			t.Fatalf("place %d: %v, FTS5 has %v there", i, c, want[i])
		}
		if d := c.Score - score[c.ID]; d > 1e-9 || d < -1e-9 {
			t.Fatalf("%v has the score %v in FTS5", c, score[c.ID])
		}
	}
}
