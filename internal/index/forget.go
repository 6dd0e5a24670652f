package index

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
)

// Forget removes all that the archive holds of a source, the lines that
// rewrites dropped among it. It removes nothing, and says so, if the source is
// no longer the one that the caller has seen: of that id, path and size, and
// missing since then.
func (ix *Index) Forget(ctx context.Context, s Source) (bool, error) {
	var same int
	err := ix.get(ctx, &same, `SELECT count(*) FROM source WHERE id = ? AND path = ? AND size = ? AND missing_at IS ?`, s.ID, s.Path, s.Size, s.MissingAt)
	if err != nil {
		return false, fmt.Errorf("look for a source: %w", err)
	}
	if same == 0 {
		return false, nil
	}
	if err := ix.Clear(ctx, s.ID); err != nil {
		return false, err
	}
	for _, query := range []string{`DELETE FROM superseded WHERE session = ?`, `DELETE FROM source WHERE id = ?`} {
		if err := ix.exec(ctx, query, s.ID); err != nil {
			return false, err
		}
	}
	return true, nil
}

// ForgetDropped removes the lines of a source that rewrites dropped up to a
// moment, in Unix milliseconds, and returns how many rewrites that were.
func (ix *Index) ForgetDropped(ctx context.Context, source, until int64) (int, error) {
	var rewrites int
	if err := ix.get(ctx, &rewrites, `SELECT count(*) FROM superseded WHERE session = ? AND replaced_at <= ?`, source, until); err != nil {
		return 0, fmt.Errorf("count the dropped lines of a source: %w", err)
	}
	return rewrites, ix.exec(ctx, `DELETE FROM superseded WHERE session = ? AND replaced_at <= ?`, source, until)
}

// Space is what the file of an archive is made of, in bytes.
type Space struct {
	Total int64
	Free  int64 // is used again, and is still there
}

// ReadSpace measures an archive.
func ReadSpace(ctx context.Context, q sqlx.QueryerContext) (Space, error) {
	var pages struct {
		Size  int64 `db:"page_size"`
		Total int64 `db:"page_count"`
		Free  int64 `db:"freelist_count"`
	}
	err := sqlx.GetContext(ctx, q, &pages, `SELECT page_size, page_count, freelist_count FROM pragma_page_size, pragma_page_count, pragma_freelist_count`)
	if err != nil {
		return Space{}, fmt.Errorf("measure the archive: %w", err)
	}
	return Space{Total: pages.Total * pages.Size, Free: pages.Free * pages.Size}, nil
}

// MergeText removes from the full-text index what belongs to entries that are
// gone: FTS5 only marks it until its segments are merged. That is done in steps
// of some pages, so that what waits for the log to end, or for the program to
// stop, does not wait long.
func (ix *Index) MergeText(ctx context.Context) error {
	const pages = 2000 // of a step
	// The first call that asks for a negative number makes one merge of all
	// segments, the others go on with it; which changes but a row when done.
	for step := -pages; ; step = pages {
		before, err := ix.changes(ctx)
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = ix.exec(ctx, `INSERT INTO fts(fts, rank) VALUES ('merge', ?)`, step)
		}
		if err != nil {
			return fmt.Errorf("merge the full-text index: %w", err)
		}
		if after, err := ix.changes(ctx); err != nil || after-before < 2 {
			return err
		}
	}
}

func (ix *Index) changes(ctx context.Context) (int64, error) {
	var n int64
	err := ix.get(ctx, &n, `SELECT total_changes()`)
	return n, err
}

// Compact writes the archive at path anew, without what is free in it, and
// swaps. The caller holds the lock. Who reads the archive goes on reading it as
// it was.
func Compact(ctx context.Context, path string) error {
	ix, err := Open(ctx, path)
	if err != nil {
		return err
	}
	file := path + building + uuid.NewString()
	err = ix.MergeText(ctx)
	if err == nil {
		err = ix.copyTo(ctx, file)
	}
	if err = errors.Join(err, ix.Close()); err == nil {
		settle(ctx, path)
		err = swap(file, path)
	}
	if err != nil {
		os.Remove(file)
		return fmt.Errorf("compact archive: %w", err)
	}
	return nil
}
