package scan

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"piarchive/internal/index"
	"piarchive/internal/query"
)

// session is a session that is looked at.
type session struct {
	ID       int64  `db:"id"`
	Size     int64  `db:"size"`
	Offset   int64  `db:"header_offset"`
	Bytes    int64  `db:"header_bytes"`
	Created  *int64 `db:"created_at"`
	Modified *int64 `db:"modified_at"`
	Last     *int64 `db:"last"` // time of the last entry
	rows     []int64
}

// latest is a place in time that nothing in the session is newer than. Its latest
// message alone will not do: tool results and notes follow it. An entry would have
// to be newer than all messages and than the last entry to be overlooked, and to
// be sure of that would take a look at every entry of the archive.
func (t *session) latest() Moment {
	_, last := index.Range(t.ID)
	return Moment{max(timeOf(t.Created), timeOf(t.Modified), timeOf(t.Last)), last}
}

func (t *session) title() *titleAt {
	return &titleAt{t.Offset, t.Bytes, timeOf(t.Created)}
}

// sessions reads the sessions to look at, the one of the latest activity last;
// ids is nil for all.
func (s *scan) sessions(ctx context.Context, ids []int64) ([]session, error) {
	from, args := `_session s`, []any{}
	if ids != nil {
		from, args = `json_each(?) j CROSS JOIN _session s ON s.id = j.value`, []any{query.List(ids)}
	}
	var found []session
	err := s.archive.DB().SelectContext(ctx, &found, `SELECT s.id, s.header_offset, s.header_bytes, s.created_at, s.modified_at, f.size,
 (SELECT at FROM _entry e WHERE e.id BETWEEN s.id << 24 AND s.id << 24 | 16777215 ORDER BY e.id DESC LIMIT 1) AS last
 FROM `+from+` JOIN _source f ON f.id = s.id`, args...)
	if err != nil {
		return nil, fmt.Errorf("read the sessions to search: %w", err)
	}
	found = slices.DeleteFunc(found, func(t session) bool {
		return t.Size == 0 || s.asked.Session != nil && !s.asked.Session(t.ID)
	})
	slices.SortFunc(found, func(a, b session) int { return a.latest().Compare(b.latest()) })
	return found, nil
}

// latestOf is the latest moment of sessions in their order.
func latestOf(sessions []session) Moment {
	if len(sessions) == 0 {
		return never
	}
	return sessions[len(sessions)-1].latest()
}

// everyRow cuts all sessions into jobs.
type everyRow struct {
	scan     *scan
	sessions []session // that are left, the next one last
	newer    *job      // the job before, where it is of the same session
	blocks   int64     // of that session that are left

	session int64 // whose lines are known
	lines   []givenLine
	upTo    []Moment // by line, the latest of it and those before it
}

func (s *scan) everyRow(ctx context.Context) (*everyRow, error) {
	sessions, err := s.sessions(ctx, nil)
	for _, t := range sessions {
		s.report.Total += t.Size
	}
	return &everyRow{scan: s, sessions: sessions}, err
}

// next implements source.
func (e *everyRow) next(context.Context) (*job, error) {
	if len(e.sessions) == 0 {
		return nil, nil
	}
	t := &e.sessions[len(e.sessions)-1]
	if e.newer == nil {
		e.blocks = (t.Size + index.BlockSize - 1) / index.BlockSize
	}
	n := min(e.blocks, maxJobBlocks)
	e.blocks -= n
	j := newJob(t.ID, e.blocks, int(n))
	j.of, j.behind = t, latestOf(e.sessions[:len(e.sessions)-1])
	if j.newer, e.newer = e.newer, j; e.blocks == 0 {
		if !e.scan.asked.Entries {
			j.title = t.title()
		}
		e.sessions, e.newer = e.sessions[:len(e.sessions)-1], nil
	}
	return j, nil
}

