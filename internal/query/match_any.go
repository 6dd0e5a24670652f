package query

import (
	"context"
	"fmt"
	"slices"

	"piarchive/internal/index/postings"
)

// alternatives takes an OR apart in which regular expressions stand beside
// other things: (/re/ OR word) rest asks for /re/ rest, or for word rest. It is
// nil where there is none.
func alternatives(expr Node) []Node {
	all, ok := expr.(And)
	if !ok {
		all = And{expr}
	}
	for i, n := range all {
		or, ok := n.(Or)
		if !ok || isRegex(or) || !slices.ContainsFunc(or, hasRegex) {
			continue
		}
		either := make([]Node, len(or))
		for j, alternative := range or {
			either[j] = flat(append(slices.Concat(all[:i], all[i+1:]), alternative))
		}
		return either
	}
	return nil
}

// flat joins nodes into one And.
func flat(nodes []Node) Node {
	var all And
	for _, n := range nodes {
		if and, ok := n.(And); ok {
			all = append(all, and...)
		} else {
			all = append(all, n)
		}
	}
	return group(all)
}

// hasRegex says that there is a regular expression in a node, not behind a not.
func hasRegex(n Node) bool {
	switch n := n.(type) {
	case Pattern:
		return true
	case And:
		return slices.ContainsFunc(n, hasRegex)
	case Or:
		return slices.ContainsFunc(n, hasRegex)
	}
	return false
}

// matchAny finds what any of several questions asks for.
func (s *search) matchAny(ctx context.Context, questions []Node) error {
	union := &plan{env: environment{id: "hit.value", now: s.options.Now}, within: allColumns, union: true}
	var rows []int64
	options := s.options
	options.Exact, options.Expand = true, true
	for _, n := range questions {
		part := &search{archive: s.archive, options: options, query: Query{Expr: n}, limit: All, text: s.text, result: &Result{}}
		asked, err := part.prepare(ctx)
		if err == nil && asked {
			err = part.match(ctx)
		}
		if err == nil && asked && !part.plan.listed() {
			from, args := part.from()
			err = s.archive.db.SelectContext(ctx, &part.rows, `SELECT e.id `+from+` ORDER BY e.id`, args...)
		}
		if err != nil {
			return fmt.Errorf("search for %s: %w", n, err)
		}
		for _, note := range part.result.Notes {
			s.say("%s", note)
		}
		rows, s.text = postings.Or(rows, part.rows), part.text
		s.result.LowerBound = s.result.LowerBound || part.result.LowerBound
		if part.plan.match != nil {
			union.match = part.plan.match
		}
		union.patterns = append(union.patterns, part.plan.patterns...)
		union.regexes = append(union.regexes, part.plan.regexes...)
	}
	s.plan, s.rows, s.quoted = union, rows, nil
	return nil
}
