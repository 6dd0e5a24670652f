package search

import (
	"context"
	"slices"

	"piarchive/internal/index/postings"
	"piarchive/internal/query/question"
	"piarchive/internal/words"
)

// evaluation finds the rows that an expression matches, in the posting lists of
// the full-text index. FTS5 would find the same, but walks every list once to
// count, once to weigh its words and once to rank; here each is walked once.
type evaluation struct {
	*lists
	scored []phraseKey // the phrases that add to the score, in the order they were met
}

// lists are the posting lists that have been read.
type lists struct {
	reader *postings.Reader
	found  map[phraseKey]*postings.List
}

// phraseKey tells phrases apart by what they are written as, and where they
// are looked for.
type phraseKey struct {
	text    string
	columns question.ColumnSet
}

// columnWeights are for bm25, in the order of the columns: what people say
// counts more than what tools print.
var columnWeights = [postings.Columns]float64{0.8, 1.0, 1.5, 0.7, 2.0, 1.2}

func newLists(reader *postings.Reader) *lists {
	return &lists{reader, map[phraseKey]*postings.List{}}
}

// rows returns the rows that match, ascending. Phrases that must not be there
// are not scored.
func (e *evaluation) rows(ctx context.Context, x question.Expression, within question.ColumnSet, scored bool) ([]int64, error) {
	switch x := x.(type) {
	case question.Phrase:
		return e.phrase(ctx, words.Pattern(x), within, scored)
	case question.Inside:
		return e.rows(ctx, x.Expression, within&x.Columns, scored)
	case question.AnyOf:
		return e.any(ctx, x, within, scored)
	case question.AllOf:
		return e.all(ctx, x, within, scored)
	case question.ButNot:
		keep, err := e.rows(ctx, x.Keep, within, scored)
		if err != nil || len(keep) == 0 {
			return nil, err
		}
		drop, err := e.rows(ctx, x.Drop, within, false)
		return postings.Not(keep, drop), err
	}
	return nil, nil
}

// all intersects. A part without a row spares the others.
func (e *evaluation) all(ctx context.Context, parts []question.Expression, within question.ColumnSet, scored bool) ([]int64, error) {
	var rows []int64
	for i, p := range parts {
		more, err := e.rows(ctx, p, within, scored)
		if err != nil || len(more) == 0 {
			return nil, err
		}
		if i == 0 {
			rows = more
		} else {
			rows = postings.And(rows, more)
		}
	}
	return rows, nil
}

// any unites, two by two: each row is looked at no more often than there are rounds.
func (e *evaluation) any(ctx context.Context, parts []question.Expression, within question.ColumnSet, scored bool) ([]int64, error) {
	all := make([][]int64, len(parts))
	for i, p := range parts {
		var err error
		if all[i], err = e.rows(ctx, p, within, scored); err != nil {
			return nil, err
		}
	}
	for len(all) > 1 {
		for i := range len(all) / 2 {
			all[i] = postings.Or(all[i], all[len(all)-1-i])
		}
		all = all[:(len(all)+1)/2]
	}
	if len(all) == 0 {
		return nil, nil
	}
	return all[0], nil
}

func (e *evaluation) phrase(ctx context.Context, p words.Pattern, within question.ColumnSet, scored bool) ([]int64, error) {
	key := phraseKey{question.Phrase(p).String(), within}
	found, known := e.found[key]
	if !known {
		var err error
		if found, err = e.reader.Find(ctx, postings.Phrase{Tokens: p.Tokens, Prefix: p.Prefix}, postings.Set(within)); err != nil {
			return nil, err
		}
		e.found[key] = found
	}
	if scored && !slices.Contains(e.scored, key) {
		e.scored = append(e.scored, key)
	}
	return found.Rows, nil
}
