package ingest

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"piarchive/internal/index"
)

// TestAppendWrites holds that one entry more costs the same pages in a small archive and
// a large one, behind a short session and a long one.
func TestAppendWrites(t *testing.T) {
	written := func(sessions, entries int) (pages int64) {
		y := newYard(t)
		line := func(session, n int) string {
			parent := "null"
			if n > 0 {
				parent = fmt.Sprintf(`"%04x%04x"`, session, n-1)
			}
			return fmt.Sprintf(`{"type":"message","id":"%04x%04x","parentId":%s,"timestamp":"2026-01-01T00:%02d:%02d.%03dZ","message":{"role":"user","content":"words %d of %d"}}`+"\n",
				session, n, parent, session/60%60, session%60, n%1000, n, session)
		}
		name := func(session int) string { return fmt.Sprintf("--w%d--/%d.jsonl", session%7, session) }
		for s := range sessions {
			var b strings.Builder
			fmt.Fprintf(&b, `{"type":"session","version":3,"id":"%08x-0000-4000-8000-000000000000","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w%d"}`+"\n", s, s%7)
			for n := range entries {
				b.WriteString(line(s, n))
			}
			y.write(name(s), b.String())
		}
		y.index()
		y.later()
		y.append(name(sessions/2), line(sessions/2, entries))
		reader, err := index.OpenReader(t.Context(), y.archive) // so that the log stays when the run ends
		if err != nil {
			t.Fatal(err)
		}
		defer reader.Close()
		var n int
		if err := reader.Get(&n, `SELECT count(*) FROM _source`); err != nil || n != sessions {
			t.Fatal(n, err)
		}
		if report := y.index(); report.Appended != 1 || report.EntriesAdded != 1 {
			t.Fatalf("%+v", report)
		}
		info, err := os.Stat(y.archive + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		return info.Size() / 4096
	}
	small := written(10, 3)
	for _, size := range [][2]int{{400, 3}, {10, 1200}} {
		pages := written(size[0], size[1])
		t.Logf("%d sessions of %d entries: %d pages, %d of small ones", size[0], size[1], pages, small)
		if pages > small+80 { // the depth of trees, full pages that are split among their neighbours, and a block of raw lines
			t.Errorf("%d sessions of %d entries: %d pages for one entry, and %d in a small archive", size[0], size[1], pages, small)
		}
	}
}
