package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// noValue stands where nothing was recorded, which is not the same as zero.
const noValue = "–"

// when says how long ago t was, as a person would: minutes and hours for
// today, the clock for yesterday, the weekday for this week, else the date.
// Days begin and end in the time zone of now.
func when(t, now time.Time) string {
	if t.IsZero() {
		return noValue
	}
	t = t.In(now.Location())
	ago := now.Sub(t)
	switch days := daysBetween(t, now); {
	case ago < -time.Minute: // a clock was wrong; no "in 3h" for what has happened
		return t.Format(time.DateOnly)
	case ago < time.Minute:
		return "just now"
	case ago < time.Hour:
		return fmt.Sprintf("%dm ago", int(ago.Minutes()))
	case days == 0 || ago < 6*time.Hour: // shortly after midnight, last night is still "2h ago"
		return fmt.Sprintf("%dh ago", int(ago.Hours()))
	case days == 1:
		return t.Format("yesterday 15:04")
	case days < 7:
		return t.Format("Mon 15:04")
	}
	return t.Format(time.DateOnly)
}

// daysBetween counts the midnights from a to b on b's calendar. Noon of the
// same dates in UTC is compared, so that a 23-hour day counts as one.
func daysBetween(a, b time.Time) int {
	noon := func(t time.Time) time.Time {
		return time.Date(t.Year(), t.Month(), t.Day(), 12, 0, 0, 0, time.UTC)
	}
	return int(noon(b).Sub(noon(a)).Hours() / 24)
}

// size writes bytes in decimal units: "512 B", "1.2 kB", "34 MB".
func size(n int64) string {
	if n < 1000 {
		return strconv.FormatInt(n, 10) + " B"
	}
	return scaled(n, " ") + "B"
}

// short writes a large number with three digits at most: "950", "1.2k", "34M".
func short(n int64) string {
	if n < 1000 {
		return strconv.FormatInt(n, 10)
	}
	return scaled(n, "")
}

// scaled writes n ≥ 1000 as a number below 1000 and its unit.
func scaled(n int64, gap string) string {
	v := float64(n)
	for _, unit := range []string{"k", "M", "G", "T"} {
		v /= 1000
		switch {
		case v < 9.95:
			return strconv.FormatFloat(v, 'f', 1, 64) + gap + unit
		case v < 999.5:
			return strconv.FormatFloat(v, 'f', 0, 64) + gap + unit
		}
	}
	return strconv.FormatFloat(v, 'f', 0, 64) + gap + "T"
}

// count writes a number in full, in groups of three: "1,234,567".
func count(n int64) string { return grouped(strconv.FormatInt(n, 10)) }

// money writes US dollars; nil is a cost nobody recorded.
func money(dollars *float64) string {
	switch {
	case dollars == nil:
		return noValue
	case *dollars > 0 && *dollars < 0.01:
		return "<$0.01"
	case *dollars < 0:
		refund := -*dollars
		return "-" + money(&refund)
	}
	whole, cents, _ := strings.Cut(strconv.FormatFloat(*dollars, 'f', 2, 64), ".")
	return "$" + grouped(whole) + "." + cents
}

// grouped puts a comma before every third digit from the right.
func grouped(digits string) string {
	first := len(digits) - len(strings.TrimPrefix(digits, "-"))
	for i := len(digits) - 3; i > first; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
