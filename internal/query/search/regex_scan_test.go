package search

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"piarchive/internal/index"
	"piarchive/internal/ingest/ingesttest"
	"piarchive/internal/query"
	"piarchive/internal/query/question"
	"piarchive/internal/query/regex"
)

// scanText is every text of an archive, read in the plainest way.
type scanText struct {
	scanHit
	columns [6]string
}

func scanTexts(t testing.TB, a *query.Archive) []scanText {
	t.Helper()
	var rows []candidate
	if err := a.DB().SelectContext(t.Context(), &rows, `SELECT id, 0 AS score FROM fts_docsize ORDER BY id DESC`); err != nil {
		t.Fatal(err)
	}
	var times []struct{ At *int64 }
	err := a.DB().SelectContext(t.Context(), &times, `SELECT coalesce((SELECT at FROM entry e WHERE e.id = d.id), (SELECT created_at FROM session WHERE id = d.id >> 24)) AS at
 FROM fts_docsize d ORDER BY d.id DESC`)
	if err != nil {
		t.Fatal(err)
	}
	hits, err := readHits(t.Context(), a, rows)
	if err != nil {
		t.Fatal(err)
	}
	texts := make([]scanText, len(hits))
	for i, h := range hits {
		columns, err := readColumns(t.Context(), a, h)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = scanText{scanHit{instant{timeOf(times[i].At), h.row}, h.copyKey}, *columns}
	}
	return texts
}

// plainScan is scanRegex by the plainest means: the rows descend.
func plainScan(texts []scanText, res regex.All, o scanOptions) []int64 {
	var rows []int64
	for _, h := range plainHits(texts, res, o) {
		rows = append(rows, h.row)
	}
	return rows
}

func plainHits(texts []scanText, res regex.All, o scanOptions) []scanHit {
	in := func(r *regex.Regex, text scanText) bool {
		for c, column := range text.columns {
			if o.within&(1<<c) != 0 && column != "" && r.MatchString(column) {
				return true
			}
		}
		return false
	}
	var hits []scanHit
	for _, text := range texts {
		_, given := slices.BinarySearch(o.rows, text.row)
		switch {
		case o.rows != nil && !given, o.session != nil && !o.session(index.SourceOf(text.row)):
		case slices.ContainsFunc(res, func(r *regex.Regex) bool { return !in(r, text) }):
		case slices.ContainsFunc(o.without, func(r *regex.Regex) bool { return in(r, text) }):
		case o.entries && text.row == index.ID(index.SourceOf(text.row), 0):
		default:
			hits = append(hits, text.scanHit)
		}
	}
	return hits
}

// newestOf returns the newest of some hits, of copies one and all those as new as
// the last one, descending by row; false if that is all of them.
func newestOf(hits []scanHit, o scanOptions) ([]int64, bool) {
	hits = slices.Clone(hits)
	slices.SortFunc(hits, func(a, b scanHit) int { return b.compare(a.instant) })
	seen := map[int64]bool{}
	n := 0
	var rows []int64
	for _, h := range hits {
		if copied := h.copyKey != 0 && seen[h.copyKey]; !copied || o.copies {
			if n++; n > o.limit {
				slices.Sort(rows)
				slices.Reverse(rows)
				return rows, true
			}
		}
		seen[h.copyKey] = true
		rows = append(rows, h.row)
	}
	return rows, false
}

func runScan(t testing.TB, a *query.Archive, res regex.All, o scanOptions) ([]int64, scanReport) {
	t.Helper()
	return runScanOf(t, a, res, o, rowsAtOnce)
}

