package index

import (
	"context"
	"fmt"

	"piarchive/internal/index/postings"
	"piarchive/internal/index/segments"
)

// textBuilder returns what builds the full text of a new archive; nil where FTS5 has begun
// it in a format that is not known.
func (ix *Index) textBuilder(ctx context.Context) (*segments.Builder, error) {
	var version int
	var structure []byte
	row := ix.conn.QueryRowxContext(ctx, `SELECT (SELECT v FROM fts_config WHERE k = 'version'), block FROM fts_data WHERE id = ?`, postings.StructureRow)
	if err := row.Scan(&version, &structure); err != nil {
		return nil, fmt.Errorf("read the structure of the full-text index: %w", err)
	}
	return segments.New(structure, version), nil
}

// buildTexts begins to build the full text of a new archive, if it can; else texts are
// inserted.
func (ix *Index) buildTexts(ctx context.Context) error {
	builder, err := ix.textBuilder(ctx)
	if builder != nil {
		ix.texts = segments.Start(builder)
	}
	return err
}

// endTexts writes what is gathered of texts, and leaves the full text to FTS5. That would
// go on with what it knows of its tables, unless it has to open them anew.
func (ix *Index) endTexts(ctx context.Context) error {
	if ix.texts == nil {
		return nil
	}
	err := ix.texts.End(func(rows []any) error { return ix.Add(ctx, rows...) })
	if ix.texts = nil; err != nil || !ix.open {
		return err
	}
	if err := ix.flush(); err != nil {
		return err
	}
	return ix.run(ctx, "COMMIT", "PRAGMA writable_schema = RESET", "BEGIN IMMEDIATE")
}
