package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/query/session"
	"piarchive/internal/terminal"
)

// printSessionFields prints a session for programs that read lines.
func printSessionFields(c *call, s *session.Info, long bool) error {
	missing, cost := "", ""
	if s.Missing {
		missing = "missing"
	}
	if s.Cost != nil {
		cost = strconv.FormatFloat(*s.Cost, 'f', -1, 64)
	}
	fields := []string{documents.ISO(s.Modified), terminal.Safe(s.ID), strconv.Itoa(s.Messages), cost, terminal.Safe(s.CWD), sessionTitle(s, 200), terminal.Safe(s.Path), missing}
	if long {
		fields = append(fields, s.System, strconv.FormatInt(s.Tokens.Total, 10), strconv.FormatInt(s.Bytes, 10),
			terminal.Safe(strings.Join(s.Models, ",")), terminal.Safe(strings.Join(s.Labels, ",")), strings.Join(s.Anomalies, ","))
	}
	_, err := fmt.Fprintln(c.stdout, strings.Join(fields, "\t"))
	return err
}

// sessionTitle is what tells a session from others, in one safe line of at most
// width cells: its name, else the beginning of its first message.
func sessionTitle(s *session.Info, width int) string {
	title := s.Name
	if title == "" {
		title = s.First
	}
	if enough := 2*width + 100; len(title) > enough { // it may be megabytes
		title = strings.ToValidUTF8(title[:enough], "") + "…"
	}
	if title = strings.Join(strings.Fields(terminal.Safe(title)), " "); title == "" {
		return "(blank)"
	}
	return terminal.Fit(title, width)
}

// listLayout is how the list is laid out on a terminal: one line a session in
// columns that fit the window,
//
//	WHEN       TITLE                  PROJECT          MSGS   COST  ID
//	2h ago     Sixel in one frame     ~/src/nightterm    22  $0.42  01a130a3
//
// or, with --long, a few lines.
type listLayout struct {
	*call
	long, threaded bool
	oneProject     bool // known, so not worth a column
}

// listRow is a session as safe text.
type listRow struct {
	when, title, project, messages, cost, id string
	named, missing                           bool
}

// print prints the sessions, and how many there are beyond.
func (l listLayout) print(ctx context.Context, a *query.Archive, sessions []*session.Info, total int) error {
	rows := make([]listRow, len(sessions))
	for i, s := range sessions {
		id, err := shortID(ctx, a, s)
		if err != nil {
			return err
		}
		rows[i] = l.row(s, id)
	}
	if l.long {
		for i, s := range sessions {
			l.printLong(rows[i], s)
		}
	} else if err := l.printColumns(rows); err != nil {
		return err
	}
	if more := total - len(sessions); more > 0 {
		fmt.Fprintln(l.stdout, l.style.Dim("… "+terminal.Count(int64(more))+" more (-n 0 shows all)"))
	}
	return nil
}

func (l listLayout) row(s *session.Info, id string) listRow {
	mark := ""
	if l.threaded {
		mark = strings.Repeat("  ", min(s.Depth, 8))
	}
	if s.Kind == "subagent" {
		mark += "[subagent] "
	}
	if s.Missing {
		mark += "[missing] "
	}
	return listRow{
		when: terminal.When(s.Modified, l.now()), title: mark + sessionTitle(s, l.width()), project: terminal.Safe(l.tilde(s.CWD)),
		messages: terminal.Count(int64(s.Messages)), cost: sessionCost(s.Cost), id: id, named: s.Name != "", missing: s.Missing,
	}
}

// sessionCost writes what a session cost. Of one that recorded $0 nobody knows
// whether it cost nothing: subscriptions and local models write that, too.
func sessionCost(dollars *float64) string {
	if dollars != nil && *dollars == 0 {
		return terminal.NoValue
	}
	return terminal.Money(dollars)
}

// shortID is a beginning of the session's id that names it; or, where copies
// share the id, one that leads to all of them.
func shortID(ctx context.Context, a *query.Archive, s *session.Info) (string, error) {
	id, err := a.Abbreviate(ctx, query.SessionRef{Key: s.Key, Path: s.Path, ID: s.ID})
	if id == s.Path {
		id = string([]rune(s.ID)[:min(8, len([]rune(s.ID)))])
	}
	return terminal.Safe(id), err
}

// tilde writes a path below the home directory with ~.
func (e env) tilde(path string) string {
	rest, ok := strings.CutPrefix(path, e.home)
	if e.home == "" || !ok || rest != "" && rest[0] != '/' && rest[0] != '\\' {
		return path
	}
	return "~" + rest
}

// printColumns prints a line for each session. What does not fit is taken from
// the project, but for a fifth of the window, then from the title.
func (l listLayout) printColumns(rows []listRow) error {
	s := l.style
	const title = 1
	t := newTable(l.call,
		terminal.Column{Head: "WHEN", Paint: s.Dim},
		terminal.Column{Head: "TITLE", Shrink: 2, Least: 10},
		terminal.Column{Head: "PROJECT", Shrink: 1, Least: l.width() / 5, Path: true, Window: 80, Hidden: l.oneProject, Paint: s.Label},
		terminal.Column{Head: "MSGS", Right: true, Paint: s.Dim},
		terminal.Column{Head: "COST", Right: true, Window: 100, Paint: s.Dim},
		terminal.Column{Head: "ID", Paint: s.Accent})
	for _, r := range rows {
		paint := s.Plain
		switch {
		case r.missing:
			paint = s.Dim
		case r.named:
			paint = s.Bold
		}
		t.Painted(title, paint, r.when, r.title, r.project, r.messages, r.cost, r.id)
	}
	return t.End()
}

// printLong prints a session on several lines.
func (l listLayout) printLong(r listRow, s *session.Info) {
	fmt.Fprintln(l.stdout, l.style.Bold(terminal.Fit(r.title, l.width())))
	line := func(what, text string) {
		if text != "" {
			fmt.Fprintln(l.stdout, "  "+l.style.Dim(terminal.Pad(what, 8))+" "+text)
		}
	}
	list := func(texts []string) string { return terminal.Safe(strings.Join(texts, ", ")) }
	line("id", l.style.Accent(terminal.Safe(s.ID)))
	line("path", terminal.Safe(l.tilde(s.Path)))
	line("project", l.style.Label(r.project))
	line("active", r.when+", begun "+terminal.When(s.Created, l.now()))
	holds := []string{terminal.Counted(s.Messages, "message"), terminal.Size(s.Bytes)}
	if s.Tokens.Total > 0 {
		holds = append(holds, terminal.Short(s.Tokens.Total)+" tokens")
	}
	if r.cost != terminal.NoValue {
		holds = append(holds, r.cost)
	}
	line("holds", strings.Join(holds, " · "))
	line("models", list(s.Models))
	line("labels", list(s.Labels))
	line("system", fmt.Sprintf("%s, version %d", s.System, s.Version))
	line("noted", list(s.Anomalies))
	fmt.Fprintln(l.stdout)
}
