package scan

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"piarchive/internal/jsonl"
)

// A line through which many jobs go is put together once, not by each of them, and
// what stands before and behind it is found.
func TestScanOfEndlessLine(t *testing.T) {
	root := t.TempDir()
	said := func(id, text string) string {
		return `{"type":"message","id":"` + id + `","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":"` + text + `"}}` + "\n"
	}
	content := `{"type":"session","version":3,"id":"endless","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p"}` + "\n" +
		said("a", "needle 1") + said("b", strings.Repeat("needle 2 ", jsonl.MaxLine/9+1)) + said("c", "needle 3")
	if err := os.WriteFile(filepath.Join(root, "endless.jsonl"), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	a := newArchiveOf(t, root)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	rows, report := runScan(t, a, asking(t, `needle [0-9]`))
	runtime.ReadMemStats(&after)
	if len(rows) != 2 || report.Looked != report.Total {
		t.Errorf("found %d, %+v", len(rows), report)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 6*jsonl.MaxLine {
		t.Errorf("it took %d MB", took>>20)
	}
}
