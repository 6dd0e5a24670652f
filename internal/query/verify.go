package query

import (
	"context"
	"fmt"
	"slices"

	"piarchive/internal/words"
)

// mostVerified bounds the entries that are read to find quoted texts to the
// letter, unless more hits are asked for.
const mostVerified = 1000

// verify tells how exactly entries meet the quoted texts of the question. The
// full-text index knows words in a row, but not what stands between them.
func (s *search) verify(ctx context.Context, hits []*Hit) error {
	if len(s.plan.quotes) == 0 {
		return nil
	}
	for _, h := range inFileOrder(hits) {
		text, err := s.archive.text(ctx, h)
		if err != nil {
			return err
		}
		h.exact = closeness(s.quoted(), text)
	}
	return nil
}

// quoted is the part of the question that holds quoted texts: the rest need not
// be looked at again, for the archive has found it.
func (s *search) quoted() And {
	all, ok := s.query.Expr.(And)
	if !ok {
		return And{s.query.Expr}
	}
	return slices.DeleteFunc(slices.Clone(all), func(n Node) bool { return !hasQuote(n) })
}

func hasQuote(n Node) bool {
	switch n := n.(type) {
	case Quote:
		return true
	case And:
		return slices.ContainsFunc(n, hasQuote)
	case Or:
		return slices.ContainsFunc(n, hasQuote)
	}
	return false // behind a not, a quoted text is as its words are
}

// closeness tells how exactly texts meet a part of a question: as its least
// exact member where all are asked for, as the most exact one in an OR.
func closeness(n Node, text *[6]string) words.Match {
	switch n := n.(type) {
	case Quote:
		return among(text, func(column string) words.Match { return words.Contains(column, n.Text) })
	case Word:
		patterns := words.Patterns(n.Text)
		if n.Prefix {
			patterns = words.Prefixes(n.Text)
		}
		return among(text, func(column string) words.Match {
			if len(words.Find(column, patterns)) > 0 {
				return words.Verbatim
			}
			return words.None
		})
	case Not:
		if isText(n.Node) && closeness(n.Node, text) > words.None {
			return words.None
		}
	case And:
		least := words.Verbatim
		for _, part := range n {
			least = min(least, closeness(part, text))
		}
		return least
	case Or:
		most := words.None
		for _, part := range n {
			most = max(most, closeness(part, text))
		}
		return most
	}
	return words.Verbatim // a filter, which is not to be seen in the text
}

// among returns the closest match among the columns.
func among(text *[6]string, match func(string) words.Match) words.Match {
	most := words.None
	for _, column := range text {
		if column != "" && most < words.Verbatim {
			most = max(most, match(column))
		}
	}
	return most
}

// enough says that no more candidates are needed.
func (s *search) enough(hits []*Hit, seen int) bool {
	if len(s.plan.quotes) == 0 {
		return len(hits) >= s.limit
	}
	exact := 0
	for _, h := range hits {
		if h.exact >= words.Folded {
			exact++
		}
	}
	return exact >= s.limit || seen >= mostVerified
}

// settle puts the most exact hits first and, where some hold a quoted text to
// the letter, leaves out those that only share its words. all says that there
// are no more hits than these.
func (s *search) settle(ctx context.Context, hits []*Hit, all bool) ([]*Hit, error) {
	r := s.result
	if len(s.plan.quotes) == 0 {
		switch {
		case r.LowerBound:
		case all:
			r.Total = len(hits)
		case !s.options.Expand:
			return hits, s.countFolded(ctx)
		}
		return hits, nil
	}
	hits = slices.DeleteFunc(hits, func(h *Hit) bool { return h.exact == words.None }) // only began like it
	slices.SortStableFunc(hits, func(a, b *Hit) int { return int(b.exact) - int(a.exact) })
	checked := len(hits)
	loose := slices.IndexFunc(hits, func(h *Hit) bool { return h.exact < words.Folded })
	switch {
	case loose == 0 && all && !r.LowerBound:
		s.note("nothing holds the quoted text to the letter; these hold its words in a row")
	case loose == 0:
		s.note("none of the first %d hits holds the quoted text to the letter; these hold its words in a row", checked)
	case loose > 0:
		s.note("%d more hold the words of the quoted text with something else between them", checked-loose)
		hits = hits[:loose]
	}
	if loose == 0 {
		r.Rung = "tokens"
	}
	if !all {
		s.note("%d entries hold the words of the quoted text in a row; the first %d were read to find it to the letter", r.Total, checked)
	}
	r.Total, r.LowerBound = len(hits), r.LowerBound || !all
	return hits, nil
}

// countFolded counts the hits where the entries that match are too many to be
// looked at one by one: copies in forks count once.
func (s *search) countFolded(ctx context.Context) error {
	from, args := s.from()
	err := s.archive.db.GetContext(ctx, &s.result.Total, `SELECT count(DISTINCT coalesce(e.copy_key, `+s.plan.env.id+`)) `+from, args...)
	if err != nil {
		return fmt.Errorf("count the hits: %w", err)
	}
	return nil
}
