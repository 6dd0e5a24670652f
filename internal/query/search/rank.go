package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"piarchive/internal/index/postings"
	"piarchive/internal/query/question"
)

// order is the sort that applies: without text there is nothing to rank by.
func (s *search) order() string {
	if s.query.Sort == "" || s.query.Sort == "rank" {
		if s.plan.Match == nil {
			return "new"
		}
		return "rank"
	}
	return s.query.Sort
}

// candidates returns the first n entries that match, the best first.
func (s *search) candidates(ctx context.Context, n int) ([]candidate, error) {
	id := s.env.id
	var by string
	switch s.order() {
	case "rank":
		return s.ranked(ctx, n)
	case "new":
		by = s.env.moment() + " DESC, id DESC"
	case "old":
		by = s.env.moment() + ", id"
	case "cost":
		by = "(SELECT cost FROM _session WHERE id = " + id + " >> 24) DESC, id DESC"
	}
	from, args := s.from()
	var found []candidate
	err := s.archive.DB().SelectContext(ctx, &found, `SELECT `+id+` AS id, 0.0 AS score `+from+` ORDER BY `+by+` LIMIT ?`, append(args, n)...)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	return found, nil
}

// ranked returns the n best rows by bm25, newer ones first among equals. Of
// very many hits of plain words only the newest are ranked.
func (s *search) ranked(ctx context.Context, n int) ([]candidate, error) {
	rows := s.rows
	if s.scores != nil {
		best := make([]candidate, len(rows))
		for i, row := range rows {
			best[i] = candidate{row, s.scores[row]}
		}
		return firstOf(best, n), nil
	}
	if len(rows) > countLimit && !s.options.Exact {
		rows = s.worthRanking()
	}
	return s.text.best(ctx, rows, n, s.shares())
}

// worthRanking is which of very many rows are ranked, since that takes a look
// at each: in an OR those of its rarest words, which is where the best hits are;
// otherwise, or if they are too many as well, the newest.
func (s *search) worthRanking() []int64 {
	rows := s.rows
	if !s.plan.Simple {
		_, lists := s.text.ranking()
		slices.SortStableFunc(lists, func(a, b *postings.List) int { return cmp.Compare(len(a.Rows), len(b.Rows)) })
		var rarest []int64
		for _, l := range lists {
			more := postings.Or(rarest, postings.And(l.Rows, rows))
			if len(more) > countLimit {
				break
			}
			rarest = more
		}
		if len(rarest) > 0 {
			s.say("very common words: ranked among the %d hits of the rarer ones (--exact ranks all)", len(rarest))
			return rarest
		}
	}
	s.say("very common words: ranked among the newest %d hits (--exact ranks all)", newestLimit)
	return rows[len(rows)-newestLimit:]
}

// say adds a note once.
func (s *search) say(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(s.result.Notes, text) {
		s.result.Notes = append(s.result.Notes, text)
	}
}

// best ranks rows. What a score needs of a row beside its words is its length,
// and that takes a look into the archive: so the rows come in the order of the
// most they could score, and the rest is spared when none of it can be better
// than the n best so far.
func (e *evaluation) best(ctx context.Context, rows []int64, n int, shares []question.Expression) ([]candidate, error) {
	const atOnce = 500
	ranking, lists := e.ranking()
	bound := ranking.Score(rows, leastLengths(rows, lists), lists)
	share, err := e.share(ctx, rows, ranking.Rows, shares)
	if err != nil {
		return nil, err
	}
	for i := range bound {
		bound[i] *= share[i]
	}
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(cmp.Compare(bound[j], bound[i]), cmp.Compare(rows[j], rows[i])) })
	var best []candidate
	for len(order) > 0 && (len(best) < n || bound[order[0]] >= best[n-1].Score) {
		part := order[:min(max(atOnce, n), len(order))]
		order = order[len(part):]
		slices.Sort(part)
		var some []int64
		var weight []float64
		for _, at := range part {
			if bound[at] > 0 {
				some, weight = append(some, rows[at]), append(weight, share[at])
			} else { // found by other things than its text, of which it may have none
				best = append(best, candidate{rows[at], 0})
			}
		}
		lengths, err := e.reader.Lengths(ctx, some)
		if err != nil {
			return nil, fmt.Errorf("rank the hits: %w", err)
		}
		for i, score := range ranking.Score(some, lengths, lists) {
			best = append(best, candidate{some[i], score * weight[i]})
		}
		best = firstOf(best, n)
	}
	return best, nil
}

// shares are the words of a sentence, of which a hit need not have all.
func (s *search) shares() []question.Expression {
	if len(s.plan.Shares) < longShare {
		return nil
	}
	return s.plan.Shares
}

// longShare is how many words it takes for the number of those met to tell more than
// how rare they are.
const longShare = 4

// share returns for each of rows which part of what the words of a sentence tell it
// holds, as a factor: the root of the sum of their rarity. Without a sentence it is 1.
func (e *evaluation) share(ctx context.Context, rows []int64, all int64, words []question.Expression) ([]float64, error) {
	held, whole := make([]float64, len(rows)), 0.0
	for _, w := range words {
		found, err := e.rows(ctx, w, question.AllColumns, false)
		if err != nil {
			return nil, err
		}
		rarity := postings.Rarity(all, len(found))
		whole += rarity
		at := 0
		for i, row := range rows {
			for at < len(found) && found[at] < row {
				at++
			}
			if at < len(found) && found[at] == row {
				held[i] += rarity
			}
		}
	}
	for i := range held {
		if held[i] = math.Sqrt(held[i] / whole); whole == 0 {
			held[i] = 1
		}
	}
	return held, nil
}

// firstOf sorts candidates and returns the n best.
func firstOf(all []candidate, n int) []candidate {
	slices.SortFunc(all, func(a, b candidate) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.ID, a.ID)) })
	return all[:min(n, len(all))]
}

// ranking is what scores are computed from.
func (e *evaluation) ranking() (postings.Ranking, []*postings.List) {
	r := postings.Ranking{Weights: columnWeights}
	var tokens [postings.Columns]int64
	r.Rows, tokens = e.reader.Stats()
	for _, n := range tokens {
		r.Tokens += n
	}
	lists := make([]*postings.List, len(e.scored))
	for i, key := range e.scored {
		lists[i] = e.found[key]
	}
	return r, lists
}

// leastLengths returns for each row how many tokens it has at least: as many as
// occurrences of any one of the phrases.
func leastLengths(rows []int64, lists []*postings.List) []int64 {
	least := make([]int64, len(rows))
	for _, l := range lists {
		at := 0
		for i, row := range rows {
			for at < len(l.Rows) && l.Rows[at] < row {
				at++
			}
			if at == len(l.Rows) {
				break
			}
			if l.Rows[at] == row {
				n := int64(0)
				for _, count := range l.Counts[at] {
					n += int64(count)
				}
				least[i] = max(least[i], n)
			}
		}
	}
	return least
}
