// Package scan looks for regular expressions in the raw lines of an archive: in all,
// or in the rows that an index left. [Find] is the way in.
//
//  1. Sessions are read newest activity first, each from its end; their blocks become
//     jobs, of which a few wait at a time (source.go).
//  2. Workers decompress a job, pass over the lines that lack what every match
//     needs, decode the others and try the expressions on their texts (work.go).
//  3. The jobs are taken back in order; their lines become rows of the archive.
//
// All of it stops when there are enough hits (newest.go) or the time is up. Jobs are
// taken back in order, so what was looked at then is the newest part, without holes.
// What is under way is bounded, however large the archive.
package scan

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

// Query says what is looked for, and where.
type Query struct {
	Regexes regex.All          // all of which have to match an entry, each in one column
	Without regex.All          // none of which may match
	Within  question.ColumnSet // the columns that count
	Rows    []int64            // the rows to look at, ascending; nil for all
	Session func(int64) bool   // reports whether a session is looked at; nil for all
	Limit   int                // how many of the newest hits are needed, copies apart; 0 for all
	Copies  bool               // copies count towards the limit
	Entries bool               // titles are not looked at
	Unique  bool               // of all rows, lines that repeat the id of an entry do not count
	Timeout time.Duration      // 0 for none
}

// Report says how far a scan came.
type Report struct {
	Looked, Total int64 // at so many, of so many: bytes of sessions or, of given rows, rows
	Cut           bool  // because time was up
	Full          bool  // because of the limit: there may be more hits
}

// Find returns the rows that match, session by session. With a limit, the newest
// hits are among what it returns. It is asked within [query.Archive.Steady].
func Find(ctx context.Context, a *query.Archive, q Query) ([]Hit, Report, error) {
	return newScan(a, q).find(ctx)
}

func newScan(a *query.Archive, q Query) *scan {
	return &scan{archive: a, asked: q, work: make(chan *job, maxPending), rowsAtOnce: rowsAtOnce,
		newest: newestHits{limit: q.Limit, copies: q.Copies}}
}

// rowsAtOnce is how many given rows are looked up in one go.
const rowsAtOnce = 2000

func (s *scan) find(ctx context.Context) ([]Hit, Report, error) {
	var err error
	if s.asked.Rows != nil {
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
			w := worker{scan: s}
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

// source says what is looked at.
type source interface {
	// next returns the next job, without its blocks, or nil.
	next(ctx context.Context) (*job, error)
	// entries returns the rows of the line at offset.
	entries(ctx context.Context, session, offset int64) ([]givenLine, error)
	// behind returns a place that nothing is newer than that comes behind a job
	// which has been taken back.
	behind(j *job) Moment
}

// scan is one search for regular expressions.
type scan struct {
	archive *query.Archive
	asked   Query
	source  source
	work    chan *job
	pending []*job // handed out and not taken back
	blocks  int    // of them
	ended   bool   // there are no further jobs
	stop    atomic.Bool
	free    [][]byte // buffers for blocks
	hits    []Hit
	newest  newestHits
	report  Report

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
	if s.asked.Timeout > 0 {
		deadline = time.After(s.asked.Timeout)
	}
	for {
		if err := s.handOut(ctx); err != nil || len(s.pending) == 0 {
			return err
		}
		j := s.pending[0]
		select {
		case <-deadline:
			s.report.Cut = true
		case <-ctx.Done():
		default:
			select {
			case <-j.done:
			case <-deadline:
				s.report.Cut = true
			case <-ctx.Done():
			}
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("search: %w", err)
		}
		if s.report.Cut {
			s.stop.Store(true)
			<-j.done // at once, as far as it came
		}
		if err := s.takeBack(ctx, j); err != nil || s.report.Cut || s.report.Full {
			return err
		}
	}
}

// handOut reads blocks and hands them to the workers, until enough is under way.
func (s *scan) handOut(ctx context.Context) error {
	for !s.ended && s.blocks <= maxBlocks-readBlocks && len(s.pending) < maxPending-readBlocks {
		var jobs []*job
		var ids []int64
		at := map[int64]*job{}
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
		err := index.PackedBlocks(ctx, s.archive.DB(), query.List(ids), func(id int64, data []byte) {
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
func (s *scan) takeBack(ctx context.Context, j *job) error {
	s.pending = s.pending[1:]
	s.blocks -= len(j.packed)
	s.free = append(s.free, j.packed...)
	if j.err != nil {
		return fmt.Errorf("search %w", s.archive.Unreadable(ctx, j.session, j.err))
	}
	s.report.Looked += j.looked
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
	s.report.Full = s.newest.settled(s.source.behind(j))
	return nil
}

// rows returns the rows of a line that match.
func (s *scan) rows(ctx context.Context, j *job, l lineHit) ([]Hit, error) {
	switch l.kind {
	case givenHit:
		return []Hit{l.given.Hit}, nil
	case titleHit, farHit:
		return s.title(ctx, j, l)
	}
	entries, err := s.source.entries(ctx, j.session, l.offset)
	if err != nil {
		return nil, err
	}
	var hits []Hit
	for _, e := range slices.Backward(entries) {
		ok := true
		if l.kind == severalHit {
			var id string
			if err := s.archive.DB().GetContext(ctx, &id, `SELECT entry_id FROM _entry WHERE id = ?`, e.Row); err != nil {
				return nil, fmt.Errorf("read the id of an entry: %w", err)
			}
			ok = s.try(jsonl.ParseEntry(l.line, id), &atomic.Bool{})
		}
		if ok {
			hits = append(hits, e.Hit)
		}
	}
	return hits, nil
}

// title tries the title of a session, where its row is one of the full text.
func (s *scan) title(ctx context.Context, j *job, l lineHit) ([]Hit, error) {
	row := index.ID(j.session, 0)
	if l.kind == farHit {
		title, err := s.archive.Title(ctx, query.Line{Session: j.session, Offset: j.title.offset, Bytes: j.title.bytes})
		if err != nil || !s.matches([6]string{5: title}, &atomic.Bool{}) {
			return nil, err
		}
	}
	var n int
	if err := s.archive.DB().GetContext(ctx, &n, `SELECT count(*) FROM fts WHERE rowid = ?`, row); err != nil {
		return nil, fmt.Errorf("look for a title: %w", err)
	}
	return slices.Repeat([]Hit{{Moment: Moment{j.title.at, row}}}, n), nil
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
		for c := len(texts) - 1; c >= 0; c-- { // the first column holds the most: what tools put out
			if s.asked.Within.Has(c) && texts[c] != "" && r.Match(texts[c], stop) {
				return true
			}
		}
		return false
	}
	for _, r := range s.asked.Regexes {
		if !matched(r) {
			return false
		}
	}
	return !slices.ContainsFunc(s.asked.Without, matched) && !stop.Load() // what was stopped says nothing
}
