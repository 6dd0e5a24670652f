package main

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jmoiron/sqlx"

	"piarchive/internal/query"
)

// TestNumbersOfCorpus compares all numbers that the archive tells of real
// sessions with a count of the test's own, source by source and all at once.
func TestNumbersOfCorpus(t *testing.T) {
	dir := filepath.Join(corpus(t), "corpus")
	sources, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	roots := []string{dir}
	for _, s := range sources {
		roots = append(roots, filepath.Join(dir, s.Name()))
	}
	for _, root := range roots {
		t.Run(filepath.Base(root), func(t *testing.T) {
			t.Parallel()
			files := readReference(t, root)
			if len(files) == 0 {
				t.Skip("this source has no session files, so there is nothing to count")
			}
			archive := filepath.Join(t.TempDir(), "archive.db")
			indexNumbers(t, archive, root)
			compareNumbers(t, archive, files)
		})
	}
}

func indexNumbers(t *testing.T, archive, root string, more ...string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	args := append([]string{"--db", archive, "--root", root}, more...)
	if len(more) == 0 {
		args = append(args, "index")
	}
	if code := run(t.Context(), testEnv(&stdout, &stderr, nil), args); code != 0 {
		t.Fatalf("%q: exit status %d, %s", args, code, stderr.String())
	}
}

// viewNumbers holds what the views tell, each row under a name of its own.
type viewNumbers map[string]map[string]any

