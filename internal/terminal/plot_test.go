package terminal

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestCalendarSpans: whatever the dates and the room, the pieces fit, hold every
// date once, and do not overlap.
func TestCalendarSpans(t *testing.T) {
	date := func(year, month, day int) time.Time {
		return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	}
	for _, dates := range [][]time.Time{
		{date(2026, 3, 4)}, {date(2026, 1, 1), date(2026, 12, 31)}, {date(2025, 12, 29), date(2026, 1, 4)}, {date(2020, 2, 29), date(2024, 6, 1), date(2026, 6, 1)},
		{date(1, 1, 1), date(1970, 1, 1), date(9999, 12, 31), date(275760, 9, 12)},
	} {
		for _, room := range []int{8, 36, 53, 54, 76, 196} {
			spans := calendarSpans(dates, room)
			for i, s := range spans {
				if s[1].Before(s[0]) || !s[1].Before(mondayOf(s[0]).AddDate(0, 0, 7*room)) || i > 0 && !spans[i-1][1].Before(s[0]) {
					t.Errorf("%v in %d weeks: %v", dates, room, spans)
				}
			}
			for _, d := range dates {
				held := 0
				for _, s := range spans {
					if !d.Before(s[0]) && !d.After(s[1]) {
						held++
					}
				}
				if held != 1 {
					t.Errorf("%v in %d weeks: %v is in %d pieces", dates, room, d, held)
				}
			}
		}
	}
}

// TestMonthNames: whatever the days and the window, each month of a plot has its name,
// once, apart from its neighbours, inside the window, and above its first week unless
// that was too close to the next or to the edge.
func TestMonthNames(t *testing.T) {
	dice := rand.New(rand.NewPCG(7, 1))
	for range 3000 {
		width := 20 + dice.IntN(200)
		from := time.Date(2023+dice.IntN(3), 1, 1+dice.IntN(365), 0, 0, 0, 0, time.UTC)
		to := from.AddDate(0, 0, dice.IntN(500))
		var out strings.Builder
		p := Plot{Out: &out, Glyphs: NewGlyphs(true), Width: width, Amount: func(float64) string { return "1" }}
		p.Calendar([]Day{{Date: from, Shade: Shade{Value: 1}}, {Date: to, Shade: Shade{Value: 1}}})
		var names, years []string
		lines := strings.Split(out.String(), "\n")
		for i, line := range lines {
			if !strings.HasPrefix(line, "Mon") {
				continue
			}
			names = append(names, strings.Fields(lines[i-1])...)
			years = append(years, strings.Fields(lines[i-2])...)
			if Width(lines[i-1]) > width || Width(lines[i-2]) > width {
				t.Fatalf("wider than %d:\n%s", width, out.String())
			}
		}
		var want, wantYears []string
		for _, span := range calendarSpans([]time.Time{from, to}, max(width-calendarLabel-headingOver, 8)) {
			for date := span[0]; !date.After(span[1]); date = date.AddDate(0, 0, 1) {
				if date.Day() == 1 || date.Equal(span[0]) {
					want = append(want, date.Format("Jan"))
				}
				if date.YearDay() == 1 || date.Equal(span[0]) {
					wantYears = append(wantYears, date.Format("2006"))
				}
			}
		}
		if !slices.Equal(names, want) || !slices.Equal(years, wantYears) {
			t.Fatalf("%s to %s in %d: %q of %q, want %q of %q\n%s", from.Format(time.DateOnly), to.Format(time.DateOnly), width, names, years, want, wantYears, out.String())
		}
	}
}
