// Package query is the archive as one handle that only reads: [Open] it, [Archive.Hold]
// or [Archive.Steady] it in one state, and hand it to the rooms below, which answer
// questions. It says what all of them have to agree on: which sessions are seen
// ([Archive.Within]), how sessions and entries are named ([SessionRef], [EntryRef],
// [Archive.FindSession]), how many lines are read ([Archive.EachLine]), what an answer
// is based on ([Archive.Coverage]). SQL of people ([Archive.SQL]) is answered here.
//
// There is one connection, used from one goroutine: rows are closed before the next
// question is asked.
package query

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"

	"piarchive/internal/index"
)

// Archive is an archive opened for reading. It is used from one goroutine.
type Archive struct {
	db        *sqlx.DB
	raw       *index.Raw
	path      string        // "" for one in memory
	roots     []string      // when set, only sessions below them exist
	all       bool          // in the state that is read, every source lies below the roots
	held      bool          // a transaction is open until the end
	functions *sqlFunctions // nil for an archive in memory

	Pending *Pending // what was left over when it was brought up to date; nil if it was not
}

// Pending is what the files hold and the archive does not yet.
type Pending struct {
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
}

// Open opens the archive at path. With roots, only the sessions below these
// directories are seen.
func Open(ctx context.Context, path string, roots []string) (*Archive, error) {
	functions := &sqlFunctions{}
	db, err := index.OpenReader(ctx, path, functions.list()...)
	if err != nil {
		return nil, err
	}
	return &Archive{db: db, raw: index.NewRaw(db), path: path, roots: roots, functions: functions}, nil
}

// New reads an archive in memory, which it closes in the end.
func New(db *sqlx.DB) *Archive { return &Archive{db: db, raw: index.NewRaw(db)} }

// Close ends the use of the archive.
func (a *Archive) Close() error { return a.db.Close() }

// Path returns where the archive lies, "" for one in memory.
func (a *Archive) Path() string { return a.path }

// DB gives the read-only connection.
func (a *Archive) DB() *sqlx.DB { return a.db }

// Raw gives the bytes of the files, in the state that is being read: Steady and
// Hold replace it.
func (a *Archive) Raw() *index.Raw { return a.raw }

// Unmap reads the file from now on instead of mapping it into memory, of which little is
// then seen to be used.
func (a *Archive) Unmap(ctx context.Context) error { return index.NewAsker(a.db).Unmap(ctx) }

// Hold keeps the archive, for all that is asked from now on, in the state of the
// first question, whatever another run writes meanwhile: an answer is often made
// from several, and a session may be replaced between two of them.
func (a *Archive) Hold(ctx context.Context) error {
	if _, err := a.db.ExecContext(ctx, "BEGIN"); err != nil {
		return fmt.Errorf("begin to read: %w", err)
	}
	a.raw = index.NewRaw(a.db) // the other may remember a block of an earlier state
	a.held = true
	return a.lookAround(ctx)
}

// Steady runs f on one state of the archive, whatever another run writes
// meanwhile. There is one connection, so what f asks is part of it.
func (a *Archive) Steady(ctx context.Context, f func() error) error {
	if a.held {
		return f()
	}
	if _, err := a.db.ExecContext(ctx, "BEGIN"); err != nil {
		return fmt.Errorf("begin to read: %w", err)
	}
	a.raw = index.NewRaw(a.db) // the other remembers a block of an earlier state
	err := a.lookAround(ctx)
	if err == nil {
		err = f()
	}
	a.all = false
	if _, endErr := a.db.ExecContext(context.WithoutCancel(ctx), "COMMIT"); err == nil && endErr != nil {
		return fmt.Errorf("end reading: %w", endErr)
	}
	return err
}

// Holds reports whether a file at path or below it was ever read.
func (a *Archive) Holds(ctx context.Context, path string) (held bool, err error) {
	in, args := below([]string{path}, "path")
	if err := a.db.GetContext(ctx, &held, `SELECT EXISTS (SELECT 1 FROM _source WHERE `+in+`)`, args...); err != nil {
		return false, fmt.Errorf("look for files below %s: %w", path, err)
	}
	return held, nil
}

// Within is a condition on session s and its source f, "1" if all will do: the
// file lies below the roots and, unless value is "", the project is one that
// project:value asks for.
func (a *Archive) Within(value string) (string, []any) {
	in, args := a.rootFilter("f.path")
	if value == "" {
		return in, args
	}
	asked, values := InProject(value, "")
	return in + " AND " + asked, append(args, values...)
}

// Coverage says what an answer is based on.
type Coverage struct {
	Files     int         // session files in the archive
	Missing   int         // sessions whose file is gone
	Problems  []KindCount // what could not be taken as it is, by kind
	IndexedAt *time.Time  // when the files were last looked at; nil for an archive in memory
	Pending   *Pending    // what was left for later then, if that is known
}

// Coverage counts what the archive holds and what it could not take.
func (a *Archive) Coverage(ctx context.Context) (Coverage, error) {
	c := Coverage{Pending: a.Pending}
	in, args := a.rootFilter("f.path")
	files := `SELECT count(*) FROM _session`
	if in != "1" {
		files = `SELECT count(*) FROM _source f WHERE EXISTS (SELECT 1 FROM _session s WHERE s.id = f.id) AND ` + in
	}
	var row struct {
		Files     int    `db:"files"`
		Missing   int    `db:"missing"`
		IndexedAt *int64 `db:"indexed_at"`
	}
	err := a.db.GetContext(ctx, &row, `SELECT (`+files+`) AS files,
 (SELECT count(*) FROM _source f INDEXED BY source_missing WHERE f.missing_at IS NOT NULL AND EXISTS (SELECT 1 FROM _session s WHERE s.id = f.id) AND `+in+`) AS missing,
 (SELECT value FROM _meta WHERE key = 'indexed_at') AS indexed_at`, append(slices.Clip(args), args...)...)
	if err != nil {
		return c, fmt.Errorf("count what the archive covers: %w", err)
	}
	c.Files, c.Missing = row.Files, row.Missing
	if c.Problems, err = a.problemKinds(ctx); err != nil {
		return c, err
	}
	if row.IndexedAt != nil {
		at := time.UnixMilli(*row.IndexedAt)
		if checked := index.Checked(a.path); checked.After(at) {
			at = checked
		}
		c.IndexedAt = &at
	}
	return c, nil
}

// problemKinds counts what could not be taken as it is.
func (a *Archive) problemKinds(ctx context.Context) (kinds []KindCount, err error) {
	in, args := a.rootFilter("path")
	err = a.db.SelectContext(ctx, &kinds, `SELECT kind AS name, count(*) AS count FROM problems WHERE `+in+` GROUP BY 1 ORDER BY 2 DESC, 1`, args...)
	if err != nil {
		return nil, fmt.Errorf("count the problems: %w", err)
	}
	return kinds, nil
}
