package query

import (
	"cmp"
	"strconv"
	"time"
)

// SessionRef names a session.
type SessionRef struct {
	Key     int64 // within this archive
	Path    string
	ID      string
	CWD     string
	Name    string
	First   string // the beginning of the first message of a user
	Missing bool
}

// Title is what people know the session by: its name, or else how it began.
func (s SessionRef) Title() string { return cmp.Or(s.Name, s.First) }

// EntryRef names an entry.
type EntryRef struct {
	ID       string
	ParentID string
	Line     int
	Type     string
	Role     string
	Time     *time.Time // nil when its timestamp is no date
}

// Place names the line of an entry to other commands; "" where there is no entry.
func (e *EntryRef) Place() string {
	if e == nil {
		return ""
	}
	return "@" + strconv.Itoa(e.Line)
}

// SessionRow is what [SessionColumns] select. The source need be no session.
type SessionRow struct {
	Key       int64   `db:"key"`
	Path      string  `db:"path"`
	SessionID *string `db:"session_id"`
	CWD       string  `db:"cwd"`
	Name      *string `db:"name"`
	First     *string `db:"first"`
	Missing   bool    `db:"missing"`
}

// EntryRow is what [EntryColumns] select.
type EntryRow struct {
	EntryID  *string `db:"entry_id"`
	ParentID *string `db:"parent_id"`
	Line     *int    `db:"line"`
	Type     *string `db:"type"`
	Role     *string `db:"role"`
	At       *int64  `db:"at"`
}

// Columns that name the session s of source f, and entry e.
const (
	SessionColumns = `f.id AS key, f.path, s.session_id, coalesce(s.cwd, '') AS cwd, s.name, substr(s.first_message, 1, 200) AS first, f.missing_at IS NOT NULL AS missing`
	EntryColumns   = `e.entry_id, e.parent_id, e.line, e.type, e.role, e.at`
)

// Ref names the session.
func (r *SessionRow) Ref() SessionRef {
	return SessionRef{Key: r.Key, Path: r.Path, ID: text(r.SessionID), CWD: r.CWD, Name: text(r.Name), First: text(r.First), Missing: r.Missing}
}

// Ref names the entry; it is nil where there is none.
func (r *EntryRow) Ref() *EntryRef {
	if r.EntryID == nil {
		return nil
	}
	e := &EntryRef{ID: *r.EntryID, ParentID: text(r.ParentID), Type: text(r.Type), Role: text(r.Role), Time: Moment(r.At)}
	if r.Line != nil {
		e.Line = *r.Line
	}
	return e
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// UnixMilli is a time as the archive has it; zero where there is none.
func UnixMilli(ms *int64) time.Time {
	if ms == nil {
		return time.Time{}
	}
	return time.UnixMilli(*ms)
}

// Moment is [UnixMilli] in UTC; nil where there is none.
func Moment(ms *int64) *time.Time {
	if ms == nil {
		return nil
	}
	t := time.UnixMilli(*ms).UTC()
	return &t
}
