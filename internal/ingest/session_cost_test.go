package ingest

import (
	"fmt"
	"runtime"
	"testing"
)

// What a small session costs is bounded: with one more comes no statement that
// reads its rows back, changes them, or sums them up for itself. Allocations
// stand for all of that work, since every statement makes some.
func TestCostOfSession(t *testing.T) {
	for _, full := range []bool{false, true} {
		few, many := allocations(t, 200, full), allocations(t, 1000, full)
		each := float64(many-few) / 800
		t.Logf("full=%t: %.0f allocations a session", full, each)
		limit := 340.0
		if full { // and is compared with what the archive has of it
			limit = 400
		}
		if each > limit {
			t.Errorf("full=%t: a session of three lines costs %.0f allocations, more than %.0f", full, each, limit)
		}
	}
}

// allocations counts those of a build of n sessions of three lines.
func allocations(t *testing.T, n int, full bool) uint64 {
	y := newYard(t)
	for i := range n {
		y.write(fmt.Sprintf("--proj%d--/%d.jsonl", i%10, i),
			fmt.Sprintf(`{"type":"session","version":3,"id":"s%d","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/proj"}`+"\n", i),
			fmt.Sprintf(`{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"question %d"}}`+"\n", i),
			fmt.Sprintf(`{"type":"message","id":"b","parentId":"a","timestamp":"2026-01-02T03:04:07.000Z","message":{"role":"assistant","content":[{"type":"text","text":"answer %d"}],"provider":"p","model":"m","usage":{"input":1,"output":2,"totalTokens":3,"cost":{"total":0.5}}}}`+"\n", i))
	}
	if full {
		y.index()
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	y.with(Options{Full: full})
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs
}
