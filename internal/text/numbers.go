package text

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/query/numbers"
	"piarchive/internal/terminal"
)

// Numbers is an answer of stats or cost on a page.
type Numbers struct {
	Page
	documents.Numbers
	Order    string         // one of numbers.Orders, or "calls": what is drawn and ordered by
	Plot     bool           // draw instead of a table
	Location *time.Location // in which days begin

	isCost bool
	ids    map[*numbers.StatsRow]string // short ids of rows that are sessions
	marks  map[*numbers.StatsRow]string // before what these are called
}

// IsTime reports whether rows are times.
func (n *Numbers) IsTime() bool {
	return slices.Contains([]string{"day", "week", "month", "hour"}, n.By)
}

// Show keeps the rows that are shown, 0 for all: of times the latest.
func (n *Numbers) Show(limit int) {
	n.Shown = n.Stats.Rows
	if more := len(n.Shown) - limit; limit > 0 && more > 0 {
		if n.IsTime() {
			n.Shown = n.Shown[more:]
		} else {
			n.Shown = n.Shown[:limit]
		}
	}
}

// shownMeasure is a column of a table, and the narrowest window that shows it.
type shownMeasure struct {
	id     numbers.ID
	window int
}

// PrintStats prints what stats counts; pi, unless nil, is how versions of pi count
// the session.
func (n *Numbers) PrintStats(ctx context.Context, a *query.Archive, pi *numbers.PiStats) error {
	if pi != nil {
		n.likePi(pi)
	}
	if len(n.Stats.Rows) == 0 {
		return nil
	}
	columns := []shownMeasure{
		{numbers.AllSessions, 50}, {numbers.Messages, 60}, {numbers.Input, 120}, {numbers.Output, 120}, {numbers.CacheRead, 120}, {numbers.CacheWrite, 120},
		{numbers.Tokens, 0}, {numbers.CostSum, 0}, {numbers.ToolCalls, 70}, {numbers.Errors, 80},
	}
	switch n.By {
	case "session":
		columns = columns[1:] // each is one
	case "tool":
		columns = []shownMeasure{
			{numbers.AllSessions, 70}, {numbers.ToolCalls, 0}, {numbers.Errors, 0}, {numbers.ErrorRate, 60}, {numbers.Truncated, 60}, {numbers.MeanTime, 50},
		}
	}
	return n.print(ctx, a, columns)
}

// PrintCost prints what the models cost; recent may be nil.
func (n *Numbers) PrintCost(ctx context.Context, a *query.Archive, recent *numbers.Spent) error {
	n.isCost = true
	total := n.Stats.Total
	lines := [][2]string{{"total", n.cost(total.Sums())}}
	if recent != nil {
		lines = append(lines, [2]string{"this month", n.cost(recent.Month)}, [2]string{"today", n.cost(recent.Today)})
	}
	wide := 0
	for _, l := range lines {
		wide = max(wide, terminal.Width(l[1]))
	}
	for i, l := range lines {
		line := n.Style.Dim(terminal.Pad(l[0], 10)) + "  " + n.Style.Bold(terminal.PadLeft(l[1], wide))
		if i == 0 && cmp.Or(total.Abandoned.N[numbers.Calls], total.Abandoned.N[numbers.Tokens]) > 0 {
			parts := fmt.Sprintf("  %s active, %s on abandoned branches", n.costOf(total.Active), n.costOf(total.Abandoned))
			if n.Width > 0 && 10+2+wide+terminal.Width(parts) > n.Width {
				parts = strings.Replace(parts, "on abandoned branches", "abandoned", 1)
			}
			line += n.Style.Dim(parts)
		}
		n.say(line)
	}
	n.say()
	columns := []shownMeasure{{numbers.CostSum, 0}, {numbers.ActiveCost, 70}, {numbers.AbandonedCost, 70}, {numbers.AllSessions, 100}, {numbers.Calls, 60}, {numbers.Tokens, 0}}
	if n.By == "session" {
		columns = slices.Delete(columns, 3, 4)
	}
	return n.print(ctx, a, columns)
}

// print prints the rows as a table or a plot, and what has to be known of them.
func (n *Numbers) print(ctx context.Context, a *query.Archive, columns []shownMeasure) error {
	n.ids, n.marks = map[*numbers.StatsRow]string{}, map[*numbers.StatsRow]string{}
	seen := copies{}
	for _, row := range n.Shown {
		if row.Session == nil {
			continue
		}
		if n.ids[row] = terminal.Safe(row.Session.ID); n.Width > 0 {
			var err error
			if n.ids[row], err = shortID(ctx, a, *row.Session); err != nil {
				return err
			}
		}
		n.marks[row] = seen.mark(n.ids[row])
	}
	if n.Plot {
		n.plot()
	} else {
		n.table(columns)
	}
	n.notes()
	return nil
}

// widestBar is as wide as a bar beside numbers becomes.
const widestBar = 60

