package terminal

import (
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
