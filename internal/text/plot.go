package text

import (
	"cmp"

	"piarchive/internal/query/numbers"
	"piarchive/internal/terminal"
)

// plotWidth is how wide plots are where no window limits them.
const plotWidth = 80

// plot draws the rows: days as a calendar, hours as those of a week, all else
// as bars.
func (n *Numbers) plot() {
	p := terminal.Plot{Out: n.Out, Style: n.Style, Glyphs: n.Glyphs, Width: n.plotWidth(), Amount: n.amount, Unknown: notRecorded}
	switch n.By {
	case "day":
		var days []terminal.Day
		for _, row := range n.Shown {
			days = append(days, terminal.Day{Date: row.Start.In(n.Location), Shade: n.shadeOf(row)})
		}
		p.Calendar(days)
	case "hour":
		var week [7][24]terminal.Shade
		for _, row := range n.Shown {
			at, s := row.Start.In(n.Location), n.shadeOf(row)
			here := &week[(int(at.Weekday())+6)%7][at.Hour()]
			here.Value += s.Value
			here.Unknown = here.Unknown || s.Unknown
		}
		p.WeekHours(&week)
	default:
		n.bars()
	}
	n.say()
	if !n.isCost { // which began with it
		n.say(n.Style.Bold("total " + n.measured(&n.Stats.Total) + " " + n.Order))
	}
}

func (n *Numbers) plotWidth() int {
	return cmp.Or(n.Width, plotWidth)
}

// amount writes a value of the measure.
func (n *Numbers) amount(v float64) string {
	switch n.Order {
	case "cost":
		return terminal.Money(&v)
	case "tokens":
		return terminal.Short(int64(v))
	}
	return terminal.Count(int64(v))
}

// measured writes what a row has of the measure.
func (n *Numbers) measured(row *numbers.StatsRow) string {
	if n.Order == "cost" {
		return n.cost(row.Sums())
	}
	return n.amount(row.Amount(n.Order))
}

// bars draws a line for each row: its name, a bar, its value.
func (n *Numbers) bars() {
	t := n.Page.Table(terminal.Column{}, terminal.Column{Right: true})
	t.Width = n.plotWidth()
	t.Bar = n.bar(1, t.Width)
	for _, row := range n.Shown {
		fit := n.Glyphs.Fit
		if n.By == "project" {
			fit = n.Glyphs.FitEnd
		}
		t.Row(fit(n.label(row), t.Width/3), n.measured(row))
	}
	t.End()
}

func (n *Numbers) shadeOf(row *numbers.StatsRow) terminal.Shade {
	return terminal.Shade{Value: row.Amount(n.Order), Unknown: n.Order == "cost" && row.Sums().N[numbers.Unpriced] > 0}
}

// bar draws rows' parts of the greatest amount, in at least and at most so many
// cells.
func (n *Numbers) bar(least, most int) func(row, room int) string {
	amounts, greatest := make([]float64, len(n.Shown)), 0.0
	for i, row := range n.Shown {
		amounts[i] = row.Amount(n.Order)
		greatest = max(greatest, amounts[i])
	}
	return func(row, room int) string {
		if room < least || row >= len(amounts) || amounts[row] <= 0 {
			return ""
		}
		return n.Style.Accent(n.Glyphs.Bar(amounts[row]/greatest, min(room, most)))
	}
}
