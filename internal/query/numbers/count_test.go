package numbers

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jmoiron/sqlx"

	"piarchive/internal/index"
	"piarchive/internal/query"
)

// sumRow is a row of rollup, as far as a test cares.
type sumRow struct {
	session         int64
	at              string // RFC 3339
	model           string
	copied, off     bool
	users, unpriced int
	total           int
	cost            any
}

// newSummed makes an archive of sessions 1 to 4, of which 4 is a subagent's,
// with these sums.
func newSummed(t *testing.T, rows []sumRow, tools ...string) *query.Archive {
	t.Helper()
	path := filepath.Join(t.TempDir(), "archive.db")
	ix, err := index.Build(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	for n := int64(1); n <= 4; n++ {
		id, kind, system := fmt.Sprintf("s%d", n), "session", "pi"
		if n == 4 {
			kind, system = "subagent", "omp"
		}
		none := make([]byte, 16)
		source := index.Source{ID: n, Path: fmt.Sprintf("/sessions/%d.jsonl", n), Root: "/sessions", HeadHash: none, TailHash: none}
		session := index.Session{ID: n, SessionID: &id, System: system, Kind: kind, Format: 3, CWD: fmt.Sprintf("/p%d", n%2), Models: "[]", Anomalies: "[]"}
		if err := ix.Finish(t.Context(), &index.Whole{Source: &source, Session: &session}); err != nil {
			t.Fatal(err)
		}
	}
	if err := ix.Publish(t.Context()); err != nil {
		t.Fatal(err)
	}
	db, err := sqlx.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tx := db.MustBegin()
	for _, r := range rows {
		at, err := time.Parse(time.RFC3339, r.at)
		if err != nil {
			t.Fatal(err)
		}
		provider := ""
		calls := 0
		if r.model != "" {
			provider, calls = "acme", 1
		}
		tx.MustExec(`INSERT INTO _rollup VALUES (?,?,?,?,?,?, ?,0,0,0,0,0, ?,?,0, ?,0,0,0,0,?,?)`,
			r.session, slotOf(at), provider, r.model, !r.copied, !r.off, r.users, calls, r.unpriced, r.total, r.total, r.cost)
	}
	for _, sql := range tools {
		tx.MustExec(sql)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	a, err := query.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

// brief writes rows as "key sessions+subagents messages tokens cost", a line each.
func brief(stats *Stats) []string {
	var lines []string
	for _, row := range append(slices.Clone(stats.Rows), &stats.Total) {
		s := row.Sums()
		cost := "-"
		if s.Cost != nil {
			cost = fmt.Sprintf("%.2f", *s.Cost)
		}
		lines = append(lines, fmt.Sprintf("%s %d+%d %d %d %s", row.Key, row.Sessions, row.Subagents, s.Messages(), s.N[Tokens], cost))
	}
	return lines
}

var summed = []sumRow{
	{session: 1, at: "2026-12-31T22:45:00Z", users: 1},
	{session: 1, at: "2026-12-31T22:45:00Z", model: "big", total: 100, cost: 0.5},
	{session: 1, at: "2026-12-31T23:00:00Z", model: "big", total: 10, cost: 0.25, off: true}, // 2027 in Berlin
	{session: 2, at: "2027-01-04T08:00:00Z", model: "free", total: 7, cost: 0.0, unpriced: 1},
	{session: 3, at: "2026-12-31T22:45:00Z", model: "big", total: 100, cost: 0.5, copied: true},
	{session: 4, at: "2027-01-03T23:30:00Z", model: "big", total: 3}, // Monday in Berlin, Sunday in UTC
}

// TestStatsKeys: what each --by gives, and that copies are in no row but told.
func TestStatsKeys(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	a := newSummed(t, summed)
	const total = " 2+1 1 120 0.75"
	for _, test := range []struct {
		by   string
		zone *time.Location
		want []string
	}{
		{"day", time.UTC, []string{"2026-12-31 1+0 1 110 0.75", "2027-01-03 0+1 0 3 -", "2027-01-04 1+0 0 7 0.00"}},
		{"day", berlin, []string{"2026-12-31 1+0 1 100 0.50", "2027-01-01 1+0 0 10 0.25", "2027-01-04 1+1 0 10 0.00"}},
		{"week", time.UTC, []string{"2026-W53 1+1 1 113 0.75", "2027-W01 1+0 0 7 0.00"}},
		{"week", berlin, []string{"2026-W53 1+0 1 110 0.75", "2027-W01 1+1 0 10 0.00"}},
		{"month", time.UTC, []string{"2026-12 1+0 1 110 0.75", "2027-01 1+1 0 10 0.00"}},
		{"month", berlin, []string{"2026-12 1+0 1 100 0.50", "2027-01 2+1 0 20 0.25"}},
		{"hour", berlin, []string{"2026-12-31T23:00:00+01:00 1+0 1 100 0.50", "2027-01-01T00:00:00+01:00 1+0 0 10 0.25", "2027-01-04T00:00:00+01:00 0+1 0 3 -", "2027-01-04T09:00:00+01:00 1+0 0 7 0.00"}},
		{"model", nil, []string{"acme/big 1+1 0 113 0.75", "acme/free 1+0 0 7 0.00", " 1+0 1 0 -"}},
		{"provider", nil, []string{"acme 2+1 0 120 0.75", " 1+0 1 0 -"}},
		{"project", nil, []string{"/p1 1+0 1 110 0.75", "/p0 1+1 0 10 0.00"}},
		{"system", nil, []string{"pi 2+0 1 117 0.75", "omp 0+1 0 3 -"}},
		{"session", nil, []string{"/sessions/1.jsonl 1+0 1 110 0.75", "/sessions/2.jsonl 1+0 0 7 0.00", "/sessions/4.jsonl 0+1 0 3 -"}},
		{"", nil, nil},
	} {
		stats, err := Count(t.Context(), a, StatsOptions{By: test.by, Zone: test.zone})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(append(test.want, total), brief(stats)); diff != "" {
			t.Errorf("by %s in %v (-want +got)\n%s", test.by, test.zone, diff)
		}
		if stats.LeftOut.N[Tokens] != 100 || stats.LeftOut.Cost == nil || *stats.LeftOut.Cost != 0.5 || stats.LeftOut.N[Calls] != 1 {
			t.Errorf("by %s: left out %+v", test.by, stats.LeftOut)
		}
		if got := stats.Total.Abandoned.N[Tokens]; got != 10 {
			t.Errorf("by %s: %d tokens abandoned", test.by, got)
		}
	}
}

// TestStatsFilters: what a limit leaves out is neither counted nor left out.
func TestStatsFilters(t *testing.T) {
	a := newSummed(t, summed)
	at := func(s string) time.Time {
		when, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	for _, test := range []struct {
		name    string
		o       StatsOptions
		want    string
		leftOut int64
	}{
		{"since", StatsOptions{Since: at("2026-12-31T23:00:00Z")}, " 2+1 0 20 0.25", 0},
		{"since, within a quarter", StatsOptions{Since: at("2026-12-31T22:59:00Z")}, " 2+1 1 120 0.75", 100},
		{"until", StatsOptions{Until: at("2026-12-31T23:00:00Z")}, " 1+0 1 100 0.50", 100},
		{"until, within a quarter", StatsOptions{Until: at("2026-12-31T23:00:01Z")}, " 1+0 1 110 0.75", 100},
		{"project", StatsOptions{Project: "/p0"}, " 1+1 0 10 0.00", 0},
		{"a copy alone", StatsOptions{Session: 3}, " 1+0 0 100 0.50", 0},
		{"none", StatsOptions{Since: at("2030-01-01T00:00:00Z")}, " 0+0 0 0 -", 0},
	} {
		for _, by := range []string{"", "month", "session"} {
			test.o.By = by
			stats, err := Count(t.Context(), a, test.o)
			if err != nil {
				t.Fatal(err)
			}
			if lines := brief(stats); lines[len(lines)-1] != test.want || stats.LeftOut.N[Tokens] != test.leftOut {
				t.Errorf("%s by %q: got %s and %d left out, want %s and %d", test.name, by, lines[len(lines)-1], stats.LeftOut.N[Tokens], test.want, test.leftOut)
			}
		}
	}
	stats, err := Count(t.Context(), a, StatsOptions{Session: 3, By: "model"})
	if err != nil || stats.Copies.N[Tokens] != 100 {
		t.Errorf("copies of a session: %+v, %v", stats.Copies, err)
	}
}

func TestStatsTools(t *testing.T) {
	a := newSummed(t, nil,
		`INSERT INTO _tool_rollup VALUES (1, 2000000, 'bash', 1, 1, 4, 3, 1, 1, 2, 5000)`,
		`INSERT INTO _tool_rollup VALUES (4, 2000000, 'bash', 1, 0, 1, 1, 1, 0, 1, 1000)`,
		`INSERT INTO _tool_rollup VALUES (3, 2000000, 'bash', 0, 1, 4, 3, 1, 1, 2, 5000)`,
		`INSERT INTO _tool_rollup VALUES (2, 2000001, 'read', 1, 1, 2, 2, 0, 0, 0, 0)`)
	stats, err := Count(t.Context(), a, StatsOptions{By: "tool"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range append(stats.Rows, &stats.Total) {
		n := row.Sums().N
		got = append(got, fmt.Sprintf("%s %d+%d %d", row.Key, row.Sessions, row.Subagents, []int64{n[ToolCalls], n[ToolResults], n[Errors], n[Truncated], n[Timed], n[Duration]}))
	}
	want := []string{
		"bash 1+1 [5 4 2 1 3 6000]",
		"read 1+0 [2 2 0 0 0 0]",
		" 2+1 [7 6 2 1 3 6000]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if stats.LeftOut.N[ToolCalls] != 4 {
		t.Errorf("left out %+v", stats.LeftOut)
	}
}

// TestStatsZones: in every zone, each quarter of an hour belongs to the day,
// week, month and hour that package time finds, and lies between its ends.
func TestStatsZones(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var rows []sumRow
	seen := map[int64]bool{}
	add := func(at time.Time) {
		if slot := slotOf(at); !seen[slot] {
			seen[slot] = true
			rows = append(rows, sumRow{session: 1, at: at.UTC().Format(time.RFC3339), users: 1})
		}
	}
	for range 500 {
		add(time.Date(2008, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(random.IntN(60*365*96)) * index.Slot))
	}
	zones := []string{"UTC", "Europe/Berlin", "America/St_Johns", "Asia/Kathmandu", "Australia/Lord_Howe", "America/Sao_Paulo", "Pacific/Apia", "Africa/Casablanca", "Asia/Beirut", "Pacific/Kiritimati"}
	for _, name := range zones {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		// A day around each change of the clock, whole.
		for at := time.Date(2011, 1, 1, 0, 0, 0, 0, zone); at.Year() < 2012; {
			_, at = at.ZoneBounds()
			if at.IsZero() {
				break
			}
			for n := range 96 {
				add(at.Add(time.Duration(n-48) * index.Slot))
			}
		}
	}
	a := newSummed(t, rows)
	for _, name := range zones {
		zone, _ := time.LoadLocation(name)
		for _, by := range []string{"day", "week", "month", "hour"} {
			want := map[string]int64{}
			for slot := range seen {
				at := time.Unix(slot*slotSeconds, 0).In(zone)
				key := at.Format(time.DateOnly)
				switch by {
				case "week":
					year, week := at.ISOWeek()
					key = fmt.Sprintf("%04d-W%02d", year, week)
				case "month":
					key = at.Format("2006-01")
				case "hour":
					_, offset := at.Zone()
					past := (int64(offset)%3600 + 3600 + slot*slotSeconds) % 3600
					key = at.Add(-time.Duration(past) * time.Second).Format("2006-01-02T15:04:05Z07:00")
				}
				want[key]++
			}
			stats, err := Count(t.Context(), a, StatsOptions{By: by, Zone: zone})
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]int64{}
			for i, row := range stats.Rows {
				got[row.Key] = row.Sums().N[Users]
				if !row.Start.Before(row.End) || i > 0 && row.Start.Before(stats.Rows[i-1].Start) {
					t.Errorf("%s: %s from %v to %v", name, row.Key, row.Start, row.End)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("by %s in %s (-want +got)\n%s", by, name, diff)
			}
		}
	}
}

// TestStatsLongDay: the day on which Berlin sets its clocks back has 25 hours,
// and each of the two hours that are called 02:00 is one.
func TestStatsLongDay(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	var rows []sumRow
	for at := time.Date(2026, 10, 24, 21, 0, 0, 0, time.UTC); at.Before(time.Date(2026, 10, 26, 1, 0, 0, 0, time.UTC)); at = at.Add(index.Slot) {
		rows = append(rows, sumRow{session: 1, at: at.Format(time.RFC3339), users: 1})
	}
	a := newSummed(t, rows)
	days, err := Count(t.Context(), a, StatsOptions{By: "day", Zone: berlin})
	if err != nil {
		t.Fatal(err)
	}
	day := days.Rows[1]
	if day.Key != "2026-10-25" || day.Sums().N[Users] != 25*4 || day.End.Sub(day.Start) != 25*time.Hour {
		t.Errorf("%s has %d quarters of an hour from %v to %v", day.Key, day.Sums().N[Users], day.Start, day.End)
	}
	hours, err := Count(t.Context(), a, StatsOptions{By: "hour", Zone: berlin, Since: day.Start, Until: day.End})
	if err != nil {
		t.Fatal(err)
	}
	if len(hours.Rows) != 25 || hours.Rows[2].Key != "2026-10-25T02:00:00+02:00" || hours.Rows[3].Key != "2026-10-25T02:00:00+01:00" {
		t.Errorf("%d hours: %v", len(hours.Rows), brief(hours))
	}
}

// TestStatsWildTimes: a clock that was never set costs no more than any other.
func TestStatsWildTimes(t *testing.T) {
	a := newSummed(t, []sumRow{
		{session: 1, at: "0001-01-01T00:00:00Z", users: 1}, {session: 1, at: "1970-01-01T00:00:00Z", users: 1},
		{session: 1, at: "9999-12-31T23:45:00Z", users: 1},
	})
	berlin, _ := time.LoadLocation("Europe/Berlin")
	for _, by := range []string{"day", "week", "month", "hour"} {
		stats, err := Count(t.Context(), a, StatsOptions{By: by, Zone: berlin})
		if err != nil || len(stats.Rows) != 3 {
			t.Errorf("by %s: %v, %v", by, brief(stats), err)
		}
	}
}
