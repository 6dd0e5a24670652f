package ingest

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"golang.org/x/sync/semaphore"

	"piarchive/internal/index"
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

// hugeUnit is the weight of a unit that has one row of tens of megabytes. SQLite
// needs several times as much to write that, so all of it is written before the
// reader, who needs as much, goes on.
const hugeUnit = 2 * smallSource

// room is what a unit takes of the queue.
func (u unit) room() int64 { return int64(min(u.weight+1024, queueBytes)) }

// execute reads the jobs in one goroutine and writes their rows in this one.
func (r *run) execute(ctx context.Context, jobs []*job) error {
	if len(jobs) == 0 {
		return nil
	}
	if _, err := r.writer(ctx); err != nil {
		return err
	}
	w := &writing{run: r, jobs: jobs}
	for _, j := range jobs {
		w.progress.AllBytes += j.found.Size
	}
	w.progress.AllFiles = len(jobs)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	units := make(chan unit, 1024)
	room := semaphore.NewWeighted(queueBytes)
	done := make(chan error, 1)
	go func() {
		defer close(units)
		reader := &reading{building: r.building, piece: cmp.Or(r.piece, smallSource), old: r.old, now: r.options.Now}
		if !r.unsearched {
			reader.feeder = new(words.Feeder)
		}
		if r.old != nil {
			reader.raw = index.NewRaw(r.old)
		}
		reader.send = func(u unit) error {
			if err := room.Acquire(ctx, u.room()); err != nil {
				return err
			}
			huge := u.weight > hugeUnit
			if huge {
				debug.FreeOSMemory()
			}
			select {
			case units <- u:
			case <-ctx.Done():
				return ctx.Err()
			}
			if huge {
				if err := room.Acquire(ctx, queueBytes); err != nil {
					return err
				}
				room.Release(queueBytes)
			}
			return nil
		}
		for _, j := range jobs {
			if err := reader.job(ctx, j); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()

	var err error
	for u := range units {
		err = w.take(ctx, u)
		room.Release(u.room())
		if err != nil {
			cancel()
			break
		}
	}
	for range units { // let the reader end
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
	jobs     []*job
	progress Progress
	pending  int       // weight of the open transaction
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
	if err := ix.Add(ctx, u.rows...); err != nil {
		return fmt.Errorf("store %s: %w", u.job.found.Path, err)
	}
	w.pending += u.weight + 1
	if !u.last {
		return nil
	}
	if err := w.finish(ctx, u); err != nil {
		return fmt.Errorf("store %s: %w", u.job.found.Path, err)
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

// finish writes what is known at the end of a source.
func (w *writing) finish(ctx context.Context, u unit) error {
	ix, report := w.run.ix, w.run.report
	switch {
	case u.job.moved:
		if err := ix.Moved(ctx, u.job.id, u.job.found.Path); err != nil {
			return err
		}
	case u.job.was != nil && u.job.was.MissingAt != nil && !ix.Building():
		if err := ix.SetMissing(ctx, u.job.id, nil); err != nil {
			return err
		}
	}
	if err := ix.PutSource(ctx, &u.out.source); err != nil {
		return err
	}
	if u.out.session != nil {
		if err := ix.PutSession(ctx, u.out.session); err != nil {
			return err
		}
		if err := ix.Finish(ctx, u.job.id, u.out.moves); err != nil {
			return err
		}
	}
	if u.job.was != nil && ix.Building() {
		if err := ix.CopyVersions(ctx, w.run.old, u.job.was.ID, u.job.id); err != nil {
			return err
		}
	}
	if u.job.unreadable != nil {
		w.stray(u.job, u.job.unreadable)
	}
	if u.how != touched {
		report.EntriesAdded += u.out.entries
	}
	report.DamagedLines += u.out.damaged
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

// unreadable notes a source that could not be read. What an earlier run stored
// of it stays.
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
	w.run.strays = append(w.run.strays, Problem{Path: j.found.Path, Kind: problemUnreadableFile, Message: cause(err)})
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