// behind implements source. Where something was found in the session, its
// lines are known.
func (e *everyRow) behind(j *job) Moment {
	switch {
	case j.first == 0:
		return j.behind
	case j.session != e.session:
		return j.of.latest()
	}
	rest := j.behind
	if !e.scan.asked.Entries {
		rest = later(rest, Moment{timeOf(j.of.Created), index.ID(j.session, 0)})
	}
	if i, _ := e.find(j.reached); i > 0 {
		rest = later(rest, e.upTo[i-1])
	}
	return rest
}

func (e *everyRow) find(offset int64) (int, bool) {
	return slices.BinarySearchFunc(e.lines, offset, func(l givenLine, o int64) int { return cmp.Compare(l.offset, o) })
}

// entries implements source. Hits come session by session, so the lines of
// one are kept.
func (e *everyRow) entries(ctx context.Context, session, offset int64) ([]givenLine, error) {
	if session != e.session {
		lo, hi := index.Range(session)
		// What has no copy key has no text, or is a line that repeats another to the letter.
		lines, err := selectLines(ctx, e.scan.archive, `SELECT id, offset, 0, '', `+lineTime+`, copy_key FROM _entry e
 WHERE id BETWEEN ? AND ? AND copy_key IS NOT NULL AND flags & ? = 0 AND (dup_of IS NULL OR NOT ?)`, lo, hi, index.FlagTextless, e.scan.asked.Unique)
		if err != nil {
			return nil, err
		}
		e.session, e.lines = session, lines
		slices.SortFunc(e.lines, inSession)
		e.upTo = upTo(e.lines)
	}
	i, _ := e.find(offset)
	n := i
	for n < len(e.lines) && e.lines[n].offset == offset {
		n++
	}
	return e.lines[i:n], nil
}

// upTo returns for each line the latest moment of it and those before it.
func upTo(lines []givenLine) []Moment {
	latest := make([]Moment, len(lines))
	for i := range lines {
		if latest[i] = lines[i].Moment; i > 0 {
			latest[i] = later(latest[i], latest[i-1])
		}
	}
	return latest
}

// lineTime is SQL for when a line was said: one without a time is as old as its session.
const lineTime = `coalesce(e.at, (SELECT created_at FROM _session WHERE id = e.id >> 24))`

// selectLines reads where the lines of entries lie: row, offset, length, id, time, copy
// key. There may be very many: reflection would be felt.
func selectLines(ctx context.Context, a *query.Archive, sql string, args ...any) ([]givenLine, error) {
	rows, err := a.DB().QueryContext(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("read where the lines to search lie: %w", err)
	}
	defer rows.Close()
	var lines []givenLine
	for rows.Next() {
		var l givenLine
		var at *int64
		if err := rows.Scan(&l.Row, &l.offset, &l.bytes, &l.entryID, &at, &l.CopyKey); err != nil {
			return nil, fmt.Errorf("read where the lines to search lie: %w", err)
		}
		l.At = timeOf(at)
		lines = append(lines, l)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read where the lines to search lie: %w", err)
	}
	return lines, nil
}

func inSession(a, b givenLine) int {
	return cmp.Or(cmp.Compare(a.offset, b.offset), cmp.Compare(a.Row, b.Row))
}

// givenRows makes jobs of the blocks that hold some rows.
type givenRows struct {
	scan     *scan
	sessions []session // that are left, the next one last
	jobs     []*job    // that are made, the next one last
}

func (s *scan) givenRows(ctx context.Context) (*givenRows, error) {
	s.report.Total = int64(len(s.asked.Rows))
	bySession := map[int64][]int64{}
	ids := []int64{}
	for rest := s.asked.Rows; len(rest) > 0; {
		session := index.SourceOf(rest[0])
		n := 1
		for n < len(rest) && index.SourceOf(rest[n]) == session {
			n++
		}
		bySession[session], rest = rest[:n], rest[n:]
		ids = append(ids, session)
	}
	sessions, err := s.sessions(ctx, ids)
	for i := range sessions {
		sessions[i].rows = bySession[sessions[i].ID]
		delete(bySession, sessions[i].ID)
	}
	for _, rows := range bySession { // of sessions that are not looked at
		s.report.Total -= int64(len(rows))
	}
	return &givenRows{scan: s, sessions: sessions}, err
}

