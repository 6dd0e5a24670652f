// Package index owns the one SQLite file: how it is opened, locked, built and swapped,
// and every row that is written to it. It takes flat rows, opens no session file and
// parses no JSON of one.
//
// [Acquire] takes the lock of a writer; [Open] opens an archive for writing, [Build]
// begins one that [Index.Publish] puts in its place; [Index.Add] takes rows, between
// Begin and Commit. [OpenReader] opens for reading. No other package changes an archive.
// Who reads sees what was committed, and the old archive until a new one is published.
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
	"modernc.org/sqlite" // with the driver "sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"piarchive/internal/index/postings"
	"piarchive/internal/index/segments"
	"piarchive/schema"
)

// Errors that callers tell apart.
var (
	ErrNewer    = errors.New("the archive was written by a newer piarchive")
	ErrForeign  = errors.New("not an archive of piarchive")
	ErrDamaged  = errors.New("the archive is damaged")
	ErrOutdated = errors.New("the archive is of an older layout; `piarchive index` brings it up to date")
)

// Index is an archive opened for writing. It is used from one goroutine.
type Index struct {
	db       *sqlx.DB
	conn     *sqlx.Conn
	path     string // where the archive belongs; "" for one in memory
	file     string // where it is being written
	aside    string // where what lies at path is kept, as it is damaged
	building bool   // a first build: no journal, nothing to lose
	open     bool   // a transaction is open
	stmts    map[string]*sqlx.Stmt
	inserts  map[batch]driver.Stmt
	named    []driver.NamedValue // reused from insert to insert
	waiting  map[*table][]driver.Value
	waits    int              // bytes of it, about
	failed   error            // of writing it
	texts    *segments.Worker // of a build: nil where FTS5 takes the texts
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
		if cause := denied(path, true); cause != nil { // SQLite does not say
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
	if err = check(ctx, ix.conn, path); err == nil {
		// The journal mode comes not before the check: it is a mark in the file, and the
		// file may be another program's. A file that may only be read is opened all the
		// same: the other statement changes nothing, and fails there before a run has begun.
		if err = ix.run(ctx, "PRAGMA journal_mode = wal", "DELETE FROM _meta WHERE 0"); err != nil {
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

// Scratch creates an archive beside the one at path, for taking over from. It is read
// through [Index.Reader] and removed with [RemoveScratch]. The caller holds the lock.
func Scratch(ctx context.Context, path string) (*Index, error) {
	ix, err := create(ctx, "", path+salvaging)
	if err != nil {
		RemoveScratch(path)
	}
	return ix, err
}

// RemoveScratch removes it.
func RemoveScratch(path string) { removeDatabase(path + salvaging) }

// Memory creates an archive that lives as long as it is open.
func Memory(ctx context.Context) (*Index, error) { return create(ctx, "", inMemory) }

const inMemory = ":memory:"

func create(ctx context.Context, path, file string) (*Index, error) {
	if file != inMemory {
		f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, fmt.Errorf("create archive: %w", err)
		}
		f.Close()
	}
	// Nothing is lost when a first build dies, so it needs no journal; and
	// nobody else can see the file, so it needs no locks. What is sorted for an index is
	// put into files once it is large: in memory, 4 million entries would take 250 MB.
	ix, err := connect(ctx, path, file, "journal_mode(off)", "synchronous(off)", "locking_mode(exclusive)", "cache_size(-16000)")
	if err != nil {
		return nil, err
	}
	ix.building = true
	err = ix.run(ctx,
		fmt.Sprintf("PRAGMA application_id = %d", schema.ApplicationID),
		fmt.Sprintf("PRAGMA user_version = %d", schema.Version),
		schema.Tables, schema.Views,
		"INSERT INTO fts(fts, rank) VALUES ('hashsize', 16777216)",
		"INSERT INTO fts(fts, rank) VALUES ('automerge', 0)",
		"INSERT INTO fts(fts, rank) VALUES ('crisismerge', 150)",
		fmt.Sprintf("INSERT INTO _meta VALUES ('projection', %d)", schema.Projection))
	if err == nil && path != "" {
		err = ix.buildTexts(ctx)
	}
	if err != nil {
		ix.Close()
		return nil, fmt.Errorf("create archive: %w", err)
	}
	return ix, nil
}

// run runs statements on the connection, one after the other.
func (ix *Index) run(ctx context.Context, statements ...string) error {
	for _, s := range statements {
		if _, err := ix.conn.ExecContext(ctx, s); err != nil {
			return err
		}
	}
	return nil
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
	if file == inMemory {
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
	err := sqlx.GetContext(ctx, q, &projection, "SELECT value FROM _meta WHERE key = 'projection'")
	if e, ok := errors.AsType[*sqlite.Error](err); ok && e.Code() == sqlite3.SQLITE_ERROR {
		err = fmt.Errorf("%w: %w", ErrDamaged, err) // there is no such table
	}
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

// What the name of an archive gets while it is made, and for one that is of use only
// meanwhile: who makes them has the lock.
const (
	building  = ".building"
	salvaging = ".salvage"
)

// removeDatabase removes a database with its logs.
func removeDatabase(file string) {
	for _, suffix := range []string{"", "-journal", "-wal", "-shm"} {
		os.Remove(file + suffix)
	}
}

// Publish finishes a build: indexes and the swap.
func (ix *Index) Publish(ctx context.Context) error {
	if err := ix.complete(ctx); err != nil {
		return fmt.Errorf("finish archive: %w", err)
	}
	if ix.path == "" {
		return nil
	}
	if err := ix.spreadSegments(ctx); err != nil {
		return err
	}
	// The journal mode is a mark in the file; setting it here spares the first
	// reader, who may not be allowed to write, from having to.
	if err := ix.run(ctx, "PRAGMA locking_mode = normal", "PRAGMA journal_mode = wal"); err != nil {
		return fmt.Errorf("finish archive: %w", err)
	}
	if err := ix.close(); err != nil {
		return fmt.Errorf("finish archive: %w", err)
	}
	if err := ix.put(ctx); err != nil {
		return fmt.Errorf("put the archive in place: %w", err)
	}
	ix.building = false
	return nil
}

// complete makes what needs all rows of a build, in one transaction: what is committed
// is written to the file at once.
func (ix *Index) complete(ctx context.Context) error {
	err := ix.Begin(ctx)
	if err == nil {
		err = ix.endTexts(ctx)
	}
	if err == nil {
		err = ix.run(ctx, schema.Indexes,
			"INSERT INTO fts(fts, rank) VALUES ('hashsize', 1048576)",
			fmt.Sprintf("INSERT INTO fts(fts, rank) VALUES ('automerge', %d)", postings.MergeBegins),
			"INSERT INTO fts(fts, rank) VALUES ('crisismerge', 16)")
	}
	if err == nil {
		err = ix.resolve(ctx)
	}
	if err != nil {
		return err
	}
	return ix.Commit(ctx)
}

// spreadSegments gives the segments of a finished build levels of their own. FTS5 keeps
// its index in segments, on levels: newer and smaller ones below. It merges the segments
// of a level when there are a few of them. A build leaves many large segments on one
// level, so the first small write to the archive would merge them: seconds of work, and
// a file half as large again. On levels of their own they are merged only when as much
// has come from below.
func (ix *Index) spreadSegments(ctx context.Context) error {
	var record []byte
	if err := ix.conn.QueryRowxContext(ctx, `SELECT block FROM fts_data WHERE id = ?`, postings.StructureRow).Scan(&record); err != nil {
		return fmt.Errorf("read the structure of the full-text index: %w", err)
	}
	spread, ok := postings.Spread(record)
	if !ok {
		return nil // merging is only slower
	}
	if _, err := ix.conn.ExecContext(ctx, `UPDATE fts_data SET block = ? WHERE id = ?`, spread, postings.StructureRow); err != nil {
		return fmt.Errorf("write the structure of the full-text index: %w", err)
	}
	return nil
}

// Close ends the use of the archive. An open transaction is rolled back, and a
// build that was not published is removed.
func (ix *Index) Close() error {
	if ix.texts != nil {
		ix.texts.End(func([]any) error { return nil })
	}
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
