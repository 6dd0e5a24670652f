package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"piarchive/internal/index"
	"piarchive/internal/query"
	"piarchive/internal/query/question"
)

// match finds what the question asks for, and counts it.
func (s *search) match(ctx context.Context) error {
	if questions := question.Alternatives(s.query.Expr); questions != nil {
		if err := s.matchAny(ctx, questions); err != nil {
			return err
		}
	} else if !s.listed() {
		return s.countInSQL(ctx)
	} else if err := s.matchAll(ctx); err != nil {
		return err
	}
	s.result.Total = len(s.rows)
	s.result.Copies = len(s.rows) > countLimit && !s.options.Exact && !s.options.Expand && !s.unique
	return nil
}

// matchAll finds the rows that match the text, the conditions and the regular
// expressions of the plan.
func (s *search) matchAll(ctx context.Context) error {
	known := s.plan.Match != nil
	if known {
		if err := s.lookUp(ctx); err != nil {
			return fmt.Errorf("search: %w", err)
		}
	}
	if s.plan.Scans() {
		return s.scanFor(ctx, known)
	}
	return s.filter(ctx)
}

// listed reports whether the rows that match are found one by one, not by SQL.
func (s *search) listed() bool { return s.union || s.plan.Match != nil || s.plan.Scans() }

// ErrExpression means that FTS5 cannot read an expression.
var ErrExpression = errors.New("not an expression of FTS5")

// lookUp finds the rows that match the text.
func (s *search) lookUp(ctx context.Context) error {
	if s.query.Raw != "" {
		return s.lookUpRaw(ctx)
	}
	e, err := s.evaluation(ctx)
	if err != nil {
		return err
	}
	s.rows, err = e.rows(ctx, s.plan.Match, question.AllColumns, true)
	return err
}

// evaluation opens the posting lists, once.
func (s *search) evaluation(ctx context.Context) (*evaluation, error) {
	if s.lists == nil {
		reader, err := s.openText(ctx)
		if err != nil {
			return nil, err
		}
		s.lists = newLists(reader)
	}
	if s.text == nil {
		s.text = &evaluation{lists: s.lists}
	}
	return s.text, nil
}

// lookUpRaw leaves an expression to FTS5, which also ranks what it finds.
func (s *search) lookUpRaw(ctx context.Context) error {
	// On its own first: what cannot be read alone must not become readable by what is put around it.
	var one []int64
	err := s.archive.DB().SelectContext(ctx, &one, `SELECT rowid FROM fts WHERE fts MATCH ? LIMIT 1`, s.query.Raw)
	var found []candidate
	if err == nil {
		err = s.archive.DB().SelectContext(ctx, &found, `SELECT rowid AS id, `+ranking+` AS score FROM fts WHERE fts MATCH ? ORDER BY rowid`, s.plan.Match.String())
	}
	if err != nil && ctx.Err() == nil {
		why, _, _ := strings.Cut(err.Error(), " (") // the code of SQLite
		return fmt.Errorf("%q is %w: %s", s.query.Raw, ErrExpression, strings.TrimPrefix(why, "SQL logic error: "))
	}
	s.scores = make(map[int64]float64, len(found))
	for _, c := range found {
		s.rows = append(s.rows, c.ID)
		s.scores[c.ID] = c.Score
	}
	return err
}

// ranking is columnWeights for FTS5's own bm25, which is the less the better.
const ranking = "-bm25(fts, 0.8, 1.0, 1.5, 0.7, 2.0, 1.2)"

// countInSQL counts what meets the conditions where no text is asked for.
func (s *search) countInSQL(ctx context.Context) error {
	from, args := s.from()
	err := s.archive.DB().QueryRowContext(ctx, `SELECT count(*), count(DISTINCT coalesce(copy_key, id)) FROM (SELECT e.id, e.copy_key `+from+`)`, args...).
		Scan(&s.result.Total, &s.folded)
	if err != nil {
		return fmt.Errorf("count the hits: %w", err)
	}
	return nil
}

