package ingest

import (
	"cmp"
	"context"
	"runtime"
	"runtime/debug"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"piarchive/internal/index"
	"piarchive/internal/places"
	"piarchive/internal/words"
)

// group is some jobs that one reader reads in their order. Small sources share one,
// since to wake another goroutine for each would cost more than to read it.
type group struct {
	jobs     []*job
	begin    bool      // of the run
	database bool      // of sources in a database
	room     int64     // that it takes until it is written
	loads    chan load // closed behind the last one
}

// load is units on their way to the writer.
type load struct {
	units   []unit
	written *semaphore.Weighted // released once they are; nil where no reader waits for that
}

const (
	groupBytes = 256 << 10 // of sources
	groupJobs  = 64
)

// readAhead is how many bytes of sources, for each reader, are read and not yet written.
// Their rows take about twice the memory, and are written faster while they are in a
// cache. A source that is larger than all of it is read alone.
const readAhead = 2 << 20

// mostReaders is how many sources are read at once, at most: one goroutine writes, and
// has no time for the rows of more.
const mostReaders = 8

// readers read sources on all cores. Their units are taken in the order of the
// jobs, so that what is written does not depend on how many readers there are.
type readers struct {
	run       *run
	groups    chan *group // in their order
	files     chan *group // for any of the readers
	databases chan *group // for the one that reads from databases
	ahead     int64
	room      *semaphore.Weighted // of that
}

// read reads jobs, and passes their units to take, one after the other.
func (r *run) read(ctx context.Context, jobs []*job, take func(context.Context, unit) error) error {
	n := min(runtime.GOMAXPROCS(0), mostReaders, len(jobs))
	all := &readers{run: r, groups: make(chan *group, groupJobs), files: make(chan *group), databases: make(chan *group), ahead: readAhead * int64(n)}
	all.room = semaphore.NewWeighted(all.ahead)
	tasks, ctx := errgroup.WithContext(ctx)
	for range n {
		tasks.Go(func() error { return all.serve(ctx, all.files) })
	}
	tasks.Go(func() error { return all.serve(ctx, all.databases) })
	tasks.Go(func() error { return all.divide(ctx, jobs) })
	tasks.Go(func() error { return all.collect(ctx, take) })
	return tasks.Wait()
}

// divide makes groups of the jobs. Each waits for its turn before the next one is made,
// so that the one that is written next always has a reader.
func (r *readers) divide(ctx context.Context, jobs []*job) error {
	defer close(r.groups)
	defer close(r.files)
	defer close(r.databases)
	for begin := true; len(jobs) > 0; begin = false {
		g := r.group(jobs)
		g.begin, jobs = begin, jobs[len(g.jobs):]
		if err := r.room.Acquire(ctx, g.room); err != nil {
			return err
		}
		to := r.files
		if g.database {
			to = r.databases
		}
		for _, turn := range []chan *group{r.groups, to} {
			select {
			case turn <- g:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return nil
}

// group makes one of the next jobs.
func (r *readers) group(jobs []*job) *group {
	n, bytes, database := 0, int64(0), places.InDatabase(jobs[0].found.Path)
	for _, j := range jobs[:min(len(jobs), groupJobs)] {
		need := j.need()
		if n > 0 && (bytes+need > groupBytes || places.InDatabase(j.found.Path) != database) {
			break
		}
		n, bytes = n+1, bytes+need
	}
	loads := 1 + 4*min(bytes, smallSource)/groupBytes // about all there can be: the reader need not wait
	return &group{jobs: jobs[:n], database: database, room: min(bytes, r.ahead), loads: make(chan load, loads)}
}

// serve reads groups.
func (r *readers) serve(ctx context.Context, groups <-chan *group) error {
	run := r.run
	reader := &reading{building: run.building, piece: cmp.Or(run.piece, smallSource), sources: &run.sources, old: run.old, now: run.options.Now}
	if !run.unsearched {
		reader.feeder = new(words.Feeder)
	}
	if run.old != nil {
		reader.raw = index.NewRaw(run.old)
	}
	for g := range groups {
		batch := &batch{group: g, large: semaphore.NewWeighted(1)}
		reader.send = func(u unit) error { return batch.add(ctx, u) }
		for i, j := range g.jobs {
			g.jobs[i] = nil // there may be very many
			if run.spent(j) && !(g.begin && i == 0) {
				if err := reader.send(unit{job: j, left: true}); err != nil {
					return err
				}
			} else if err := reader.job(ctx, j); err != nil {
				return err
			}
		}
		if err := batch.send(ctx); err != nil {
			return err
		}
		close(g.loads)
	}
	return nil
}

// collect takes the units of all groups.
func (r *readers) collect(ctx context.Context, take func(context.Context, unit) error) error {
	for g := range r.groups {
		for {
			var l load
			var more bool
			select {
			case l, more = <-g.loads:
			case <-ctx.Done():
				return ctx.Err()
			}
			if !more {
				break
			}
			for _, u := range l.units {
				if err := take(ctx, u); err != nil {
					return err
				}
			}
			if l.written != nil {
				l.written.Release(1)
			}
		}
		r.room.Release(g.room)
	}
	return nil
}

// batch is some units of a group, until they are sent to the writer.
type batch struct {
	group *group
	units []unit
	size  int
	large *semaphore.Weighted // held by a large one until it is written
}

func (b *batch) add(ctx context.Context, u unit) error {
	b.units = append(b.units, u)
	if b.size += u.size; b.size < groupBytes {
		return nil
	}
	return b.send(ctx)
}

const (
	// largeBatch is the size of a batch before which the last one like it has to be
	// written: a source may hold far more than its size told, if it is compressed or
	// was rewritten.
	largeBatch = 4 * groupBytes

	// hugeBatch is the size of a batch that has a row of tens of megabytes. SQLite takes
	// several times as much memory to write such a row, and the reader to read the next:
	// so the reader goes on only when the batch is written.
	hugeBatch = 2 * smallSource
)

func (b *batch) send(ctx context.Context) error {
	l, huge := load{units: b.units}, b.size > hugeBatch
	if b.size > largeBatch {
		if err := b.large.Acquire(ctx, 1); err != nil {
			return err
		}
		l.written = b.large
	}
	b.units, b.size = nil, 0
	if huge {
		debug.FreeOSMemory()
	}
	select {
	case b.group.loads <- l:
	case <-ctx.Done():
		return ctx.Err()
	}
	if huge {
		if err := b.large.Acquire(ctx, 1); err != nil {
			return err
		}
		b.large.Release(1)
	}
	return nil
}
