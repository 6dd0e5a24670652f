package search

import (
	"context"
	"fmt"

	"piarchive/internal/index/postings"
	"piarchive/internal/query/question"
)

// matchAny finds what any of several questions asks for.
func (s *search) matchAny(ctx context.Context, questions []question.Node) error {
	union := &question.Plan{Within: question.AllColumns}
	var rows []int64
	options := s.options
	options.Exact, options.Expand = true, true
	for _, n := range questions {
		part := &search{archive: s.archive, options: options, query: question.Query{Expr: n}, limit: All, lists: s.lists, text: s.text, result: &Result{}}
		asked, err := part.prepare(ctx)
		if err == nil && asked {
			err = part.match(ctx)
		}
		if err == nil && asked && !part.listed() {
			from, args := part.from()
			err = s.archive.DB().SelectContext(ctx, &part.rows, `SELECT e.id `+from+` ORDER BY e.id`, args...)
		}
		if err != nil {
			return fmt.Errorf("search for %s: %w", n, err)
		}
		for _, note := range part.result.Notes {
			s.say("%s", note)
		}
		rows, s.lists, s.text = postings.Or(rows, part.rows), part.lists, part.text
		s.result.LowerBound = s.result.LowerBound || part.result.LowerBound
		if part.plan.Match != nil {
			union.Match = part.plan.Match
		}
		union.Patterns = append(union.Patterns, part.plan.Patterns...)
		union.Regexes = append(union.Regexes, part.plan.Regexes...)
	}
	s.plan, s.rows, s.quoted = union, rows, nil
	return nil
}
