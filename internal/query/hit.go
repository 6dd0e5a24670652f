package query

import (
	"context"
	"fmt"
	"time"

	"piarchive/internal/index"
	"piarchive/internal/jsonl"
	"piarchive/internal/words"
)

// Hit is one entry that answers a question.
type Hit struct {
	Session SessionRef
	Entry   *EntryRef // nil for the title in front of the entries
	Where   string    // the kind of text the snippet is from
	Snippet string    // one line, without control characters
	Ranges  [][2]int  // of what matched, in bytes of Snippet
	Score   float64   // the greater the better
	Branch  string    // active or abandoned; "" for a title
	Copies  []Copy    // the same entry in other sessions

	row     int64
	copyKey int64
	line    span
	exact   words.Match
	text    *[6]string
}

// span is where a line lies in a source.
type span struct{ offset, bytes int64 }

// SessionRef names a session.
type SessionRef struct {
	Key     int64 // within this archive
	Path    string
	ID      string
	CWD     string
	Name    string
	Missing bool
}

// EntryRef names an entry.
type EntryRef struct {
	ID       string
	ParentID string
	Line     int
	Type     string
	Role     string
	Time     *time.Time // nil when its timestamp is no date
}

// Copy is the same entry in another session, as forks make them.
type Copy struct {
	Session SessionRef
	Entry   *EntryRef
}

// hitRow is what a hit takes from the archive.
type hitRow struct {
	ID        int64   `db:"id"`
	Key       int64   `db:"key"`
	Path      string  `db:"path"`
	SessionID *string `db:"session_id"`
	CWD       string  `db:"cwd"`
	Name      *string `db:"name"`
	Missing   bool    `db:"missing"`
	EntryID   *string `db:"entry_id"`
	ParentID  *string `db:"parent_id"`
	Line      *int    `db:"line"`
	Type      *string `db:"type"`
	Role      *string `db:"role"`
	At        *int64  `db:"at"`
	CopyKey   *int64  `db:"copy_key"`
	Offset    *int64  `db:"offset"`
	Bytes     *int64  `db:"bytes"`
}

const hitColumns = `s.id AS key, f.path, s.session_id, s.cwd, s.name, f.missing_at IS NOT NULL AS missing,
 e.entry_id, e.parent_id, e.line, e.type, e.role, e.at, e.copy_key,
 coalesce(e.offset, s.header_offset) AS offset, coalesce(e.bytes, s.header_bytes) AS bytes`

// hit loads the entry of a candidate.
func (a *Archive) hit(ctx context.Context, c candidate) (*Hit, error) {
	var row hitRow
	err := a.db.GetContext(ctx, &row, `SELECT ? AS id, `+hitColumns+` FROM session s JOIN source f ON f.id = s.id LEFT JOIN entry e ON e.id = ? WHERE s.id = ?`,
		c.ID, c.ID, index.SourceOf(c.ID))
	if err != nil {
		return nil, fmt.Errorf("read a hit: %w", err)
	}
	h := &Hit{Session: row.session(), Entry: row.entry(), Score: -c.Score, row: c.ID}
	if row.CopyKey != nil {
		h.copyKey = *row.CopyKey
	}
	if row.Offset != nil && row.Bytes != nil {
		h.line = span{*row.Offset, *row.Bytes}
	}
	return h, nil
}

func (r *hitRow) session() SessionRef {
	return SessionRef{Key: r.Key, Path: r.Path, ID: text(r.SessionID), CWD: r.CWD, Name: text(r.Name), Missing: r.Missing}
}

func (r *hitRow) entry() *EntryRef {
	if r.EntryID == nil {
		return nil
	}
	e := &EntryRef{ID: *r.EntryID, ParentID: text(r.ParentID), Type: text(r.Type), Role: text(r.Role)}
	if r.Line != nil {
		e.Line = *r.Line
	}
	if r.At != nil {
		t := time.UnixMilli(*r.At).UTC()
		e.Time = &t
	}
	return e
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// text returns the text of a hit by column, read from the raw lines.
func (a *Archive) text(ctx context.Context, h *Hit) (*[6]string, error) {
	if h.text != nil {
		return h.text, nil
	}
	h.text = &[6]string{}
	if h.Entry == nil {
		title, err := a.title(ctx, h)
		h.text[5] = title
		return h.text, err
	}
	line, err := a.raw.Read(ctx, nil, h.Session.Key, h.line.offset, h.line.bytes)
	if err != nil {
		return nil, err
	}
	if e := jsonl.ParseEntry(line, h.Entry.ID); e != nil {
		*h.text = e.Text.Columns()
	}
	return h.text, nil
}

// title reads the title that stands in front of the entries: of omp's slot, on
// the first line, or else of the header.
func (a *Archive) title(ctx context.Context, h *Hit) (string, error) {
	if h.line.offset > 0 {
		first, err := a.raw.Read(ctx, nil, h.Session.Key, 0, min(h.line.offset, 4096))
		if err != nil {
			return "", err
		}
		if t := jsonl.ParseTitle(first); t != "" {
			return t, nil
		}
	}
	header, err := a.raw.Read(ctx, nil, h.Session.Key, h.line.offset, h.line.bytes)
	return jsonl.ParseTitle(header), err
}

// branch tells whether a hit lies on the way from the root to the current leaf.
// Parents nearly always come before their children, so the walk ends when it
// has passed the hit.
func (a *Archive) branch(ctx context.Context, h *Hit) error {
	if h.Entry == nil {
		return nil
	}
	var active bool
	err := a.db.GetContext(ctx, &active, `WITH RECURSIVE up(id) AS (
 SELECT leaf FROM session WHERE id = ?1
 UNION SELECT e.parent FROM up JOIN entry e ON e.id = up.id WHERE e.parent IS NOT NULL AND up.id <> ?2)
SELECT EXISTS (SELECT 1 FROM up WHERE id = ?2)`, h.Session.Key, h.row)
	if err != nil {
		return fmt.Errorf("find the branch of a hit: %w", err)
	}
	h.Branch = "abandoned"
	if active {
		h.Branch = "active"
	}
	return nil
}

// copies lists the same entry in other sessions, beyond those already found.
func (a *Archive) copies(ctx context.Context, h *Hit) error {
	in, args := a.rootFilter("f.path")
	var rows []hitRow
	err := a.db.SelectContext(ctx, &rows, `SELECT e.id, `+hitColumns+` FROM entry e JOIN session s ON s.id = e.id >> 24 JOIN source f ON f.id = s.id
 WHERE e.copy_key = ? AND e.id <> ? AND e.dup_of IS NULL AND `+in+` ORDER BY e.id LIMIT 1000`, append([]any{h.copyKey, h.row}, args...)...)
	if err != nil {
		return fmt.Errorf("find the copies of a hit: %w", err)
	}
	h.Copies = nil
	for _, r := range rows {
		h.Copies = append(h.Copies, Copy{Session: r.session(), Entry: r.entry()})
	}
	return nil
}
