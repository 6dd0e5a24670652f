package terminal

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Plot draws values over days and hours as shades, with a legend below.
type Plot struct {
	Out     io.Writer
	Style   Style
	Glyphs  Glyphs
	Width   int                  // of the window or, without one, of what is drawn
	Amount  func(float64) string // writes a value
	Unknown string               // says what an unknown value means
}

// Shade is what a cell of a plot shows.
type Shade struct {
	Value   float64
	Unknown bool // there is something whose value nobody recorded
}

// Day is a day of a calendar.
type Day struct {
	Date time.Time // what its own zone has for a date
	Shade
}

// levels are the greatest values of the first three of four shades: a quarter
// each of the cells that have something.
func levels(all []Shade) [4]float64 {
	var values []float64
	for _, s := range all {
		if s.Value > 0 {
			values = append(values, s.Value)
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
func (p Plot) cell(s Shade, l [4]float64, wide int) string {
	gap := ""
	if wide > 2 {
		gap, wide = " ", wide-1
	}
	switch {
	case s.Value > 0:
		level := 1
		for level < 4 && s.Value > l[level-1] {
			level++
		}
		return p.Style.Good(strings.Repeat(p.Glyphs.Shades[level], wide)) + gap
	case s.Unknown:
		return p.Style.Label(strings.Repeat(p.Glyphs.Unknown, wide)) + gap
	}
	return p.Style.Dim(p.Glyphs.Shades[0]) + Blanks(p.Glyphs.Shades[0], wide) + gap
}

// legend says what the shades stand for.
func (p Plot) legend(all []Shade) {
	l := levels(all)
	const margin = calendarLabel
	line, at := "\n"+strings.Repeat(" ", margin), margin
	add := func(paint func(string) string, sign, meaning string) {
		wide := Width(sign + " " + meaning)
		switch {
		case at == margin:
		case at+2+wide > p.Width:
			line += "\n" + strings.Repeat(" ", margin)
			at = margin
		default:
			line += "  "
			at += 2
		}
		line += paint(sign) + " " + meaning
		at += wide
	}
	add(p.Style.Dim, p.Glyphs.Shades[0], "nothing")
	for i, greatest := range l {
		if greatest > 0 && (i == 0 || greatest > l[i-1]) {
			add(p.Style.Good, p.Glyphs.Shades[i+1], "to "+p.Amount(greatest))
		}
	}
	if slices.ContainsFunc(all, func(s Shade) bool { return s.Unknown && s.Value <= 0 }) {
		add(p.Style.Label, p.Glyphs.Unknown, p.Unknown)
	}
	fmt.Fprintln(p.Out, line)
}

// calendarLabel is the room for the names of weekdays and hours.
const calendarLabel = 4

// headingOver is the room that the name of a month takes beyond its week.
const headingOver = len("Jan") - 1

// Calendar draws days, which are in order: a column a week and a line a weekday:
//
//	    2026
//	    Jan Feb Mar
//	Mon ·░▒▓█·░▒▓█
//	Tue ·░▒▓█·░▒▓█
//
// More weeks than a window has room for are drawn year by year.
func (p Plot) Calendar(days []Day) {
	if len(days) == 0 {
		return
	}
	shades := map[time.Time]Shade{}
	var all []Shade
	var dates []time.Time
	for _, d := range days {
		year, month, day := d.Date.Date()
		date := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
		shades[date] = d.Shade
		all = append(all, d.Shade)
		dates = append(dates, date)
	}
	room := max(p.Width-calendarLabel-headingOver, 8)
	l := levels(all)
	draw := func(from, to time.Time) {
		monday := mondayOf(from)
		weeks := int(mondayOf(to).Sub(monday).Hours()/24/7) + 1
		wide := min(max(room/weeks, 1), 3)
		p.months(monday, from, to, weeks, wide)
		for weekday := range 7 {
			day := monday.AddDate(0, 0, weekday)
			var line strings.Builder
			line.WriteString(p.Style.Dim(Pad(day.Format("Mon"), calendarLabel)))
			for range weeks {
				if day.Before(from) || day.After(to) {
					line.WriteString(strings.Repeat(" ", wide))
				} else {
					line.WriteString(p.cell(shades[day], l, wide))
				}
				day = day.AddDate(0, 0, 7)
			}
			fmt.Fprintln(p.Out, strings.TrimRight(line.String(), " "))
		}
	}
	for i, span := range calendarSpans(dates, room) {
		if i > 0 {
			fmt.Fprintln(p.Out)
		}
		draw(span[0], span[1])
	}
	p.legend(all)
}

// heading is a name above a column.
type heading struct {
	at   int
	name string
}

// months writes the names of years, and below them those of months, above the weeks in
// which they begin.
func (p Plot) months(monday, from, to time.Time, weeks, wide int) {
	var years, months []heading
	last := time.Time{}
	for week := range weeks {
		start := monday.AddDate(0, 0, 7*week)
		for day := range 7 {
			date := start.AddDate(0, 0, day)
			if date.Before(from) || date.After(to) {
				continue
			}
			at := calendarLabel + week*wide
			if last.Year() != date.Year() {
				years = append(years, heading{at, date.Format("2006")})
			}
			if last.Year() != date.Year() || last.Month() != date.Month() {
				months = append(months, heading{at, date.Format("Jan")})
			}
			last = date
		}
	}
	p.headings(years)
	p.headings(months)
}

// headings writes names in one line, each apart from the next. Where two are too close,
// as above the few last days of a month, the first goes to the left, where above the
// names of weekdays there is room.
func (p Plot) headings(names []heading) {
	end := p.Width
	for i := len(names) - 1; i >= 0; i-- {
		names[i].at = min(names[i].at, end-len(names[i].name))
		end = names[i].at - 1
	}
	line := ""
	for _, h := range names {
		if line != "" {
			line += " "
		}
		line = Pad(line, h.at) + h.name
	}
	fmt.Fprintln(p.Out, p.Style.Dim(line))
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

// WeekHours draws the hours of a week that begins with Monday.
func (p Plot) WeekHours(week *[7][24]Shade) {
	wide := min(max((p.Width-calendarLabel)/24, 1), 6)
	var all []Shade
	for _, day := range week {
		all = append(all, day[:]...)
	}
	l := levels(all)
	head := strings.Repeat(" ", calendarLabel)
	for hour := 0; hour < 24; hour += 3 {
		head = Pad(head, calendarLabel+hour*wide) + fmt.Sprintf("%02d", hour)
	}
	fmt.Fprintln(p.Out, p.Style.Dim(head))
	for i, day := range week {
		monday := time.Date(2024, 1, 1+i, 0, 0, 0, 0, time.UTC) // a Monday
		var line strings.Builder
		line.WriteString(p.Style.Dim(Pad(monday.Format("Mon"), calendarLabel)))
		for _, s := range day {
			line.WriteString(p.cell(s, l, wide))
		}
		fmt.Fprintln(p.Out, strings.TrimRight(line.String(), " "))
	}
	p.legend(all)
}
