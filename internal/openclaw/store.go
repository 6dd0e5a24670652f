package openclaw

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Errors that callers tell apart.
var (
	ErrBusy    = errors.New("another program has locked it")
	ErrChanged = errors.New("it was written to while it was read")
)

// patience is how many milliseconds a locked database is waited for. OpenClaw itself
// locks out no reader, so this is for what others do with the file.
const patience = 25

// Store is a database opened for reading. It is used from one goroutine at a time.
type Store struct {
	path     string
	db       *sql.DB
	unlocked bool  // nothing but before tells of changes meanwhile
	before   state // when it was opened
	tables   map[string]map[string]bool
	busy     bool // it was waited for already
	decoder  *zstd.Decoder
	rows     int // read so far, for their lines or their lengths alone
}

// state is what the file system says of a database: its file, its log, and the journal
// that it has instead while it is written to in the older way.
type state struct{ file, log, journal facts }

type facts struct{ size, mtimeNs int64 }

func look(path string) (s state, err error) {
	for _, f := range []struct {
		path string
		into *facts
	}{{path, &s.file}, {path + "-wal", &s.log}, {path + "-journal", &s.journal}} {
		info, err := os.Stat(f.path)
		switch {
		case err == nil && info.Size() > 0:
			*f.into = facts{info.Size(), info.ModTime().UnixNano()}
		case err != nil && (f.into == &s.file || !errors.Is(err, fs.ErrNotExist)):
			return s, err
		}
	}
	return s, nil
}

// Open opens a database. Left to itself, SQLite makes a log and shared memory beside
// one that has none, even to read it, so it is opened
//
//   - as a file that does not change, where there is no log: its program has ended;
//   - with the shared memory there is, which is only read, where there is a log: its
//     program runs, or has died;
//   - without locks, where there is a log but no shared memory: it is a copy, or its
//     program keeps it to itself;
//   - as any, where there is a journal: then a reader makes nothing.
//
// The first and the third go without what SQLite does about writers, so whether there
// was one is asked after each look.
func Open(ctx context.Context, path string) (*Store, error) {
	before, err := look(path)
	if err != nil {
		return nil, err
	}
	s := &Store{path: path, before: before}
	_, err = os.Stat(path + "-shm")
	options := url.Values{"mode": {"ro"}, "_pragma": {"query_only(1)", "trusted_schema(0)", fmt.Sprintf("busy_timeout(%d)", patience)}}
	switch {
	case before.journal != facts{}:
	case before.log == facts{}:
		s.unlocked = true
		options.Set("immutable", "1")
	case err == nil:
		options.Set("readonly_shm", "1")
	default:
		s.unlocked = true
		options.Set("vfs", "unix-none")
		options.Add("_pragma", "locking_mode(exclusive)") // keeps what it knows of the log to itself
	}
	name := url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: options.Encode()}
	if !strings.HasPrefix(name.Path, "/") {
		name.Path = "/" + name.Path // a Windows drive
	}
	if s.db, err = sql.Open("sqlite", name.String()); err != nil {
		return nil, err
	}
	s.db.SetMaxOpenConns(1)
	if err = s.describe(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Spoilt reports whether it has to be opened anew, since its program has begun to write.
func (s *Store) Spoilt() bool {
	now, err := look(s.path)
	return s.unlocked && (err != nil || now != s.before)
}

// Close closes it.
func (s *Store) Close() error {
	if s.decoder != nil {
		s.decoder.Close()
	}
	return s.db.Close()
}

// describe learns which tables there are, and whether they have what is needed.
func (s *Store) describe(ctx context.Context) error {
	s.tables = map[string]map[string]bool{}
	err := s.each(ctx, func(rows *sql.Rows) error {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			return err
		}
		if s.tables[table] == nil {
			s.tables[table] = map[string]bool{}
		}
		s.tables[table][column] = true
		return nil
	}, `SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'
 AND m.name IN ('transcript_events', 'transcript_rewrite_watermarks', 'session_windows', 'session_transcript_archives', '`+coldTable+`')`)
	if err != nil {
		return err
	}
	for table, columns := range map[string][]string{
		"transcript_events":           {"session_id", "seq", "event_json", "created_at"},
		coldTable:                     {"session_id", "generation", "archive_name", "raw_bytes", "last_seq", "archived_at", "archive_blob"},
		"session_transcript_archives": {"session_id", "generation", "encoding", "archive_blob", "archive_name", "created_at"},
	} {
		for _, column := range columns {
			if s.tables[table] != nil && !s.tables[table][column] {
				return fmt.Errorf("its tables are not those known here: %s has no column %s", table, column)
			}
		}
	}
	return nil
}

// has reports whether a table has all these columns.
func (s *Store) has(table string, columns ...string) bool {
	missing := func(column string) bool { return !s.tables[table][column] }
	return s.tables[table] != nil && !slices.ContainsFunc(columns, missing)
}

// errEnough ends a query before its last row.
var errEnough = errors.New("enough")

// each passes the rows of a query.
func (s *Store) each(ctx context.Context, pass func(*sql.Rows) error, query string, args ...any) error {
	if s.busy {
		return ErrBusy
	}
	err := s.query(ctx, pass, query, args...)
	if code, ok := errors.AsType[*sqlite.Error](err); ok {
		if primary := code.Code() & 0xff; primary == sqlite3.SQLITE_BUSY || primary == sqlite3.SQLITE_LOCKED {
			s.busy = true
			return ErrBusy
		}
	}
	if s.Spoilt() {
		return ErrChanged
	}
	return err
}

func (s *Store) query(ctx context.Context, pass func(*sql.Rows) error, query string, args ...any) error {
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := pass(rows); err == errEnough {
			return rows.Close()
		} else if err != nil {
			return err
		}
	}
	return rows.Err()
}
