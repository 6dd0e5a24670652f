package query

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"piarchive/internal/index"
)

// everyRow cuts all sessions into jobs.
type everyRow struct {
	scan     *scan
	sessions []scanSession // that are left, the oldest first
	newer    *scanJob      // the job before, where it is of the same session
	blocks   int64         // of that session that are left

	session int64 // whose lines are known
	lines   []givenLine
}

// scanSession is a session that is looked at.
type scanSession struct {
	ID     int64 `db:"id"`
	Size   int64 `db:"size"`
	Offset int64 `db:"header_offset"`
	Bytes  int64 `db:"header_bytes"`
}

func (s *scan) everyRow(ctx context.Context) (*everyRow, error) {
	e := &everyRow{scan: s}
	err := s.archive.db.SelectContext(ctx, &e.sessions,
		`SELECT s.id, s.header_offset, s.header_bytes, f.size FROM session s JOIN source f ON f.id = s.id ORDER BY s.id`)
	if err != nil {
		return nil, fmt.Errorf("read the sessions to search: %w", err)
	}
	e.sessions = slices.DeleteFunc(e.sessions, func(t scanSession) bool {
		return t.Size == 0 || s.options.session != nil && !s.options.session(t.ID)
	})
	for _, t := range e.sessions {
		s.report.total += t.Size
	}
	return e, nil
}

// next implements scanSource.
func (e *everyRow) next(context.Context) (*scanJob, error) {
	if len(e.sessions) == 0 {
		return nil, nil
	}
	t := e.sessions[len(e.sessions)-1]
	if e.newer == nil {
		e.blocks = (t.Size + index.BlockSize - 1) / index.BlockSize
	}
	n := min(e.blocks, maxJobBlocks)
	e.blocks -= n
	j := newJob(t.ID, e.blocks, int(n))
	if j.newer, e.newer = e.newer, j; e.blocks == 0 {
		j.title = &titleAt{t.Offset, t.Bytes}
		e.sessions, e.newer = e.sessions[:len(e.sessions)-1], nil
	}
	return j, nil
}

// entries implements scanSource. Hits come session by session, so the lines of
// one are kept.
func (e *everyRow) entries(ctx context.Context, session, offset int64) ([]givenLine, error) {
	if session != e.session {
		lo, hi := index.Range(session)
		// What has no copy key has no text, or is a line that repeats another.
		lines, err := e.scan.archive.lines(ctx, `SELECT id, offset, 0, '' FROM entry WHERE id BETWEEN ? AND ? AND copy_key IS NOT NULL`, lo, hi)
		if err != nil {
			return nil, err
		}
		e.session, e.lines = session, lines
		slices.SortFunc(e.lines, inSession)
	}
	i, _ := slices.BinarySearchFunc(e.lines, offset, func(l givenLine, o int64) int { return cmp.Compare(l.offset, o) })
	n := i
	for n < len(e.lines) && e.lines[n].offset == offset {
		n++
	}
	return e.lines[i:n], nil
}

// lines reads where the lines of entries lie: row, offset, length, id. There may
// be very many: reflection would be felt.
func (a *Archive) lines(ctx context.Context, query string, args ...any) ([]givenLine, error) {
	rows, err := a.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read where the lines to search lie: %w", err)
	}
	defer rows.Close()
	var lines []givenLine
	for rows.Next() {
		var l givenLine
		if err := rows.Scan(&l.row, &l.offset, &l.bytes, &l.entryID); err != nil {
			return nil, fmt.Errorf("read where the lines to search lie: %w", err)
		}
		lines = append(lines, l)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read where the lines to search lie: %w", err)
	}
	return lines, nil
}

func inSession(a, b givenLine) int {
	return cmp.Or(cmp.Compare(a.offset, b.offset), cmp.Compare(a.row, b.row))
}

// givenRows makes jobs of the blocks that hold some rows.
type givenRows struct {
	scan *scan
	rows []int64    // that are left, ascending
	jobs []*scanJob // that are made, the oldest first
}

const rowsAtOnce = 2000

// next implements scanSource.
func (g *givenRows) next(ctx context.Context) (*scanJob, error) {
	for len(g.jobs) == 0 {
		if len(g.rows) == 0 {
			return nil, nil
		}
		rows := g.rows[max(0, len(g.rows)-rowsAtOnce):]
		g.rows = g.rows[:len(g.rows)-len(rows)]
		if err := g.plan(ctx, rows); err != nil {
			return nil, err
		}
	}
	j := g.jobs[len(g.jobs)-1]
	g.jobs = g.jobs[:len(g.jobs)-1]
	return j, nil
}

// entries implements scanSource; the lines of these jobs are known.
func (g *givenRows) entries(context.Context, int64, int64) ([]givenLine, error) { return nil, nil }

// plan makes jobs of some rows.
func (g *givenRows) plan(ctx context.Context, rows []int64) error {
	var entries, titled []int64
	for _, row := range rows {
		switch session := index.SourceOf(row); {
		case g.scan.options.session != nil && !g.scan.options.session(session):
		case row == index.ID(session, 0):
			titled = append(titled, session)
		default:
			entries = append(entries, row)
		}
	}
	lines, err := g.scan.archive.lines(ctx, `SELECT e.id, e.offset, e.bytes, e.entry_id FROM json_each(?) j CROSS JOIN entry e ON e.id = j.value
 WHERE e.copy_key IS NOT NULL`, list(entries))
	if err != nil {
		return err
	}
	titles := map[int64]*titleAt{}
	if len(titled) > 0 {
		var sessions []scanSession
		err := g.scan.archive.db.SelectContext(ctx, &sessions, `SELECT s.id, header_offset, header_bytes FROM json_each(?) j CROSS JOIN session s ON s.id = j.value`, list(titled))
		if err != nil {
			return fmt.Errorf("read the lines of the candidates: %w", err)
		}
		for _, t := range sessions {
			titles[t.ID] = &titleAt{t.Offset, t.Bytes}
		}
	}
	g.scan.report.total -= int64(len(rows) - len(lines) - len(titles))
	bySession := map[int64][]givenLine{}
	for _, l := range lines {
		bySession[index.SourceOf(l.row)] = append(bySession[index.SourceOf(l.row)], l)
	}
	for session := range titles {
		bySession[session] = append([]givenLine(nil), bySession[session]...)
	}
	sessions := make([]int64, 0, len(bySession))
	for session := range bySession {
		sessions = append(sessions, session)
	}
	slices.Sort(sessions)
	for _, session := range sessions {
		g.jobs = append(g.jobs, jobsOf(session, bySession[session], titles[session])...)
	}
	return nil
}

// jobsOf makes the jobs for some lines of a session, the first line first.
func jobsOf(session int64, lines []givenLine, title *titleAt) []*scanJob {
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
	var jobs []*scanJob
	for len(blocks) > 0 {
		n := 1
		for n < len(blocks) && n < maxJobBlocks && blocks[n] == blocks[0]+int64(n) {
			n++
		}
		j := newJob(session, blocks[0], n)
		j.given = true
		if j.first == 0 {
			j.title = title
		}
		of := slices.IndexFunc(lines, func(l givenLine) bool { return l.offset >= j.end()*index.BlockSize })
		if of < 0 {
			of = len(lines)
		}
		j.lines, lines = lines[:of], lines[of:]
		if last := len(jobs) - 1; last >= 0 && jobs[last].end() == j.first {
			jobs[last].newer = j
		}
		jobs = append(jobs, j)
		blocks = blocks[n:]
	}
	return jobs
}
