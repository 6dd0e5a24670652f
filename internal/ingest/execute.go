package ingest

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"golang.org/x/sync/semaphore"

	"piarchive/internal/index"
	"piarchive/internal/places"
	"piarchive/internal/words"
)

// A transaction of small sources is committed when it holds this much, or is
// this old: rows become visible soon, and a killed run loses little.
const (
	commitBytes = 16 << 20
	commitAfter = 250 * time.Millisecond
)

// queueBytes bounds what waits between the reader and the writer. Some of it is
// needed: sources differ in size and in what they cost either side.
const queueBytes = 12 << 20

// Units go through the queue in batches, since to wake the other side for every
// small source would cost more than to read it.
const (
	batchBytes = 256 << 10
	batchUnits = 64
)

// batch is some units, in their order.
type batch struct {
	units []unit
	room  int64 // of the queue
}

// queue is the way from the reader to the writer.
type queue struct {
	batches chan batch
	room    *semaphore.Weighted
	next    batch
}

// add takes a unit, and waits while the queue is full.
func (q *queue) add(ctx context.Context, u unit) error {
	q.next.units = append(q.next.units, u)
	q.next.room += int64(u.size + 1024)
	if q.next.room < batchBytes && len(q.next.units) < batchUnits {
		return nil
	}
	return q.send(ctx)
}

func (q *queue) send(ctx context.Context) error {
	b, huge := q.next, q.next.room > hugeBatch
	q.next = batch{}
	b.room = min(b.room, queueBytes)
	if err := q.room.Acquire(ctx, b.room); err != nil {
		return err
	}
	if huge {
		debug.FreeOSMemory()
	}
	select {
	case q.batches <- b:
	case <-ctx.Done():
		return ctx.Err()
	}
	if huge {
		if err := q.room.Acquire(ctx, queueBytes); err != nil {
			return err
		}
		q.room.Release(queueBytes)
	}
	return nil
}

// hugeBatch is the size of a batch that has a row of tens of megabytes. SQLite takes
// several times as much memory to write such a row, and the reader to read the next:
// so the reader goes on only when the batch is written.
const hugeBatch = 2 * smallSource

// execute reads the jobs in one goroutine and writes their rows in this one.
func (r *run) execute(ctx context.Context, jobs []*job) error {
	if len(jobs) == 0 {
		return nil
	}
	if _, err := r.writer(ctx); err != nil {
		return err
	}
	w := &writing{run: r}
	for _, j := range jobs {
		w.progress.AllBytes += j.found.Size
	}
	w.progress.AllFiles = len(jobs)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	q := &queue{batches: make(chan batch, 64), room: semaphore.NewWeighted(queueBytes)}
	done := make(chan error, 1)
	go func() {
		defer close(q.batches)
		reader := &reading{building: r.building, piece: cmp.Or(r.piece, smallSource), sources: &r.sources, old: r.old, now: r.options.Now}
		if !r.unsearched {
			reader.feeder, reader.words = new(words.Feeder), r.ix.TakesWords()
		}
		if r.old != nil {
			reader.raw = index.NewRaw(r.old)
		}
		reader.send = func(u unit) error { return q.add(ctx, u) }
		for i, j := range jobs {
			jobs[i] = nil // there may be very many
			if i > 0 && r.spent(j) {
				r.report.leave(j)
				continue
			}
			if err := reader.job(ctx, j); err != nil {
				done <- err
				return
			}
		}
		done <- q.send(ctx)
	}()

	var err error
	for b := range q.batches {
		for _, u := range b.units {
			if err = w.take(ctx, u); err != nil {
				break
			}
		}
		q.room.Release(b.room)
		if err != nil {
			cancel()
			break
		}
	}
	for range q.batches { // let the reader end
	}
	if readErr := <-done; err == nil {
		err = readErr
	}
	if err != nil {
		r.ix.Rollback(ctx)
		return err
	}
	if !r.building {
		return nil // conclude commits, with what it has to say: each transaction costs a sync or two
	}
	return r.ix.Commit(ctx)
}

// writing is the writer's side of a run.
type writing struct {
	run      *run
	progress Progress
	pending  int       // size of the rows in the open transaction
	since    time.Time // when it was opened
}

// take writes one unit.
func (w *writing) take(ctx context.Context, u unit) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ix, report := w.run.ix, w.run.report
	report.BytesRead += u.read
	if u.err != nil {
		return w.unreadable(ctx, u)
	}
	report.Wrote = true
	if u.first && !u.last { // a large source has a transaction of its own
		if err := w.commit(ctx); err != nil {
			return err
		}
	}
	if w.pending == 0 {
		w.since = w.run.options.Now()
	}
	if err := ix.Begin(ctx); err != nil {
		return err
	}
	if u.first || u.again {
		if err := w.prepare(ctx, u); err != nil {
			return err
		}
	}
	w.pending += u.size + 1
	if err := w.store(ctx, u); err != nil {
		return fmt.Errorf("store %s: %w", u.job.found.Path, err)
	}
	if !u.last {
		return nil
	}
	if !u.first || w.pending >= commitBytes || w.run.options.Now().Sub(w.since) >= commitAfter {
		return w.commit(ctx)
	}
	return nil
}

