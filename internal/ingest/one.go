package ingest

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/jmoiron/sqlx"

	"piarchive/internal/index"
	"piarchive/internal/places"
)

// One reads a single file into an archive in memory, for questions about a file
// that the archive does not hold, or not as it is now. It has no full text: who
// names a file does not search.
func One(ctx context.Context, path string, now func() time.Time) (*sqlx.DB, error) {
	found, err := places.Stat(path)
	if err != nil {
		return nil, err
	}
	return inMemory(ctx, &job{id: 1, found: found}, now)
}

// Copy is [One] of a file that is not on disk any more.
func Copy(ctx context.Context, found places.Found, content io.ReaderAt, now func() time.Time) (*sqlx.DB, error) {
	return inMemory(ctx, &job{id: 1, found: found, content: content}, now)
}

func inMemory(ctx context.Context, j *job, now func() time.Time) (*sqlx.DB, error) {
	ix, err := index.Memory(ctx)
	if err != nil {
		return nil, err
	}
	r := &run{options: Options{Now: now}, started: now(), ix: ix, building: true, unsearched: true, report: &Report{}}
	defer r.sources.Close()
	err = r.execute(ctx, []*job{j})
	if err == nil && len(r.strays) > 0 {
		if j.content == nil {
			_, err = places.Stat(j.found.Path) // it may have gone away meanwhile
		}
		if err == nil {
			err = fmt.Errorf("read %s: %s", j.found.Path, r.strays[0].Message)
		}
	}
	if err == nil {
		err = ix.Publish(ctx)
	}
	if err != nil {
		ix.Close()
		return nil, err
	}
	return ix.Reader(ctx)
}

// Current reports whether the archive holds a file in the state it is in now. The
// path is absolute and cleaned.
func Current(ctx context.Context, archive sqlx.QueryerContext, path string) (bool, error) {
	found, err := places.Stat(path)
	if err != nil {
		return false, err
	}
	var was []index.Source
	err = sqlx.SelectContext(ctx, archive, &was, `SELECT id, size, file_size, mtime_ns, ctime_ns, inode, read_ns FROM _source WHERE path = ?1
 UNION ALL SELECT 0, size, NULL, mtime_ns, ctime_ns, inode, read_ns FROM _folded WHERE path = ?1`, path)
	if err != nil {
		return false, fmt.Errorf("look up a source: %w", err)
	}
	return len(was) > 0 && unchanged(&was[0], found), nil
}
