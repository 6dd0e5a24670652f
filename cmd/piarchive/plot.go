package main

import (
	"fmt"

	"piarchive/internal/query/numbers"
	"piarchive/internal/terminal"
)

// plotWidth is how wide plots are where no window limits them.
const plotWidth = 80

// plot draws the rows: days as a calendar, hours as those of a week, all else
// as bars.
func (n *account) plot() {
	p := terminal.Plot{Out: n.stdout, Style: n.style, Glyphs: n.draw, Width: n.plotWidth(), Amount: n.amount, Unknown: notRecorded}
	switch n.By {
	case "day":
		var days []terminal.Day
		for _, row := range n.Shown {
			days = append(days, terminal.Day{Date: row.Start.In(n.zone), Shade: n.shadeOf(row)})
		}
		p.Calendar(days)
	case "hour":
		var week [7][24]terminal.Shade
		for _, row := range n.Shown {
			at, s := row.Start.In(n.zone), n.shadeOf(row)
			here := &week[(int(at.Weekday())+6)%7][at.Hour()]
			here.Value += s.Value
			here.Unknown = here.Unknown || s.Unknown
		}
		p.WeekHours(&week)
	default:
		n.bars()
	}
	fmt.Fprintln(n.stdout)
	if n.name != "cost" { // which began with it
		n.plotTotal()
	}
}

func (n *account) plotWidth() int {
	if w := n.width(); w > 0 {
		return w
	}
	return plotWidth
}

// amount writes a value of the measure.
func (n *account) amount(v float64) string {
	switch {
	case n.By == "tool":
		return terminal.Count(int64(v))
	case n.measure == "cost":
		return terminal.Money(&v)
	case n.measure == "tokens":
		return terminal.Short(int64(v))
	}
	return terminal.Count(int64(v))
}

// measured writes what a row has of the measure.
func (n *account) measured(row *numbers.StatsRow) string {
	switch {
	case n.By == "tool":
		return n.amount(float64(row.Tool.Calls))
	case n.measure == "cost":
		return n.cost(row.Sums())
	}
	return n.amount(row.Measure(n.measure))
}

func (n *account) plotTotal() {
	what := n.measure
	if n.By == "tool" {
		what = "calls"
	}
	fmt.Fprintln(n.stdout, n.style.Bold("total "+n.measured(&n.Stats.Total)+" "+what))
}

// bars draws a line for each row: its name, a bar, its value.
func (n *account) bars() {
	t := newTable(n.call, terminal.Column{}, terminal.Column{Right: true})
	t.Width = n.plotWidth()
	t.Bar = n.bar(n.values(), 1, t.Width)
	for _, row := range n.Shown {
		fit := n.draw.Fit
		if n.By == "project" {
			fit = n.draw.FitEnd
		}
		t.Row(fit(n.label(row), t.Width/3), n.measured(row))
	}
	t.End()
}

func (n *account) shadeOf(row *numbers.StatsRow) terminal.Shade {
	s := row.Sums()
	return terminal.Shade{Value: row.Measure(n.measure), Unknown: n.measure == "cost" && s.Unpriced > 0}
}
