package index

import (
	"bytes"
	"context"
	"fmt"

	"piarchive/internal/index/segments"
)

// builtText is how much is gathered of the full text of a build before it is written as
// a segment: about half of the memory that it takes.
const builtText = 16 << 20

// buildTexts begins to build the full text of a new archive. Where FTS5 has begun it in
// a format that is not known, texts are inserted.
func (ix *Index) buildTexts(ctx context.Context) error {
	var version int
	var structure []byte
	row := ix.conn.QueryRowxContext(ctx, `SELECT (SELECT v FROM fts_config WHERE k = 'version'), block FROM fts_data WHERE id = ?`, structureRow)
	if err := row.Scan(&version, &structure); err != nil {
		return fmt.Errorf("read the structure of the full-text index: %w", err)
	}
	ix.texts = segments.New((*textRows)(ix), structure, version)
	return nil
}

// addText adds a text to a build.
func (ix *Index) addText(t *Text) error {
	if ix.texts.Bytes() > builtText || t.ID <= ix.texts.Last() {
		if err := ix.texts.Flush(); err != nil {
			return err
		}
	}
	return ix.texts.Add(t.ID, t.Columns)
}

// endTexts writes what is gathered of texts, and leaves the full text to FTS5. That would
// go on with what it knows of its tables, unless it has to open them anew.
func (ix *Index) endTexts(ctx context.Context) error {
	if ix.texts == nil {
		return nil
	}
	err := ix.conn.Raw(func(conn any) error {
		ix.driverConn = conn
		return ix.texts.Flush()
	})
	if ix.texts = nil; err != nil || !ix.open {
		return err
	}
	if err := ix.flush(); err != nil {
		return err
	}
	return ix.run(ctx, "COMMIT", "PRAGMA writable_schema = RESET", "BEGIN IMMEDIATE")
}

// textRows takes rows of FTS5's tables.
type textRows Index

type (
	textPage struct {
		ID    int64
		Block []byte
	}
	textTerm struct {
		Segment int
		Term    []byte
		Page    int64
	}
	textSize struct {
		Row    int64
		Tokens []byte
		Origin int64
	}
)

// Data implements [segments.Tables].
func (r *textRows) Data(id int64, block []byte) error {
	r.waits += len(block)
	return r.add(&textPage{id, bytes.Clone(block)})
}

// Index implements [segments.Tables].
func (r *textRows) Index(segment int, term []byte, page int64) error {
	return r.add(&textTerm{segment, append([]byte{}, term...), page})
}

// Size implements [segments.Tables].
func (r *textRows) Size(row int64, tokens []byte, origin int64) error {
	return r.add(&textSize{row, tokens, origin})
}

func (r *textRows) add(row any) error { return (*Index)(r).putRow(r.driverConn, row) }
