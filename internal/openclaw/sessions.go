package openclaw

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"fmt"
	"math"
)

// Session is one session of a database: rows, or what OpenClaw keeps of one that was
// deleted. The facts but its name are those of a file, as far as rows have any.
type Session struct {
	Name    string
	Size    int64 // bytes of its lines
	MtimeNs int64 // when they last changed
	Last    int64 // one more than the number of its last row
	Mark    int64 // another one after lines were changed; until then they are only added to

	Guessed bool // the size is a guess
}

// Sessions lists what is in the database. What was known of a session at an earlier
// time spares counting its bytes: only what came behind them is counted. Where it has to
// be quick, the sizes of sessions that were not known are guesses once a few were counted.
func (s *Store) Sessions(ctx context.Context, quick bool, known func(name string) (Session, bool)) ([]Session, error) {
	return s.list(ctx, "", quick, known)
}

// Measure returns the size of a session whose size is a guess.
func (s *Store) Measure(ctx context.Context, of Session) (int64, error) {
	if id, inUse := idOf(of.Name); inUse {
		return s.size(ctx, id, beforeAll, of.Last-1)
	}
	return s.unpackedSize(ctx, of.Name)
}

// What is counted of unknown sessions where it has to be quick, and the guesses.
const (
	quickRows, guessedRow      = 20_000, 1 << 10
	quickPacked, guessedUnpack = 1 << 20, 8
)

// Session is [Store.Sessions] of the one that has a name. Where it is gone, the error
// is [fs.ErrNotExist].
func (s *Store) Session(ctx context.Context, was Session) (Session, error) {
	found, err := s.list(ctx, was.Name, false, func(string) (Session, bool) { return was, true })
	if err == nil && len(found) == 0 {
		err = errGone
	}
	if err != nil {
		return Session{}, err
	}
	return found[0], nil
}

func (s *Store) list(ctx context.Context, name string, quick bool, known func(name string) (Session, bool)) (all []Session, err error) {
	kept, err := s.kept(ctx, name)
	if err != nil {
		return nil, err
	}
	counted := int64(0)
	for _, r := range kept {
		was, ok := known(r.Name)
		if !ok || was.Mark != r.Mark || was.Last > r.Last || !r.marked {
			was = Session{Last: beforeAll + 1}
			counted += r.Last
		}
		if r.Size = was.Size; was.Last == beforeAll+1 && quick && counted > quickRows {
			r.Size, r.Guessed = r.Last*guessedRow, true
		} else if was.Last != r.Last {
			n, err := s.size(ctx, r.id, was.Last-1, r.Last-1)
			if err != nil {
				return nil, err
			}
			r.Size += n
		}
		all = append(all, r.Session)
	}
	cold, err := s.cold(ctx, name)
	if err != nil {
		return nil, err
	}
	all = append(all, cold...)
	if _, inUse := idOf(name); inUse {
		return all, nil
	}
	deleted, err := s.deleted(ctx)
	if err != nil {
		return nil, err
	}
	counted = 0
	for _, d := range deleted {
		if name != "" && name != d.Name {
			continue
		}
		packed := d.Size
		if was, ok := known(d.Name); ok && was.Mark == d.Mark {
			d.Size = was.Size
		} else if counted += packed; quick && counted > quickPacked {
			d.Size, d.Guessed = packed*guessedUnpack, true
		} else if d.Size, err = s.unpackedSize(ctx, d.Name); err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// beforeAll is less than the number of any row.
const beforeAll = math.MinInt64

// row is a session kept as rows.
type row struct {
	Session
	id     string
	marked bool // the database itself says when lines were changed
}

// kept lists the sessions kept as rows, without their sizes, or the one that has a
// name. It looks at the first and the last row of each, however many there are.
func (s *Store) kept(ctx context.Context, name string) (all []row, err error) {
	if s.tables["transcript_events"] == nil {
		return nil, nil // from when it held no sessions
	}
	ids, args := `SELECT min(session_id) FROM transcript_events
 UNION ALL SELECT (SELECT min(session_id) FROM transcript_events WHERE session_id > ids.session_id) FROM ids WHERE ids.session_id IS NOT NULL`, []any(nil)
	if name != "" {
		id, inUse := idOf(name)
		if !inUse {
			return nil, nil
		}
		ids, args = `SELECT max(session_id) FROM transcript_events WHERE session_id = ?`, []any{id}
	}
	changed, joins := s.changed()
	mark := "NULL"
	if s.has("transcript_rewrite_watermarks", "session_id", "generation") {
		mark = "w.generation"
		joins += " LEFT JOIN transcript_rewrite_watermarks w USING (session_id)"
	}
	const last = `FROM transcript_events e WHERE e.session_id = ids.session_id ORDER BY seq DESC LIMIT 1`
	query := `WITH RECURSIVE ids(session_id) AS (` + ids + `) SELECT ids.session_id, (SELECT seq ` + last + `), coalesce(` + changed + `, (SELECT created_at ` + last + `)), ` + mark + ` FROM ids` + joins + ` WHERE ids.session_id IS NOT NULL`
	err = s.each(ctx, func(rows *sql.Rows) error {
		var r row
		var changedMs int64
		var generation sql.NullString
		if err := rows.Scan(&r.id, &r.Last, &changedMs, &generation); err != nil {
			return err
		}
		r.Last++
		r.Name, r.MtimeNs, r.Mark, r.marked = nameOf(r.id), changedMs*1e6, markOf(r.id, generation.String), generation.Valid
		all = append(all, r)
		return nil
	}, query, args...)
	if err != nil {
		return nil, fmt.Errorf("list its sessions: %w", err)
	}
	return all, nil
}

// changed is, in SQL, when the lines of a session of ids last changed, as far as the
// database tells apart from the rows, and what has to be joined for that.
func (s *Store) changed() (column, join string) {
	if !s.has("session_windows", "session_id", "transcript_updated_at") {
		return "NULL", ""
	}
	return "s.transcript_updated_at", " LEFT JOIN session_windows s USING (session_id)"
}

// markOf is the same for the rows of a session and for what is kept of them when they
// are deleted: lines are only added from the one to the other.
func markOf(id, generation string) int64 {
	sum := sha256.Sum256([]byte(id + "\x00" + generation))
	return int64(binary.BigEndian.Uint64(sum[:])>>1) | 1
}

// length is an SQL expression for how many bytes the line of a row has, without its LF.
func (s *Store) length() string {
	plain := "octet_length(event_json)"
	if s.packs() {
		plain = "CASE WHEN event_zstd IS NULL THEN " + plain + " ELSE event_utf8_bytes END"
	}
	return "coalesce(" + plain + ", 0)"
}

// packs reports whether rows may have their line compressed.
func (s *Store) packs() bool { return s.has("transcript_events", "event_zstd", "event_utf8_bytes") }

// size is how many bytes the lines of some rows have: those behind one, up to another.
func (s *Store) size(ctx context.Context, id string, behind, to int64) (bytes int64, err error) {
	err = s.each(ctx, func(rows *sql.Rows) error {
		n := 0
		err := rows.Scan(&n, &bytes)
		s.rows += n
		return err
	}, `SELECT count(*), coalesce(sum(`+s.length()+` + 1), 0) FROM transcript_events WHERE session_id = ? AND seq > ? AND seq <= ?`, id, behind, to)
	if err != nil {
		return 0, fmt.Errorf("count the bytes of a session: %w", err)
	}
	return bytes, nil
}
