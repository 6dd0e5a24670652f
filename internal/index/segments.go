package index

import (
	"context"
	"fmt"

	"piarchive/internal/index/postings"
)

// spreadSegments gives the segments of a finished build levels of their own. FTS5 keeps
// its index in segments, on levels: newer and smaller ones below. It merges the segments
// of a level when there are a few of them. A build leaves many large segments on one
// level, so the first small write to the archive would merge them: seconds of work, and
// a file half as large again. On levels of their own they are merged only when as much
// has come from below.
func (ix *Index) spreadSegments(ctx context.Context) error {
	const row = 10 // of the record of segments, in all archives in the world
	var record []byte
	if err := ix.conn.QueryRowxContext(ctx, `SELECT block FROM fts_data WHERE id = ?`, row).Scan(&record); err != nil {
		return fmt.Errorf("read the structure of the full-text index: %w", err)
	}
	spread, ok := postings.Spread(record)
	if !ok {
		return nil // merging is only slower
	}
	if _, err := ix.conn.ExecContext(ctx, `UPDATE fts_data SET block = ? WHERE id = ?`, spread, row); err != nil {
		return fmt.Errorf("write the structure of the full-text index: %w", err)
	}
	return nil
}
