package main

import (
	"fmt"
	"slices"
	"strings"

	"piarchive/internal/query/numbers"
	"piarchive/internal/terminal"
)

// numberColumn is a column of a table of numbers. Its cells are those of the
// rows, then that of the total.
type numberColumn struct {
	terminal.Column
	cells []string
}

// widestBar is as wide as a bar beside numbers becomes.
const widestBar = 60

// table prints columns, and behind them, where a window has room, a bar for
// each row: its part of the greatest value.
func (n *account) table(columns []numberColumn, values []float64) {
	t := newTable(n.call)
	for _, col := range columns {
		t.Columns = append(t.Columns, col.Column)
	}
	t.Bar = n.bar(values, 6, widestBar)
	total := len(columns[0].cells) - 1
	for r := range columns[0].cells {
		cells := make([]string, len(columns))
		for i, col := range columns {
			cells[i] = col.cells[r]
		}
		if r < total {
			t.Row(cells...)
		} else {
			t.Painted(terminal.AllColumns, n.style.Bold, cells...)
		}
	}
	t.End()
}

// bar draws rows' parts of the greatest value, in at least and at most so many
// cells.
func (n *account) bar(values []float64, least, most int) func(row, room int) string {
	greatest := slices.Max(append(values, 0))
	return func(row, room int) string {
		if room < least || row >= len(values) || values[row] <= 0 {
			return ""
		}
		return n.style.Accent(n.draw.Bar(values[row]/greatest, min(room, most)))
	}
}

// number makes a column of numbers.
func (n *account) number(head string, window int, cell func(numbers.Sums, *numbers.StatsRow) string) numberColumn {
	col := numberColumn{Column: terminal.Column{Head: head, Right: true, Window: window}}
	for _, row := range append(n.Shown[:len(n.Shown):len(n.Shown)], &n.Stats.Total) {
		col.cells = append(col.cells, cell(row.Sums(), row))
	}
	return col
}

// sessions counts those that have a part in a row, subagents among them.
func (n *account) sessions(window int) numberColumn {
	return n.number("SESSIONS", window, func(_ numbers.Sums, r *numbers.StatsRow) string { return n.count(int64(r.Sessions + r.Subagents)) })
}

// costs makes a column of costs, with room for the + of those that have one.
func (n *account) costs(head string, window int, of func(*numbers.StatsRow) numbers.Sums) numberColumn {
	col := n.number(head, window, func(_ numbers.Sums, row *numbers.StatsRow) string { return n.cost(of(row)) })
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
	first := numberColumn{Column: terminal.Column{Head: strings.ToUpper(n.By), Shrink: 2, Least: 10, Path: n.By == "project"}}
	ids := numberColumn{Column: terminal.Column{Head: "ID", Shrink: 1, Least: 10, Paint: n.style.Accent}}
	for _, row := range n.Shown {
		first.cells = append(first.cells, n.label(row))
		ids.cells = append(ids.cells, n.ids[row])
	}
	first.cells = append(first.cells, "total")
	ids.cells = append(ids.cells, "")
	if n.By == "project" {
		first.Paint = n.style.Label
	}
	if n.By == "session" {
		return []numberColumn{ids, first}
	}
	return []numberColumn{first}
}

// values are what the bars show.
func (n *account) values() []float64 {
	values := make([]float64, len(n.Shown))
	for i, row := range n.Shown {
		if values[i] = row.Measure(n.measure); n.By == "tool" {
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
	if more := len(n.Stats.Rows) - len(n.Shown); more > 0 && !n.f.plot {
		where := "more"
		if n.isTime() {
			where = "before"
		}
		say("%s %s %s, in the total (-n 0 shows all)", n.draw.Ellipsis, terminal.Count(int64(more)), where)
	}
	total := n.Stats.Total.Sums()
	if n.By != "tool" && total.Unpriced > 0 {
		what := "no cost was recorded"
		if total.Cost != nil && *total.Cost > 0 {
			what = "+ at least: no cost was recorded"
		}
		say("%s for %s of %s", what, terminal.Count(total.Unpriced), terminal.Counted(int(total.Calls), "model call"))
	}
	if n.By != "tool" && total.Partial > 0 {
		say("%s without some of the numbers, which count as 0", terminal.Counted(int(total.Partial), "model call"))
	}
	out := n.Stats.LeftOut
	switch {
	case n.By == "tool" && n.Stats.LeftOutTools.Calls > 0:
		say("left out as copies: %s", terminal.Counted(int(n.Stats.LeftOutTools.Calls), "tool call"))
	case n.By != "tool" && (out.Calls > 0 || out.Messages() > 0):
		say("left out as copies: %s tokens, %s, %s", terminal.Short(out.Total), n.costOf(out), terminal.Counted(int(out.Messages()), "message"))
	case n.Session != nil && n.Stats.Copies.Messages() > 0:
		s := n.Stats.Copies
		say("of this %s tokens, %s, %s are copies that count in another session", terminal.Short(s.Total), n.costOf(s), terminal.Counted(int(s.Messages()), "message"))
	}
	cov := coverageLine(n.call, n.Coverage)
	if n.draw.ASCII {
		cov = strings.ReplaceAll(cov, " · ", n.draw.Dot)
	}
	say("%s", cov)
}

// costOf is a cost within a sentence.
func (n *account) costOf(s numbers.Sums) string {
	if text := n.cost(s); text != notRecorded && text != n.draw.None {
		return text
	}
	return "no cost recorded"
}