// prepare makes room for the rows of a source.
func (w *writing) prepare(ctx context.Context, u unit) error {
	ix, j := w.run.ix, u.job
	switch {
	case u.tail:
		return ix.ClearTail(ctx, j.id, j.was.Watermark)
	case u.again && ix.Building():
		return w.undo(ctx, j)
	case u.again || j.was != nil && !ix.Building():
		return ix.Clear(ctx, j.id)
	}
	return nil
}

// undo removes what a build has written of a source so far: it cannot roll back.
func (w *writing) undo(ctx context.Context, j *job) error {
	if err := w.run.ix.Clear(ctx, j.id); err != nil {
		return err
	}
	return w.run.ix.ClearVersions(ctx, j.id)
}

// store writes the rows of a unit; with the last one of a source also what is known
// only at its end.
func (w *writing) store(ctx context.Context, u unit) error {
	ix, all := w.run.ix, u.first && u.last && !u.tail
	if !all {
		if err := ix.Add(ctx, u.rows...); err != nil || !u.last {
			return err
		}
	}
	if err := w.back(ctx, u.job); err != nil {
		return err
	}
	whole, write := &index.Whole{Source: &u.out.source, Session: u.out.session, Moves: u.out.moves}, ix.Finish
	if all {
		whole.Rows, write = u.rows, ix.AddWhole
	}
	if err := write(ctx, whole); err != nil {
		return err
	}
	return w.finish(ctx, u)
}

// back notes that a file is back, or is found elsewhere.
func (w *writing) back(ctx context.Context, j *job) error {
	ix := w.run.ix
	switch {
	case j.moved:
		return ix.Moved(ctx, j.id, j.was.Path, j.found.Path)
	case j.was != nil && j.was.MissingAt != nil && !ix.Building():
		return ix.SetMissing(ctx, j.id, nil)
	}
	return nil
}

// finish takes over what else the old archive has of a source, and counts it in the
// report.
func (w *writing) finish(ctx context.Context, u unit) error {
	ix, report := w.run.ix, w.run.report
	if u.job.was != nil && w.run.versioned[u.job.was.ID] {
		if err := ix.CopyVersions(ctx, w.run.old, u.job.was.ID, u.job.id); err != nil {
			return err
		}
	}
	if err := w.fold(ctx, u.job); err != nil {
		return err
	}
	if u.job.unreadable != nil {
		w.stray(u.job, u.job.unreadable)
	}
	if u.how != touched {
		report.EntriesAdded += u.out.entries
	}
	switch {
	case u.job.carried:
	case u.job.moved:
		report.Moved++
	case u.job.was == nil:
		report.New++
	case u.how == grown:
		report.Appended++
	case u.how == touched:
		report.Unchanged++
	default:
		report.Replaced++
	}
	w.advance(u)
	return nil
}

// fold records which other files this one holds.
func (w *writing) fold(ctx context.Context, j *job) error {
	ix := w.run.ix
	if w.run.survey != nil && w.run.survey.folded[j.found.Path] != nil {
		if err := ix.Unfold(ctx, j.found.Path); err != nil {
			return err
		}
	}
	for _, fold := range j.folds {
		fold.Source = j.id
		w.run.refolded[fold.Path] = true
		if err := ix.Fold(ctx, &fold); err != nil {
			return err
		}
	}
	for _, id := range j.absorbed {
		if ix.Building() { // where it was not written
			break
		}
		if err := ix.Clear(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// unreadable notes a source that could not be read. What earlier runs stored of it
// stays.
func (w *writing) unreadable(ctx context.Context, u unit) error {
	ix := w.run.ix
	switch {
	case u.first:
	case ix.Building():
		if err := w.undo(ctx, u.job); err != nil {
			return err
		}
	default:
		if err := ix.Rollback(ctx); err != nil {
			return err
		}
		w.pending = 0
	}
	w.stray(u.job, u.err)
	w.advance(u)
	return nil
}

func (w *writing) stray(j *job, err error) {
	w.run.report.Unreadable++
	w.run.strays = append(w.run.strays, places.Problem{Path: j.found.Path, Kind: places.UnreadableFile, Message: places.Cause(err)})
}

func (w *writing) advance(u unit) {
	w.progress.Files++
	w.progress.Bytes += u.job.found.Size
	if w.run.options.Progress != nil {
		w.run.options.Progress(w.progress)
	}
}

func (w *writing) commit(ctx context.Context) error {
	w.pending = 0
	if w.run.ix.Building() {
		return nil // one transaction: nobody reads it before it is whole
	}
	return w.run.ix.Commit(ctx)
}
