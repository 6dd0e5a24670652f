package session

import (
	"context"
	"fmt"
	"slices"

	"piarchive/internal/index"
	"piarchive/internal/query"
)

// Abandoned holds for entries e off the way from a root to the current leaf.
const Abandoned = `(e.dup_of IS NULL AND EXISTS (SELECT 1 FROM _session a, json_each(a.abandoned) r
 WHERE a.id = e.id >> 24 AND e.id & 16777215 BETWEEN r.value ->> 0 AND r.value ->> 1))`

// Around returns an entry with those before and behind it on its branch, at most so
// many of each. However long the session is, no more is read of it.
func Around(ctx context.Context, a *query.Archive, row int64, before, behind int) ([]Step, error) {
	above, err := Above(ctx, a, row, before)
	if err != nil {
		return nil, err
	}
	var off []bool
	if err := a.DB().SelectContext(ctx, &off, `SELECT `+Abandoned+` FROM _entry e WHERE e.id = ?`, row); err != nil {
		return nil, fmt.Errorf("find the branch of an entry: %w", err)
	}
	below, err := Below(ctx, a, row, !slices.Contains(off, true), behind)
	if err != nil {
		return nil, err
	}
	slices.Reverse(above)
	return Steps(ctx, a, slices.Concat(above, []int64{row}, below))
}

// Above returns the rows above an entry, the nearest first.
func Above(ctx context.Context, a *query.Archive, row int64, most int) ([]int64, error) {
	var rows []int64
	err := a.DB().SelectContext(ctx, &rows, `WITH RECURSIVE up(id, steps) AS (
 SELECT parent, 1 FROM _entry WHERE id = ?
 UNION ALL SELECT e.parent, steps + 1 FROM up JOIN _entry e ON e.id = up.id WHERE steps < ?)
SELECT id FROM up WHERE id IS NOT NULL`, row, most)
	if err != nil {
		return nil, fmt.Errorf("read what stands before an entry: %w", err)
	}
	for i, above := range rows {
		if above == row || slices.Contains(rows[:i], above) { // a cycle
			return rows[:i], nil
		}
	}
	return rows, nil
}

// Below returns the rows below an entry, the nearest first: on the way to the
// current leaf where the entry lies on it, else the first child of each.
func Below(ctx context.Context, a *query.Archive, row int64, active bool, most int) ([]int64, error) {
	_, hi := index.Range(index.SourceOf(row))
	var rows []int64
	if active {
		err := a.DB().SelectContext(ctx, &rows, `SELECT e.id FROM _entry e WHERE e.id > ? AND e.id <= ? AND e.dup_of IS NULL AND NOT `+Abandoned+` ORDER BY e.id LIMIT ?`,
			row, hi, most)
		if err != nil {
			return nil, fmt.Errorf("read what stands behind an entry: %w", err)
		}
		return rows, nil
	}
	for at := row; len(rows) < most; {
		var next []int64
		err := a.DB().SelectContext(ctx, &next, `SELECT id FROM _entry WHERE id > ?1 AND id <= ?2 AND parent = ?1 AND dup_of IS NULL ORDER BY id LIMIT 1`, at, hi)
		if err != nil {
			return nil, fmt.Errorf("read what stands behind an entry: %w", err)
		}
		if len(next) == 0 {
			break
		}
		at = next[0]
		rows = append(rows, at)
	}
	return rows, nil
}
