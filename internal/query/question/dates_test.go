package question

import (
	"testing"
	"time"
)

func TestParseDate(t *testing.T) {
	zone := time.FixedZone("here", 2*60*60)
	now := time.Date(2026, 3, 31, 0, 30, 15, 0, zone) // the 30th in UTC
	tests := []struct{ text, from, to string }{
		{"today", "2026-03-31T00:00:00+02:00", "2026-04-01T00:00:00+02:00"},
		{"yesterday", "2026-03-30T00:00:00+02:00", "2026-03-31T00:00:00+02:00"},
		{" 2026-09-01 ", "2026-09-01T00:00:00+02:00", "2026-09-02T00:00:00+02:00"},
		{"2026-12", "2026-12-01T00:00:00+02:00", "2027-01-01T00:00:00+02:00"},
		{"2026-02", "2026-02-01T00:00:00+02:00", "2026-03-01T00:00:00+02:00"},
		{"2024", "2024-01-01T00:00:00+02:00", "2025-01-01T00:00:00+02:00"},
		{"-0d", "2026-03-31T00:00:00+02:00", "2026-04-01T00:00:00+02:00"},
		{"-3d", "2026-03-28T00:00:00+02:00", "2026-03-29T00:00:00+02:00"},
		{"3d", "2026-03-28T00:00:00+02:00", "2026-03-29T00:00:00+02:00"},
		{"-2w", "2026-03-17T00:00:00+02:00", "2026-03-18T00:00:00+02:00"},
		{"-1mo", "2026-03-03T00:00:00+02:00", "2026-03-04T00:00:00+02:00"}, // 31 February
		{"-1y", "2025-03-31T00:00:00+02:00", "2025-04-01T00:00:00+02:00"},
		{"-6h", "2026-03-30T18:30:15+02:00", "2026-03-30T18:30:15.001+02:00"},
		{"2026-09-01T10:00", "2026-09-01T10:00:00+02:00", "2026-09-01T10:01:00+02:00"},
		{"2026-09-01 10:00:30", "2026-09-01T10:00:30+02:00", "2026-09-01T10:00:31+02:00"},
		{"2026-09-01T10:00:30Z", "2026-09-01T10:00:30Z", "2026-09-01T10:00:31Z"},
		{"2026-09-01T10:00:30.123Z", "2026-09-01T10:00:30.123Z", "2026-09-01T10:00:30.124Z"},
		{"2026-09-01T10:00:30-05:00", "2026-09-01T10:00:30-05:00", "2026-09-01T10:00:31-05:00"},
		{"2026-09-01T10:00+01:00", "2026-09-01T10:00:00+01:00", "2026-09-01T10:01:00+01:00"},
	}
	for _, test := range tests {
		from, to, err := ParseDate(test.text, now)
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		gotFrom, gotTo := from.Format(time.RFC3339Nano), to.Format(time.RFC3339Nano)
		if gotFrom != test.from || gotTo != test.to {
			t.Errorf("%s: got %s to %s, want %s to %s", test.text, gotFrom, gotTo, test.from, test.to)
		}
	}
	for _, text := range []string{"", "-", "d", "-d", "3", "3x", "-999999999999d", "100000d", "2026-13", "2026-02-30", "tomorrow", "01.02.2026", "20260901"} {
		if from, to, err := ParseDate(text, now); err == nil {
			t.Errorf("%q: got %s to %s, want an error", text, from, to)
		}
	}
}

// TestParseDateSummerTime: the day the clocks change has 23 hours.
func TestParseDateSummerTime(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no time zones here: ", err)
	}
	from, to, err := ParseDate("yesterday", time.Date(2026, 3, 30, 12, 0, 0, 0, berlin))
	if err != nil || to.Sub(from) != 23*time.Hour {
		t.Errorf("got %s to %s (%v), want a day of 23 hours", from, to, err)
	}
}
