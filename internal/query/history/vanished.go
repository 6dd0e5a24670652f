package history

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"piarchive/internal/index"
	"piarchive/internal/query"
)

// Kept is what the archive keeps of a session, or of a file that is none, and
// how much of that is on no disk any more.
type Kept struct {
	Session  query.SessionRef
	First    string    // first message; "" without one
	Modified time.Time // latest activity
	Kind     string    // session or subagent; "" for a file that is no session
	Root     string    // where it was found

	MissingAt time.Time // when a run found the file gone; zero while it is there
	Bytes     int64     // of the file as it was read
	Lines     int       // of these

	Rewrites    int       // after which an earlier state was kept
	RewrittenAt time.Time // the latest of them
	Earlier     int64     // bytes that the earlier states have of their own

	// Only [Vanished] and [FillVersions] look these up.
	Versions    []Version // the earlier states
	Dropped     int       // lines that only the archive has
	DroppedSize int64     // bytes of these

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
// have come back. Nothing is left of a file that was empty.
func Vanished(ctx context.Context, a *query.Archive) (list []*Kept, err error) {
	err = a.Steady(ctx, func() error {
		in, args := a.Within("")
		all, err := read(ctx, a, math.MaxInt64, in+` AND (f.missing_at IS NOT NULL OR f.id IN (SELECT id >> 24 FROM _version))`, args...)
		if err != nil {
			return err
		}
		for _, v := range all {
			if err := fillVersions(ctx, a, v); err != nil {
				return err
			}
			if v.Dropped > 0 || !v.MissingAt.IsZero() && v.Bytes > 0 {
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

	ReplacedUntil time.Time // count only the versions replaced up to then; zero: all
}

// List lists sessions, and files that are none, with what the archive keeps of
// them, by path.
func List(ctx context.Context, a *query.Archive, o KeptOptions) ([]*Kept, error) {
	where, args := a.Within(o.Project)
	add := func(sql string, values ...any) {
		where += " AND " + sql
		args = append(args, values...)
	}
	if o.Keys != nil {
		add("f.id IN (SELECT value FROM json_each(?))", query.List(o.Keys))
	}
	if !o.Until.IsZero() {
		add("coalesce(s.modified_at, f.mtime_ns / 1000000) < ?", o.Until.UnixMilli())
	}
	if o.Missing {
		add("f.missing_at IS NOT NULL")
	}
	until := int64(math.MaxInt64)
	if !o.ReplacedUntil.IsZero() {
		until = o.ReplacedUntil.UnixMilli()
	}
	list, err := read(ctx, a, until, where, args...)
	slices.SortFunc(list, func(x, y *Kept) int { return cmp.Compare(x.Session.Path, y.Session.Path) })
	return list, err
}

func read(ctx context.Context, a *query.Archive, replacedUntil int64, where string, args ...any) ([]*Kept, error) {
	var rows []struct {
		query.SessionRow
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
		Earlier     int64   `db:"earlier"`
		Stored      int64   `db:"stored"`
	}
	err := a.DB().SelectContext(ctx, &rows, `SELECT `+query.SessionColumns+`,
 f.root, f.size, f.mtime_ns, f.watermark, f.lines, f.missing_at, s.first_message, coalesce(s.kind, '') AS kind,
 coalesce(s.modified_at, f.mtime_ns / 1000000) AS modified, x.rewrites, x.rewritten_at, x.earlier,
 x.stored + (SELECT coalesce(sum(length(data)), 0) FROM _raw r WHERE r.id BETWEEN f.id << 24 AND (f.id << 24) + 16777215) AS stored
 FROM _source f LEFT JOIN _session s ON s.id = f.id JOIN (SELECT f.id AS source, count(DISTINCT d.id) AS rewrites, max(d.replaced_at) AS rewritten_at,
 coalesce(sum(r.bytes), 0) AS earlier, coalesce(sum(length(r.data)), 0) AS stored
 FROM _source f LEFT JOIN _version d ON d.id BETWEEN f.id << 24 AND (f.id << 24) + 16777215 AND d.replaced_at <= ?
 LEFT JOIN _version_raw r ON r.version = d.id GROUP BY 1) x ON x.source = f.id
 WHERE `+where, append([]any{replacedUntil}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("list what the archive keeps: %w", err)
	}
	list := make([]*Kept, len(rows))
	for i, r := range rows {
		v := &Kept{
			Session: r.Ref(), Kind: r.Kind, Root: r.Root, Modified: time.UnixMilli(r.Modified), MissingAt: query.UnixMilli(r.MissingAt),
			Bytes: r.Size, Lines: r.Lines, Rewrites: r.Rewrites, RewrittenAt: query.UnixMilli(r.RewrittenAt),
			Earlier: r.Earlier, Stored: r.Stored,
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
func FillVersions(ctx context.Context, a *query.Archive, v *Kept) error {
	return a.Steady(ctx, func() error { return fillVersions(ctx, a, v) })
}

func fillVersions(ctx context.Context, a *query.Archive, v *Kept) (err error) {
	if v.Rewrites == 0 {
		return nil
	}
	rows, err := index.EarlierVersions(ctx, a.DB(), v.Session.Key)
	if err != nil {
		return err
	}
	v.Versions = make([]Version, len(rows))
	for i := range rows {
		v.Versions[i] = newVersion(&rows[i])
	}
	v.Dropped, v.DroppedSize, err = dropped(ctx, a, v.Session.Key, rows)
	return err
}

// dropped counts the lines of a session that only the archive has, each once,
// and their bytes, with an LF each. Blank lines and earlier titles of a slot are
// none. It holds none of them, for a file of any size may have been dropped, and
// be one line.
func dropped(ctx context.Context, a *query.Archive, session int64, rows []index.Version) (lines int, size int64, err error) {
	gone := map[index.LineHash]int64{} // size by text
	own := index.NewVersionRaw(a.DB())
	for _, r := range rows {
		if r.TitleOnly {
			continue
		}
		lines := index.NewLineHasher(func(sum index.LineHash, text int64) {
			if text > 0 {
				gone[sum] = text + 1
			}
		})
		if _, err := io.Copy(lines, io.NewSectionReader(own.File(ctx, r.ID, r.Layout.Own()), 0, math.MaxInt64)); err != nil {
			return 0, 0, fmt.Errorf("count the lines that only the archive has: version %d: %w", r.Number(), err)
		}
		lines.Close()
	}
	if len(gone) == 0 {
		return 0, 0, nil
	}
	present := index.NewLineHasher(func(sum index.LineHash, _ int64) { delete(gone, sum) }) // it came back
	_, err = io.Copy(present, a.Raw().Reader(ctx, session))
	present.Close()
	for _, n := range gone {
		size += n
	}
	return len(gone), size, err
}