// runScanOf returns the rows that a scan finds, descending. A few given rows are
// looked up in one go.
func runScanOf(t testing.TB, a *query.Archive, res regex.All, o scanOptions, few int) ([]int64, scanReport) {
	t.Helper()
	var rows []int64
	var report scanReport
	err := a.Steady(t.Context(), func() error {
		s := newScan(a, res, o)
		s.rowsAtOnce = few
		hits, r, err := s.find(t.Context())
		for _, h := range hits {
			rows = append(rows, h.row)
		}
		report = r
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(rows)
	slices.Reverse(rows)
	return rows, report
}

// scanPatterns are of every kind: words that an index finds, parts of words,
// classes, none of these, scripts without spaces, over several lines.
var scanPatterns = []string{
	`\d+ passed, \d+ failed`, `api.*timeout`, `resolve[A-Z]\w+Path`, `[a-f0-9]{8}`, `\bE[A-Z]{4,}\b`, `.*`, `foo(bar|baz)`, `$^`,
	`the`, `error|fail`, `^import`, `src/\w+`, `\.ts\b`, `"\w+":`, `日`, `é`, `(?s)file.*line`, `function\s+\w+\(`, `nothing that is there`, `<\w+>`,
	`type`, `\\n`, `s`, `[A-Z]{3,}_`, `(read|write|edit|bash)`, `^.{0,20}$`, `\A\w+\z`, `caf.`, `(?i)K`, `https?://`, `\d{4}-\d\d-\d\d`,
}

func mustRegex(t testing.TB, pattern string) *regex.Regex {
	t.Helper()
	r, err := regex.Compile(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A scan finds what trying every text finds, whatever it is asked.
func checkScans(t *testing.T, a *query.Archive, rounds int) {
	t.Helper()
	texts := scanTexts(t, a)
	rnd := rand.New(rand.NewPCG(7, 8))
	found := 0
	for i := range rounds {
		var res, without regex.All
		for range 1 + rnd.IntN(4)/3 {
			res = append(res, mustRegex(t, scanPatterns[(i+rnd.IntN(2)*rnd.IntN(100))%len(scanPatterns)]))
		}
		o := scanOptions{within: question.AllColumns, timeout: -1}
		if rnd.IntN(3) == 0 {
			o.within = question.ColumnSet(rnd.IntN(int(question.AllColumns) + 1))
		}
		if rnd.IntN(4) == 0 {
			without = append(without, mustRegex(t, scanPatterns[rnd.IntN(len(scanPatterns))]))
		}
		o.entries, o.copies = rnd.IntN(4) == 0, rnd.IntN(2) == 0
		if o.without = without; rnd.IntN(4) == 0 {
			odd := rnd.Int64N(2)
			o.session = func(session int64) bool { return session%2 == odd }
		}
		if rnd.IntN(3) == 0 {
			o.rows = []int64{1 << 50}
			share := 1 + rnd.IntN(50)
			for _, text := range texts {
				if rnd.IntN(share) == 0 {
					o.rows = append(o.rows, text.row)
				}
			}
			slices.Sort(o.rows)
		}
		want, hits := plainScan(texts, res, o), plainHits(texts, res, o)
		found += len(want)
		few := 1 + rnd.IntN(100)
		got, report := runScanOf(t, a, res, o, few)
		name := fmt.Sprintf("%v without %v within %b, %d rows", res, without, o.within, len(o.rows))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
		if report.cut || report.full || report.looked != report.total {
			t.Errorf("%s: %+v", name, report)
		}
		if len(want) > 1 {
			o.limit = 1 + rnd.IntN(len(want)-1)
			got, report := runScanOf(t, a, res, o, few)
			newest, _ := newestOf(hits, o)
			within := func(some, all []int64) bool {
				return !slices.ContainsFunc(some, func(row int64) bool { return !slices.Contains(all, row) })
			}
			if !within(newest, got) || !within(got, want) || len(got) < len(want) && !report.full || !report.full && report.looked != report.total {
				t.Errorf("%s, the newest %d: %+v\n%s", name, o.limit, report, cmp.Diff(newest, got))
			}
		}
	}
	if found == 0 {
		t.Error("nothing was found")
	}
}

func TestRegexScan(t *testing.T) {
	checkScans(t, newSampleArchive(t), 3*len(scanPatterns))
}

func TestRegexScanCorpus(t *testing.T) {
	corpus := os.Getenv("PIARCHIVE_CORPUS")
	if corpus == "" {
		t.Skip("PIARCHIVE_CORPUS is not set")
	}
	for _, dir := range []string{"corpus", filepath.Join("hostile", "sessions")} {
		t.Run(dir, func(t *testing.T) {
			checkScans(t, newArchiveOf(t, filepath.Join(corpus, dir)), len(scanPatterns))
		})
	}
}

// longSession writes a session whose lines lie across blocks and jobs in every
// way: far shorter and far longer than both, and ending exactly where they do.
func longSession(t *testing.T, root string) {
	t.Helper()
	var b strings.Builder
	b.WriteString(`{"type":"session","version":3,"id":"01900000-0000-7000-8000-000000000001","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p"}` + "\n")
	parent := "null"
	n := 0
	line := func(length int) {
		n++
		text := fmt.Sprintf(`{"type":"message","id":"%08x","parentId":%s,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":"needle %d `, n, parent, n)
		end := ` last %d"}}` + "\n"
		end = fmt.Sprintf(end, n)
		parent = fmt.Sprintf(`"%08x"`, n)
		b.WriteString(text + strings.Repeat("a b ", max(0, length-len(text)-len(end))/4))
		b.WriteString(strings.Repeat(".", max(0, length-len(text)-len(end))%4) + end)
	}
	const job = maxJobBlocks * index.BlockSize
	for range 3 {
		line(1000)
	}
	line(index.BlockSize - b.Len()) // ends with the block
	line(index.BlockSize)
	for b.Len() < job-index.BlockSize/2 {
		line(90_001)
	}
	line(job - b.Len()) // ends with the job
	line(2*job + 12_345)
	line(500)
	line(job)
	for range 100 {
		line(10_011)
	}
	line(job - b.Len()%job) // ends with the file, and with a job
	dir := filepath.Join(root, "--p--")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "2026-01-01T00-00-00-000Z_01900000-0000-7000-8000-000000000001.jsonl"), []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestRegexScanLongLines(t *testing.T) {
	root := t.TempDir()
	longSession(t, root)
	a := newArchiveOf(t, root)
	texts := scanTexts(t, a)
	if len(texts) < 100 {
		t.Fatalf("only %d texts", len(texts))
	}
	for i, pattern := range []string{`needle \d+`, `(?s)needle.*last`, `needle 1?3 .*`, `last \d+$`, `^.{100,900}$`, `b a`, `.*`} {
		res := regex.All{mustRegex(t, pattern)}
		o := scanOptions{within: question.AllColumns, timeout: -1}
		all := plainScan(texts, res, o)
		if got, report := runScan(t, a, res, o); cmp.Diff(all, got) != "" || report.looked != report.total {
			t.Errorf("%s: %+v\n%s", pattern, report, cmp.Diff(all, got))
		}
		for k, text := range texts {
			if i > 1 || k%10 > 0 && k < len(texts)-16 {
				continue
			}
			o.rows = []int64{text.row}
			if got, _ := runScan(t, a, res, o); cmp.Diff(plainScan(texts, res, o), got) != "" {
				t.Errorf("%s in row %d: %v", pattern, text.row, got)
			}
		}
	}
}

// Without time a scan ends at once and says how far it came: what it found is
// what is to be found in the newest part.
func TestRegexScanIsCut(t *testing.T) {
	root := t.TempDir()
	longSession(t, root)
	a := newArchiveOf(t, root)
	texts := scanTexts(t, a)
	var lines []struct{ ID, Offset int64 }
	if err := a.DB().SelectContext(t.Context(), &lines, `SELECT id, offset FROM entry`); err != nil {
		t.Fatal(err)
	}
	res := regex.All{mustRegex(t, `(?s)needle.*last \d`)}
	want := plainScan(texts, res, scanOptions{within: question.AllColumns})
	cuts, halves := 0, 0
	for timeout := time.Nanosecond; timeout < 20*time.Second; timeout = timeout*2 + time.Millisecond {
		got, report := runScan(t, a, res, scanOptions{within: question.AllColumns, timeout: timeout})
		if !report.cut {
			if cmp.Diff(want, got) != "" || report.looked != report.total {
				t.Errorf("%v: %+v, %d hits of %d", timeout, report, len(got), len(want))
			}
			break
		}
		cuts++
		if report.looked >= report.total || len(got) > len(want) || cmp.Diff(want[:len(got)], got) != "" && len(got) > 0 {
			t.Errorf("%v: %+v\n%s", timeout, report, cmp.Diff(want, got))
		}
		if report.looked > 0 {
			halves++
			reached := report.total - report.looked
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
				t.Errorf("%v: %d hits down to offset %d, want %d or %d", timeout, len(got), reached, least, most)
			}
		}
	}
	if cuts == 0 {
		t.Error("no scan was cut")
	}
	t.Logf("%d scans were cut, %d of them on their way", cuts, halves)
}

func TestRegexScanIsCancelled(t *testing.T) {
	a := newSampleArchive(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := scanRegex(ctx, a, regex.All{mustRegex(t, `.`)}, scanOptions{within: question.AllColumns}); !errors.Is(err, context.Canceled) {
		t.Errorf("a scan that was cancelled says %v", err)
	}

	root := t.TempDir()
	longSession(t, root)
	a = newArchiveOf(t, root)
	ctx, cancel = context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	slow := mustRegex(t, `(?s)(.?.?.?.?.?.?.?.?.?.?){90}[^a-y][^a-y](.?.?.?.?.?.?.?.?.?.?){90}[^a]`)
	_, _, err := scanRegex(ctx, a, regex.All{slow}, scanOptions{within: question.AllColumns, timeout: -1})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a scan that was cancelled says %v", err)
	}
}

// Sessions whose file is gone are searched as well.
func TestRegexScanMissing(t *testing.T) {
	root := t.TempDir()
	longSession(t, root)
	archive := filepath.Join(t.TempDir(), "archive.DB()")
	ingesttest.Update(t, archive, root)
	if err := os.RemoveAll(filepath.Join(root, "--p--")); err != nil {
		t.Fatal(err)
	}
	ingesttest.Update(t, archive, root)
	a, err := query.Open(t.Context(), archive, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if got, _ := runScan(t, a, regex.All{mustRegex(t, `needle 7\b`)}, scanOptions{within: question.AllColumns}); len(got) != 1 {
		t.Errorf("found %v", got)
	}
}
