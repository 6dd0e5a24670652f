package search

import (
	"context"
	"fmt"
	"strings"

	"piarchive/internal/query/question"
)

// explain says why nothing was found: which words occur nowhere and which ones are
// like them, and what was left out by a qualifier.
func (l *ladder) explain(ctx context.Context, q question.Query) error {
	const most = 5 // qualifiers that are tried without
	e, err := l.evaluation(ctx)
	if err != nil {
		return err
	}
	q, _ = q.Content()
	for _, w := range q.Words() {
		rows, err := e.rows(ctx, w.Expression(), question.AllColumns, false)
		if err != nil {
			return err
		}
		if len(rows) > 0 {
			continue
		}
		like, err := alike(ctx, e.reader, w.Text)
		if err != nil {
			return err
		}
		if len(like) > 0 {
			l.say("%q occurs nowhere; there are %s", w.Text, strings.Join(like, ", "))
		} else {
			l.say("%q occurs nowhere", w.Text)
		}
	}
	filters := q.Filters()
	for _, f := range filters[:min(len(filters), most)] {
		s := l.reading(rungAnd, q.Without(f))
		s.options.Want = WantCount
		if _, err := s.run(ctx); err != nil {
			return err
		}
		if n := s.result.Total; n > 0 && (len(q.Words()) > 0 || len(filters) > 1) {
			l.say("%s without %s", hitsOf(n), f)
		}
	}
	return nil
}

func hitsOf(n int) string {
	if n == 1 {
		return "1 hit"
	}
	return fmt.Sprintf("%d hits", n)
}

// asText reads role: and type: as text where nothing in the archive has such a role
// or type: "type:module" may well have been pasted.
func (l *ladder) asText(ctx context.Context, q question.Query) (question.Query, bool, error) {
	changed := false
	for _, f := range q.Doubtful() {
		var some bool
		c := environment{id: "e.id"}.condition(f)
		err := l.archive.DB().GetContext(ctx, &some, `SELECT EXISTS (SELECT 1 FROM entry e WHERE `+c.sql+`)`, c.args...)
		if err != nil {
			return q, false, fmt.Errorf("look for %s: %w", f, err)
		}
		if !some {
			q, changed = q.AsText(f), true
			l.say("nothing has %s: it is searched for as text", f)
		}
	}
	return q, changed, nil
}
