package index

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/jmoiron/sqlx"
	"modernc.org/sqlite"
)

// OpenReader opens the archive at path for reading. Nothing can be written, no
// other file attached and none created through the connection. SQL has the given
// functions beside SQLite's own. No statement may be running when it is closed.
func OpenReader(ctx context.Context, path string, functions ...Function) (*sqlx.DB, error) {
	return openFile(ctx, path, false, functions)
}

// OpenOlder is [OpenReader] for a rebuild, which takes over from an outdated
// archive what no file holds any more.
func OpenOlder(ctx context.Context, path string) (*sqlx.DB, error) {
	return openFile(ctx, path, true, nil)
}

func openFile(ctx context.Context, path string, older bool, functions []Function) (*sqlx.DB, error) {
	if err := Usable(path); err != nil {
		return nil, err
	}
	defer lockToOpen(ctx, path)()
	path = readable(path)
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("open archive: %w", err)
	}
	db, err := openReader(ctx, path, "ro", older, functions)
	if err == nil || errors.Is(err, ErrForeign) || errors.Is(err, ErrNewer) || errors.Is(err, ErrOutdated) || ctx.Err() != nil {
		return db, err
	}
	// In a directory that may not be written, a reader cannot make the shared
	// memory file; without a log beside the archive, or with nothing in it, it
	// needs none.
	if info, statErr := os.Stat(path + "-wal"); errors.Is(statErr, fs.ErrNotExist) || statErr == nil && info.Size() == 0 {
		if db, err := openReader(ctx, path, "immutable", older, functions); err == nil {
			return db, nil
		}
	}
	if ObstacleOf(err) == Closed {
		if cause := denied(path, false); cause != nil { // SQLite does not say
			err = fmt.Errorf("open archive %s: %w", path, cause)
		}
	}
	return nil, err
}

func openReader(ctx context.Context, path, mode string, older bool, functions []Function) (*sqlx.DB, error) {
	name := dsn(path, "ro", "query_only(1)", "busy_timeout(5000)", "mmap_size(1073741824)", "cache_size(-16000)", "trusted_schema(0)")
	if mode == "immutable" {
		name += "&immutable=1"
	}
	connector, err := newHosted(name, functions)
	if err != nil {
		return nil, fmt.Errorf("open archive %s: %w", path, err)
	}
	db := sqlx.NewDb(sql.OpenDB(connector), "sqlite")
	// One connection, so that a question sees one state of the archive.
	db.SetMaxOpenConns(1)
	conn, err := db.Connx(ctx)
	if err != nil {
		db.Close()
		return nil, fmt.Errorf("open archive %s: %w", path, err)
	}
	err = check(ctx, conn, path)
	if older && errors.Is(err, ErrOutdated) {
		err = nil
	}
	if err := errors.Join(err, conn.Close()); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// Reader turns an archive in memory into one that can only be read.
func (ix *Index) Reader(ctx context.Context) (*sqlx.DB, error) {
	if ix.path != "" {
		return nil, errors.New("only an archive in memory is read through its writer")
	}
	ix.finalize()
	if _, err := ix.conn.ExecContext(ctx, "PRAGMA query_only = 1"); err != nil {
		return nil, fmt.Errorf("make the archive read-only: %w", err)
	}
	if err := errors.Join(forbidAttach(ix.conn.Conn), ix.conn.Close()); err != nil {
		return nil, fmt.Errorf("make the archive read-only: %w", err)
	}
	ix.db.SetMaxIdleConns(1)
	ix.db.SetConnMaxLifetime(0)
	return ix.db, nil
}

// forbidAttach sets the number of databases that may be attached to 0: ATTACH
// and VACUUM INTO would create files even on a read-only connection.
func forbidAttach(conn *sql.Conn) error {
	const limitAttached = 7 // SQLITE_LIMIT_ATTACHED
	if _, err := sqlite.Limit(conn, limitAttached, 0); err != nil {
		return fmt.Errorf("forbid ATTACH: %w", err)
	}
	return nil
}

// confined opens connections with that limit. Each has to have it, since after an
// interrupted query database/sql goes on with another connection.
type confined struct{ driver.Connector }

// Connect implements driver.Connector.
func (c confined) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	// The limit is set through a pool that has nothing but this connection, and
	// that is closed while the connection is out, which leaves it open.
	pool := sql.OpenDB(opened{c.Connector, conn})
	defer pool.Close()
	out, err := pool.Conn(ctx)
	if err == nil {
		err = forbidAttach(out)
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// opened hands out a connection that is there already.
type opened struct {
	driver.Connector
	conn driver.Conn
}

// Connect implements driver.Connector.
func (o opened) Connect(context.Context) (driver.Conn, error) { return o.conn, nil }