// table prints rows and their total in columns, and behind them, where a window
// has room, a bar for each row: its part of the greatest value.
func (n *Numbers) table(measures []shownMeasure) {
	rows := append(n.Shown[:len(n.Shown):len(n.Shown)], &n.Stats.Total)
	t := n.Page.Table(terminal.Column{Head: strings.ToUpper(n.By), Shrink: 2, Least: 10, Path: n.By == "project" || n.By == "model"})
	t.Bar = n.bar(6, widestBar)
	if n.By == "project" {
		t.Columns[0].Paint = n.Style.Label
	}
	lines := make([][]string, len(rows))
	for i, row := range n.Shown {
		lines[i] = []string{n.label(row)}
	}
	lines[len(n.Shown)] = []string{"total"}
	if n.By == "session" {
		t.Columns = append([]terminal.Column{{Head: "ID", Shrink: 3, Least: 10, Paint: n.Style.Accent}}, t.Columns...)
		for i, row := range rows {
			lines[i] = append([]string{n.ids[row]}, lines[i]...)
		}
	}
	for _, m := range measures {
		col := terminal.Column{Head: numbers.Measures[m.id].Head, Right: true, Window: m.window}
		if n.By == "tool" && m.id == numbers.ToolCalls {
			col.Head = "CALLS"
		}
		t.Columns = append(t.Columns, col)
		for i, cell := range n.cells(m.id, rows) {
			lines[i] = append(lines[i], cell)
		}
	}
	for i, line := range lines {
		if i < len(n.Shown) {
			t.Row(line...)
		} else {
			t.Painted(terminal.AllColumns, n.Style.Bold, line...)
		}
	}
	t.End()
}

// cells are what rows have of a measure. Where costs have a +, the others get room
// for it.
func (n *Numbers) cells(id numbers.ID, rows []*numbers.StatsRow) []string {
	cells := make([]string, len(rows))
	marked := false
	for i, row := range rows {
		switch v := id.Value(row, row.Sums()).(type) {
		case int:
			cells[i] = n.count(int64(v), terminal.Count)
		case int64:
			write := terminal.Count
			if numbers.Measures[id].Form == numbers.Short {
				write = terminal.Short
			}
			cells[i] = n.count(v, write)
		case numbers.Cost:
			cells[i] = n.cost(numbers.Sums(v))
			marked = marked || strings.HasSuffix(cells[i], "+")
		case numbers.Ratio:
			if cells[i] = n.Glyphs.None; v.All != 0 {
				cells[i] = ratio(v, numbers.Measures[id].Form)
			}
		}
	}
	for i, text := range cells {
		if marked && !strings.HasSuffix(text, "+") && text != notRecorded {
			cells[i] += " "
		}
	}
	return cells
}

// ratio writes a ratio, which has a value.
func ratio(r numbers.Ratio, form numbers.Form) string {
	switch form {
	case numbers.Percent:
		return strconv.FormatFloat(100*float64(r.Part)/float64(r.All), 'f', 1, 64) + "%"
	case numbers.Milliseconds:
		return lasted(time.Duration(r.Part/r.All) * time.Millisecond)
	}
	return strconv.FormatFloat(float64(r.Part)/float64(r.All), 'f', 2, 64)
}

// label is a key as a person reads it.
func (n *Numbers) label(row *numbers.StatsRow) string {
	switch {
	case n.By == "hour":
		return row.Start.In(n.Location).Format("2006-01-02 15:04 MST")
	case n.By == "session":
		title := documents.Title(row.Session.Name, row.First, 200)
		if cut, ok := strings.CutSuffix(title, "…"); ok {
			title = cut + n.Glyphs.Ellipsis
		}
		return n.marks[row] + title
	case row.Key == "" && (n.By == "model" || n.By == "provider"):
		return "(no model)"
	case row.Key == "":
		return "(none)"
	case n.By == "project":
		return terminal.Safe(n.tilde(row.Key))
	}
	return terminal.Safe(row.Key)
}

// count writes a number that may be a dash.
func (n *Numbers) count(v int64, write func(int64) string) string {
	if v == 0 {
		return n.Glyphs.None
	}
	return write(v)
}

// notRecorded stands for a cost that nobody recorded though tokens were used.
const notRecorded = "not recorded"

// cost writes a cost. What is recorded as nothing for tokens that were used was
// not recorded, and for none there is nothing to tell; a + tells that some of what
// is added up was not recorded.
func (n *Numbers) cost(s numbers.Sums) string {
	switch {
	case (s.Cost == nil || *s.Cost == 0) && s.N[numbers.Unpriced] > 0:
		return notRecorded
	case s.Cost == nil || *s.Cost == 0 && s.N[numbers.Tokens] == 0:
		return n.Glyphs.None
	case s.N[numbers.Unpriced] > 0:
		return terminal.Money(s.Cost) + "+"
	}
	return terminal.Money(s.Cost)
}
