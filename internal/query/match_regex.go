package query

import (
	"context"
	"fmt"
	"slices"
	"time"

	"piarchive/internal/words"
)

// scanFor keeps the rows that the regular expressions match. known says that
// the rows are those that match the text; otherwise any row may, or those that
// hold the words which every match must contain.
func (s *search) scanFor(ctx context.Context, known bool) error {
	sessions, all, err := s.sessions(ctx)
	if err != nil {
		return err
	}
	o := scanOptions{within: s.plan.within, without: s.plan.without, limit: s.scanLimit(), timeout: s.options.Timeout}
	if !all {
		o.session = func(session int64) bool { _, found := slices.BinarySearch(sessions, session); return found }
	}
	if !known {
		if known, err = s.narrow(ctx); err != nil {
			return err
		}
	}
	switch condition := s.ofEntries(); {
	case known:
		err = s.filter(ctx)
	case condition.sql != "":
		known = true
		err = s.archive.db.SelectContext(ctx, &s.rows, `SELECT e.id FROM entry e JOIN (SELECT id AS value FROM entry) hit ON hit.value = e.id
 WHERE e.dup_of IS NULL AND `+condition.sql+` ORDER BY e.id`, condition.args...)
	}
	if err != nil {
		return fmt.Errorf("find where to look for a regular expression: %w", err)
	}
	if known {
		o.rows = append([]int64{}, s.rows...) // not nil
	}
	hits, report, err := s.archive.scanRegex(ctx, s.plan.regexes, o)
	if err != nil {
		return err
	}
	s.rows = make([]int64, len(hits))
	for i, h := range hits {
		s.rows[i] = h.row
	}
	slices.Sort(s.rows)
	s.result.LowerBound = report.cut || report.full
	if report.cut {
		s.noteCut(report, known)
	}
	return nil
}

// scanLimit is how many rows a scan has to find. Where the hits are ranked, or
// counted, it has to find all.
func (s *search) scanLimit() int {
	if s.options.Want != WantHits || s.options.Exact || s.order() != "new" || len(s.quoted) > 0 || s.limit == All {
		return 0
	}
	return s.firstPage()
}

// narrow finds the rows that hold the words which every match of the regular
// expressions contains; false where there are none.
func (s *search) narrow(ctx context.Context) (bool, error) {
	var all allOf
	for _, r := range s.plan.regexes {
		for _, alternatives := range r.Narrow() {
			all = append(all, anyPattern(alternatives))
		}
	}
	if len(all) == 0 {
		return false, nil
	}
	e, err := s.evaluation(ctx)
	if err != nil {
		return false, err
	}
	s.rows, err = e.rows(ctx, restrict(all, s.plan.within), allColumns, false)
	return true, err
}

func (s *search) noteCut(r scanReport, rows bool) {
	after := s.options.Timeout
	if after == 0 {
		after = defaultScanTimeout
	}
	const hint = "; words, a project or a date narrow it down, --timeout gives more time"
	if rows {
		s.note("stopped after %s: looked at the newest %d of %d entries"+hint, after.Round(time.Millisecond), r.looked, r.total)
	} else {
		s.note("stopped after %s: looked through the newest %.0f MB of %.0f MB"+hint, after.Round(time.Millisecond), float64(r.looked)/1e6, float64(r.total)/1e6)
	}
}

// spans returns where the patterns and regular expressions of the plan are
// found in a text.
func (p *plan) spans(text string) []words.Span {
	spans := words.Find(text, p.patterns)
	if len(p.regexes) == 0 {
		return spans
	}
	for i, r := range p.regexes {
		for _, s := range r.Spans(text) {
			s.Pattern = len(p.patterns) + i
			spans = append(spans, s)
		}
	}
	slices.SortFunc(spans, func(a, b words.Span) int { return a.Start - b.Start })
	return spans
}
