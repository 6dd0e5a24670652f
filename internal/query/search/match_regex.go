package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"piarchive/internal/index"
	"piarchive/internal/query"
	"piarchive/internal/query/question"
	"piarchive/internal/query/scan"
)

// scanFor keeps the rows that the regular expressions match. known says that
// the rows are those that match the text; otherwise any row may, or those that
// hold the words which every match must contain.
func (s *search) scanFor(ctx context.Context, known bool) error {
	sessions, all, err := s.sessions(ctx)
	if err != nil {
		return err
	}
	// Where it is only said what must not match, entries without text are hits as
	// well; titles, and lines that repeat the id of an entry, are not. Just so with
	// words.
	denied := !known && len(s.plan.Regexes) == 0
	q := scan.Query{
		Regexes: s.plan.Regexes, Without: s.plan.Without, Within: s.plan.Within, Entries: denied && !s.plan.Titles, Unique: denied,
		Limit: s.scanLimit(), Copies: s.options.Expand, Timeout: s.options.timeout(),
	}
	if !all {
		q.Session = func(session int64) bool { _, found := slices.BinarySearch(sessions, session); return found }
	}
	if !known {
		if known, err = s.narrow(ctx); err != nil {
			return err
		}
	}
	switch {
	case known:
		err = s.filter(ctx)
	case s.ofEntries().sql != "":
		known = true
		only := `(+e.copy_key IS NOT NULL AND NOT ` + query.Flagged(index.FlagTextless) + `)` // the plus: not by its index, but in a row
		if denied {
			only += ` AND e.dup_of IS NULL`
		}
		s.rows, err = s.meeting(ctx, only, !q.Entries)
	}
	if err != nil {
		return fmt.Errorf("find where to look for a regular expression: %w", err)
	}
	if known {
		q.Rows = append([]int64{}, s.rows...) // not nil
	}
	hits, report, err := scan.Find(ctx, s.archive, q)
	if err != nil {
		return err
	}
	s.result.LowerBound = report.Cut || report.Full
	if report.Cut {
		s.noteCut(report, known)
	}
	s.unique = s.result.LowerBound && s.options.Want == WantHits && !s.options.Expand && s.order() != "cost"
	s.rows = s.counted(hits)
	if denied {
		textless, err := s.meeting(ctx, `e.dup_of IS NULL AND (+e.copy_key IS NULL OR `+query.Flagged(index.FlagTextless)+`)`, false)
		if err != nil {
			return fmt.Errorf("find the entries without text: %w", err)
		}
		if !all {
			textless = within(textless, sessions)
		}
		if s.unique {
			if textless, err = s.oneOfCopies(ctx, textless); err != nil {
				return err
			}
		}
		s.rows = append(s.rows, textless...)
	}
	slices.Sort(s.rows)
	return nil
}

// meeting returns the entries that SQL selects and, if asked for, the titles that
// meet the conditions on entries, ascending. Titles have no entry; to look for
// theirs where entries are looked at would cost as much again.
func (s *search) meeting(ctx context.Context, only string, titles bool) ([]int64, error) {
	and, condition := "", s.ofEntries()
	if condition.sql != "" {
		and = " AND " + condition.sql
	}
	var met []int64
	err := s.archive.DB().SelectContext(ctx, &met, `SELECT e.id FROM _entry e JOIN (SELECT id AS value FROM _entry) hit ON hit.value = e.id
 WHERE `+only+and+` ORDER BY e.id`, condition.args...)
	if err != nil || !titles {
		return met, err
	}
	var titled []int64
	err = s.archive.DB().SelectContext(ctx, &titled, `SELECT hit.value FROM (SELECT id << 24 AS value FROM _session) hit LEFT JOIN _entry e ON e.id = hit.value
 WHERE 1`+and, condition.args...)
	met = append(met, titled...)
	slices.Sort(met)
	return met, err
}

// counted returns the rows of hits. Where there may be more, their number is all
// that will be known of how many there are, so of copies only the one that is
// shown stays.
func (s *search) counted(hits []scan.Hit) []int64 {
	order := s.order()
	if s.unique {
		slices.SortFunc(hits, func(a, b scan.Hit) int {
			if order == "old" {
				a, b = b, a
			}
			return b.Compare(a.Moment)
		})
		seen := map[int64]bool{}
		hits = slices.DeleteFunc(hits, func(h scan.Hit) bool {
			copied := h.CopyKey != 0 && seen[h.CopyKey]
			seen[h.CopyKey] = true
			return copied
		})
	}
	rows := make([]int64, len(hits))
	for i, h := range hits {
		rows[i] = h.Row
	}
	return rows
}

// oneOfCopies returns the entries without all but one of copies.
func (s *search) oneOfCopies(ctx context.Context, entries []int64) (one []int64, err error) {
	err = s.archive.DB().SelectContext(ctx, &one, `SELECT max(e.id) FROM json_each(?) j CROSS JOIN _entry e ON e.id = j.value
 GROUP BY coalesce(e.copy_key, e.id)`, query.List(entries))
	if err != nil {
		return nil, fmt.Errorf("find the copies among entries without text: %w", err)
	}
	return one, nil
}

// timeout is how long regular expressions may take, 0 for ever.
func (o Options) timeout() time.Duration {
	const usual = 1500 * time.Millisecond
	return max(0, cmp.Or(o.Timeout, usual))
}

// scanLimit is how many of the newest hits a scan has to find. Where the hits are
// ranked, or counted, it has to find all.
func (s *search) scanLimit() int {
	if s.options.Want != WantHits || s.options.Exact || s.order() != "new" || len(s.quoted) > 0 || s.limit == All {
		return 0
	}
	return s.limit
}

// narrow finds the rows that hold the words which every match of the regular
// expressions contains; false where there are none.
func (s *search) narrow(ctx context.Context) (bool, error) {
	needs := s.plan.Needs()
	if needs == nil {
		return false, nil
	}
	e, err := s.evaluation(ctx)
	if err != nil {
		return false, err
	}
	if s.rows, err = e.rows(ctx, needs, question.AllColumns, false); err != nil {
		return false, err
	}
	cut, err := cutEntries(ctx, s.archive)
	s.rows = append(s.rows, cut...)
	slices.Sort(s.rows)
	s.rows = slices.Compact(s.rows)
	return true, err
}

// cutEntries returns the entries of which not every word is in the full-text
// index, and those on the same lines.
func cutEntries(ctx context.Context, a *query.Archive) ([]int64, error) {
	var cut []int64
	err := a.DB().SelectContext(ctx, &cut, `SELECT e.id FROM _problem p JOIN _entry e ON e.id BETWEEN p.source << 24 AND p.source << 24 | 16777215 AND e.line = p.line
 WHERE p.kind = 'too-many-words'`)
	if err != nil {
		return nil, fmt.Errorf("look for entries with too many words: %w", err)
	}
	return cut, nil
}

func (s *search) noteCut(r scan.Report, rows bool) {
	after := s.options.timeout()
	if after >= time.Millisecond {
		after = after.Round(time.Millisecond)
	}
	const hint = "; words, a project or a date narrow it down, --timeout gives more time"
	if rows {
		s.note("stopped after %s: looked at the newest %d of %d entries"+hint, after, r.Looked, r.Total)
	} else {
		s.note("stopped after %s: looked through the newest %.0f MB of %.0f MB"+hint, after, float64(r.Looked)/1e6, float64(r.Total)/1e6)
	}
}
