package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"piarchive/internal/query"
	"piarchive/internal/terminal"
)

// printSessionFields prints a session for programs that read lines.
func printSessionFields(c *call, s *query.SessionInfo, long bool) error {
	missing, cost := "", ""
	if s.Missing {
		missing = "missing"
	}
	if s.Cost != nil {
		cost = strconv.FormatFloat(*s.Cost, 'f', -1, 64)
	}
	fields := []string{isoTime(s.Modified), terminal.Safe(s.ID), strconv.Itoa(s.Messages), cost, terminal.Safe(s.CWD), sessionTitle(s, 200), terminal.Safe(s.Path), missing}
	if long {
		fields = append(fields, s.System, strconv.FormatInt(s.Tokens.Total, 10), strconv.FormatInt(s.Bytes, 10),
			terminal.Safe(strings.Join(s.Models, ",")), terminal.Safe(strings.Join(s.Labels, ",")), strings.Join(s.Anomalies, ","))
	}
	_, err := fmt.Fprintln(c.stdout, strings.Join(fields, "\t"))
	return err
}

// sessionTitle is what tells a session from others, in one safe line of at most
// width cells: its name, else the beginning of its first message.
func sessionTitle(s *query.SessionInfo, width int) string {
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
func (l listLayout) print(ctx context.Context, a *query.Archive, sessions []*query.SessionInfo, total int) error {
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
	} else {
		l.printColumns(rows)
	}
	if more := total - len(sessions); more > 0 {
		fmt.Fprintln(l.stdout, l.style.Dim("… "+terminal.Count(int64(more))+" more (-n 0 shows all)"))
	}
	return nil
}

func (l listLayout) row(s *query.SessionInfo, id string) listRow {
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
func shortID(ctx context.Context, a *query.Archive, s *query.SessionInfo) (string, error) {
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

// listColumn is a column of the list.
type listColumn struct {
	head   string
	cell   func(r listRow) string
	paint  func(r listRow, text string) string
	right  bool // numbers
	window int  // the narrowest window that shows it
	width  int
}

// columns decides which columns there are in a window, and how wide. What does
// not fit is taken from the project, but for a fifth of the window, then from
// the title.
func (l listLayout) columns(rows []listRow) []listColumn {
	dim := func(_ listRow, text string) string { return l.style.Dim(text) }
	title := func(r listRow, text string) string {
		switch {
		case r.missing:
			return l.style.Dim(text)
		case r.named:
			return l.style.Bold(text)
		}
		return text
	}
	columns := []listColumn{
		{head: "WHEN", cell: func(r listRow) string { return r.when }, paint: dim},
		{head: "TITLE", cell: func(r listRow) string { return r.title }, paint: title},
		{head: "PROJECT", cell: func(r listRow) string { return r.project }, window: 80,
			paint: func(_ listRow, text string) string { return l.style.Label(text) }},
		{head: "MSGS", cell: func(r listRow) string { return r.messages }, paint: dim, right: true},
		{head: "COST", cell: func(r listRow) string { return r.cost }, paint: dim, right: true, window: 100},
		{head: "ID", cell: func(r listRow) string { return r.id },
			paint: func(_ listRow, text string) string { return l.style.Accent(text) }},
	}
	width := l.width()
	columns = slices.DeleteFunc(columns, func(col listColumn) bool {
		return width < col.window || l.oneProject && col.head == "PROJECT"
	})
	over := -width - 2
	for i := range columns {
		col := &columns[i]
		col.width = len(col.head)
		for _, r := range rows {
			col.width = max(col.width, terminal.Width(col.cell(r)))
		}
		over += col.width + 2
	}
	for _, shrink := range []struct {
		head  string
		least int
	}{{"PROJECT", width / 5}, {"TITLE", 10}} {
		if i := slices.IndexFunc(columns, func(col listColumn) bool { return col.head == shrink.head }); i >= 0 && over > 0 {
			less := min(over, max(0, columns[i].width-shrink.least))
			columns[i].width -= less
			over -= less
		}
	}
	return columns
}

func (l listLayout) printColumns(rows []listRow) {
	columns := l.columns(rows)
	for i := -1; i < len(rows); i++ {
		var line strings.Builder
		for n, col := range columns {
			text, paint := col.head, func(text string) string { return l.style.Dim(text) }
			if i >= 0 {
				text, paint = col.cell(rows[i]), func(text string) string { return col.paint(rows[i], text) }
			}
			if col.head == "PROJECT" {
				text = terminal.FitEnd(text, col.width)
			} else {
				text = terminal.Fit(text, col.width)
			}
			if n > 0 {
				line.WriteString("  ")
			}
			if col.right {
				line.WriteString(terminal.Blanks(text, col.width))
			}
			line.WriteString(paint(text))
			if !col.right && n < len(columns)-1 {
				line.WriteString(terminal.Blanks(text, col.width))
			}
		}
		fmt.Fprintln(l.stdout, line.String())
	}
}

// printLong prints a session on several lines.
func (l listLayout) printLong(r listRow, s *query.SessionInfo) {
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
