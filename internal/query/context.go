package query

import (
	"context"
	"fmt"

	"piarchive/internal/index"
	"piarchive/internal/jsonl"
)

// Context rebuilds what the model is sent at the end of a path.
func (a *Archive) Context(ctx context.Context, session SessionRef, steps []Step) (jsonl.Context, error) {
	kept, err := a.firstKept(ctx, session.Key)
	if err != nil {
		return jsonl.Context{}, err
	}
	var version []int
	if err := a.db.SelectContext(ctx, &version, `SELECT version FROM session WHERE id = ?`, session.Key); err != nil || len(version) == 0 {
		return jsonl.Context{}, fmt.Errorf("read the version of a session: %w", err)
	}
	path := make([]jsonl.PathEntry, len(steps))
	for i, s := range steps {
		line, err := a.StepLine(ctx, s)
		if err != nil {
			return jsonl.Context{}, err
		}
		path[i] = jsonl.PathEntry{ID: s.ID, Line: line, FirstKept: kept[s.Row], Version: version[0]}
	}
	return jsonl.BuildContext(path), nil
}

// firstKept returns the id of the first entry that each compaction keeps.
func (a *Archive) firstKept(ctx context.Context, session int64) (map[int64]string, error) {
	lo, hi := index.Range(session)
	var rows []struct {
		Entry int64  `db:"entry"`
		ID    string `db:"first"`
	}
	err := a.db.SelectContext(ctx, &rows, `SELECT c.entry, coalesce(k.entry_id, c.first_kept_id, '') AS first
 FROM compaction c LEFT JOIN entry k ON k.id = c.first_kept WHERE c.entry BETWEEN ? AND ?`, lo, hi)
	if err != nil {
		return nil, fmt.Errorf("read the compactions of a session: %w", err)
	}
	first := make(map[int64]string, len(rows))
	for _, r := range rows {
		first[r.Entry] = r.ID
	}
	return first, nil
}
