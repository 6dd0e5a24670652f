package search

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"piarchive/internal/index"
	"piarchive/internal/jsonl"
	"piarchive/internal/query"
	"piarchive/internal/query/question"
	"piarchive/internal/query/regex"
)

// Without an index to ask, regular expressions are looked for in the raw lines:
//
//  1. The session of the latest activity first, and in it the last line, blocks of
//     raw lines are read and handed out as jobs, a few at a time.
//  2. Workers decompress a job, pass over the lines that lack what every match
//     needs, decode the others and try the expressions on their texts.
//  3. The jobs are taken back in order; their lines become rows of the archive.
//
// All of it stops when there are enough hits or the time is up. Jobs are taken
// back in order, so what was looked at then is the newest part, without holes.

// scanOptions say where regular expressions are looked for.
type scanOptions struct {
	rows    []int64            // the rows to look at, ascending; nil for all
	session func(int64) bool   // says whether a session is looked at; nil for all
	within  question.ColumnSet // the columns that count
	without regex.All          // none of which may match
	limit   int                // how many of the newest hits are needed, copies apart; 0 for all
	copies  bool               // copies count towards the limit
	entries bool               // titles are not looked at
	unique  bool               // of all rows, lines that repeat the id of an entry do not count
	timeout time.Duration      // 0 for 1.5 s, less than 0 for none
}

const defaultScanTimeout = 1500 * time.Millisecond

// rowsAtOnce is how many given rows are looked up in one go.
const rowsAtOnce = 2000

// scanReport says how far a scan came.
type scanReport struct {
	looked, total int64 // at so many, of so many: bytes of sessions or, of given rows, rows
	cut           bool  // because time was up
	full          bool  // because of the limit: there may be more hits
}

// scanRegex finds the rows that all of some regular expressions match, each in
// one column, session by session. With a limit, the newest hits are among what
// it returns. It is asked within Steady.
func scanRegex(ctx context.Context, a *query.Archive, res regex.All, o scanOptions) ([]scanHit, scanReport, error) {
	return newScan(a, res, o).find(ctx)
}

func newScan(a *query.Archive, res regex.All, o scanOptions) *scan {
	return &scan{archive: a, res: res, options: o, work: make(chan *scanJob, maxPending), rowsAtOnce: rowsAtOnce}
}

func (s *scan) find(ctx context.Context) ([]scanHit, scanReport, error) {
	if s.options.timeout == 0 {
		s.options.timeout = defaultScanTimeout
	}
	s.newest = newestHits{limit: s.options.limit, copies: s.options.copies}
	var err error
	if s.options.rows != nil {
		s.source, err = s.givenRows(ctx)
	} else {
		s.source, err = s.everyRow(ctx)
	}
	if err != nil {
		return nil, s.report, err
	}
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			w := scanWorker{scan: s}
			for job := range s.work {
				w.run(job)
				close(job.done)
			}
		})
	}
	err = s.run(ctx)
	s.stop.Store(true) // a match that runs ends soon
	close(s.work)
	workers.Wait()
	return s.hits, s.report, err
}

// scanSource says what is looked at.
type scanSource interface {
	// next returns the next job, without its blocks, or nil.
	next(ctx context.Context) (*scanJob, error)
	// entries returns the rows of the line at offset.
	entries(ctx context.Context, session, offset int64) ([]givenLine, error)
	// behind returns a place that nothing is newer than that comes behind a job
	// which has been taken back.
	behind(j *scanJob) instant
}

// scan is one search for regular expressions.
type scan struct {
	archive *query.Archive
	res     regex.All
	options scanOptions
	source  scanSource
	work    chan *scanJob
	pending []*scanJob // handed out and not taken back
	blocks  int        // of them
	ended   bool       // there are no further jobs
	stop    atomic.Bool
	free    [][]byte // buffers for blocks
	hits    []scanHit
	newest  newestHits
	report  scanReport

	rowsAtOnce int
}

// What is under way is bounded: every block costs its compressed size, and every
// worker the size of one job.
const (
	maxJobBlocks = 4
	readBlocks   = 32
	maxBlocks    = 96
	maxPending   = maxBlocks
)

func (s *scan) run(ctx context.Context) error {
	deadline := make(<-chan time.Time)
	if s.options.timeout > 0 {
		deadline = time.After(s.options.timeout)
	}
	for {
		if err := s.handOut(ctx); err != nil || len(s.pending) == 0 {
			return err
		}
		j := s.pending[0]
		select {
		case <-deadline:
			s.report.cut = true
		case <-ctx.Done():
		default:
			select {
			case <-j.done:
			case <-deadline:
				s.report.cut = true
			case <-ctx.Done():
			}
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("search: %w", err)
		}
		if s.report.cut {
			s.stop.Store(true)
			<-j.done // at once, as far as it came
		}
		if err := s.takeBack(ctx, j); err != nil || s.report.cut || s.report.full {
			return err
		}
	}
}

