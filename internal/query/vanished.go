package query

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"piarchive/internal/index"
)

// Kept is what the archive keeps of a session, or of a file that is none, and
// how much of that is on no disk any more.
type Kept struct {
	Session  SessionRef
	First    string    // first message; "" without one
	Modified time.Time // latest activity
	Kind     string    // session or subagent; "" for a file that is no session
	Root     string    // where it was found

	MissingAt time.Time // when a run found the file gone; zero while it is there
	Mtime     time.Time // of the file as it was read
	Bytes     int64     // of the file as it was read
	Lines     int       // of these

	Rewrites    int       // after which an earlier state was kept
	RewrittenAt time.Time // the latest of them
	Dropped     int       // lines that only the archive has
	DroppedSize int64     // bytes of these
	Versions    []Version // the earlier states; only [Archive.Vanished] fills it

	Stored int64 // bytes that all of this takes in the archive, full text aside
	source index.Source
}

// At is when it was found.
func (v *Kept) At() time.Time {
	if !v.MissingAt.IsZero() {
		return v.MissingAt
	}
	return v.RewrittenAt
}

// Source is the session as [index.Index.Forget] wants to see it.
func (v *Kept) Source() index.Source { return v.source }

// Vanished lists the sessions of which the archive has more than the disk, the
// latest first: their file is gone, or was written anew without some of its
// lines. A rewrite counts only while lines are in the archive alone: they may
// have come back.
func (a *Archive) Vanished(ctx context.Context) (list []*Kept, err error) {
	err = a.steady(ctx, func() error {
		all, err := a.kept(ctx, math.MaxInt64, `(f.missing_at IS NOT NULL OR f.id IN (SELECT id >> 24 FROM version))`)
		if err != nil {
			return err
		}
		for _, v := range all {
			if err := a.fillVersions(ctx, v); err != nil {
				return err
			}
			if v.Dropped > 0 || !v.MissingAt.IsZero() {
				list = append(list, v)
			}
		}
		return nil
	})
	slices.SortFunc(list, func(x, y *Kept) int {
		return cmp.Or(y.At().Compare(x.At()), y.Modified.Compare(x.Modified), cmp.Compare(x.Session.Path, y.Session.Path))
	})
	return list, err
}

// KeptOptions say which of the sessions of an archive are meant; the zero value
// means all.
type KeptOptions struct {
	Keys    []int64   // only these
	Project string    // text or glob; an absolute path means all below it, too
	Until   time.Time // only those with no activity since
	Missing bool      // only those whose file is gone

	DroppedUntil time.Time // count only the rewrites up to then; zero: all
}

// Kept lists sessions, and files that are none, with what the archive keeps of
// them, by path. Dropped lines are not counted.
func (a *Archive) Kept(ctx context.Context, o KeptOptions) ([]*Kept, error) {
	where, args := "1", []any(nil)
	add := func(sql string, values ...any) {
		where += " AND " + sql
		args = append(args, values...)
	}
	if o.Keys != nil {
		keys, _ := json.Marshal(o.Keys) // numbers: cannot fail
		add("f.id IN (SELECT value FROM json_each(?))", string(keys))
	}
	if o.Project != "" {
		c := project(o.Project, environment{})
		add(c.sql, c.args...)
	}
	if !o.Until.IsZero() {
		add("coalesce(s.modified_at, f.mtime_ns / 1000000) < ?", o.Until.UnixMilli())
	}
	if o.Missing {
		add("f.missing_at IS NOT NULL")
	}
	until := int64(math.MaxInt64)
	if !o.DroppedUntil.IsZero() {
		until = o.DroppedUntil.UnixMilli()
	}
	list, err := a.kept(ctx, until, where, args...)
	slices.SortFunc(list, func(x, y *Kept) int { return cmp.Compare(x.Session.Path, y.Session.Path) })
	return list, err
}

func (a *Archive) kept(ctx context.Context, droppedUntil int64, where string, args ...any) ([]*Kept, error) {
	in, roots := a.rootFilter("f.path")
	var rows []struct {
		hitRow
		Root        string  `db:"root"`
		Size        int64   `db:"size"`
		MtimeNs     int64   `db:"mtime_ns"`
		Watermark   int64   `db:"watermark"`
		Lines       int     `db:"lines"`
		MissingAt   *int64  `db:"missing_at"`
		First       *string `db:"first_message"`
		Kind        string  `db:"kind"`
		Modified    int64   `db:"modified"`
		Rewrites    int     `db:"rewrites"`
		RewrittenAt *int64  `db:"rewritten_at"`
		DroppedSize int64   `db:"dropped_size"`
		Stored      int64   `db:"stored"`
	}
	err := a.db.SelectContext(ctx, &rows, `SELECT f.id AS key, s.session_id, coalesce(s.cwd, '') AS cwd, s.name, f.missing_at IS NOT NULL AS missing,
 f.path, f.root, f.size, f.mtime_ns, f.watermark, f.lines, f.missing_at, s.first_message, coalesce(s.kind, '') AS kind,
 coalesce(s.modified_at, f.mtime_ns / 1000000) AS modified, x.rewrites, x.rewritten_at, x.dropped_size,
 x.stored + (SELECT coalesce(sum(length(data)), 0) FROM raw r WHERE r.id BETWEEN f.id << 24 AND (f.id << 24) + 16777215) AS stored
 FROM source f LEFT JOIN session s ON s.id = f.id JOIN (SELECT f.id AS source, count(d.id) AS rewrites, max(d.replaced_at) AS rewritten_at,
 coalesce(sum(d.bytes), 0) AS dropped_size, coalesce(sum((SELECT sum(length(data)) FROM version_raw r WHERE r.version = d.id)), 0) AS stored
 FROM source f LEFT JOIN version d ON d.id BETWEEN f.id << 24 AND (f.id << 24) + 16777215 AND d.replaced_at <= ? GROUP BY 1) x ON x.source = f.id
 WHERE `+in+` AND `+where, append(append([]any{droppedUntil}, roots...), args...)...)
	if err != nil {
		return nil, fmt.Errorf("list what the archive keeps: %w", err)
	}
	list := make([]*Kept, len(rows))
	for i, r := range rows {
		v := &Kept{
			Session: r.session(), Kind: r.Kind, Root: r.Root, Modified: time.UnixMilli(r.Modified), MissingAt: unixMilli(r.MissingAt),
			Mtime: time.Unix(0, r.MtimeNs), Bytes: r.Size, Lines: r.Lines, Rewrites: r.Rewrites, RewrittenAt: unixMilli(r.RewrittenAt),
			DroppedSize: r.DroppedSize, Stored: r.Stored,
		}
		if r.First != nil {
			v.First = *r.First
		}
		if r.Size > r.Watermark {
			v.Lines++ // without LF
		}
		v.source = index.Source{ID: v.Session.Key, Path: v.Session.Path, Size: r.Size, MissingAt: r.MissingAt}
		list[i] = v
	}
	return list, nil
}

