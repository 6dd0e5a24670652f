package search

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"piarchive/internal/index"
	"piarchive/internal/query"
	"piarchive/internal/query/session"
)

// Neighbour is an entry before or behind a hit on its branch.
type Neighbour struct {
	query.EntryRef
	Preview string // how it begins, not made harmless
}

// surround gives hits the n entries before and the n behind them, of those that
// say something.
func surround(ctx context.Context, a *query.Archive, hits []*Hit, n int) error {
	for _, h := range hits {
		if h.Entry == nil {
			continue
		}
		before, err := upwards(ctx, a, h.row, reach(n))
		if err != nil {
			return err
		}
		after, err := downwards(ctx, a, h, reach(n))
		if err != nil {
			return err
		}
		if h.Before, err = neighbours(ctx, a, before, n); err != nil {
			return err
		}
		slices.Reverse(h.Before)
		if h.After, err = neighbours(ctx, a, after, n); err != nil {
			return err
		}
	}
	return nil
}

// reach is how far n neighbours are looked for: between them lie entries that
// say nothing, such as changes of the model.
func reach(n int) int { return 4*n + 8 }

// upwards returns the rows above an entry, the nearest first.
func upwards(ctx context.Context, a *query.Archive, row int64, most int) ([]int64, error) {
	var rows []int64
	err := a.DB().SelectContext(ctx, &rows, `WITH RECURSIVE up(id, steps) AS (
 SELECT parent, 1 FROM entry WHERE id = ?
 UNION ALL SELECT e.parent, steps + 1 FROM up JOIN entry e ON e.id = up.id WHERE steps < ?)
SELECT id FROM up WHERE id IS NOT NULL`, row, most)
	if err != nil {
		return nil, fmt.Errorf("read what stands before a hit: %w", err)
	}
	for i, above := range rows {
		if above == row || slices.Contains(rows[:i], above) { // a cycle
			return rows[:i], nil
		}
	}
	return rows, nil
}

// downwards returns the rows below a hit, the nearest first: on the way to the
// current leaf where the hit lies on it, else the first child of each.
func downwards(ctx context.Context, a *query.Archive, h *Hit, most int) ([]int64, error) {
	_, hi := index.Range(h.Session.Key)
	var rows []int64
	if h.Branch == "active" {
		err := a.DB().SelectContext(ctx, &rows, `SELECT e.id FROM entry e WHERE e.id > ? AND e.id <= ? AND e.dup_of IS NULL AND NOT `+abandoned+` ORDER BY e.id LIMIT ?`,
			h.row, hi, most)
		if err != nil {
			return nil, fmt.Errorf("read what stands behind a hit: %w", err)
		}
		return rows, nil
	}
	for at := h.row; len(rows) < most; {
		var next []int64
		err := a.DB().SelectContext(ctx, &next, `SELECT id FROM entry WHERE id > ?1 AND id <= ?2 AND parent = ?1 AND dup_of IS NULL ORDER BY id LIMIT 1`, at, hi)
		if err != nil {
			return nil, fmt.Errorf("read what stands behind a hit: %w", err)
		}
		if len(next) == 0 {
			break
		}
		at = next[0]
		rows = append(rows, at)
	}
	return rows, nil
}

// neighbours reads how rows begin, and keeps the first n that say something to
// somebody: settings, labels and names do not.
func neighbours(ctx context.Context, a *query.Archive, rows []int64, n int) ([]Neighbour, error) {
	steps, err := session.Steps(ctx, a, rows)
	if err != nil {
		return nil, fmt.Errorf("read the neighbours of a hit: %w", err)
	}
	previews, err := session.ReadPreviews(ctx, a, steps)
	if err != nil {
		return nil, err
	}
	var found []Neighbour
	for _, s := range steps {
		switch s.Type {
		case "message", "custom_message", "compaction", "branch_summary":
			if text := strings.TrimSpace(previews.Of(s.Row)); text != "" && len(found) < n {
				found = append(found, Neighbour{s.EntryRef, text})
			}
		}
	}
	return found, nil
}
