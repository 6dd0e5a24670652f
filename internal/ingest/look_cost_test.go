package ingest

import (
	"fmt"
	"runtime"
	"testing"
)

// A look that finds nothing new is over every file, before every question: of each it
// asks the system, and makes next to nothing of the answer.
func TestCostOfLook(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("entries of directories are read by hand on Linux alone")
	}
	look := func(files int) uint64 {
		y := newYard(t)
		for i := range files {
			y.write(fmt.Sprintf("--proj%d--/%d.jsonl", i%10, i), fmt.Sprintf(`{"type":"session","version":3,"id":"s%d","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/proj"}`+"\n", i))
		}
		y.later()
		y.index()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if report := y.index(); report.Wrote || report.Unchanged != files {
			t.Fatalf("%+v", *report)
		}
		runtime.ReadMemStats(&after)
		return after.Mallocs - before.Mallocs
	}
	each := float64(look(2200)-look(200)) / 2000
	t.Logf("%.2f allocations a file", each)
	if each > 2 {
		t.Errorf("a file that is as it was costs %.2f allocations", each)
	}
}
