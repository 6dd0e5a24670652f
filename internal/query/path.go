package query

import (
	"context"
	"fmt"
	"slices"
	"time"

	"piarchive/internal/index"
)

// Step is one entry on a path, or in a list of entries.
type Step struct {
	Row    int64 // entry key within this archive
	Parent int64 // 0 at roots and orphans
	EntryRef
	Offset int64
	Bytes  int64
	Orphan bool // it names a parent that the file does not have
}

// stepColumns are what selectSteps reads. Only messages have a role, so the
// type need not be read for them.
const stepColumns = `e.id, e.parent, e.entry_id, e.parent_id, e.line, e.offset, e.bytes, e.role, CASE WHEN e.role IS NULL THEN e.type END, e.at`

// PathTo returns the entries from the root to an entry, all types included, by a
// recursive walk over integer parents. No path has more steps than the session
// has entries; where parents go in a circle, the walk ends at that many, and the
// path begins behind the entry that closes the circle.
func (a *Archive) PathTo(ctx context.Context, row int64) ([]Step, error) {
	entries, err := a.count(ctx, index.SourceOf(row))
	if err != nil {
		return nil, err
	}
	// CROSS JOIN keeps the order of the walk: each of its steps finds one row.
	steps, err := a.selectSteps(ctx, entries, `WITH RECURSIVE up(id) AS (
 SELECT ? UNION ALL SELECT e.parent FROM up JOIN entry e ON e.id = up.id WHERE e.parent IS NOT NULL LIMIT ?)
SELECT `+stepColumns+` FROM up CROSS JOIN entry e ON e.id = up.id`, row, entries+1)
	if err != nil {
		return nil, fmt.Errorf("walk to the root: %w", err)
	}
	if n := len(steps); n > 0 && steps[n-1].Parent != 0 {
		steps = steps[:circle(steps)]
	}
	slices.Reverse(steps)
	return steps, nil
}

// count returns how many entries a session has, one for each id.
func (a *Archive) count(ctx context.Context, session int64) (int, error) {
	var n []int
	if err := a.db.SelectContext(ctx, &n, `SELECT n_entries FROM session WHERE id = ?`, session); err != nil {
		return 0, fmt.Errorf("count the entries of a session: %w", err)
	}
	return append(n, 0)[0], nil
}

// circle returns how many steps go by before one comes again.
func circle(steps []Step) int {
	seen := map[int64]bool{}
	for i, s := range steps {
		if seen[s.Row] {
			return i
		}
		seen[s.Row] = true
	}
	return len(steps)
}

// selectSteps reads rows of stepColumns, usually not more than most. Sessions
// have up to hundreds of thousands of entries, so it does without reflection,
// and without an allocation for every time.
func (a *Archive) selectSteps(ctx context.Context, most int, query string, args ...any) ([]Step, error) {
	rows, err := a.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var values [10]any
	var into [len(values)]any
	for i := range values {
		into[i] = &values[i]
	}
	most = min(most, 1<<17)
	steps, times := make([]Step, 0, most), make([]time.Time, 0, most)
	for rows.Next() {
		if err := rows.Scan(into[:]...); err != nil {
			return nil, err
		}
		number := func(i int) int64 { n, _ := values[i].(int64); return n } // of NULL, 0
		text := func(i int) string { s, _ := values[i].(string); return s }
		s := Step{Row: number(0), Parent: number(1), Offset: number(5), Bytes: number(6),
			EntryRef: EntryRef{ID: text(2), ParentID: text(3), Line: int(number(4)), Role: text(7), Type: text(8)}}
		if s.Role != "" {
			s.Type = "message"
		}
		if values[9] != nil {
			times = append(times, time.UnixMilli(number(9)).UTC())
			s.Time = &times[len(times)-1]
		}
		s.Orphan = s.ParentID != "" && s.Parent == 0 && s.ParentID != s.ID
		steps = append(steps, s)
	}
	return steps, rows.Err()
}

// Leaf returns the row of the current leaf of a session, 0 if it has no entry.
func (a *Archive) Leaf(ctx context.Context, session int64) (int64, error) {
	var leaf []int64
	err := a.db.SelectContext(ctx, &leaf, `SELECT leaf FROM session WHERE id = ? AND leaf IS NOT NULL`, session)
	if err != nil || len(leaf) == 0 {
		return 0, err
	}
	return leaf[0], nil
}

// StepLine reads the raw line of a step, with its LF if it has one.
func (a *Archive) StepLine(ctx context.Context, s Step) ([]byte, error) {
	return a.raw.Read(ctx, nil, index.SourceOf(s.Row), s.Offset, s.Bytes)
}