// filter keeps the rows that meet the conditions. Those on the session are
// asked once for each session; the others of one row after the other, the
// newest first, until there are more than can be counted.
func (s *search) filter(ctx context.Context) error {
	if len(s.rows) == 0 {
		return nil
	}
	sessions, all, err := s.sessions(ctx)
	if err != nil {
		return err
	}
	if !all {
		s.rows = within(s.rows, sessions)
	}
	condition := s.ofEntries()
	if condition.sql == "" {
		return nil
	}
	sql := `SELECT hit.value FROM json_each(?) hit LEFT JOIN _entry e ON e.id = hit.value WHERE ` + condition.sql + ` ORDER BY hit.value DESC`
	var kept []int64
	const least = 1000
	for n, rest := least, s.rows; len(rest) > 0; n *= 4 {
		newest := rest[max(0, len(rest)-n):]
		rest = rest[:len(rest)-len(newest)]
		var met []int64
		if err := s.archive.DB().SelectContext(ctx, &met, sql, append([]any{query.List(newest)}, condition.args...)...); err != nil {
			return fmt.Errorf("hold the hits against the conditions: %w", err)
		}
		kept = append(kept, met...)
		if len(kept) > countLimit && len(rest) > 0 && s.order() == "rank" && !s.options.Exact && !s.plan.Scans() {
			s.result.LowerBound = true
			s.say("more than %d hits: only the newest are looked at (--exact looks at all)", countLimit)
			break
		}
	}
	slices.Reverse(kept)
	s.rows = kept
	return nil
}

// sessions finds those that meet the conditions on sessions, ascending; all of
// them do where there is no condition.
func (s *search) sessions(ctx context.Context) (found []int64, all bool, err error) {
	var conditions []condition
	for _, c := range s.where {
		if c.sessions != "" {
			conditions = append(conditions, condition{sql: c.sessions, args: c.args})
		}
	}
	if len(conditions) == 0 {
		return nil, true, nil
	}
	c := combine(" AND ", conditions)
	if err := s.archive.DB().SelectContext(ctx, &found, sessionsWhere+c.sql+` ORDER BY 1`, c.args...); err != nil {
		return nil, false, fmt.Errorf("find the sessions to search: %w", err)
	}
	return found, false, nil
}

// ofEntries joins the conditions that are not on the session alone.
func (s *search) ofEntries() condition {
	var conditions []condition
	for _, c := range s.where {
		if c.sessions == "" {
			conditions = append(conditions, c)
		}
	}
	return combine(" AND ", conditions)
}

// within returns the rows that belong to one of some sessions; both ascend.
func within(rows, sessions []int64) []int64 {
	kept := make([]int64, 0, len(rows))
	at := 0
	for _, row := range rows {
		session := index.SourceOf(row)
		for at < len(sessions) && sessions[at] < session {
			at++
		}
		if at < len(sessions) && sessions[at] == session {
			kept = append(kept, row)
		}
	}
	return kept
}

// from is the FROM and WHERE of a question without text, or of the rows that
// match its text.
func (s *search) from() (string, []any) {
	if s.listed() {
		return `FROM json_each(?) hit LEFT JOIN _entry e ON e.id = hit.value WHERE 1`, []any{query.List(s.rows)}
	}
	var b strings.Builder
	if b.WriteString(`FROM _entry e WHERE e.dup_of IS NULL`); s.plan.Titles {
		b.Reset()
		b.WriteString(`FROM (SELECT id, dup_of, at, flags, copy_key, type, role, provider, model, tool FROM _entry
 UNION ALL SELECT fts.rowid, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL FROM _session t JOIN fts ON fts.rowid = t.id << 24) e WHERE e.dup_of IS NULL`)
	}
	var args []any
	for _, c := range s.where {
		b.WriteString(" AND " + c.sql)
		args = append(args, c.args...)
	}
	return b.String(), args
}
