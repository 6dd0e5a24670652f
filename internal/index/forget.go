package index

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/jmoiron/sqlx"

	"piarchive/internal/index/postings"
)

// Forget removes all that the archive holds of sources, their earlier versions
// too, in one transaction, and returns those it has removed. It leaves out those
// that are no longer as the caller has seen them: by id, path, size and since when
// they are missing.
func (ix *Index) Forget(ctx context.Context, sources []Source) (gone []Source, err error) {
	return ix.remove(ctx, sources, func(s *Source) (bool, error) {
		var same int
		err := ix.get(ctx, &same, `SELECT count(*) FROM _source WHERE id = ? AND path = ? AND size = ? AND missing_at IS ?`, s.ID, s.Path, s.Size, s.MissingAt)
		if err != nil || same == 0 {
			return false, err
		}
		if err := ix.Clear(ctx, s.ID); err != nil {
			return false, err
		}
		return true, ix.ClearVersions(ctx, s.ID)
	})
}

// remove calls forget with each source, in one transaction, and returns those of
// which something was removed, as forget reports. FTS5 would merge segments after
// every few rows, which takes twenty times as long as all the rest, and half of it
// is for nothing while more rows go. It merges when something is added again, or in
// [Index.mergeText].
func (ix *Index) remove(ctx context.Context, sources []Source, forget func(*Source) (bool, error)) (gone []Source, err error) {
	merging := func(segments, percent int) error {
		return errors.Join(
			ix.exec(ctx, `INSERT INTO fts(fts, rank) VALUES ('automerge', ?)`, segments),
			ix.exec(ctx, `INSERT INTO fts(fts, rank) VALUES ('deletemerge', ?)`, percent))
	}
	if err = ix.Begin(ctx); err == nil {
		err = merging(0, 0)
	}
	for i := 0; i < len(sources) && err == nil; i++ {
		var went bool
		went, err = forget(&sources[i])
		if went {
			gone = append(gone, sources[i])
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			err = fmt.Errorf("forget %s: %w", sources[i].Path, err)
		}
	}
	if err == nil {
		err = merging(postings.MergeBegins, deleteMergePercent)
	}
	if err != nil {
		return gone, errors.Join(err, ix.Rollback(ctx))
	}
	return gone, ix.Commit(ctx)
}

// deleteMergePercent is FTS5's own default.
const deleteMergePercent = 10

// ForgetVersions removes the earlier versions of sources that were replaced up
// to a moment, in Unix milliseconds, and returns the sources that had such, and
// are still of that id and path. A version is stored as its difference from the one
// after it: where one stays, all that come behind it stay, even if a clock that was
// set back makes them look older.
func (ix *Index) ForgetVersions(ctx context.Context, sources []Source, until int64) (gone []Source, err error) {
	return ix.remove(ctx, sources, func(s *Source) (bool, error) {
		lo, hi := Range(s.ID)
		var last *int64
		err := ix.get(ctx, &last, `SELECT max(v.id) FROM _version v JOIN _source f ON f.id = ? AND f.path = ? WHERE v.id BETWEEN ? AND ? AND v.id <
 coalesce((SELECT min(id) FROM _version WHERE id BETWEEN ? AND ? AND replaced_at > ?), ? + 1)`, s.ID, s.Path, lo, hi, lo, hi, until, hi)
		if err != nil || last == nil {
			return false, err
		}
		return true, ix.clearVersions(ctx, lo, *last)
	})
}

// Space is what the file of an archive is made of, in bytes.
type Space struct {
	Total int64 `db:"total"`
	Free  int64 `db:"free"` // of these, for new rows
}

// ReadSpace measures an archive.
func ReadSpace(ctx context.Context, q sqlx.QueryerContext) (Space, error) {
	var s Space
	err := sqlx.GetContext(ctx, q, &s, `SELECT page_size * page_count AS total, page_size * freelist_count AS free FROM pragma_page_size, pragma_page_count, pragma_freelist_count`)
	if err != nil {
		return s, fmt.Errorf("measure the archive: %w", err)
	}
	return s, nil
}

// mergeText removes from the full-text index what belongs to entries that are
// gone: FTS5 only marks it until its segments are merged. That is done in steps
// of some pages, so that what waits for the log to end, or for the program to
// stop, does not wait long.
func (ix *Index) mergeText(ctx context.Context) error {
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
	file := path + building
	err = ix.mergeText(ctx)
	if err == nil {
		err = copyTo(ctx, ix.conn, file)
	}
	if err = errors.Join(err, ix.Close()); err == nil {
		err = replace(ctx, file, path)
	}
	if err != nil {
		os.Remove(file)
		return fmt.Errorf("compact archive: %w", err)
	}
	return nil
}
