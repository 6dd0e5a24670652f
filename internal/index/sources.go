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
