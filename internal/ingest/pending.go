package ingest

import (
	"context"
	"math"
	"slices"

	"github.com/jmoiron/sqlx"

	"piarchive/internal/index"
)

// Pending counts the sources that a run over the roots would have to look
// into: new ones, those whose facts in the file system have changed, and those
// that are gone. It reads directories only.
func Pending(ctx context.Context, archive sqlx.QueryerContext, roots []Root) (int, error) {
	sources, err := index.Sources(ctx, archive)
	if err != nil {
		return 0, err
	}
	known := make(map[string]index.Source, len(sources))
	for _, s := range sources {
		// That a file is as young as its reading makes a run look again, but
		// is no sign that there is anything to find.
		s.ReadNs = math.MaxInt64
		known[s.Path] = s
	}
	pending := 0
	visited := map[string]bool{}
	var walks []WalkResult
	for _, root := range roots {
		walks = append(walks, Walk(ctx, root, func(f Found) {
			if visited[f.Path] {
				return
			}
			visited[f.Path] = true
			if was, ok := known[f.Path]; !ok || was.MissingAt != nil || !unchanged(was, f) {
				pending++
			}
		}))
	}
	for _, s := range sources {
		covered := slices.ContainsFunc(walks, func(w WalkResult) bool { return w.Covers(s.Path) })
		if !visited[s.Path] && s.MissingAt == nil && covered {
			pending++
		}
	}
	return pending, ctx.Err()
}
