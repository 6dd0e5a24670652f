package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"piarchive/internal/query"
	"piarchive/internal/terminal"
)

// plotWidth is how wide plots are where no window limits them.
const plotWidth = 80

// plot draws the rows: days as a calendar, hours as those of a week, all else
// as bars.
func (n *account) plot() {
	switch n.by {
	case "day":
		n.calendar()
	case "hour":
		n.weekHours()
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
	case n.by == "tool":
		return terminal.Count(int64(v))
	case n.measure == "cost":
		return terminal.Money(&v)
	case n.measure == "tokens":
		return terminal.Short(int64(v))
	}
	return terminal.Count(int64(v))
}

// measured writes what a row has of the measure.
func (n *account) measured(row *query.StatsRow) string {
	switch {
	case n.by == "tool":
		return n.amount(float64(row.Tool.Calls))
	case n.measure == "cost":
		return n.cost(row.Sums())
	}
	return n.amount(row.Measure(n.measure))
}

func (n *account) plotTotal() {
	what := n.measure
	if n.by == "tool" {
		what = "calls"
	}
	fmt.Fprintln(n.stdout, n.style.Bold("total "+n.measured(&n.stats.Total)+" "+what))
}

// bars draws a line for each row: its name, a bar, its value.
func (n *account) bars() {
	width := n.plotWidth()
	names, values := make([]string, len(n.shown)), n.values()
	wide, widest := 0, 0
	for i, row := range n.shown {
		if names[i] = n.draw.Fit(n.label(row), width/3); n.by == "project" {
			names[i] = n.draw.FitEnd(n.label(row), width/3)
		}
		wide = max(wide, terminal.Width(names[i]))
		widest = max(widest, terminal.Width(n.measured(row)))
	}
	room := width - wide - widest - 4
	greatest := slices.Max(append(values, 0))
	for i, row := range n.shown {
		bar := ""
		if greatest > 0 && values[i] > 0 && room > 0 {
			bar = n.draw.Bar(values[i]/greatest, room)
		}
		line := terminal.Pad(names[i], wide) + "  " + terminal.PadLeft(n.measured(row), widest) + "  " + n.style.Accent(bar)
		fmt.Fprintln(n.stdout, strings.TrimRight(line, " "))
	}
}

// shade is what a cell of a plot shows.
type shade struct {
	value   float64
	used    bool // something was used
	unknown bool // of which no cost was recorded
}

// levels are the greatest values of the first three of four shades: a quarter
// each of the cells that have something.
func levels(all []shade) [4]float64 {
	var values []float64
	for _, s := range all {
		if s.value > 0 {
			values = append(values, s.value)
		}
	}
	slices.Sort(values)
	var l [4]float64
	for i := range l {
		if len(values) > 0 {
			l[i] = values[(i+1)*len(values)/4-min(1, (i+1)*len(values)/4)]
		}
	}
	return l
}

// cell draws a shade, wide cells.
func (n *account) cell(s shade, l [4]float64, wide int) string {
	gap := ""
	if wide > 2 {
		gap, wide = " ", wide-1
	}
	switch {
	case s.value > 0:
		level := 1
		for level < 4 && s.value > l[level-1] {
			level++
		}
		return n.style.Good(strings.Repeat(n.draw.Shades[level], wide)) + gap
	case s.unknown:
		return n.style.Label(strings.Repeat(n.draw.Unknown, wide)) + gap
	}
	return n.style.Dim(n.draw.Shades[0]) + terminal.Blanks(n.draw.Shades[0], wide) + gap
}

func (n *account) shadeOf(row *query.StatsRow) shade {
	s := row.Sums()
	return shade{value: row.Measure(n.measure), used: true, unknown: n.measure == "cost" && s.Unpriced > 0}
}

// legend says what the shades stand for.
func (n *account) legend(all []shade) {
	l := levels(all)
	const margin = calendarLabel
	line, at := "\n"+strings.Repeat(" ", margin), margin
	add := func(paint func(string) string, sign, meaning string) {
		wide := terminal.Width(sign + " " + meaning)
		switch {
		case at == margin:
		case at+2+wide > n.plotWidth():
			line += "\n" + strings.Repeat(" ", margin)
			at = margin
		default:
			line += "  "
			at += 2
		}
		line += paint(sign) + " " + meaning
		at += wide
	}
	add(n.style.Dim, n.draw.Shades[0], "nothing")
	for i, greatest := range l {
		if greatest > 0 && (i == 0 || greatest > l[i-1]) {
			add(n.style.Good, n.draw.Shades[i+1], "to "+n.amount(greatest))
		}
	}
	if slices.ContainsFunc(all, func(s shade) bool { return s.unknown && s.value <= 0 }) {
		add(n.style.Label, n.draw.Unknown, notRecorded)
	}
	fmt.Fprintln(n.stdout, line)
}

// calendarLabel is the room for the names of weekdays and hours.
const calendarLabel = 4

