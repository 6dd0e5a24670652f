package search

import (
	"context"
	"fmt"
	"slices"
	"strings"

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
		before, err := session.Above(ctx, a, h.row, reach(n))
		if err != nil {
			return err
		}
		after, err := session.Below(ctx, a, h.row, h.Branch == "active", reach(n))
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
