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

// What selectSteps reads: enough to find lines and tell what is on them; with
// place and time; with the parent. Where there are many rows every column counts,
// since the driver takes two locks for each. Only messages have a role, so their
// type need not be read.
const (
	lineColumns = `e.id, e.entry_id, e.offset, e.bytes, e.role, CASE WHEN e.role IS NULL THEN e.type END`
	pathColumns = lineColumns + `, e.line, e.at`
	stepColumns = pathColumns + `, e.parent, e.parent_id`
)

// PathTo returns the entries from the root to an entry, all types included.
// Where parents go in a circle, the path begins behind the entry that closes it.
func (a *Archive) PathTo(ctx context.Context, row int64) ([]Step, error) {
	steps, err := a.ascend(ctx, row, pathColumns)
	if err != nil || len(steps) == 0 {
		return nil, err
	}
	top, err := a.selectSteps(ctx, 1, `SELECT `+stepColumns+` FROM entry e WHERE e.id = ?`, steps[0].Row)
	if err != nil {
		return nil, fmt.Errorf("read the top of a path: %w", err)
	}
	steps[0] = top[0]
	for i := range steps[1:] {
		steps[i+1].Parent, steps[i+1].ParentID = steps[i].Row, steps[i].ID
	}
	return steps, nil
}

// ascend goes from an entry to the root and returns the way back, by a recursive
// query over integer parents. No path has more steps than the session has
// entries; in a circle the query ends at that many.
func (a *Archive) ascend(ctx context.Context, row int64, columns string) ([]Step, error) {
	entries, err := a.count(ctx, index.SourceOf(row))
	if err != nil {
		return nil, err
	}
	// CROSS JOIN keeps the order of the walk: each of its steps finds one row.
	steps, err := a.selectSteps(ctx, entries, `WITH RECURSIVE up(id) AS (
 SELECT ? UNION ALL SELECT e.parent FROM up JOIN entry e ON e.id = up.id WHERE e.parent IS NOT NULL LIMIT ?)
SELECT `+columns+` FROM up CROSS JOIN entry e ON e.id = up.id`, row, entries+1)
	if err != nil {
		return nil, fmt.Errorf("walk to the root: %w", err)
	}
	if len(steps) > entries {
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

// selectSteps reads rows of one of the lists of columns, usually not more than most. Sessions
// have up to hundreds of thousands of entries, so it does without reflection,
// and without an allocation for every time.
func (a *Archive) selectSteps(ctx context.Context, most int, query string, args ...any) ([]Step, error) {
	rows, err := a.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var values [10]any
	var into [len(values)]any
	for i := range values {
		into[i] = &values[i]
	}
	number := func(i int) int64 { n, _ := values[i].(int64); return n } // of NULL, 0
	text := func(i int) string { s, _ := values[i].(string); return s }
	most = min(most, 1<<17)
	steps, times := make([]Step, 0, most), make([]time.Time, 0, most)
	for rows.Next() {
		if err := rows.Scan(into[:len(columns)]...); err != nil {
			return nil, err
		}
		s := Step{Row: number(0), Offset: number(2), Bytes: number(3), Parent: number(8),
			EntryRef: EntryRef{ID: text(1), Role: text(4), Type: text(5), Line: int(number(6)), ParentID: text(9)}}
		if s.Role != "" {
			s.Type = "message"
		}
		if values[7] != nil {
			times = append(times, time.UnixMilli(number(7)).UTC())
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
