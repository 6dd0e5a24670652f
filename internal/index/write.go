package index

import (
	"context"
	"fmt"
	"strings"

	"github.com/jmoiron/sqlx"
)

// Begin opens a transaction. Readers see all of it or nothing.
func (ix *Index) Begin(ctx context.Context) error {
	if ix.open {
		return nil
	}
	if _, err := ix.conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	ix.open = true
	if ix.building {
		return nil
	}
	return ix.exec(ctx, dropFingerprints)
}

// Commit makes the transaction durable.
func (ix *Index) Commit(ctx context.Context) error {
	if !ix.open {
		return nil
	}
	if !ix.building {
		if err := ix.resolve(ctx); err != nil {
			return err
		}
	}
	if err := ix.flush(); err != nil {
		return err
	}
	if _, err := ix.conn.ExecContext(ctx, "COMMIT"); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	ix.open = false
	return nil
}

// Rollback undoes the transaction. A build has no journal to undo with: there
// the caller clears what it has begun.
func (ix *Index) Rollback(ctx context.Context) error {
	if !ix.open || ix.building {
		return nil
	}
	ix.open, ix.dirty, ix.failed = false, newDirty(), nil
	clear(ix.waiting)
	if _, err := ix.conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK"); err != nil {
		return fmt.Errorf("roll back: %w", err)
	}
	return nil
}

// Building reports whether the archive is new and not yet in its place.
func (ix *Index) Building() bool { return ix.building }

// prepared returns a statement that is prepared once and kept. What waits is
// written first: the statement may look for it.
func (ix *Index) prepared(ctx context.Context, query string) (*sqlx.Stmt, error) {
	if err := ix.flush(); err != nil {
		return nil, err
	}
	if stmt, ok := ix.stmts[query]; ok {
		return stmt, nil
	}
	stmt, err := ix.conn.PreparexContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("prepare %q: %w", firstLine(query), err)
	}
	ix.stmts[query] = stmt
	return stmt, nil
}

func (ix *Index) exec(ctx context.Context, query string, args ...any) error {
	stmt, err := ix.prepared(ctx, query)
	if err != nil {
		return err
	}
	// For a context that can end the driver starts a goroutine for every statement.
	// These take microseconds: who writes many looks at the context between them.
	if _, err := stmt.ExecContext(context.WithoutCancel(ctx), args...); err != nil {
		return fmt.Errorf("run %q: %w", firstLine(query), err)
	}
	return nil
}

// get reads one row into dest, and list all of them.
func (ix *Index) get(ctx context.Context, dest any, query string, args ...any) error {
	stmt, err := ix.prepared(ctx, query)
	if err != nil {
		return err
	}
	return stmt.GetContext(ctx, dest, args...)
}

func (ix *Index) list(ctx context.Context, dest any, query string, args ...any) error {
	stmt, err := ix.prepared(ctx, query)
	if err != nil {
		return err
	}
	return stmt.SelectContext(ctx, dest, args...)
}

func firstLine(query string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(query), "\n")
	return line
}

// Clear removes everything of a source but its versions.
func (ix *Index) Clear(ctx context.Context, source int64) error {
	if err := ix.endTexts(ctx); err != nil { // of a build
		return err
	}
	lo, hi := Range(source)
	if err := ix.markCopies(ctx, lo, hi); err != nil {
		return err
	}
	if err := ix.markEnclosing(ctx, source); err != nil {
		return err
	}
	delete(ix.dirty.sessions, source)
	for _, rows := range []struct {
		key    string
		tables []string
	}{
		{"rowid", []string{"fts"}},
		{"entry", []string{"_token_use", "_tool_call", "_tool_result", "_error_line", "_file_touch", "_label", "_compaction"}},
		{"id", []string{"_prose", "_entry", "_raw"}},
	} {
		for _, table := range rows.tables {
			if err := ix.exec(ctx, `DELETE FROM `+table+` WHERE `+rows.key+` BETWEEN ? AND ?`, lo, hi); err != nil {
				return err
			}
		}
	}
	for _, table := range []string{"_problem", "_folded"} {
		if err := ix.exec(ctx, `DELETE FROM `+table+` WHERE source = ?`, source); err != nil {
			return err
		}
	}
	if err := ix.clearRollups(ctx, source); err != nil {
		return err
	}
	return ix.clearState(ctx, source)
}

// clearState removes the rows of a source and of its session themselves.
func (ix *Index) clearState(ctx context.Context, source int64) error {
	if err := ix.exec(ctx, `DELETE FROM _session WHERE id = ?`, source); err != nil {
		return err
	}
	return ix.exec(ctx, `DELETE FROM _source WHERE id = ?`, source)
}

// ClearTail removes what was stored of a source from offset on, its watermark,
// behind which there are no entries: raw blocks from the one that offset lies
// in, and problems.
func (ix *Index) ClearTail(ctx context.Context, source, offset int64) error {
	lo, hi := Range(source)
	if err := ix.exec(ctx, `DELETE FROM _raw WHERE id BETWEEN ? AND ?`, lo|offset/BlockSize, hi); err != nil {
		return err
	}
	return ix.exec(ctx, `DELETE FROM _problem WHERE source = ? AND offset >= ?`, source, offset)
}

// SetMissing records when a file was found gone, or nil when it is back.
func (ix *Index) SetMissing(ctx context.Context, source int64, at *int64) error {
	lo, hi := Range(source)
	if err := ix.markCopies(ctx, lo, hi); err != nil {
		return err
	}
	return ix.exec(ctx, `UPDATE _source SET missing_at = ? WHERE id = ?`, at, source)
}

// SetRoot records under which root a file was found.
func (ix *Index) SetRoot(ctx context.Context, source int64, root string) error {
	return ix.exec(ctx, `UPDATE _source SET root = ? WHERE id = ?`, root, source)
}

// Moved notes that the file of a source, which was at one path, is found under another.
func (ix *Index) Moved(ctx context.Context, source int64, was, path string) error {
	if ix.building { // all is new, under the path it has now
		return nil
	}
	lo, hi := Range(source)
	if err := ix.markCopies(ctx, lo, hi); err != nil {
		return err
	}
	if err := ix.markEnclosing(ctx, source); err != nil {
		return err
	}
	ix.dirty.paths[was], ix.dirty.paths[path] = true, true
	return ix.exec(ctx, `UPDATE _problem SET path = ? WHERE source = ?`, path, source)
}

// SetMeta writes a value about the archive as a whole.
func (ix *Index) SetMeta(ctx context.Context, key string, value any) error {
	return ix.exec(ctx, `INSERT OR REPLACE INTO _meta VALUES (?,?)`, key, value)
}

// ClearStrays removes the problems of files that were never read; every run
// finds them anew.
func (ix *Index) ClearStrays(ctx context.Context) error {
	return ix.exec(ctx, `DELETE FROM _problem WHERE source IS NULL`)
}

// Query reads what the writer has written so far, for ingest to compare with.
func (ix *Index) Query() sqlx.QueryerContext {
	ix.flush() // an error stays, and fails what comes next
	return ix.conn
}
