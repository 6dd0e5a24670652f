package index

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// Sources returns every source the archive knows, without hashes and resume
// state.
func Sources(ctx context.Context, q sqlx.QueryerContext) ([]Source, error) {
	var all []Source
	err := sqlx.SelectContext(ctx, q, &all, `SELECT id, size, mtime_ns, ctime_ns, inode, read_ns, watermark, lines, missing_at, path, root FROM source`)
	if err != nil {
		return nil, fmt.Errorf("read the known sources: %w", err)
	}
	return all, nil
}

// SourceState returns one source with all its columns.
func SourceState(ctx context.Context, q sqlx.QueryerContext, id int64) (Source, error) {
	var s Source
	if err := sqlx.GetContext(ctx, q, &s, `SELECT * FROM source WHERE id = ?`, id); err != nil {
		return s, fmt.Errorf("read source %d: %w", id, err)
	}
	return s, nil
}

// Subagents returns, by source, the session that each subagent's session was
// made for.
func Subagents(ctx context.Context, q sqlx.QueryerContext) (map[int64]string, error) {
	var rows []struct {
		ID        int64  `db:"id"`
		Enclosing string `db:"enclosing"`
	}
	if err := sqlx.SelectContext(ctx, q, &rows, `SELECT id, coalesce(enclosing, '') AS enclosing FROM session WHERE kind = 'subagent'`); err != nil {
		return nil, fmt.Errorf("read the known subagents: %w", err)
	}
	enclosing := make(map[int64]string, len(rows))
	for _, r := range rows {
		enclosing[r.ID] = r.Enclosing
	}
	return enclosing, nil
}
