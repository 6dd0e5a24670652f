package scan

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"piarchive/internal/ingest/ingesttest"
	"piarchive/internal/query/querytest"
)

// Without time a scan ends at once and says how far it came: what it found is
// what is to be found in the newest part.
func TestScanIsCut(t *testing.T) {
	root := t.TempDir()
	longSession(t, root)
	a := newArchiveOf(t, root)
	texts := scanTexts(t, a)
	var lines []struct{ ID, Offset int64 }
	if err := a.DB().SelectContext(t.Context(), &lines, `SELECT id, offset FROM _entry`); err != nil {
		t.Fatal(err)
	}
	q := asking(t, `(?s)needle.*last \d`)
	want := plainScan(texts, q)
	cuts, halves := 0, 0
	for q.Timeout = time.Nanosecond; q.Timeout < 20*time.Second; q.Timeout = q.Timeout*2 + time.Millisecond {
		got, report := runScan(t, a, q)
		if !report.Cut {
			if cmp.Diff(want, got) != "" || report.Looked != report.Total {
				t.Errorf("%v: %+v, %d hits of %d", q.Timeout, report, len(got), len(want))
			}
			break
		}
		cuts++
		if report.Looked >= report.Total || len(got) > len(want) || cmp.Diff(want[:len(got)], got) != "" && len(got) > 0 {
			t.Errorf("%v: %+v\n%s", q.Timeout, report, cmp.Diff(want, got))
		}
		if report.Looked > 0 {
			halves++
			reached := report.Total - report.Looked
			least, most := 0, 0 // a line that begins where a job does belongs to the job before
			for _, l := range lines {
				if l.Offset > reached {
					least++
				}
				if l.Offset >= reached {
					most++
				}
			}
			if len(got) < least || len(got) > most {
				t.Errorf("%v: %d hits down to offset %d, want %d or %d", q.Timeout, len(got), reached, least, most)
			}
		}
	}
	if cuts == 0 {
		t.Error("no scan was cut")
	}
	t.Logf("%d scans were cut, %d of them on their way", cuts, halves)
}

func TestScanIsCancelled(t *testing.T) {
	a := newArchiveOf(t, sampleRoot)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Find(ctx, a, asking(t, `.`)); !errors.Is(err, context.Canceled) {
		t.Errorf("a scan that was cancelled says %v", err)
	}

	root := t.TempDir()
	longSession(t, root)
	a = newArchiveOf(t, root)
	ctx, cancel = context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	slow := asking(t, `(?s)(.?.?.?.?.?.?.?.?.?.?){90}[^a-y][^a-y](.?.?.?.?.?.?.?.?.?.?){90}[^a]`)
	_, _, err := Find(ctx, a, slow)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a scan that was cancelled says %v", err)
	}
}

// Sessions whose file is gone are searched as well.
func TestScanMissing(t *testing.T) {
	root := t.TempDir()
	longSession(t, root)
	archive := filepath.Join(t.TempDir(), "archive.db")
	ingesttest.Update(t, archive, root)
	if err := os.RemoveAll(filepath.Join(root, "--p--")); err != nil {
		t.Fatal(err)
	}
	ingesttest.Update(t, archive, root)
	a := querytest.Open(t, archive)
	if got, _ := runScan(t, a, asking(t, `needle 7\b`)); len(got) != 1 {
		t.Errorf("found %v", got)
	}
}

// A limit spares work: what is older than the hits is not looked at.
func TestScanLimitSparesWork(t *testing.T) {
	root := t.TempDir()
	longSession(t, root)
	for i := range 20 {
		texts := make([]string, 2+i) // as many seconds later
		ingesttest.Session(t, root, fmt.Sprintf("s%02d", i), append(texts, "needle "+strings.Repeat("and more ", 10_000)+fmt.Sprint(i)))
	}
	a := newArchiveOf(t, root)
	texts := scanTexts(t, a)
	rows := make([]int64, len(texts))
	for i, text := range texts {
		rows[i] = text.Row
	}
	slices.Sort(rows)
	for _, rows := range [][]int64{nil, rows} {
		q := asking(t, "needle")
		q.Rows, q.Limit = rows, 5
		got, report := runScan(t, a, q)
		if len(got) < 5 || len(got) > 25 || !report.Full || report.Looked > report.Total/4 {
			t.Errorf("with %d rows: %d hits, %+v", len(rows), len(got), report)
		}
	}
}

// A damaged archive is named, and so is what helps.
func TestScanDamagedArchive(t *testing.T) {
	root := t.TempDir()
	longSession(t, root)
	for damage, why := range map[string]string{
		`DELETE FROM _raw WHERE id & 16777215 = 2`:                   "the archive lacks a block of it",
		`UPDATE _raw SET data = x'00112233' WHERE id & 16777215 = 2`: "decompress a raw block: ",
	} {
		archive := filepath.Join(t.TempDir(), "archive.db")
		ingesttest.Update(t, archive, root)
		db, err := sql.Open("sqlite", archive)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = db.ExecContext(t.Context(), damage); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		_, _, err = Find(t.Context(), querytest.Open(t, archive), asking(t, "nee+dle"))
		if err == nil || !strings.HasPrefix(err.Error(), "search "+root) || !strings.Contains(err.Error(), ".jsonl: "+why) || !strings.HasSuffix(err.Error(), ": run `piarchive verify`") {
			t.Errorf("%s: %v", damage, err)
		}
	}
}
