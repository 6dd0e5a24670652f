// Package date reads moments as JavaScript's Date does, which is how the programs
// that write session files read them. It knows no more of those files.
package date

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// maxTime is the largest moment a JavaScript Date can hold, in milliseconds
// either side of 1970.
const maxTime = 8.64e15

// Parse reads a timestamp as JavaScript's Date does: the ISO form with all
// its optional parts, and the commonest of the mail, log and local forms that
// Date takes besides. The result is in Unix milliseconds, fractions cut. A date
// and time without a zone is taken as UTC.
func Parse(s string) (ms int64, ok bool) {
	if t, ok := parseISO(s); ok {
		return t, true
	}
	s, _, _ = strings.Cut(strings.TrimSpace(s), " (") // the zone's name, behind its offset
	for _, layout := range []string{
		"Mon, 2 Jan 2006 15:04:05 GMT", "Mon, 2 Jan 2006 15:04:05 -0700", time.ANSIC,
		"Mon Jan 2 2006 15:04:05 GMT-0700", "Mon Jan 2 2006", "1/2/2006, 3:04:05 PM", "1/2/2006",
		"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05 UTC", "2006-01-02 15:04:05", "2006-01-02 15:04",
		"2006/01/02 15:04:05", "2006/01/02", "Jan 2, 2006 15:04:05", "Jan 2, 2006", "January 2, 2006", "2 Jan 2006"} {
		// Of years below 100 Date makes others, and no comma before a fraction.
		t, err := time.Parse(layout, s)
		if err == nil && t.Year() >= 100 && strings.Count(s, ",") == strings.Count(layout, ",") {
			return t.UnixMilli(), true
		}
	}
	return 0, false
}

// parseISO reads [±YY]YYYY[-MM[-DD]][THH:mm[:ss[.fraction]][Z|±HH[:]mm]].
func parseISO(s string) (int64, bool) {
	p := isoText{rest: s}
	year := p.year()
	month, day := 1, 1
	if p.skip('-') {
		month = p.digits(2)
		if p.skip('-') {
			day = p.digits(2)
		}
	}
	var hour, minute, second, milli int
	zone := 0
	if p.skip('T') || p.skip('t') {
		hour = p.digits(2)
		p.must(':')
		minute = p.digits(2)
		if p.skip(':') {
			second = p.digits(2)
			if p.skip('.') {
				milli = p.fraction()
			}
		}
		zone = p.zone()
	}
	if p.bad || p.rest != "" || month < 1 || month > 12 || day < 1 || day > 31 || minute > 59 || second > 59 ||
		hour > 24 || hour == 24 && (minute|second|milli) != 0 {
		return 0, false
	}
	t := time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC)
	ms := t.Unix()*1000 + int64(milli) - int64(zone)*60_000
	if math.Abs(float64(ms)) > maxTime {
		return 0, false
	}
	return ms, true
}

// isoText is a cursor over an ISO timestamp; bad is set at the first misfit.
type isoText struct {
	rest string
	bad  bool
}

func (p *isoText) skip(c byte) bool {
	if p.rest == "" || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

func (p *isoText) must(c byte) {
	if !p.skip(c) {
		p.bad = true
	}
}

func (p *isoText) digits(n int) int {
	if len(p.rest) < n {
		p.bad = true
		return 0
	}
	v := 0
	for _, c := range []byte(p.rest[:n]) {
		if c < '0' || c > '9' {
			p.bad = true
			return 0
		}
		v = v*10 + int(c-'0')
	}
	p.rest = p.rest[n:]
	return v
}

func (p *isoText) year() int {
	if p.skip('+') {
		return p.digits(6)
	}
	if p.skip('-') {
		year := p.digits(6)
		p.bad = p.bad || year == 0
		return -year
	}
	return p.digits(4)
}

// fraction reads any number of digits and keeps the first three.
func (p *isoText) fraction() int {
	n := 0
	for n < len(p.rest) && p.rest[n] >= '0' && p.rest[n] <= '9' {
		n++
	}
	if n == 0 {
		p.bad = true
		return 0
	}
	ms, _ := strconv.Atoi((p.rest[:n] + "00")[:3])
	p.rest = p.rest[n:]
	return ms
}

// zone returns the offset from UTC in minutes.
func (p *isoText) zone() int {
	if p.rest == "" || p.skip('Z') || p.skip('z') {
		return 0
	}
	sign := 1
	if p.skip('-') {
		sign = -1
	} else {
		p.must('+')
	}
	h := p.digits(2)
	p.skip(':')
	m := p.digits(2)
	p.bad = p.bad || h > 23 || m > 59
	return sign * (h*60 + m)
}

// FromNumber turns a JSON number into Unix milliseconds as new Date(number) does:
// fractions are cut toward zero, and numbers out of range are no date.
func FromNumber(n float64) (int64, bool) {
	if math.IsNaN(n) || math.Abs(n) > maxTime {
		return 0, false
	}
	return int64(math.Trunc(n)), true
}
