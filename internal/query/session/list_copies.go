package session

import (
	"context"
	"fmt"

	"piarchive/internal/query"
)

// foldCopies finds, among the sessions that a condition asks for, those whose files
// hold the same bytes: the keys of all but the first, and by its key the paths of the
// others. Which ids several sessions have stands in an index.
func foldCopies(ctx context.Context, a *query.Archive, where string, args []any) (hidden []int64, copies map[int64][]string, err error) {
	var keys []int64
	err = a.DB().SelectContext(ctx, &keys, `WITH several(id) AS MATERIALIZED (SELECT session_id FROM _session WHERE session_id IS NOT NULL GROUP BY 1 HAVING count(*) > 1)
SELECT s.id FROM several CROSS JOIN _session s ON s.session_id = several.id JOIN _source f ON f.id = s.id WHERE `+where, args...)
	if err != nil {
		return nil, nil, fmt.Errorf("look for copies of sessions: %w", err)
	}
	groups, err := a.Identical(ctx, keys)
	copies = map[int64][]string{}
	for _, g := range groups {
		for _, s := range g[1:] {
			hidden = append(hidden, s.Key)
			copies[g[0].Key] = append(copies[g[0].Key], s.Path)
		}
	}
	return hidden, copies, err
}
