package ingest

import (
	"context"
	"fmt"
	"time"

	"piarchive/internal/index"
	"piarchive/internal/places"
)

// A transaction of small sources is committed when it holds this much, or is
// this old: rows become visible soon, and a killed run loses little.
const (
	commitBytes = 16 << 20
	commitAfter = 250 * time.Millisecond
)

// execute has the jobs read, and writes their rows.
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
	if err := r.read(ctx, jobs, w.take); err != nil {
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
	if u.left {
		report.leave(u.job)
		return nil
	}
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
