package session

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"piarchive/internal/index"
	"piarchive/internal/query"
)

// Step is one entry on a path, or in a list of entries.
type Step struct {
	Row    int64 // entry key within this archive
	Parent int64 // 0 at roots and orphans
	query.EntryRef
	Offset int64
	Bytes  int64
	Orphan bool   // it names a parent that the file does not have
	heard  bool   // said was asked for
	said   string // how what is said on it begins
}

// What selectSteps reads: enough to find lines and tell what is on them; with the
// time; with the parent; with the parent's id as it is written. Where there are
// many rows every column counts, since the driver takes two locks for each: a line
// and its length go into one number, a type is read only where there is no role,
// and a parent's id only where the parent is not there. Types and such ids are
// blobs, to tell them apart from what they stand in for.
const (
	lineColumns = `e.id, e.entry_id, e.offset, e.line << 32 | e.bytes, ifnull(e.role, CAST(e.type AS BLOB))`
	pathColumns = lineColumns + `, e.at`
	treeColumns = pathColumns + `, ifnull(e.parent, CAST(e.parent_id AS BLOB))`
	stepColumns = treeColumns + `, e.parent_id`

	// How what is said on an entry begins, as another column: a query of its own
	// would take ten times as long as this join.
	said      = `, iif(octet_length(p.text) <= 400, p.text, substr(p.text, 1, 400))`
	joinProse = ` LEFT JOIN _prose p ON p.id = e.id`
)

// PathTo returns the entries from the root to an entry, all types included.
// Where parents go in a circle, the path begins behind the entry that closes it.
func PathTo(ctx context.Context, a *query.Archive, row int64) ([]Step, error) {
	if row == 0 {
		return nil, nil // no entry
	}
	steps, err := ascend(ctx, a, row, pathColumns, true)
	if err != nil || len(steps) == 0 {
		return nil, err
	}
	top, err := selectSteps(ctx, a, 1, `SELECT `+stepColumns+` FROM _entry e WHERE e.id = ?`, steps[0].Row)
	if err != nil {
		return nil, fmt.Errorf("read the top of a path: %w", err)
	}
	steps[0].Parent, steps[0].ParentID, steps[0].Orphan = top[0].Parent, top[0].ParentID, top[0].Orphan
	for i := range steps[1:] {
		steps[i+1].Parent, steps[i+1].ParentID = steps[i].Row, steps[i].ID
	}
	return steps, nil
}

// ascend goes from an entry to the root and returns the way back, with what is
// said on it where that is wanted.
func ascend(ctx context.Context, a *query.Archive, row int64, columns string, prose bool) ([]Step, error) {
	runs, err := runsTo(ctx, a, row)
	if err != nil {
		return nil, fmt.Errorf("walk to the root: %w", err)
	}
	steps, err := readRuns(ctx, a, runs, columns, prose)
	if err != nil {
		return nil, fmt.Errorf("read a path: %w", err)
	}
	return steps, nil
}

// run is rows that follow each other, each the parent of the next.
type run struct{ first, last int64 }

// manyRuns is how many runs a query takes one by one. Few paths have as many.
const manyRuns = 2048

