package index

import (
	"context"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"piarchive/internal/index/postings"
)

// Software says what made an archive and what reads it now.
type Software struct {
	Schema     int    `db:"user_version"`
	Projection int    `db:"projection"`
	SQLite     string `db:"sqlite"` // of the library in this program
}

// ReadSoftware says what made an archive and what reads it.
func ReadSoftware(ctx context.Context, q sqlx.QueryerContext) (Software, error) {
	var v Software
	err := sqlx.GetContext(ctx, q, &v, `SELECT user_version, (SELECT value FROM _meta WHERE key = 'projection') AS projection,
 sqlite_version() AS sqlite FROM pragma_user_version`)
	if err != nil {
		return v, fmt.Errorf("read what made the archive: %w", err)
	}
	return v, nil
}

// IntegrityCheck lets SQLite look for damage in the structure of the file, the
// full-text index included, and returns what it finds: nothing, when all is
// well. It reads everything, and a read-only connection is enough.
func IntegrityCheck(ctx context.Context, q sqlx.QueryerContext) ([]string, error) {
	var found []string
	if err := sqlx.SelectContext(ctx, q, &found, "PRAGMA integrity_check"); err != nil {
		return nil, fmt.Errorf("check the structure of the archive: %w", err)
	}
	if len(found) == 1 && found[0] == "ok" {
		return nil, nil
	}
	return found, nil
}

// Damaged reports whether err means that an archive is not as it was written.
func Damaged(err error) bool {
	if e, ok := errors.AsType[*sqlite.Error](err); ok && (e.Code()&0xff == sqlite3.SQLITE_CORRUPT || e.Code() == sqlite3.SQLITE_IOERR_SHORT_READ) {
		return true
	}
	return errors.Is(err, ErrDamaged) || errors.Is(err, postings.ErrDamaged)
}

// NoDatabase reports whether err means that SQLite cannot read a file at all.
func NoDatabase(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && e.Code()&0xff == sqlite3.SQLITE_NOTADB
}

// Foreign reports whether err means that a file is no archive of this program,
// be it another program's database, no database at all, or not even a file.
func Foreign(err error) bool {
	return NoDatabase(err) || errors.Is(err, ErrForeign) || errors.Is(err, errIrregular)
}
