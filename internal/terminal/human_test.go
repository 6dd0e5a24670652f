package terminal

import (
	"testing"
	"time"
)

func TestWhen(t *testing.T) {
	zone := time.FixedZone("", 2*60*60)
	now := time.Date(2026, 3, 4, 15, 0, 0, 0, zone) // a Wednesday
	early := time.Date(2026, 3, 4, 0, 30, 0, 0, zone)
	tests := []struct {
		t, now time.Time
		want   string
	}{
		{time.Time{}, now, "–"},
		{now.Add(30 * time.Second), now, "just now"},
		{now.Add(-59 * time.Second), now, "just now"},
		{now.Add(-time.Minute), now, "1m ago"},
		{now.Add(-59 * time.Minute), now, "59m ago"},
		{now.Add(-3*time.Hour - time.Minute), now, "3h ago"},
		{now.Add(-15 * time.Hour), now, "15h ago"},
		{now.Add(-15*time.Hour - time.Minute), now, "yesterday 23:59"},
		{early.Add(-2 * time.Hour), early, "2h ago"},
		{early.Add(-7 * time.Hour), early, "yesterday 17:30"},
		{time.Date(2026, 3, 3, 22, 30, 0, 0, time.UTC), now, "14h ago"}, // past midnight here
		{time.Date(2026, 3, 2, 9, 5, 0, 0, zone), now, "Mon 09:05"},
		{time.Date(2026, 2, 26, 9, 5, 0, 0, zone), now, "Thu 09:05"},
		{time.Date(2026, 2, 25, 9, 5, 0, 0, zone), now, "2026-02-25"},
		{now.Add(time.Hour), now, "2026-03-04"},
	}
	for _, test := range tests {
		if got := When(test.t, test.now); got != test.want {
			t.Errorf("when(%v, %v) = %q, want %q", test.t, test.now, got, test.want)
		}
	}
}

func TestNumbers(t *testing.T) {
	tests := []struct {
		n                  int64
		size, short, count string
	}{
		{0, "0 B", "0", "0"},
		{999, "999 B", "999", "999"},
		{1000, "1.0 kB", "1.0k", "1,000"},
		{9_949, "9.9 kB", "9.9k", "9,949"},
		{9_950, "10 kB", "10k", "9,950"},
		{999_499, "999 kB", "999k", "999,499"},
		{999_500, "1.0 MB", "1.0M", "999,500"},
		{34_000_000, "34 MB", "34M", "34,000,000"},
		{5_500_000_000, "5.5 GB", "5.5G", "5,500,000,000"},
		{7_000_000_000_000_000, "7000 TB", "7000T", "7,000,000,000,000,000"},
		{-1234, "-1234 B", "-1234", "-1,234"},
		{-123, "-123 B", "-123", "-123"},
	}
	for _, test := range tests {
		if got := Size(test.n); got != test.size {
			t.Errorf("size(%d) = %q, want %q", test.n, got, test.size)
		}
		if got := Short(test.n); got != test.short {
			t.Errorf("short(%d) = %q, want %q", test.n, got, test.short)
		}
		if got := Count(test.n); got != test.count {
			t.Errorf("count(%d) = %q, want %q", test.n, got, test.count)
		}
	}
}

func TestMoney(t *testing.T) {
	if got := Money(nil); got != "–" {
		t.Errorf("money(nil) = %q", got)
	}
	for dollars, want := range map[float64]string{
		0: "$0.00", 0.004: "<$0.01", 0.01: "$0.01", 0.425: "$0.42", 0.999: "$1.00",
		1234.5: "$1,234.50", 1e15: "$1,000,000,000,000,000.00", -2.5: "-$2.50",
	} {
		if got := Money(&dollars); got != want {
			t.Errorf("money(%v) = %q, want %q", dollars, got, want)
		}
	}
}

func TestPercent(t *testing.T) {
	tests := map[float64]string{0: "   0 %", 0.00001: "<.01 %", 0.0006: "0.06 %", 0.0095: "0.95 %", 0.012: " 1.2 %", 0.0999: "  10 %", 0.44: "  44 %", 1: " 100 %"}
	for share, want := range tests {
		if got := Percent(share); got != want {
			t.Errorf("percent(%v) = %q, want %q", share, got, want)
		}
	}
}

func TestClock(t *testing.T) {
	zone := time.FixedZone("", 2*60*60)
	now := time.Date(2026, 3, 4, 0, 30, 0, 0, zone)
	tests := []struct {
		t    time.Time
		want string
	}{
		{time.Time{}, "–"},
		{now, "today 00:30"},
		{now.Add(-29 * time.Minute), "today 00:01"},
		{now.Add(-2 * time.Hour), "yesterday 22:30"},
		{time.Date(2026, 3, 2, 22, 30, 0, 0, time.UTC), "yesterday 00:30"},
		{time.Date(2026, 3, 2, 9, 5, 0, 0, zone), "Mon 09:05"},
		{now.Add(time.Hour), "2026-03-04"},
	}
	for _, test := range tests {
		if got := Clock(test.t, now); got != test.want {
			t.Errorf("Clock(%v) = %q, want %q", test.t, got, test.want)
		}
	}
}
