package scan

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"piarchive/internal/index"
	"piarchive/internal/jsonl"
	"piarchive/internal/query"
	"piarchive/internal/query/querytest"
	"piarchive/internal/query/question"
	"piarchive/internal/query/regex"
)

const sampleRoot = querytest.Samples

func newArchiveOf(t testing.TB, root string) *query.Archive { return querytest.Archive(t, root) }

// scanText is every text of an archive, read in the plainest way.
type scanText struct {
	Hit
	columns [6]string
}

func scanTexts(t testing.TB, a *query.Archive) []scanText {
	t.Helper()
	var rows []struct {
		ID            int64
		At            *int64
		Key           int64
		EntryID       string `db:"entry_id"`
		Offset, Bytes int64
	}
	err := a.DB().SelectContext(t.Context(), &rows, `SELECT d.id, coalesce(e.at, s.created_at) AS at, coalesce(e.copy_key, 0) AS key,
 coalesce(e.entry_id, '') AS entry_id, coalesce(e.offset, s.header_offset) AS offset, coalesce(e.bytes, s.header_bytes) AS bytes
 FROM fts_docsize d JOIN _session s ON s.id = d.id >> 24 LEFT JOIN _entry e ON e.id = d.id ORDER BY d.id DESC`)
	if err != nil {
		t.Fatal(err)
	}
	texts := make([]scanText, len(rows))
	for i, r := range rows {
		texts[i].Hit = Hit{Moment{timeOf(r.At), r.ID}, r.Key}
		line := query.Line{Session: index.SourceOf(r.ID), Offset: r.Offset, Bytes: r.Bytes}
		if r.ID == index.ID(line.Session, 0) {
			if texts[i].columns[5], err = a.Title(t.Context(), line); err != nil {
				t.Fatal(err)
			}
			continue
		}
		raw, err := a.Raw().Read(t.Context(), nil, line.Session, line.Offset, line.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		if e := jsonl.ParseEntry(raw, r.EntryID); e != nil {
			texts[i].columns = e.Text.Columns()
		}
	}
	return texts
}

// plainScan is [Find] by the plainest means: the rows descend.
func plainScan(texts []scanText, q Query) []int64 {
	var rows []int64
	for _, h := range plainHits(texts, q) {
		rows = append(rows, h.Row)
	}
	return rows
}

func plainHits(texts []scanText, q Query) []Hit {
	in := func(r *regex.Regex, text scanText) bool {
		for c, column := range text.columns {
			if q.Within&(1<<c) != 0 && column != "" && r.MatchString(column) {
				return true
			}
		}
		return false
	}
	var hits []Hit
	for _, text := range texts {
		_, given := slices.BinarySearch(q.Rows, text.Row)
		switch {
		case q.Rows != nil && !given, q.Session != nil && !q.Session(index.SourceOf(text.Row)):
		case slices.ContainsFunc(q.Regexes, func(r *regex.Regex) bool { return !in(r, text) }):
		case slices.ContainsFunc(q.Without, func(r *regex.Regex) bool { return in(r, text) }):
		case q.Entries && text.Row == index.ID(index.SourceOf(text.Row), 0):
		default:
			hits = append(hits, text.Hit)
		}
	}
	return hits
}

// newestOf returns the newest of some hits, of copies one and all those as new as
// the last one, descending by row; false if that is all of them.
func newestOf(hits []Hit, q Query) ([]int64, bool) {
	hits = slices.Clone(hits)
	slices.SortFunc(hits, func(a, b Hit) int { return b.Compare(a.Moment) })
	seen := map[int64]bool{}
	n := 0
	var rows []int64
	for _, h := range hits {
		if copied := h.CopyKey != 0 && seen[h.CopyKey]; !copied || q.Copies {
			if n++; n > q.Limit {
				slices.Sort(rows)
				slices.Reverse(rows)
				return rows, true
			}
		}
		seen[h.CopyKey] = true
		rows = append(rows, h.Row)
	}
	return rows, false
}

func runScan(t testing.TB, a *query.Archive, q Query) ([]int64, Report) {
	t.Helper()
	return runScanOf(t, a, q, rowsAtOnce)
}

// runScanOf returns the rows that a scan finds, descending. A few given rows are
// looked up in one go.
func runScanOf(t testing.TB, a *query.Archive, q Query, few int) ([]int64, Report) {
	t.Helper()
	var rows []int64
	var report Report
	err := a.Steady(t.Context(), func() error {
		s := newScan(a, q)
		s.rowsAtOnce = few
		hits, r, err := s.find(t.Context())
		for _, h := range hits {
			rows = append(rows, h.Row)
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

// asking asks for a pattern wherever it is.
func asking(t testing.TB, pattern string) Query {
	t.Helper()
	return Query{Regexes: regex.All{mustRegex(t, pattern)}, Within: question.AllColumns}
}

// A scan finds what trying every text finds, whatever it is asked.
func checkScans(t *testing.T, a *query.Archive, rounds int) {
	t.Helper()
	texts := scanTexts(t, a)
	rnd := rand.New(rand.NewPCG(7, 8))
	found := 0
	for i := range rounds {
		q := Query{Within: question.AllColumns}
		for range 1 + rnd.IntN(4)/3 {
			q.Regexes = append(q.Regexes, mustRegex(t, scanPatterns[(i+rnd.IntN(2)*rnd.IntN(100))%len(scanPatterns)]))
		}
		if rnd.IntN(3) == 0 {
			q.Within = question.ColumnSet(rnd.IntN(int(question.AllColumns) + 1))
		}
		if rnd.IntN(4) == 0 {
			q.Without = append(q.Without, mustRegex(t, scanPatterns[rnd.IntN(len(scanPatterns))]))
		}
		q.Entries, q.Copies = rnd.IntN(4) == 0, rnd.IntN(2) == 0
		if rnd.IntN(4) == 0 {
			odd := rnd.Int64N(2)
			q.Session = func(session int64) bool { return session%2 == odd }
		}
		if rnd.IntN(3) == 0 {
			q.Rows = []int64{1 << 50}
			share := 1 + rnd.IntN(50)
			for _, text := range texts {
				if rnd.IntN(share) == 0 {
					q.Rows = append(q.Rows, text.Row)
				}
			}
			slices.Sort(q.Rows)
		}
		want, hits := plainScan(texts, q), plainHits(texts, q)
		found += len(want)
		few := 1 + rnd.IntN(100)
		got, report := runScanOf(t, a, q, few)
		name := fmt.Sprintf("%v without %v within %b, %d rows", q.Regexes, q.Without, q.Within, len(q.Rows))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
		if report.Cut || report.Full || report.Looked != report.Total {
			t.Errorf("%s: %+v", name, report)
		}
		if len(want) > 1 {
			q.Limit = 1 + rnd.IntN(len(want)-1)
			got, report := runScanOf(t, a, q, few)
			newest, _ := newestOf(hits, q)
			within := func(some, all []int64) bool {
				return !slices.ContainsFunc(some, func(row int64) bool { return !slices.Contains(all, row) })
			}
			if !within(newest, got) || !within(got, want) || len(got) < len(want) && !report.Full || !report.Full && report.Looked != report.Total {
				t.Errorf("%s, the newest %d: %+v\n%s", name, q.Limit, report, cmp.Diff(newest, got))
			}
		}
	}
	if found == 0 {
		t.Error("nothing was found")
	}
}

func TestScan(t *testing.T) {
	checkScans(t, newArchiveOf(t, sampleRoot), 3*len(scanPatterns))
}

func TestScanCorpus(t *testing.T) {
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

func TestScanLongLines(t *testing.T) {
	root := t.TempDir()
	longSession(t, root)
	a := newArchiveOf(t, root)
	texts := scanTexts(t, a)
	if len(texts) < 100 {
		t.Fatalf("only %d texts", len(texts))
	}
	for i, pattern := range []string{`needle \d+`, `(?s)needle.*last`, `needle 1?3 .*`, `last \d+$`, `^.{100,900}$`, `b a`, `.*`} {
		q := asking(t, pattern)
		all := plainScan(texts, q)
		if got, report := runScan(t, a, q); cmp.Diff(all, got) != "" || report.Looked != report.Total {
			t.Errorf("%s: %+v\n%s", pattern, report, cmp.Diff(all, got))
		}
		for k, text := range texts {
			if i > 1 || k%10 > 0 && k < len(texts)-16 {
				continue
			}
			q.Rows = []int64{text.Row}
			if got, _ := runScan(t, a, q); cmp.Diff(plainScan(texts, q), got) != "" {
				t.Errorf("%s in row %d: %v", pattern, text.Row, got)
			}
		}
	}
}