// runsTo goes from an entry to the root by a recursive query over integer
// parents, and returns the way back as runs. Programs append, so the parent of
// most entries is the entry before, and a step of the query takes a whole run of
// such entries. UNION drops a run that comes again, which ends the walk in a
// circle.
func runsTo(ctx context.Context, a *query.Archive, row int64) ([]run, error) {
	lo, hi := index.Range(index.SourceOf(row))
	const first = `(SELECT b.id FROM _entry b WHERE b.id BETWEEN ?2 AND %s AND b.parent IS NOT b.id - 1 ORDER BY b.id DESC LIMIT 1)`
	rows, err := a.DB().QueryContext(ctx, `WITH RECURSIVE run(first, last) AS (
 SELECT `+fmt.Sprintf(first, "?1")+`, ?1
 UNION SELECT `+fmt.Sprintf(first, "e.parent")+`, e.parent FROM run JOIN _entry e ON e.id = run.first WHERE e.parent IS NOT NULL LIMIT ?3)
SELECT first, last FROM run`, row, lo, manyRuns)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var runs []run
	taken := map[int64]int64{} // by the first of a run the last of it that is on the path
	for rows.Next() {
		var r run
		if err := rows.Scan(&r.first, &r.last); err != nil {
			return nil, err
		}
		before, again := taken[r.first]
		if again {
			if r.last > before {
				runs = append(runs, run{before + 1, r.last})
			}
			slices.Reverse(runs)
			return runs, nil
		}
		taken[r.first] = r.last
		runs = append(runs, r)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	if len(runs) == manyRuns {
		rows.Close() // there is one connection
		return manyRunsTo(ctx, a, row, lo, hi)
	}
	slices.Reverse(runs)
	return runs, nil
}

// manyRunsTo is runsTo for paths that jump to and fro in the file: it reads the
// parents of the session at once.
func manyRunsTo(ctx context.Context, a *query.Archive, row, lo, hi int64) ([]run, error) {
	rows, err := a.DB().QueryContext(ctx, `SELECT id, parent FROM _entry WHERE id BETWEEN ? AND ?`, lo, hi)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	parents := map[int64]int64{}
	for rows.Next() {
		var id int64
		var parent *int64
		if err := rows.Scan(&id, &parent); err != nil {
			return nil, err
		}
		if parent != nil {
			parents[id] = *parent
		}
	}
	var runs []run
	walked := map[int64]bool{}
	for at, ok := row, true; ok && !walked[at]; at, ok = parents[at] {
		walked[at] = true
		if n := len(runs); n > 0 && runs[n-1].first == at+1 {
			runs[n-1].first = at
		} else {
			runs = append(runs, run{at, at})
		}
	}
	slices.Reverse(runs)
	return runs, rows.Err()
}

// readRuns reads the rows of runs in their order: few of them one by one, many
// with all that lies between.
func readRuns(ctx context.Context, a *query.Archive, runs []run, columns string, prose bool) ([]Step, error) {
	from := ` FROM json_each(?) run CROSS JOIN _entry e ON e.id BETWEEN run.value ->> 0 AND run.value ->> 1` // the order of the runs stays
	if prose {
		columns, from = columns+said, from+joinProse
	}
	rows := 0
	var pairs [][2]int64
	for _, r := range runs {
		rows += int(r.last - r.first + 1)
		pairs = append(pairs, [2]int64{r.first, r.last})
	}
	if len(runs) > manyRuns {
		lo := slices.MinFunc(runs, func(x, y run) int { return cmp.Compare(x.first, y.first) }).first
		hi := slices.MaxFunc(runs, func(x, y run) int { return cmp.Compare(x.last, y.last) }).last
		pairs = [][2]int64{{lo, hi}}
	}
	list, _ := json.Marshal(pairs) // numbers always encode
	steps, err := readSteps(ctx, a, rows, prose, `SELECT `+columns+from, string(list))
	if err != nil || len(runs) <= manyRuns {
		return steps, err
	}
	path := make([]Step, 0, rows)
	for _, r := range runs { // no row between two is missing
		at := r.first - steps[0].Row
		path = append(path, steps[at:at+r.last-r.first+1]...)
	}
	return path, nil
}

// countEntries returns how many entries a session has, one for each id.
func countEntries(ctx context.Context, a *query.Archive, session int64) (int, error) {
	var n []int
	if err := a.DB().SelectContext(ctx, &n, `SELECT n_entries FROM _session WHERE id = ?`, session); err != nil {
		return 0, fmt.Errorf("count the entries of a session: %w", err)
	}
	return append(n, 0)[0], nil
}

// selectSteps reads rows of one of the lists of columns, usually not more than
// most.
func selectSteps(ctx context.Context, a *query.Archive, most int, query string, args ...any) ([]Step, error) {
	return readSteps(ctx, a, most, false, query, args...)
}

// readSteps reads what is said, too, if that is the last column. Sessions have up
// to hundreds of thousands of entries, so it does without reflection, and without
// an allocation for every time.
func readSteps(ctx context.Context, a *query.Archive, most int, prose bool, query string, args ...any) ([]Step, error) {
	rows, err := a.DB().QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var values [8]any
	var text any
	into := make([]any, len(columns))
	for i := range into {
		into[i] = &values[i]
	}
	if prose {
		into[len(into)-1] = &text
	}
	most = min(most, 1<<17)
	steps := make([]Step, 0, most)
	var times []time.Time
	if len(columns) > 5 {
		times = make([]time.Time, 0, most)
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		s := newStep(&values)
		if at, ok := values[5].(int64); ok {
			times = append(times, time.UnixMilli(at).UTC())
			s.Time = &times[len(times)-1]
		}
		s.heard = prose
		s.said, _ = text.(string)
		steps = append(steps, s)
	}
	return steps, rows.Err()
}

// newStep reads all of a row but its time; columns that were not asked for are
// nil.
func newStep(values *[8]any) (s Step) {
	s.Row, _ = values[0].(int64)
	s.ID, _ = values[1].(string)
	s.Offset, _ = values[2].(int64)
	place, _ := values[3].(int64)
	s.Line, s.Bytes = int(place>>32), place&(1<<32-1)
	switch v := values[4].(type) {
	case string:
		s.Type, s.Role = "message", v
	case []byte:
		s.Type = string(v)
	}
	switch v := values[6].(type) {
	case int64:
		s.Parent = v
	case []byte:
		s.ParentID = string(v)
		s.Orphan = s.ParentID != "" && s.ParentID != s.ID
	}
	if id, ok := values[7].(string); ok {
		s.ParentID = id
	}
	return s
}

// Leaf returns the row of the current leaf of a session, 0 if it has no entry.
func Leaf(ctx context.Context, a *query.Archive, session int64) (int64, error) {
	var leaf []int64
	err := a.DB().SelectContext(ctx, &leaf, `SELECT leaf FROM _session WHERE id = ? AND leaf IS NOT NULL`, session)
	if err != nil || len(leaf) == 0 {
		return 0, err
	}
	return leaf[0], nil
}

// Extent is how much a session holds, copies in its own file aside.
type Extent struct {
	Messages int `db:"messages"` // of every branch
	Branches int `db:"n_leaves"`
}

// ReadExtent tells how much a session holds.
func ReadExtent(ctx context.Context, a *query.Archive, session int64) (e Extent, err error) {
	lo, hi := index.Range(session)
	err = a.DB().GetContext(ctx, &e, `SELECT n_leaves, (SELECT count(*) FROM _entry WHERE id BETWEEN ? AND ? AND type = 'message' AND dup_of IS NULL) AS messages
 FROM _session WHERE id = ?`, lo+1, hi, session)
	if err != nil {
		return e, fmt.Errorf("count the messages of a session: %w", err)
	}
	return e, nil
}

// FindRow is [FindEntry] for the row alone; the leaf of a session without entries
// is 0.
func FindRow(ctx context.Context, a *query.Archive, session query.SessionRef, ref string) (int64, error) {
	if ref == "leaf" {
		return Leaf(ctx, a, session.Key)
	}
	step, err := FindEntry(ctx, a, session, ref)
	return step.Row, err
}

// Unbridged is the end of a path that pi has: from the last orphan on.
func Unbridged(steps []Step, bridges []Bridge) []Step {
	last := bridges[len(bridges)-1].Orphan.Row
	return steps[max(0, slices.IndexFunc(steps, func(s Step) bool { return s.Row == last })):]
}

// Steps reads entries by their rows, in the order of these.
func Steps(ctx context.Context, a *query.Archive, rows []int64) ([]Step, error) {
	return selectSteps(ctx, a, len(rows), `SELECT `+stepColumns+` FROM json_each(?) j JOIN _entry e ON e.id = j.value ORDER BY j.key`, query.List(rows))
}

// StepLine reads the raw line of a step, with its LF if it has one.
func StepLine(ctx context.Context, a *query.Archive, s Step) ([]byte, error) {
	return a.Raw().Read(ctx, nil, index.SourceOf(s.Row), s.Offset, s.Bytes)
}

func (s *Step) line() query.Line {
	return query.Line{Session: index.SourceOf(s.Row), Offset: s.Offset, Bytes: s.Bytes}
}
