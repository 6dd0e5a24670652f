package terminal

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// NoValue stands where nothing was recorded, which is not the same as zero.
const NoValue = "–"

// When says how long ago t was, as a person would: minutes and hours for
// today, the clock for yesterday, the weekday for this week, else the date.
// Days begin and end in the time zone of now.
func When(t, now time.Time) string {
	if t.IsZero() {
		return NoValue
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

// Clock is [When] that gives the time of day of what was today or yesterday, for
// lists: there "2h ago" does not tell one from the next.
func Clock(t, now time.Time) string {
	t = t.In(now.Location())
	switch days := daysBetween(t, now); {
	case t.IsZero() || t.After(now.Add(time.Minute)):
	case days == 0:
		return t.Format("today 15:04")
	case days == 1:
		return t.Format("yesterday 15:04")
	}
	return When(t, now)
}

// daysBetween counts the midnights from a to b on b's calendar. Noon of the
// same dates in UTC is compared, so that a 23-hour day counts as one.
func daysBetween(a, b time.Time) int {
	noon := func(t time.Time) time.Time {
		return time.Date(t.Year(), t.Month(), t.Day(), 12, 0, 0, 0, time.UTC)
	}
	return int(noon(b).Sub(noon(a)).Hours() / 24)
}

// Size writes bytes in decimal units: "512 B", "1.2 kB", "34 MB".
func Size(n int64) string {
	if n < 1000 {
		return strconv.FormatInt(n, 10) + " B"
	}
	return scaled(n, " ") + "B"
}

// Short writes a large number with three digits at most: "950", "1.2k", "34M".
func Short(n int64) string {
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

// Count writes a number in full, in groups of three: "1,234,567".
func Count(n int64) string { return grouped(strconv.FormatInt(n, 10)) }

// Money writes US dollars; nil is a cost nobody recorded.
func Money(dollars *float64) string {
	switch {
	case dollars == nil:
		return NoValue
	case *dollars > 0 && *dollars < 0.01:
		return "<$0.01"
	case *dollars < 0:
		refund := -*dollars
		return "-" + Money(&refund)
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

// Counted writes a number and the noun it counts: "1 session", "1,181 sessions",
// "2 entries".
func Counted(n int, noun string) string {
	if stem, ok := strings.CutSuffix(noun, "y"); ok && n != 1 {
		noun = stem + "ies"
	} else if n != 1 {
		noun += "s"
	}
	return Count(int64(n)) + " " + noun
}

// Percent writes a share in six cells: "  44 %", "0.06 %", "   0 %".
func Percent(share float64) string {
	p := 100 * share
	text := strconv.FormatFloat(p, 'f', 0, 64)
	switch {
	case p <= 0:
		text = "0"
	case p < 0.01:
		text = "<.01"
	case p < 0.995:
		text = strconv.FormatFloat(p, 'f', 2, 64)
	case p < 9.95:
		text = strconv.FormatFloat(p, 'f', 1, 64)
	}
	return PadLeft(text, 4) + " %"
}