// calendar draws the days, a column a week and a line a weekday:
//
//	     2026 Feb Mar
//	Mon ·░▒▓█·░▒▓█
//	Tue ·░▒▓█·░▒▓█
//
// More weeks than a window has room for are drawn year by year.
func (n *account) calendar() {
	days := map[string]shade{}
	var all []shade
	var dates []time.Time
	for _, row := range n.shown {
		s := n.shadeOf(row)
		days[row.Key] = s
		all = append(all, s)
		year, month, day := row.Start.In(n.zone).Date()
		dates = append(dates, time.Date(year, month, day, 0, 0, 0, 0, time.UTC))
	}
	room := max(n.plotWidth()-calendarLabel, 8)
	l := levels(all)
	draw := func(from, to time.Time) {
		monday := mondayOf(from)
		weeks := int(mondayOf(to).Sub(monday).Hours()/24/7) + 1
		wide := min(max(room/weeks, 1), 3)
		n.months(monday, from, to, weeks, wide)
		for weekday := range 7 {
			day := monday.AddDate(0, 0, weekday)
			var line strings.Builder
			line.WriteString(n.style.Dim(terminal.Pad(day.Format("Mon"), calendarLabel)))
			for range weeks {
				if day.Before(from) || day.After(to) {
					line.WriteString(strings.Repeat(" ", wide))
				} else {
					line.WriteString(n.cell(days[day.Format(time.DateOnly)], l, wide))
				}
				day = day.AddDate(0, 0, 7)
			}
			fmt.Fprintln(n.stdout, strings.TrimRight(line.String(), " "))
		}
	}
	for i, span := range calendarSpans(dates, room) {
		if i > 0 {
			fmt.Fprintln(n.stdout)
		}
		draw(span[0], span[1])
	}
	n.legend(all)
}

// months writes the names of months above the weeks in which they begin, and
// that of a year with the first of them.
func (n *account) months(monday, from, to time.Time, weeks, wide int) {
	line := strings.Repeat(" ", calendarLabel)
	for week := range weeks {
		start := monday.AddDate(0, 0, 7*week)
		end := start.AddDate(0, 0, 6)
		if end.After(to) {
			end = to
		}
		name := ""
		switch {
		case week == 0 && (weeks-week)*wide >= 8:
			name = from.Format("Jan 2006")
		case week == 0:
			name = from.Format("Jan")
		case end.Day() <= 7 && end.Month() == time.January:
			name = end.Format("Jan 2006")
		case end.Day() <= 7:
			name = end.Format("Jan")
		}
		at := calendarLabel + week*wide
		if name == "" || len(line) > at || len(line) == at && at > calendarLabel && !strings.HasSuffix(line, " ") {
			continue
		}
		line = terminal.Pad(line, at) + name
	}
	if n.plotWidth() < len(line) {
		line = line[:n.plotWidth()]
	}
	fmt.Fprintln(n.stdout, n.style.Dim(line))
}

// calendarSpans cuts the time from the first date to the last into pieces of at
// most so many weeks: none, or years, or parts of years. Years without a date
// are left out.
func calendarSpans(dates []time.Time, room int) (spans [][2]time.Time) {
	fits := func(from, to time.Time) bool { return to.Before(mondayOf(from).AddDate(0, 0, 7*room)) }
	first, last := dates[0], dates[len(dates)-1]
	if fits(first, last) {
		return [][2]time.Time{{first, last}}
	}
	for i, date := range dates {
		if i > 0 && date.Year() == dates[i-1].Year() {
			continue
		}
		from, end := time.Date(date.Year(), 1, 1, 0, 0, 0, 0, time.UTC), time.Date(date.Year(), 12, 31, 0, 0, 0, 0, time.UTC)
		if from.Before(first) {
			from = first
		}
		if end.After(last) {
			end = last
		}
		for !fits(from, end) {
			next := mondayOf(from).AddDate(0, 0, 7*room)
			spans = append(spans, [2]time.Time{from, next.AddDate(0, 0, -1)})
			from = next
		}
		spans = append(spans, [2]time.Time{from, end})
	}
	return spans
}

// mondayOf is the Monday of the week of a date.
func mondayOf(t time.Time) time.Time { return t.AddDate(0, 0, -(int(t.Weekday())+6)%7) }

// weekHours draws the hours of a week, added up over all weeks.
func (n *account) weekHours() {
	var sums [7][24]shade
	for _, row := range n.shown {
		at := row.Start.In(n.zone)
		s, here := n.shadeOf(row), &sums[(int(at.Weekday())+6)%7][at.Hour()]
		here.value += s.value
		here.unknown = here.unknown || s.unknown
	}
	wide := min(max((n.plotWidth()-calendarLabel)/24, 1), 6)
	var all []shade
	for _, day := range sums {
		all = append(all, day[:]...)
	}
	l := levels(all)
	head := strings.Repeat(" ", calendarLabel)
	for hour := 0; hour < 24; hour += 3 {
		head = terminal.Pad(head, calendarLabel+hour*wide) + fmt.Sprintf("%02d", hour)
	}
	fmt.Fprintln(n.stdout, n.style.Dim(head))
	for i, day := range sums {
		monday := time.Date(2024, 1, 1+i, 0, 0, 0, 0, time.UTC) // a Monday
		var line strings.Builder
		line.WriteString(n.style.Dim(terminal.Pad(monday.Format("Mon"), calendarLabel)))
		for _, s := range day {
			line.WriteString(n.cell(s, l, wide))
		}
		fmt.Fprintln(n.stdout, strings.TrimRight(line.String(), " "))
	}
	n.legend(all)
}
