package question

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ParseDate reads a date as people write it into a filter: from is its first
// moment, to the first one after it. What has no zone is in the zone of now.
//
//	2026  2026-09  2026-09-01           a year, a month, a day
//	2026-09-01T10:00  2026-09-01 10:00  a minute; with :30, a second
//	2026-09-01T10:00:30Z                RFC 3339: a second, with a fraction a millisecond
//	today  yesterday                    a day
//	-3d  -2w  -6mo  -1y                 the day so long ago; the minus may be left out
//	-6h                                 the moment so many hours ago
func ParseDate(s string, now time.Time) (from, to time.Time, err error) {
	switch s = strings.TrimSpace(s); s {
	case "today":
		from, to = day(now, 0)
		return from, to, nil
	case "yesterday":
		from, to = day(now, -1)
		return from, to, nil
	}
	if from, to, ok := parseAgo(s, now); ok {
		return from, to, nil
	}
	if from, to, ok := parseCalendar(s, now.Location()); ok {
		return from, to, nil
	}
	return time.Time{}, time.Time{}, fmt.Errorf("%q is no date such as 2026-09-01, 2026-09, yesterday, -3d or -2w", s)
}

// day returns the day so many days from that of t, on the calendar of t: not
// every day has 24 hours.
func day(t time.Time, days int) (from, to time.Time) {
	y, m, d := t.Date()
	at := func(days int) time.Time { return time.Date(y, m, d+days, 0, 0, 0, 0, t.Location()) }
	return at(days), at(days + 1)
}

// parseAgo reads a number and a unit.
func parseAgo(s string, now time.Time) (from, to time.Time, ok bool) {
	s = strings.TrimPrefix(s, "-")
	unit := strings.TrimLeft(s, "0123456789")
	n, err := strconv.Atoi(s[:len(s)-len(unit)])
	if err != nil || n > 99_999 {
		return from, to, false
	}
	switch unit {
	case "h":
		from = now.Add(-time.Duration(n) * time.Hour)
		return from, from.Add(time.Millisecond), true
	case "d":
		from, to = day(now, -n)
	case "w":
		from, to = day(now, -7*n)
	case "mo":
		from, to = day(now.AddDate(0, -n, 0), 0)
	case "y":
		from, to = day(now.AddDate(-n, 0, 0), 0)
	default:
		return from, to, false
	}
	return from, to, true
}

// parseCalendar reads a date of the calendar, with or without a time of day.
func parseCalendar(s string, zone *time.Location) (from, to time.Time, ok bool) {
	for _, form := range []struct {
		layout              string
		years, months, days int
		span                time.Duration
	}{
		{layout: "2006-01-02", days: 1},
		{layout: "2006-01", months: 1},
		{layout: "2006", years: 1},
		{layout: time.RFC3339, span: time.Second},
		{layout: "2006-01-02T15:04Z07:00", span: time.Minute},
		{layout: "2006-01-02T15:04:05", span: time.Second},
		{layout: "2006-01-02T15:04", span: time.Minute},
		{layout: "2006-01-02 15:04:05", span: time.Second},
		{layout: "2006-01-02 15:04", span: time.Minute},
	} {
		from, err := time.ParseInLocation(form.layout, s, zone)
		if err != nil {
			continue
		}
		if strings.Contains(s, ".") {
			form.span = time.Millisecond
		}
		return from, from.AddDate(form.years, form.months, form.days).Add(form.span), true
	}
	return from, to, false
}
