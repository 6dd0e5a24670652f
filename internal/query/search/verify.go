package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"piarchive/internal/query/question"
	"piarchive/internal/words"
)

// mostVerified bounds the entries that are read to find quoted texts to the
// letter, unless more hits are asked for.
const mostVerified = 1000

// verify tells how exactly entries meet the quoted texts of the question. The
// full-text index knows words in a row, but not what stands between them. Where
// there are very many, it ends with the last one that will be shown, and
// returns how many it has looked at.
func (s *search) verify(ctx context.Context, hits []*Hit) (int, error) {
	if len(s.quoted) == 0 {
		return len(hits), nil
	}
	if s.limit == All {
		return len(hits), s.verifyAll(ctx, hits)
	}
	few := s.result.Total <= 2*s.limit
	exact := 0
	for i := 0; i < len(hits); {
		const least = 8 // are looked at in one go
		part := hits[i:min(len(hits), i+max(least, min(s.limit-exact, pageSize)))]
		if err := s.judge(ctx, part); err != nil {
			return i, err
		}
		for _, h := range part {
			if h.exact >= words.Folded {
				exact++
			}
			if h.exact < words.Folded || exact > pageSize { // hardly needed again
				h.texts = nil
			}
		}
		if i += len(part); exact >= s.limit && !few {
			return i, nil
		}
	}
	return len(hits), nil
}

// verifyAll is verify for all hits. They are read in the order in which they lie
// in the archive, so that each block of it is unpacked once.
func (s *search) verifyAll(ctx context.Context, hits []*Hit) error {
	const atOnce = 1000
	inFileOrder := slices.SortedFunc(slices.Values(hits), func(a, b *Hit) int { return cmp.Compare(a.row, b.row) })
	for part := range slices.Chunk(inFileOrder, atOnce) {
		if err := s.judge(ctx, part); err != nil {
			return err
		}
		for _, h := range part {
			h.texts = nil
		}
	}
	return nil
}

// judge reads the text of hits and tells how exactly they meet the quoted texts.
func (s *search) judge(ctx context.Context, hits []*Hit) error {
	if err := readTexts(ctx, s.archive, hits); err != nil {
		return err
	}
	for _, h := range hits {
		h.exact = question.Closeness(s.quoted, h.texts, s.plan.Within)
	}
	return nil
}

// enough reports whether no more candidates are needed.
func (s *search) enough(hits []*Hit, seen int) bool {
	if len(s.quoted) == 0 {
		return len(hits) >= s.limit
	}
	exact := 0
	for _, h := range hits {
		if h.exact >= words.Folded {
			exact++
		}
	}
	if s.fewVerified && exact == 0 && seen >= pageSize {
		return true
	}
	return exact >= s.limit || seen >= max(mostVerified, s.limit)
}

// total finds out how many hits there are: these, if they are all.
func (s *search) total(ctx context.Context, hits int, all bool) error {
	r := s.result
	switch {
	case r.LowerBound || r.Copies:
	case all:
		r.Total = hits
	case !s.options.Expand && s.folded > 0:
		r.Total = s.folded
	case !s.options.Expand:
		return s.countFolded(ctx)
	}
	return nil
}

// exactFirst puts the hits that are most like a quoted text first and, where some hold
// it to the letter, leaves out those that only share its words. all says that there
// are no more hits than these.
func (s *search) exactFirst(hits []*Hit, all bool) []*Hit {
	r := s.result
	hits = slices.DeleteFunc(hits, func(h *Hit) bool { return h.exact == words.None }) // only began like it
	slices.SortStableFunc(hits, func(a, b *Hit) int {
		if s.order() == "rank" || min(a.exact, b.exact) < words.Folded {
			return cmp.Compare(b.exact, a.exact)
		}
		return 0 // in the order that was asked for
	})
	exact := slices.IndexFunc(hits, func(h *Hit) bool { return h.exact < words.Folded })
	if exact < 0 {
		exact = len(hits)
	}
	switch atLeast := r.LowerBound || !all; {
	case atLeast:
		s.note("%s hold the words of the quoted text in a row; of the first %d, %d hold it to the letter", s.entries(), len(hits), exact)
	case exact == 0 && len(hits) > 0:
		s.note("nothing holds the quoted text to the letter; these hold its words in a row")
	case exact < len(hits):
		s.note("%d more hold the words of the quoted text with something else between them", len(hits)-exact)
	}
	if exact > 0 {
		hits = hits[:exact]
	} else if len(hits) > 0 {
		r.Rung = "tokens"
	}
	r.Total, r.LowerBound = len(hits), r.LowerBound || !all
	return hits
}

// entries says how many entries match.
func (s *search) entries() string {
	if s.result.LowerBound {
		return fmt.Sprintf("more than %d entries", s.result.Total)
	}
	return fmt.Sprintf("%d entries", s.result.Total)
}

// countFolded counts the hits where the entries that match are too many to be
// looked at one by one: copies in forks count once.
func (s *search) countFolded(ctx context.Context) error {
	from, args := s.from()
	err := s.archive.DB().GetContext(ctx, &s.result.Total, `SELECT count(DISTINCT coalesce(e.copy_key, `+s.env.id+`)) `+from, args...)
	if err != nil {
		return fmt.Errorf("count the hits: %w", err)
	}
	return nil
}
