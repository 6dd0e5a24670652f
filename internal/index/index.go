// Package index owns the one SQLite file: where it lies, how it is opened,
// locked, built and swapped, and every row that is written to it. It takes flat
// rows and knows nothing of the files they come from.
package index

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/jmoiron/sqlx"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"piarchive/internal/index/postings"
	"piarchive/schema"
)

// Errors that callers tell apart.
var (
	ErrNewer    = errors.New("the archive was written by a newer piarchive")
	ErrForeign  = errors.New("not an archive of piarchive")
	ErrOutdated = errors.New("the archive is of an older layout; `piarchive index` brings it up to date")
)

// Index is an archive opened for writing. It is used from one goroutine.
type Index struct {
	db       *sqlx.DB
	conn     *sqlx.Conn
	path     string // where the archive belongs; "" for one in memory
	file     string // where it is being written
	building bool   // a first build: no journal, nothing to lose
	open     bool   // a transaction is open
	stmts    map[string]*sqlx.Stmt
	inserts  map[batch]driver.Stmt
	named    []driver.NamedValue // reused from insert to insert
	waiting  map[*table][]driver.Value
	waits    int   // bytes of it, about
	failed   error // of writing it
	dirty    *dirty
}

// Exists reports whether there is a file at path that could be an archive.
func Exists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() > 0
}

// Open opens the archive at path for writing. The caller holds the lock.
func Open(ctx context.Context, path string) (*Index, error) {
	ix, err := open(ctx, path)
	if ObstacleOf(err) == Closed {
		if cause := denied(path); cause != nil { // SQLite does not say
			err = fmt.Errorf("open archive %s: %w", path, cause)
		}
	}
	return ix, err
}

func open(ctx context.Context, path string) (*Index, error) {
	ix, err := connect(ctx, path, path, "synchronous(normal)", "busy_timeout(5000)", "cache_size(-32000)", "journal_size_limit(16777216)")
	if err != nil {
		return nil, err
	}
	err = check(ctx, ix.conn, path)
	for _, statement := range []string{
		// Not before the check: it is a mark in the file, and the file may be another program's.
		"PRAGMA journal_mode = wal",
		// A file that may only be read is opened all the same. This changes nothing,
		// and fails there before a run has begun its work.
		"DELETE FROM meta WHERE 0",
	} {
		if err != nil {
			break
		}
		if _, err = ix.conn.ExecContext(ctx, statement); err != nil {
			err = fmt.Errorf("open archive %s: %w", path, err)
		}
	}
	if err != nil {
		ix.Close()
		return nil, err
	}
	return ix, nil
}

// Build creates a new archive beside path. [Index.Publish] puts it there;
// until then whatever lies at path stays as it is. The caller holds the lock.
func Build(ctx context.Context, path string) (*Index, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("create the archive's directory: %w", err)
	}
	file := path + building
	ix, err := create(ctx, path, file)
	if err != nil {
		os.Remove(file)
	}
	return ix, err
}

// Memory creates an archive that lives as long as it is open.
func Memory(ctx context.Context) (*Index, error) { return create(ctx, "", ":memory:") }

func create(ctx context.Context, path, file string) (*Index, error) {
	if path != "" {
		f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, fmt.Errorf("create archive: %w", err)
		}
		f.Close()
	}
	// Nothing is lost when a first build dies, so it needs no journal; and
	// nobody else can see the file, so it needs no locks.
	ix, err := connect(ctx, path, file, "journal_mode(off)", "synchronous(off)", "locking_mode(exclusive)", "cache_size(-16000)", "temp_store(memory)")
	if err != nil {
		return nil, err
	}
	ix.building = true
	for _, statement := range []string{
		fmt.Sprintf("PRAGMA application_id = %d", schema.ApplicationID),
		fmt.Sprintf("PRAGMA user_version = %d", schema.Version),
		schema.Tables, schema.Views,
		"INSERT INTO fts(fts, rank) VALUES ('hashsize', 16777216)",
		"INSERT INTO fts(fts, rank) VALUES ('automerge', 0)",
		"INSERT INTO fts(fts, rank) VALUES ('crisismerge', 150)",
		fmt.Sprintf("INSERT INTO meta VALUES ('projection', %d)", schema.Projection),
	} {
		if _, err := ix.conn.ExecContext(ctx, statement); err != nil {
			ix.Close()
			return nil, fmt.Errorf("create archive: %w", err)
		}
	}
	return ix, nil
}

