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

// stepRow is a Step as it lies in the archive.
type stepRow struct {
	ID       int64   `db:"id"`
	Parent   *int64  `db:"parent"`
	EntryID  string  `db:"entry_id"`
	ParentID *string `db:"parent_id"`
	Line     int     `db:"line"`
	Offset   int64   `db:"offset"`
	Bytes    int64   `db:"bytes"`
	Role     *string `db:"role"`
	Type     *string `db:"type"`
	At       *int64  `db:"at"`
}

// stepColumns are the columns of a stepRow. Only messages have a role, so the
// type need not be read for them.
const stepColumns = `e.id, e.parent, e.entry_id, e.parent_id, e.line, e.offset, e.bytes, e.role, CASE WHEN e.role IS NULL THEN e.type END AS type, e.at`

func (r *stepRow) step() Step {
	s := Step{Row: r.ID, Offset: r.Offset, Bytes: r.Bytes,
		EntryRef: EntryRef{ID: r.EntryID, ParentID: text(r.ParentID), Line: r.Line, Type: "message", Role: text(r.Role)}}
	if r.Type != nil {
		s.Type = *r.Type
	}
	if r.Parent != nil {
		s.Parent = *r.Parent
	}
	if r.At != nil {
		t := time.UnixMilli(*r.At).UTC()
		s.Time = &t
	}
	s.Orphan = r.ParentID != nil && r.Parent == nil && *r.ParentID != r.EntryID
	return s
}

// PathTo returns the entries from the root to an entry, all types included, by a
// recursive walk over integer parents. No path has more steps than the session
// has entries; where parents go in a circle, the walk ends at that many, and the
// path begins behind the entry that closes the circle.
func (a *Archive) PathTo(ctx context.Context, row int64) ([]Step, error) {
	session := index.SourceOf(row)
	// CROSS JOIN keeps the order of the walk: each of its steps finds one row.
	steps, err := a.selectSteps(ctx, `WITH RECURSIVE up(id) AS (
 SELECT ?1 UNION ALL SELECT e.parent FROM up JOIN entry e ON e.id = up.id WHERE e.parent IS NOT NULL
 LIMIT (SELECT n_entries + 1 FROM session WHERE id = ?2))
SELECT `+stepColumns+` FROM up CROSS JOIN entry e ON e.id = up.id`, row, session)
	if err != nil {
		return nil, fmt.Errorf("walk to the root: %w", err)
	}
	if n := len(steps); n > 0 && steps[n-1].Parent != 0 {
		steps = steps[:circle(steps)]
	}
	slices.Reverse(steps)
	return steps, nil
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

// Entries returns every entry of a session in file order, one for each id.
func (a *Archive) Entries(ctx context.Context, session int64) ([]Step, error) {
	lo, hi := index.Range(session)
	steps, err := a.selectSteps(ctx, `SELECT `+stepColumns+` FROM entry e WHERE e.id BETWEEN ? AND ? AND e.dup_of IS NULL ORDER BY e.id`, lo+1, hi)
	if err != nil {
		return nil, fmt.Errorf("read the entries of a session: %w", err)
	}
	return steps, nil
}

// selectSteps reads rows of stepColumns. Sessions have up to hundreds of
// thousands of entries, so this does without reflection.
func (a *Archive) selectSteps(ctx context.Context, query string, args ...any) ([]Step, error) {
	rows, err := a.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var steps []Step
	for rows.Next() {
		var r stepRow
		if err := rows.Scan(&r.ID, &r.Parent, &r.EntryID, &r.ParentID, &r.Line, &r.Offset, &r.Bytes, &r.Role, &r.Type, &r.At); err != nil {
			return nil, err
		}
		steps = append(steps, r.step())
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
