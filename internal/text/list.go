package text

import (
	"context"
	"fmt"
	"strings"

	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/query/session"
	"piarchive/internal/terminal"
)

// Sessions is how a list of sessions is laid out.
type Sessions struct {
	Long       bool // a few lines each instead of one
	Threaded   bool
	OneProject bool // known, so not worth a column
}

// listRow is a session as safe text.
type listRow struct {
	*session.Info
	when, title, project, cost, id string
}

// Sessions prints sessions, and how many there are beyond: one line a session in
// columns that fit the window,
//
//	WHEN         TITLE               PROJECT          MSGS   COST  ID
//	today 09:41  Sixel in one frame  ~/src/nightterm    22  $0.42  01a130a3
//
// or a few lines. What does not fit is taken from the project, but for a fifth of
// the window, then from the title.
func (p Page) Sessions(ctx context.Context, a *query.Archive, l Sessions, sessions []*session.Info, total int) error {
	rows, seen := make([]listRow, len(sessions)), copies{}
	for i, s := range sessions {
		id, err := shortID(ctx, a, query.SessionRef{Key: s.Key, Path: s.Path, ID: s.ID})
		if err != nil {
			return err
		}
		rows[i] = p.listRow(l, s, id, seen.mark(id))
	}
	if l.Long {
		for _, r := range rows {
			p.longSession(r)
		}
	} else if err := p.sessionTable(l, rows); err != nil {
		return err
	}
	p.more(total - len(sessions))
	return nil
}

// more ends a list that has more than are shown.
func (p Page) more(n int) {
	if n > 0 {
		p.say(p.Style.Dim("… " + terminal.Count(int64(n)) + " more (-n 0 shows all)"))
	}
}

func (p Page) listRow(l Sessions, s *session.Info, id, mark string) listRow {
	if l.Threaded {
		mark = strings.Repeat("  ", min(s.Depth, 8)) + mark
	}
	if s.Kind == "subagent" {
		mark += "[subagent] "
	}
	if s.Missing {
		mark += "[missing] "
	}
	if n := len(s.Copies); n > 0 {
		mark += fmt.Sprintf("[%d copies] ", n+1)
	}
	return listRow{s, terminal.Clock(s.Modified, p.Now), mark + documents.Title(s.Name, s.First, p.Width), terminal.Safe(p.tilde(s.CWD)), sessionCost(s.Cost), id}
}

// sessionCost writes what a session cost. Of one that recorded $0 nobody knows
// whether it cost nothing: subscriptions and local models write that, too.
func sessionCost(dollars *float64) string {
	if dollars != nil && *dollars == 0 {
		return terminal.NoValue
	}
	return terminal.Money(dollars)
}

func (p Page) sessionTable(l Sessions, rows []listRow) error {
	s := p.Style
	const title = 1
	return printRows(p, []column[listRow]{
		{terminal.Column{Head: "WHEN", Paint: s.Dim}, func(r listRow) string { return r.when }},
		{terminal.Column{Head: "TITLE", Shrink: 2, Least: 10}, func(r listRow) string { return r.title }},
		{terminal.Column{Head: "PROJECT", Shrink: 1, Least: p.Width / 5, Path: true, Window: 80, Hidden: l.OneProject, Paint: s.Label}, func(r listRow) string { return r.project }},
		{terminal.Column{Head: "MSGS", Right: true, Paint: s.Dim}, func(r listRow) string { return terminal.Count(int64(r.Messages)) }},
		{terminal.Column{Head: "COST", Right: true, Window: 100, Paint: s.Dim}, func(r listRow) string { return r.cost }},
		{terminal.Column{Head: "ID", Paint: s.Accent}, func(r listRow) string { return r.id }},
	}, rows, title, func(r listRow) func(string) string {
		if r.Missing {
			return s.Dim
		}
		paint := s.Plain
		if r.Name != "" {
			paint = s.Bold
		}
		return func(title string) string { return s.Link(r.Path, paint(title)) }
	})
}

// longSession prints a session on several lines.
func (p Page) longSession(r listRow) {
	p.say(p.Style.Bold(p.Glyphs.Fit(r.title, p.Width)))
	line := func(what, text string) {
		if text != "" {
			p.say("  " + p.Style.Dim(terminal.Pad(what, 8)) + " " + text)
		}
	}
	list := func(texts []string) string { return terminal.Safe(strings.Join(texts, ", ")) }
	line("id", p.Style.Accent(terminal.Safe(r.ID)))
	line("path", p.link(query.SessionRef{Path: r.Path, Missing: r.Missing}, terminal.Safe(p.tilde(r.Path))))
	for _, path := range r.Copies {
		line("copy", terminal.Safe(p.tilde(path)))
	}
	line("project", p.Style.Label(r.project))
	line("active", r.when+", begun "+terminal.Clock(r.Created, p.Now))
	holds := []string{terminal.Counted(r.Messages, "message"), terminal.Size(r.Bytes)}
	if r.Tokens.Total > 0 {
		holds = append(holds, terminal.Short(r.Tokens.Total)+" tokens")
	}
	if r.cost != terminal.NoValue {
		holds = append(holds, r.cost)
	}
	line("holds", strings.Join(holds, " · "))
	line("models", list(r.Models))
	line("labels", list(r.Labels))
	line("system", fmt.Sprintf("%s, version %d", r.System, r.Version))
	line("noted", list(r.Anomalies))
	p.say()
}