// handOut reads blocks and hands them to the workers, until enough is under way.
func (s *scan) handOut(ctx context.Context) error {
	for !s.ended && s.blocks <= maxBlocks-readBlocks && len(s.pending) < maxPending-readBlocks {
		var jobs []*scanJob
		var ids []int64
		at := map[int64]*scanJob{}
		for len(ids) < readBlocks && len(jobs) < readBlocks {
			j, err := s.source.next(ctx)
			if err != nil {
				return err
			}
			if s.ended = j == nil; s.ended {
				break
			}
			jobs = append(jobs, j)
			for k := j.first; k < j.end(); k++ {
				id := index.ID(j.session, int(k))
				at[id] = j
				ids = append(ids, id)
			}
		}
		err := index.PackedBlocks(ctx, s.archive.DB(), list(ids), func(id int64, data []byte) {
			j := at[id]
			var free []byte
			if n := len(s.free) - 1; n >= 0 {
				free, s.free = s.free[n], s.free[:n]
			}
			j.packed[id-index.ID(j.session, int(j.first))] = append(free[:0], data...)
		})
		if err != nil {
			return err
		}
		for _, j := range jobs {
			s.pending = append(s.pending, j)
			s.blocks += len(j.packed)
			s.work <- j
		}
	}
	return nil
}

// takeBack makes hits of what a job found.
func (s *scan) takeBack(ctx context.Context, j *scanJob) error {
	s.pending = s.pending[1:]
	s.blocks -= len(j.packed)
	s.free = append(s.free, j.packed...)
	if j.err != nil {
		return s.failed(ctx, j)
	}
	s.report.looked += j.looked
	for _, l := range j.found {
		hits, err := s.rows(ctx, j, l)
		if err != nil {
			return err
		}
		for _, h := range hits {
			s.hits = append(s.hits, h)
			s.newest.add(h)
		}
	}
	s.report.full = s.newest.settled(s.source.behind(j))
	return nil
}

// failed says which session could not be read, and what to do about it.
func (s *scan) failed(ctx context.Context, j *scanJob) error {
	path := fmt.Sprintf("session %d", j.session)
	var known string
	if err := s.archive.DB().GetContext(ctx, &known, `SELECT path FROM source WHERE id = ?`, j.session); err == nil {
		path = known
	}
	return fmt.Errorf("search %s: %w: run `piarchive verify`", path, j.err)
}

// rows returns the rows of a line that match.
func (s *scan) rows(ctx context.Context, j *scanJob, l lineHit) ([]scanHit, error) {
	switch l.kind {
	case givenHit:
		return []scanHit{l.given.hit()}, nil
	case titleHit, farHit:
		return s.title(ctx, j, l)
	}
	entries, err := s.source.entries(ctx, j.session, l.offset)
	if err != nil {
		return nil, err
	}
	var hits []scanHit
	for _, e := range slices.Backward(entries) {
		ok := true
		if l.kind == severalHit {
			var id string
			if err := s.archive.DB().GetContext(ctx, &id, `SELECT entry_id FROM entry WHERE id = ?`, e.row); err != nil {
				return nil, fmt.Errorf("read the id of an entry: %w", err)
			}
			ok = s.try(jsonl.ParseEntry(l.line, id), &atomic.Bool{})
		}
		if ok {
			hits = append(hits, e.hit())
		}
	}
	return hits, nil
}

// title tries the title of a session, where its row is one of the full text.
func (s *scan) title(ctx context.Context, j *scanJob, l lineHit) ([]scanHit, error) {
	row := index.ID(j.session, 0)
	if l.kind == farHit {
		title, err := readTitle(ctx, s.archive, &Hit{Session: query.SessionRef{Key: j.session}, row: row, line: span{j.title.offset, j.title.bytes}})
		if err != nil || !s.matches([6]string{5: title}, &atomic.Bool{}) {
			return nil, err
		}
	}
	var n int
	if err := s.archive.DB().GetContext(ctx, &n, `SELECT count(*) FROM fts WHERE rowid = ?`, row); err != nil {
		return nil, fmt.Errorf("look for a title: %w", err)
	}
	return slices.Repeat([]scanHit{{instant: instant{j.title.at, row}}}, n), nil
}

// try reports whether all expressions match an entry.
func (s *scan) try(e *jsonl.Entry, stop *atomic.Bool) bool {
	return e != nil && s.matches(e.Text.Columns(), stop)
}

// matches reports whether all expressions match texts by column.
func (s *scan) matches(texts [6]string, stop *atomic.Bool) bool {
	if texts == [6]string{} {
		return false
	}
	matched := func(r *regex.Regex) bool {
		for _, c := range showOrder {
			if s.options.within.Has(c) && texts[c] != "" && r.Match(texts[c], stop) {
				return true
			}
		}
		return false
	}
	for _, r := range s.res {
		if !matched(r) {
			return false
		}
	}
	return !slices.ContainsFunc(s.options.without, matched) && !stop.Load() // what was stopped says nothing
}
