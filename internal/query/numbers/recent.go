package numbers

import (
	"context"
	"time"

	"piarchive/internal/query"
)

// Spent is what was spent lately.
type Spent struct{ Today, Month Sums }

// Recent counts today and this month, of what options mean at any time.
func Recent(ctx context.Context, a *query.Archive, o StatsOptions, now time.Time) (*Spent, error) {
	var s Spent
	o.By = ""
	now = now.In(o.Zone)
	for _, part := range []struct {
		sums *Sums
		day  int
	}{{&s.Today, now.Day()}, {&s.Month, 1}} {
		o.Since = time.Date(now.Year(), now.Month(), part.day, 0, 0, 0, 0, o.Zone)
		stats, err := Count(ctx, a, o)
		if err != nil {
			return nil, err
		}
		*part.sums = stats.Total.Sums()
	}
	return &s, nil
}