func connect(ctx context.Context, path, file string, pragmas ...string) (*Index, error) {
	db, err := sqlx.Open("sqlite", dsn(file, "rwc", pragmas...))
	if err != nil {
		return nil, fmt.Errorf("open archive %s: %w", file, err)
	}
	db.SetMaxOpenConns(1)
	conn, err := db.Connx(ctx)
	if err != nil {
		db.Close()
		return nil, fmt.Errorf("open archive %s: %w", file, err)
	}
	return &Index{db: db, conn: conn, path: path, file: file, stmts: map[string]*sqlx.Stmt{}, inserts: map[batch]driver.Stmt{}, waiting: map[*table][]driver.Value{}, dirty: newDirty()}, nil
}

// dsn spells the driver's data source name. It is a URL, so that no character
// of a path can be taken for an option.
func dsn(file, mode string, pragmas ...string) string {
	if file == ":memory:" {
		mode = "memory"
	} else if whole, err := filepath.Abs(file); err == nil {
		file = whole
	}
	q := url.Values{"mode": {mode}, "_pragma": pragmas}
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(file), RawQuery: q.Encode()}
	if !strings.HasPrefix(u.Path, "/") && mode != "memory" {
		u.Path = "/" + u.Path // a Windows drive
	}
	if mode == "memory" {
		u.Opaque, u.Path = ":memory:", ""
	}
	return u.String()
}

// check refuses what is not an archive this program can write.
func check(ctx context.Context, q sqlx.QueryerContext, path string) error {
	var application, version, projection int
	if err := sqlx.GetContext(ctx, q, &application, "PRAGMA application_id"); err != nil {
		return fmt.Errorf("open archive %s: %w", path, err)
	}
	if application != schema.ApplicationID {
		return fmt.Errorf("open archive %s: %w", path, ErrForeign)
	}
	if err := sqlx.GetContext(ctx, q, &version, "PRAGMA user_version"); err != nil {
		return fmt.Errorf("open archive %s: %w", path, err)
	}
	err := sqlx.GetContext(ctx, q, &projection, "SELECT value FROM meta WHERE key = 'projection'")
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("open archive %s: %w", path, err)
	}
	switch {
	case version > schema.Version || projection > schema.Projection:
		return fmt.Errorf("open archive %s: %w", path, ErrNewer)
	case version < schema.Version || projection < schema.Projection:
		return fmt.Errorf("open archive %s: %w", path, ErrOutdated)
	}
	return nil
}

// building is what the name of an archive gets while it is made: who makes it has
// the lock.
const building = ".building"

// removeDatabase removes a database with its logs.
func removeDatabase(file string) {
	for _, suffix := range []string{"", "-journal", "-wal", "-shm"} {
		os.Remove(file + suffix)
	}
}

// Publish finishes a build: indexes and the swap.
func (ix *Index) Publish(ctx context.Context) error {
	if err := ix.flush(); err != nil {
		return fmt.Errorf("finish archive: %w", err)
	}
	if _, err := ix.conn.ExecContext(ctx, schema.Indexes); err != nil {
		return fmt.Errorf("finish archive: %w", err)
	}
	if err := ix.resolveAll(ctx); err != nil {
		return fmt.Errorf("finish archive: %w", err)
	}
	for _, statement := range []string{
		"INSERT INTO fts(fts, rank) VALUES ('hashsize', 1048576)",
		fmt.Sprintf("INSERT INTO fts(fts, rank) VALUES ('automerge', %d)", postings.MergeBegins),
		"INSERT INTO fts(fts, rank) VALUES ('crisismerge', 16)",
	} {
		if _, err := ix.conn.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("finish archive: %w", err)
		}
	}
	if ix.path == "" {
		return nil
	}
	if err := ix.spreadSegments(ctx); err != nil {
		return err
	}
	// The journal mode is a mark in the file; setting it here spares the first
	// reader, who may not be allowed to write, from having to.
	for _, statement := range []string{"PRAGMA locking_mode = normal", "PRAGMA journal_mode = wal"} {
		if _, err := ix.conn.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("finish archive: %w", err)
		}
	}
	if err := ix.close(); err != nil {
		return fmt.Errorf("finish archive: %w", err)
	}
	if err := replace(ctx, ix.file, ix.path); err != nil {
		return fmt.Errorf("put the archive in place: %w", err)
	}
	ix.building = false
	return nil
}

// Close ends the use of the archive. An open transaction is rolled back, and a
// build that was not published is removed.
func (ix *Index) Close() error {
	err := ix.close()
	if ix.building && ix.path != "" {
		removeDatabase(ix.file)
	}
	return err
}

// finalize closes the prepared statements.
func (ix *Index) finalize() {
	for _, s := range ix.stmts {
		s.Close()
	}
	ix.conn.Raw(func(any) error {
		for _, s := range ix.inserts {
			s.Close()
		}
		return nil
	})
	ix.stmts, ix.inserts = nil, nil
}

func (ix *Index) close() error {
	if ix.db == nil {
		return nil
	}
	ix.finalize()
	err := errors.Join(ix.conn.Close(), ix.db.Close())
	ix.db = nil
	return err
}