// FillVersions looks up the earlier states of a session, and counts the lines
// that only the archive has.
func (a *Archive) FillVersions(ctx context.Context, v *Kept) error {
	return a.steady(ctx, func() error { return a.fillVersions(ctx, v) })
}

func (a *Archive) fillVersions(ctx context.Context, v *Kept) (err error) {
	v.Dropped, v.DroppedSize = 0, 0
	if v.Rewrites == 0 {
		return nil
	}
	if v.Versions, err = a.versions(ctx, v.Session.Key); err != nil {
		return err
	}
	lines, err := a.dropped(ctx, v.Session.Key)
	for _, l := range lines {
		v.Dropped++
		v.DroppedSize += int64(len(l.Raw))
	}
	return err
}

// DroppedLine is a line that a rewrite of the file dropped.
type DroppedLine struct {
	Line           // as it was numbered
	At   time.Time // of the rewrite
}

// Dropped returns the lines of a session that only the archive has, in the
// order in which they went, each once. Each has an LF. Blank lines and earlier
// titles of a slot are none.
func (a *Archive) Dropped(ctx context.Context, session SessionRef) (lines []DroppedLine, err error) {
	err = a.steady(ctx, func() error {
		lines, err = a.dropped(ctx, session.Key)
		return err
	})
	return lines, err
}

func (a *Archive) dropped(ctx context.Context, session int64) ([]DroppedLine, error) {
	rows, err := index.EarlierVersions(ctx, a.db, session)
	if err != nil {
		return nil, err
	}
	var all []DroppedLine
	at := map[string]int{} // by text; -1: it came back
	for _, r := range rows {
		if r.TitleOnly {
			continue
		}
		texts, err := a.ownLines(ctx, &r)
		if err != nil {
			return nil, fmt.Errorf("read dropped lines: %w", err)
		}
		for _, l := range texts {
			at[string(l.Raw)] = len(all) // the last time it went counts
			all = append(all, DroppedLine{l, time.UnixMilli(r.ReplacedAt)})
		}
	}
	if err := a.eachLine(ctx, session, func(line []byte) {
		if _, ok := at[string(line)]; ok {
			at[string(line)] = -1
		}
	}); err != nil {
		return nil, err
	}
	lines := all[:0]
	for i, l := range all {
		if at[string(l.Raw)] == i {
			lines = append(lines, l)
		}
	}
	return lines, nil
}

// ownLines returns the lines that a version has of its own, blank ones aside.
func (a *Archive) ownLines(ctx context.Context, v *index.Version) ([]Line, error) {
	raw, err := index.NewVersionRaw(ctx, a.db, v.ID)
	if err != nil {
		return nil, err
	}
	data, err := raw.Read(ctx, nil, 0, v.Bytes)
	if err != nil {
		return nil, err
	}
	var lines []Line
	for _, run := range v.Layout {
		for n := 0; run.From == 0 && n < run.Count; n++ {
			end := bytes.IndexByte(data, '\n') + 1
			if end == 0 {
				return nil, fmt.Errorf("line %d is missing", run.First+n)
			}
			if end > 1 {
				lines = append(lines, Line{run.First + n, data[:end]})
			}
			data = data[end:]
		}
	}
	return lines, nil
}

// eachLine calls yield with the lines of the archive's copy of a source, each
// with an LF, and valid until it returns.
func (a *Archive) eachLine(ctx context.Context, source int64, yield func(line []byte)) error {
	var begun []byte
	for k := int64(0); ; k++ {
		block, err := a.raw.Block(ctx, source, k)
		if err != nil {
			return err
		}
		if len(block) == 0 {
			break
		}
		for {
			i := bytes.IndexByte(block, '\n') + 1
			if i == 0 {
				begun = append(begun, block...)
				break
			}
			line := block[:i]
			if len(begun) > 0 {
				begun = append(begun, line...)
				line = begun
			}
			yield(line)
			begun, block = begun[:0], block[i:]
		}
	}
	if len(begun) > 0 {
		yield(append(begun, '\n'))
	}
	return nil
}
