package search

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"piarchive/internal/query/question"
	"piarchive/internal/words"
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
		if f, ok := f.(question.Filter); ok {
			meant, err := l.meant(ctx, f, true)
			if err != nil {
				return err
			}
			if meant != "" {
				l.say("nothing has %s%s", f, meant)
			}
		}
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

// meant says, of a qualifier that no entry fits, which value it may have been meant
// to have, or else with others which there are; "" where it has entries, or takes any text.
func (l *ladder) meant(ctx context.Context, f question.Filter, others bool) (string, error) {
	const slips, most = 2, 3
	const longest = 64 // bytes of a value that anybody types
	if len(f.Values) != 1 || !slices.Contains([]string{"role", "type", "tool", "model", "provider", "system"}, f.Name) {
		return "", nil
	}
	some, err := l.occurs(ctx, f)
	if some || err != nil {
		return "", err
	}
	values, err := Values(ctx, l.archive, f.Name)
	if err != nil {
		return "", err
	}
	var names, lower []string
	for _, v := range values {
		if typed := question.NewFilter(f.Name, v.Text); len(v.Text) <= longest && typed.String() == f.Name+":"+v.Text {
			names, lower = append(names, v.Text), append(lower, strings.ToLower(v.Text))
		}
	}
	if len(names) == 0 {
		return "", nil
	}
	if best := words.Nearest(strings.ToLower(f.Values[0]), lower, slips); best != "" {
		f.Values = []string{names[slices.Index(lower, best)]}
		return fmt.Sprintf("; did you mean %s?", f), nil
	}
	if !others {
		return "", nil
	}
	return "; there are " + strings.Join(names[:min(len(names), most)], ", "), nil
}

// occurs reports whether any entry fits a qualifier.
func (l *ladder) occurs(ctx context.Context, f question.Filter) (some bool, err error) {
	c := environment{id: "e.id"}.condition(f)
	err = l.archive.DB().GetContext(ctx, &some, `SELECT EXISTS (SELECT 1 FROM _entry e WHERE `+c.sql+`)`, c.args...)
	if err != nil {
		return false, fmt.Errorf("look for %s: %w", f, err)
	}
	return some, nil
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
		some, err := l.occurs(ctx, f)
		if err != nil {
			return q, false, err
		}
		if !some {
			q, changed = q.AsText(f), true
			meant, err := l.meant(ctx, f, false)
			if err != nil {
				return q, false, err
			}
			l.say("nothing has %s: it is searched for as text%s", f, meant)
		}
	}
	return q, changed, nil
}