// next implements source. A session is not taken apart: two jobs must not
// hold the same block.
func (g *givenRows) next(ctx context.Context) (*job, error) {
	for len(g.jobs) == 0 {
		if len(g.sessions) == 0 {
			return nil, nil
		}
		rows, from := 0, len(g.sessions)
		for from > 0 && (rows == 0 || rows+len(g.sessions[from-1].rows) <= g.scan.rowsAtOnce) {
			from--
			rows += len(g.sessions[from].rows)
		}
		if err := g.plan(ctx, from); err != nil {
			return nil, err
		}
		g.sessions = g.sessions[:from]
	}
	j := g.jobs[len(g.jobs)-1]
	g.jobs = g.jobs[:len(g.jobs)-1]
	return j, nil
}

// entries implements source; the lines of these jobs are known.
func (g *givenRows) entries(context.Context, int64, int64) ([]givenLine, error) { return nil, nil }

// behind implements source.
func (g *givenRows) behind(j *job) Moment { return j.behind }

// plan makes jobs of the last sessions.
func (g *givenRows) plan(ctx context.Context, from int) error {
	var entries []int64
	titles := map[int64]*titleAt{}
	rows := 0
	for i := range g.sessions[from:] {
		t := &g.sessions[from+i]
		rows += len(t.rows)
		of := t.rows
		if of[0] == index.ID(t.ID, 0) {
			if of = of[1:]; !g.scan.asked.Entries {
				titles[t.ID] = t.title()
			}
		}
		entries = append(entries, of...)
	}
	lines, err := selectLines(ctx, g.scan.archive, `SELECT e.id, e.offset, e.bytes, e.entry_id, `+lineTime+`, e.copy_key FROM json_each(?) j CROSS JOIN _entry e ON e.id = j.value
 WHERE e.copy_key IS NOT NULL AND e.flags & ? = 0`, query.List(entries), index.FlagTextless)
	if err != nil {
		return err
	}
	g.scan.report.Total -= int64(rows - len(lines) - len(titles))
	bySession := map[int64][]givenLine{}
	for _, l := range lines {
		bySession[index.SourceOf(l.Row)] = append(bySession[index.SourceOf(l.Row)], l)
	}
	for i := from; i < len(g.sessions); i++ {
		t := &g.sessions[i]
		g.jobs = append(g.jobs, jobsOf(t.ID, bySession[t.ID], titles[t.ID], latestOf(g.sessions[:i]))...)
	}
	return nil
}

// jobsOf makes the jobs for some lines of a session, the first line first. No
// session that comes behind it holds anything newer than behind.
func jobsOf(session int64, lines []givenLine, title *titleAt, behind Moment) []*job {
	slices.SortFunc(lines, inSession)
	var blocks []int64 // ascending
	if title != nil {
		blocks = append(blocks, 0)
	}
	for _, l := range lines {
		k := l.offset / index.BlockSize
		if n := len(blocks); n > 0 {
			k = max(k, blocks[n-1]+1)
		}
		for ; k*index.BlockSize < l.offset+l.bytes; k++ {
			blocks = append(blocks, k)
		}
	}
	var jobs []*job
	for len(blocks) > 0 {
		n := 1
		for n < len(blocks) && n < maxJobBlocks && blocks[n] == blocks[0]+int64(n) {
			n++
		}
		j := newJob(session, blocks[0], n)
		j.given, j.behind = true, behind
		if j.first == 0 && title != nil {
			j.title = title
			behind = later(behind, Moment{title.at, index.ID(session, 0)})
		}
		of := slices.IndexFunc(lines, func(l givenLine) bool { return l.offset >= j.end()*index.BlockSize })
		if of < 0 {
			of = len(lines)
		}
		j.lines, lines = lines[:of], lines[of:]
		for i := range j.lines {
			behind = later(behind, j.lines[i].Moment)
		}
		if last := len(jobs) - 1; last >= 0 && jobs[last].end() == j.first {
			jobs[last].newer = j
		}
		jobs = append(jobs, j)
		blocks = blocks[n:]
	}
	return jobs
}
