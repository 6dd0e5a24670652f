package numbers

import (
	"fmt"
	"time"
)

// slotZone says to which day, week, month or hour of a time zone a slot belongs.
type slotZone struct {
	zone    *time.Location
	by      string
	numbers map[int64]int64 // by slot, for many slots come again
}

// number is the first day since 1970 of what a slot belongs to; of an hour, the
// moment in which it begins.
func (z *slotZone) number(slot int64) int64 {
	if n, ok := z.numbers[slot]; ok {
		return n
	}
	at := slotStart(slot).In(z.zone)
	_, offset := at.Zone()
	local := at.Unix() + int64(offset)
	n := floorDiv(local, 86400)
	switch z.by {
	case "hour":
		n = floorDiv(local, 3600)*3600 - int64(offset)
	case "week":
		n = floorDiv(n+3, 7)*7 - 3 // 1970 began on a Thursday
	case "month":
		n -= int64(at.Day()) - 1
	}
	z.numbers[slot] = n
	return n
}

// span is the day, week, month or hour of a number.
func (z *slotZone) span(n int64) (key string, start, end time.Time) {
	day := time.Unix(n*86400, 0).UTC()
	switch z.by {
	case "hour":
		start = time.Unix(n, 0).In(z.zone)
		return start.Format("2006-01-02T15:04:05Z07:00"), start, start.Add(time.Hour)
	case "week":
		year, week := day.ISOWeek()
		return fmt.Sprintf("%04d-W%02d", year, week), z.midnight(day), z.midnight(day.AddDate(0, 0, 7))
	case "month":
		return day.Format("2006-01"), z.midnight(day), z.midnight(day.AddDate(0, 1, 0))
	}
	return day.Format(time.DateOnly), z.midnight(day), z.midnight(day.AddDate(0, 0, 1))
}

// midnight is when a date begins in the zone: where the clock goes from 23:59
// to 01:00, at 01:00; a date that was left out, as in Samoa, with the next one.
func (z *slotZone) midnight(date time.Time) time.Time {
	year, month, day := date.Date()
	t := time.Date(year, month, day, 0, 0, 0, 0, z.zone)
	if t.Day() == day {
		return t
	}
	before, behind := t.ZoneBounds()
	if y, m, d := t.Date(); time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Before(date) {
		return behind
	}
	return before
}
