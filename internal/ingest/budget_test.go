package ingest

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// budgeted runs within a budget and wants that many new files read and left over.
func (y *yard) budgeted(b Budget, read, left int) *Report {
	y.Helper()
	r := y.with(Options{Budget: &b})
	if r.New != read || r.Left.Files != left {
		y.Errorf("%+v: %d new, left over %+v; want %d and %d", b, r.New, r.Left, read, left)
	}
	return r
}

// sized is a session of a size in bytes.
func sized(n int) string {
	const head = `{"type":"session","version":3,"id":"11111111-0000-4000-8000-000000000001","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/proj"}` + "\n"
	return head + strings.Repeat(" ", n-len(head)-1) + "\n"
}

// fresh adds that many new files to an archive of one, s0.jsonl the oldest.
func (y *yard) fresh(files int) {
	y.Helper()
	y.later()
	y.write("old.jsonl", sized(1000))
	y.index()
	for n := range files {
		name := fmt.Sprintf("s%d.jsonl", n)
		y.write(name, sized(1000))
		y.date(name, time.Unix(int64(1_700_000_000+n), 0))
	}
}

// A run within a budget reads whole files, small ones first and of those the
// latest; what it leaves over is counted in bytes, and comes with later runs.
func TestBudgetBytes(t *testing.T) {
	y := newYard(t)
	y.fresh(5)
	y.write("large.jsonl", sized(smallFile+1)) // the latest
	r := y.budgeted(Budget{Bytes: smallFile + 500, Time: time.Hour}, 5, 1)
	if r.Left.Bytes != smallFile+1 || r.BytesRead != 5000 {
		t.Errorf("left over %+v after %d bytes", r.Left, r.BytesRead)
	}
	y.budgeted(Budget{Bytes: smallFile + 1, Time: time.Hour}, 1, 0)
	y.same()

	// Of a file that has grown only what is new counts.
	y.append("large.jsonl", strings.Repeat(" ", 99)+"\n")
	y.append("s1.jsonl", strings.Repeat(" ", 299)+"\n")
	if r := y.budgeted(Budget{Bytes: 200, Time: time.Hour}, 0, 1); r.Appended != 1 || r.Left.Bytes != 300 {
		t.Errorf("%+v", r)
	}
	if r := y.index(); r.Appended != 1 || r.Left.Files != 0 {
		t.Errorf("%+v", r)
	}
	y.same()
}

// The time is looked at between two files: the latest are read first.
func TestBudgetTime(t *testing.T) {
	y := newYard(t)
	y.fresh(6)
	y.budgeted(Budget{Bytes: 1 << 20, Time: 0}, 1, 5)
	for left := 5; left > 0; {
		ticks, start := 0, time.Now().Add(time.Hour)
		y.now = func() time.Time { ticks++; return start.Add(time.Duration(ticks) * time.Second) }
		r := y.with(Options{Budget: &Budget{Bytes: 1 << 20, Time: 4 * time.Second}})
		if r.Left.Files >= left || r.New == 0 || r.New+r.Left.Files != left {
			t.Fatalf("%d were left, then %+v", left, r)
		}
		if one[int](y, `SELECT count(*) FROM _source WHERE path = ?`, y.path("s5.jsonl")) == 0 {
			t.Error("the latest file does not come first")
		}
		left = r.Left.Files
	}
	y.later()
	y.index()
	y.same()
}

// A file that may be another that is gone keeps that from being taken for missing
// as long as it is left over.
func TestBudgetMoved(t *testing.T) {
	y := newYard(t)
	y.later()
	y.write("a.jsonl", sized(5000))
	y.write("b.jsonl", sized(400))
	y.index()
	y.rename("a.jsonl", "z.jsonl")
	y.remove("b.jsonl")
	if r := y.budgeted(Budget{Bytes: 1000, Time: time.Hour}, 0, 1); r.Missing != 1 || r.Moved != 0 {
		t.Errorf("%+v", r)
	}
	if r := y.budgeted(Budget{Bytes: 10_000, Time: time.Hour}, 0, 0); r.Missing != 0 || r.Moved != 1 {
		t.Errorf("%+v", r)
	}
}