// compareNumbers compares every public number with the reference.
func compareNumbers(t *testing.T, archive string, files []*refFile) {
	t.Helper()
	a, err := query.Open(t.Context(), archive, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	foldReference(files)
	want := referenceNumbers(files)
	got := viewNumbers{}
	for name, view := range numberViews {
		got[name] = viewRows(t, a.DB(), view)
	}
	for _, name := range slices.Sorted(maps.Keys(numberViews)) {
		diff := cmp.Diff(withoutZeros(want[name]), withoutZeros(got[name]), cmp.Comparer(sameNumber))
		if len(diff) > 6000 {
			diff = diff[:6000] + "…"
		}
		if diff != "" {
			t.Errorf("%s (-reference +archive)\n%s", name, diff)
		}
	}
}

// withoutZeros drops what is nothing from the rows. No cost is not a cost of 0;
// elsewhere nothing is 0.
func withoutZeros(rows map[string]any) map[string]any {
	for _, row := range rows {
		maps.DeleteFunc(row.(map[string]any), func(key string, v any) bool {
			return v == nil || v == 0.0 && !strings.HasSuffix(key, "cost")
		})
	}
	return rows
}

// sameNumber lets sums differ by the order in which they were made.
func sameNumber(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

// numberViews are the queries whose rows are compared; the first column, or what
// stands before the column "|", names a row, the rest are its numbers.
var numberViews = map[string]string{
	"usage": `SELECT s.path, e.line, u.carrier, row_number() OVER (PARTITION BY u.entry, u.carrier), '|', coalesce(u.provider, '') AS provider, coalesce(u.model, '') AS model, u.input_tokens AS input, u.output_tokens AS output,
 u.cache_read_tokens AS read, u.cache_write_tokens AS write, u.reasoning_tokens AS reason, u.total_tokens AS total, u.cost, u.partial, u.active, u.counted, coalesce(u.why, '') AS why,
 o.path AS original, oe.line AS original_line
 FROM usage u JOIN entries e ON e.entry = u.entry JOIN sessions s ON s.session = u.session LEFT JOIN entries oe ON oe.entry = u.copy_of LEFT JOIN sessions o ON o.session = oe.session`,
	"sessions": `SELECT path, '|', input_tokens AS all_input, output_tokens AS all_output, cache_read_tokens AS all_read, cache_write_tokens AS all_write,
 total_tokens AS all_tokens, cost AS all_cost, counted_tokens AS total, counted_cost AS cost FROM sessions`,
	"daily": `SELECT day, project, provider, model, '|', sessions, user_messages AS users, assistant_messages AS assistants, tool_calls AS tools, errors, model_calls AS calls,
 input_tokens AS input, output_tokens AS output, cache_read_tokens AS read, cache_write_tokens AS write, total_tokens AS total, cost, unpriced FROM daily`,
	"models": `SELECT provider, model, '|', sessions, model_calls AS calls, tool_calls AS tools, input_tokens AS input, output_tokens AS output, cache_read_tokens AS read,
 cache_write_tokens AS write, total_tokens AS total, cost, unpriced, first, last FROM models`,
	"projects":   `SELECT project, '|', sessions, messages, total_tokens AS total, cost FROM projects`,
	"tools":      `SELECT tool, '|', sessions, calls, results, errors, truncated, mean_ms FROM tools`,
	"tool calls": callRows,
	"files": `SELECT s.path, e.line, f.operation, f.path AS file, '|', count(*) AS n, f.active, f.counted FROM files f JOIN entries e ON e.entry = f.entry JOIN sessions s ON s.session = f.session
 GROUP BY 1, 2, 3, 4`,
	"entries": `SELECT s.path, e.line, '|', e.active, e.counted, o.path AS original, oe.line AS original_line
 FROM entries e JOIN sessions s ON s.session = e.session LEFT JOIN entries oe ON oe.entry = e.copy_of LEFT JOIN sessions o ON o.session = oe.session
 WHERE e.type IN ('message', 'compaction', 'branch_summary')`,
}

const callRows = `SELECT s.path, e.line, coalesce(c.call_id, '') AS id, coalesce(r.line, 0) AS result, '|', c.tool, c.is_error AS failed, c.flagged, c.exit_code AS exit, c.truncated, c.duration_ms AS ms, c.active, c.counted
 FROM tool_calls c JOIN entries e ON e.entry = c.entry JOIN sessions s ON s.session = c.session LEFT JOIN entries r ON r.entry = c.result`

// viewRows reads the rows of a query by their names.
func viewRows(t *testing.T, db *sqlx.DB, sql string) map[string]any {
	t.Helper()
	rows, err := db.Query(sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	key := slices.Index(columns, "'|'")
	result := map[string]any{}
	for rows.Next() {
		values := make([]any, len(columns))
		into := make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		row := map[string]any{}
		for i := key + 1; i < len(columns); i++ {
			row[columns[i]] = number(values[i])
		}
		name := rowName(values[:key]...)
		if _, doubled := result[name]; doubled {
			t.Errorf("two rows of the name %s: %s", name, sql)
		}
		result[name] = row
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return result
}

func rowName(values ...any) string {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = fmt.Sprint(v)
	}
	return strings.Join(parts, " ")
}

// number makes what can be counted comparable.
func number(v any) any {
	switch v := v.(type) {
	case int:
		return float64(v)
	case int64:
		return float64(v)
	case bool:
		if v {
			return 1.0
		}
		return 0.0
	}
	return v
}

// sum is a row under construction.
type sum struct {
	row      map[string]any
	sessions map[*refFile]bool
}

// sums are the rows of a view under construction.
type sums map[string]*sum

func (s sums) at(name ...any) *sum {
	key := rowName(name...)
	if s[key] == nil {
		s[key] = &sum{row: map[string]any{}, sessions: map[*refFile]bool{}}
	}
	return s[key]
}

func (s *sum) add(key string, n float64) {
	have, _ := s.row[key].(float64)
	s.row[key] = have + n
}

// use adds what one call used.
func (s *sum) use(u refUsage) {
	s.add("calls", 1)
	for key, n := range map[string]int64{"input": u.input, "output": u.output, "read": u.cacheRead, "write": u.cacheWrite, "total": u.total} {
		s.add(key, float64(n))
	}
	if u.cost != nil {
		s.add("cost", *u.cost)
	}
	if u.total != 0 && (u.cost == nil || *u.cost == 0) {
		s.add("unpriced", 1)
	}
}

func (s *sum) pick(keys ...string) map[string]any {
	row := map[string]any{}
	for _, k := range keys {
		if v, ok := s.row[k]; ok {
			row[k] = v
		}
	}
	if slices.Contains(keys, "sessions") {
		row["sessions"] = float64(len(s.sessions))
	}
	return row
}

func rowsOf(s sums, keys ...string) map[string]any {
	rows := map[string]any{}
	for name, one := range s {
		rows[name] = one.pick(keys...)
	}
	return rows
}

func day(e *refEntry) string { return time.UnixMilli(e.at).UTC().Format(time.DateOnly) }

// referenceNumbers counts everything anew.
func referenceNumbers(files []*refFile) viewNumbers {
	n := viewNumbers{"usage": {}, "sessions": {}, "tool calls": {}, "entries": {}}
	daily, models, projects, tools, touched := sums{}, sums{}, sums{}, sums{}, sums{}
	for _, f := range files {
		all, counted := sums{}.at(), sums{}.at()
		projects.at(f.project).sessions[f] = true
		for _, e := range f.entries {
			if e.repeated {
				continue
			}
			if e.kind == "message" || e.kind == "compaction" || e.kind == "branch_summary" {
				n["entries"][rowName(f.path, e.line)] = withOriginal(e, map[string]any{"active": number(e.active), "counted": number(e.original == nil)})
			}
			countMessage(e, daily, models, projects)
			places := map[string]int{}
			for _, u := range e.usages {
				places[u.carrier]++
				n["usage"][rowName(f.path, e.line, u.carrier, places[u.carrier])] = usageRow(e, u)
				all.use(u)
				if e.why(u) == "" {
					counted.use(u)
					for _, s := range []*sum{daily.at(day(e), f.project, u.provider, u.model), models.at(u.provider, u.model), projects.at(f.project)} {
						s.use(u)
						s.sessions[f] = true
					}
					models.at(u.provider, u.model).span(day(e))
				}
			}
			for _, touch := range e.touches {
				s := touched.at(f.path, e.line, touch[0], touch[1])
				s.add("n", 1)
				s.row["active"], s.row["counted"] = number(e.active), number(e.original == nil)
			}
		}
		joinCalls(f, n["tool calls"], tools)
		// What pi's footer adds up is all of the file, copies and all branches.
		n["sessions"][f.path] = map[string]any{"all_input": all.row["input"], "all_output": all.row["output"], "all_read": all.row["read"], "all_write": all.row["write"], "all_tokens": all.row["total"], "all_cost": all.row["cost"], "total": counted.row["total"], "cost": counted.row["cost"]}
	}
	tokens := []string{"sessions", "calls", "tools", "input", "output", "read", "write", "total", "cost", "unpriced"}
	n["daily"] = rowsOf(daily, append(tokens, "users", "assistants", "errors")...)
	n["models"] = rowsOf(models, append(tokens, "first", "last")...)
	n["projects"] = rowsOf(projects, "sessions", "messages", "total", "cost")
	n["files"] = rowsOf(touched, "n", "active", "counted")
	n["tools"] = rowsOf(tools, "sessions", "calls", "results", "errors", "truncated", "mean_ms")
	return n
}

func withOriginal(e *refEntry, row map[string]any) map[string]any {
	if e.original != nil {
		row["original"], row["original_line"] = e.original.file.path, number(e.original.line)
	}
	return row
}

func usageRow(e *refEntry, u refUsage) map[string]any {
	row := map[string]any{"provider": u.provider, "model": u.model, "input": number(u.input), "output": number(u.output), "read": number(u.cacheRead), "write": number(u.cacheWrite),
		"reason": number(u.reason), "total": number(u.total), "partial": number(u.partial), "active": number(e.active), "counted": number(e.why(u) == ""), "why": e.why(u)}
	if u.cost != nil {
		row["cost"] = *u.cost
	}
	return withOriginal(e, row)
}

// span widens the days of a model.
func (s *sum) span(day string) {
	if first, ok := s.row["first"].(string); !ok || day < first {
		s.row["first"] = day
	}
	if last, ok := s.row["last"].(string); !ok || day > last {
		s.row["last"] = day
	}
}
