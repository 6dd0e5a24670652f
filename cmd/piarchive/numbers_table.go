package main

import (
	"fmt"
	"slices"
	"strings"

	"piarchive/internal/query"
	"piarchive/internal/terminal"
)

// numberColumn is a column of a table of numbers. Its cells are those of the
// rows, then that of the total.
type numberColumn struct {
	head   string
	cells  []string
	left   bool // text, of which the window may take some away
	path   bool // of which the end is kept
	window int  // the narrowest window that shows it
	paint  func(string) string
}

// widestBar is as wide as a bar beside numbers becomes.
const widestBar = 60

// table prints columns, and behind them, where a window has room, a bar for
// each row: its part of the greatest value.
func (n *account) table(columns []numberColumn, values []float64) {
	width := n.width()
	columns = slices.DeleteFunc(columns, func(col numberColumn) bool { return width > 0 && width < col.window })
	over := -width - 2
	widths := make([]int, len(columns))
	for i, col := range columns {
		for _, text := range append(col.cells, col.head) {
			widths[i] = max(widths[i], terminal.Width(text))
		}
		over += widths[i] + 2
	}
	for i, col := range columns {
		if col.left && width > 0 && over > 0 {
			less := min(over, max(0, widths[i]-10))
			widths[i] -= less
			over -= less
		}
	}
	bars := 0
	if width > 0 && values != nil {
		bars = min(-over-2, widestBar)
	}
	greatest := slices.Max(append(values, 0))
	for r := -1; r < len(columns[0].cells); r++ {
		var line strings.Builder
		for i, col := range columns {
			text, paint := col.head, n.style.Dim
			if r >= 0 {
				text, paint = col.cells[r], col.paint
				if paint == nil {
					paint = n.style.Plain
				}
				if r == len(col.cells)-1 {
					paint = n.style.Bold
				}
			}
			if text = n.draw.Fit(text, widths[i]); col.path && r >= 0 {
				text = n.draw.FitEnd(col.cells[r], widths[i])
			}
			if i > 0 {
				line.WriteString("  ")
			}
			if !col.left {
				line.WriteString(terminal.Blanks(text, widths[i]))
			}
			line.WriteString(paint(text))
			if col.left {
				line.WriteString(terminal.Blanks(text, widths[i]))
			}
		}
		if bars >= 6 && r >= 0 && r < len(values) && greatest > 0 && values[r] > 0 {
			line.WriteString("  " + n.style.Accent(n.draw.Bar(values[r]/greatest, bars)))
		}
		fmt.Fprintln(n.stdout, strings.TrimRight(line.String(), " "))
	}
}

// number makes a column of numbers.
func (n *account) number(head string, window int, cell func(query.Sums, *query.StatsRow) string) numberColumn {
	col := numberColumn{head: head, window: window}
	for _, row := range append(n.shown[:len(n.shown):len(n.shown)], &n.stats.Total) {
		col.cells = append(col.cells, cell(row.Sums(), row))
	}
	return col
}

// sessions counts those that have a part in a row, subagents among them.
func (n *account) sessions(window int) numberColumn {
	return n.number("SESSIONS", window, func(_ query.Sums, r *query.StatsRow) string { return n.count(int64(r.Sessions + r.Subagents)) })
}

// costs makes a column of costs, with room for the + of those that have one.
func (n *account) costs(head string, window int, of func(*query.StatsRow) query.Sums) numberColumn {
	col := n.number(head, window, func(_ query.Sums, row *query.StatsRow) string { return n.cost(of(row)) })
	marked := func(text string) bool { return strings.HasSuffix(text, "+") }
	if slices.ContainsFunc(col.cells, marked) {
		for i, text := range col.cells {
			if strings.HasPrefix(text, "$") && !marked(text) || strings.HasPrefix(text, "<") && !marked(text) || text == n.draw.None {
				col.cells[i] += " "
			}
		}
	}
	return col
}

// keys makes the first column, and for sessions one with their ids.
func (n *account) keys() []numberColumn {
	first := numberColumn{head: strings.ToUpper(n.by), left: true, path: n.by == "project"}
	ids := numberColumn{head: "ID", left: true, paint: n.style.Accent}
	for _, row := range n.shown {
		first.cells = append(first.cells, n.label(row))
		ids.cells = append(ids.cells, n.ids[row])
	}
	first.cells = append(first.cells, "total")
	ids.cells = append(ids.cells, "")
	if n.by == "project" {
		first.paint = n.style.Label
	}
	if n.by == "session" {
		return []numberColumn{ids, first}
	}
	return []numberColumn{first}
}

// values are what the bars show.
func (n *account) values() []float64 {
	values := make([]float64, len(n.shown))
	for i, row := range n.shown {
		if values[i] = row.Measure(n.measure); n.by == "tool" {
			values[i] = float64(row.Tool.Calls)
		}
	}
	return values
}

// notes prints what has to be known to read the numbers right.
func (n *account) notes() {
	say := func(format string, a ...any) {
		for _, line := range terminal.Wrap(fmt.Sprintf(format, a...), n.width()) {
			fmt.Fprintln(n.stdout, n.style.Dim(line))
		}
	}
	if more := len(n.stats.Rows) - len(n.shown); more > 0 && !n.f.plot {
		where := "more"
		if n.isTime() {
			where = "before"
		}
		say("%s %s %s, in the total (-n 0 shows all)", n.draw.Ellipsis, terminal.Count(int64(more)), where)
	}
	total := n.stats.Total.Sums()
	if n.by != "tool" && total.Unpriced > 0 {
		what := "no cost was recorded"
		if total.Cost != nil && *total.Cost > 0 {
			what = "+ at least: no cost was recorded"
		}
		say("%s for %s of %s", what, terminal.Count(total.Unpriced), terminal.Counted(int(total.Calls), "model call"))
	}
	if n.by != "tool" && total.Partial > 0 {
		say("%s without some of the numbers, which count as 0", terminal.Counted(int(total.Partial), "model call"))
	}
	out := n.stats.LeftOut
	switch {
	case n.by == "tool" && n.stats.LeftOutTools.Calls > 0:
		say("left out as copies: %s", terminal.Counted(int(n.stats.LeftOutTools.Calls), "tool call"))
	case n.by != "tool" && (out.Calls > 0 || out.Messages() > 0):
		say("left out as copies: %s tokens, %s, %s", terminal.Short(out.Total), n.costOf(out), terminal.Counted(int(out.Messages()), "message"))
	case n.session != nil && n.stats.Copies.Messages() > 0:
		s := n.stats.Copies
		say("of this %s tokens, %s, %s are copies that count in another session", terminal.Short(s.Total), n.costOf(s), terminal.Counted(int(s.Messages()), "message"))
	}
	cov := coverageLine(n.call, n.cov)
	if n.draw.ASCII {
		cov = strings.ReplaceAll(cov, " · ", n.draw.Dot)
	}
	say("%s", cov)
}

// costOf is a cost within a sentence.
func (n *account) costOf(s query.Sums) string {
	if text := n.cost(s); text != notRecorded && text != n.draw.None {
		return text
	}
	return "no cost recorded"
}
