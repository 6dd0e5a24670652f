package text

import (
	"context"
	"strconv"
	"time"

	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/query/history"
	"piarchive/internal/terminal"
)

// keptRow is a session of which the archive has more than the disk.
type keptRow struct {
	*history.Kept
	at     time.Time
	mark   string // before the title
	number int
	bytes  int64
	id     string
}

// kept prints a table of sessions, with a time and a number that the headings
// name. What the window has no room for is taken from the project, then from the
// title.
func (p Page) kept(at, number string, rows []keptRow) error {
	s := p.Style
	return printRows(p, []column[keptRow]{
		{terminal.Column{Head: at, Paint: s.Dim}, func(r keptRow) string { return terminal.When(r.at, p.Now) }},
		{terminal.Column{Head: "TITLE", Shrink: 2, Least: 10}, func(r keptRow) string { return r.mark + documents.KeptTitle(r.Kept, p.Width) }},
		{terminal.Column{Head: "PROJECT", Shrink: 1, Least: 10, Paint: s.Label}, func(r keptRow) string { return terminal.Safe(ProjectName(r.Session.CWD)) }},
		{terminal.Column{Head: number, Right: true, Paint: s.Dim}, func(r keptRow) string { return terminal.Count(int64(r.number)) }},
		{terminal.Column{Head: "SIZE", Right: true, Paint: s.Dim}, func(r keptRow) string { return terminal.Size(r.bytes) }},
		{terminal.Column{Head: "ID", Paint: s.Accent}, func(r keptRow) string { return r.id }},
	}, rows, 0, nil)
}

// Vanished prints sessions, and what only the archive has of them:
//
//	FOUND     TITLE                     PROJECT     LINES    SIZE  ID
//	2h ago    Sixel in one frame        nightterm     122   91 kB  01a130a3
//	Mon 9:12  [rewritten] Rust port …   tagsmith        3  1.2 kB  019e5393
func (p Page) Vanished(ctx context.Context, a *query.Archive, list []*history.Kept) error {
	rows := make([]keptRow, len(list))
	for i, v := range list {
		id, err := shortID(ctx, a, v.Session)
		if err != nil {
			return err
		}
		rows[i] = keptRow{Kept: v, at: v.At(), id: id}
		if !v.Session.Missing {
			rows[i].mark = "[rewritten] "
		}
		rows[i].number, rows[i].bytes = documents.Lost(v)
	}
	return p.kept("FOUND", "LINES", rows)
}

// Forgotten prints sessions of which so many bytes go: all or, with versions,
// their earlier versions.
func (p Page) Forgotten(list []*history.Kept, versions bool, bytes func(*history.Kept) int64) error {
	rows, number := make([]keptRow, len(list)), "LINES"
	for i, v := range list {
		rows[i] = keptRow{Kept: v, at: v.Modified, number: v.Lines, bytes: bytes(v), id: terminal.Safe(IDPrefix(v.Session.ID))}
		if versions {
			number, rows[i].number = "REWRITES", v.Rewrites
		}
	}
	return p.kept("ACTIVE", number, rows)
}

// Versions prints the earlier states of sessions:
//
//	VERSION  REPLACED  LINES    SIZE  LACKED BY THE NEXT
//	      1  2h ago      122   91 kB  12 lines
//	      2  Mon 9:12    110   80 kB  nothing but the old title
func (p Page) Versions(list []*history.Kept) error {
	type version = history.Version
	for i, kept := range list {
		if len(list) > 1 {
			if i > 0 {
				p.say()
			}
			p.say(p.Style.Dim(p.Glyphs.Fit(terminal.Safe(kept.Session.Path), p.Width)))
		}
		if len(kept.Versions) == 0 {
			continue
		}
		err := printRows(p, []column[version]{
			{terminal.Column{Head: "VERSION", Right: true}, func(v version) string { return strconv.Itoa(v.Number) }},
			{terminal.Column{Head: "REPLACED"}, func(v version) string { return terminal.When(v.ReplacedAt, p.Now) }},
			{terminal.Column{Head: "LINES", Right: true}, func(v version) string { return terminal.Count(int64(v.Lines)) }},
			{terminal.Column{Head: "SIZE", Right: true}, func(v version) string { return terminal.Size(v.Bytes) }},
			{terminal.Column{Head: "LACKED BY THE NEXT"}, lacked},
		}, kept.Versions, 0, nil)
		if err != nil {
			return err
		}
	}
	return nil
}

// lacked names what went with a version.
func lacked(v history.Version) string {
	switch {
	case v.TitleOnly:
		return "nothing but the old title"
	case v.Dropped == 0:
		return "nothing; lines were moved"
	}
	return terminal.Counted(v.Dropped, "line")
}
