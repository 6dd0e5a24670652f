// Package text lays answers out for people: lists as tables, branches as a picture,
// numbers as columns, bars and calendars, reports as lines.
//
// # Ways in
//
// A [Page] is where all of it is written, and what is known of who reads there.
// Its methods write one answer each: [Page.Sessions], [Page.Tree], [Page.Sizes] and
// so on; [Numbers] is an answer of stats or cost. What programs read is made by
// package documents, and the measures that both tell are declared in package
// numbers.
//
// # Invariants
//
// All text of a session has passed package terminal, and no line is wider than the
// page, except the paths and lists of a long list of sessions. What is laid out is
// handed in; the archive is asked only for short ids and the coverage. The package asks
// neither flags, nor the environment, nor the clock, and writes only to Page.Out.
package text

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/terminal"
)

// Page is where answers are written.
type Page struct {
	Out    io.Writer
	Style  terminal.Style
	Glyphs terminal.Glyphs
	Width  int       // of the window; 0 is no limit, as in a pipe
	Now    time.Time // what "2h ago" is reckoned from
	Home   string    // the directory written as ~; "" for none
}

func (p Page) say(a ...any) { fmt.Fprintln(p.Out, a...) }

// sayDim writes what can be skipped, on as many lines as it takes.
func (p Page) sayDim(format string, a ...any) {
	for _, line := range terminal.Wrap(fmt.Sprintf(format, a...), p.Width) {
		p.say(p.Style.Dim(p.Glyphs.Fit(line, p.Width)))
	}
}

// Room is what is left of a line when n cells of it are taken.
func (p Page) Room(n int) int {
	if p.Width == 0 {
		return 1 << 20
	}
	return max(10, p.Width-n)
}

// Table is a table with these columns.
func (p Page) Table(columns ...terminal.Column) *terminal.Table {
	return &terminal.Table{Out: p.Out, Style: p.Style, Glyphs: p.Glyphs, Width: p.Width, Columns: columns}
}

func (p Page) tilde(path string) string { return Tilde(path, p.Home) }

// Tilde writes a path below the home directory with ~.
func Tilde(path, home string) string {
	rest, ok := strings.CutPrefix(path, home)
	if home == "" || !ok || rest != "" && rest[0] != '/' && rest[0] != '\\' {
		return path
	}
	return "~" + rest
}

// column is a column of a table, and what it has of each row.
type column[R any] struct {
	terminal.Column
	cell func(R) string
}

// printRows writes a table with a line for each row; paint, unless nil, paints the
// column at a place in another way.
func printRows[R any](p Page, columns []column[R], rows []R, at int, paint func(R) func(string) string) error {
	t := p.Table()
	for _, col := range columns {
		t.Columns = append(t.Columns, col.Column)
	}
	for _, row := range rows {
		cells := make([]string, len(columns))
		for i, col := range columns {
			cells[i] = col.cell(row)
		}
		if paint == nil {
			t.Row(cells...)
		} else {
			t.Painted(at, paint(row), cells...)
		}
	}
	return t.End()
}

// ProjectName is the last part of a project's directory, of whatever system.
func ProjectName(cwd string) string {
	name := filepath.Base(strings.ReplaceAll(cwd, `\`, "/"))
	if cwd == "" || name == "." {
		return "(no project)"
	}
	return name
}

// Headline is the project and, behind a dot, the title of a session in a room of
// so many cells.
func Headline(s query.SessionRef, room int) (project, title string) {
	project = terminal.Fit(terminal.Safe(ProjectName(s.CWD)), room)
	if text := documents.OneLine(s.Title()); text != "" {
		title = terminal.Fit(" · "+text, max(1, room-terminal.Width(project)))
	}
	return project, title
}

// shortID is a beginning of the session's id that names it; or, where copies
// share the id, one that leads to all of them.
func shortID(ctx context.Context, a *query.Archive, s query.SessionRef) (string, error) {
	id, err := a.Abbreviate(ctx, s)
	if id == s.Path {
		id = IDPrefix(s.ID)
	}
	return terminal.Safe(id), err
}

// copies counts files by the id of their session.
type copies map[string]int

// mark stands before what a file is called whose id another has, too: else nothing
// tells them apart.
func (c copies) mark(id string) string {
	c[id]++
	switch n := c[id]; {
	case n == 1 || id == "":
		return ""
	case n == 2:
		return "[copy] "
	default:
		return fmt.Sprintf("[copy %d] ", n-1)
	}
}

// IDPrefix is as much of an id as people are shown where it names several.
func IDPrefix(id string) string { return string([]rune(id)[:min(8, len([]rune(id)))]) }

// Coverage says in one line what an answer is based on.
func (p Page) Coverage(cov documents.Coverage) string {
	parts := []string{terminal.Counted(cov.Files, "session")}
	if at := time.Time(cov.IndexedAt); !at.IsZero() {
		parts = append(parts, "indexed "+terminal.When(at, p.Now))
	}
	if cov.Missing > 0 {
		parts = append(parts, terminal.Count(int64(cov.Missing))+" missing")
	}
	if len(cov.Problems) > 0 {
		parts = append(parts, p.ProblemCount(cov.Problems))
	}
	if left := cov.Pending; left != nil && left.Files > 0 {
		parts = append(parts, fmt.Sprintf("%s, %s not yet read", terminal.Counted(left.Files, "file"), terminal.Size(left.Bytes)))
	}
	return strings.Join(parts, p.Glyphs.Dot)
}

// sayCoverage prints that line under an answer.
func (p Page) sayCoverage(cov documents.Coverage) { p.sayDim("%s", p.Coverage(cov)) }
