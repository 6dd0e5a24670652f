package ingest

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/jmoiron/sqlx"

	"piarchive/internal/index"
	"piarchive/internal/jsonl"
	"piarchive/internal/places"
	"piarchive/internal/rows"
	"piarchive/internal/words"
)

// job is one source that has to be looked into.
type job struct {
	id      int64
	found   places.Found
	size    int64         // of its lines, once it is open
	damage  string        // of the file behind them; "" if there is none
	was     *index.Source // what the archive knows; nil for a new file
	content io.ReaderAt   // where not the file but a copy of it is read
	carried bool          // taken over from the old archive: the file is not read
	missing *int64

	moved    bool           // was is the same content under another path
	alone    bool           // the archive's copy is not whole: there is nothing to compare with
	adopted  bool           // it has become the file of a subagent
	folds    []index.Folded // files that repeat the beginning of this one
	absorbed []int64        // sources that this one holds as well

	replaces bool // the file holds something else than what was read of it before

	unreadable error // why the file was given up and the old archive read instead
	restarted  bool  // pieces of it may have been written already
}

// age is a key that sorts sessions by age: the time in the name of the file, where
// programs put it, else the file's own.
func (j *job) age() string {
	name := places.BaseName(j.found.Path)
	if len(name) > 19 && name[4] == '-' && name[7] == '-' && name[10] == 'T' && name[0] == '2' {
		return name[:19]
	}
	return time.Unix(0, j.found.MtimeNs).UTC().Format("2006-01-02T15-04-05")
}

// smallSource is the size up to which a source is read whole before any of it
// is written. Larger ones are written as they are read, in a transaction of
// their own.
const smallSource = 16 << 20

// unit is a piece of work for the writer: all of a small source, or one of
// several pieces of a large one.
type unit struct {
	job   *job
	how   change // what happened to the file
	first bool
	last  bool
	tail  bool // only what lies behind the watermark was read
	again bool // forget the pieces of this source written so far
	left  bool // nothing was read: there was no time
	rows  []any
	size  int // of the rows in memory, in bytes, about
	out   *outcome
	err   error // the source could not be read; nothing of this run is kept of it
	read  int64
}

// reading is the reader's side of a run: it turns jobs into units.
type reading struct {
	building bool
	piece    int // size of the rows at which they go to the writer
	sources  *places.Opener
	old      *index.Asker
	raw      *index.Raw
	feeder   *words.Feeder // nil: the archive is not for searching
	now      func() time.Time
	send     func(unit) error
}

// job reads one source and sends its units.
func (r *reading) job(ctx context.Context, j *job) error {
	source, err := r.origin(ctx, j)
	if err != nil {
		return r.fail(ctx, j, err, true)
	}
	defer source.Close()
	if j.size, err = source.Size(); err != nil {
		return r.fail(ctx, j, err, true)
	}
	if err := places.Damage(source); err != nil {
		j.damage = places.Cause(err)
	}
	readNs := r.now().UnixNano()
	u := unit{job: j, first: true, how: replaced, again: j.restarted}
	start := index.Source{}
	if j.was != nil && !j.carried && !j.alone {
		if start, err = r.compare(ctx, j, source, &u); err != nil {
			return r.fail(ctx, j, err, true)
		}
	}
	return r.project(ctx, j, source, start, u, readNs)
}

// fail reports that a source could not be read; an interruption ends the run.
// A new archive takes such a source over from the old one. first: no piece of it
// was sent yet.
func (r *reading) fail(ctx context.Context, j *job, err error, first bool) error {
	if end := endOf(ctx, err); end != nil {
		return end
	}
	if r.building && j.was != nil && !j.carried {
		j.folds, j.absorbed, j.damage = nil, nil, ""
		j.carried, j.restarted, j.replaces, j.unreadable, j.missing = true, !first, false, err, j.was.MissingAt
		j.found.Size, j.found.MtimeNs, j.found.CtimeNs, j.found.Inode = j.was.OnDisk(), j.was.MtimeNs, j.was.CtimeNs, uint64(j.was.Inode)
		return r.job(ctx, j)
	}
	return r.send(unit{job: j, first: first, last: true, err: err})
}

// endOf returns err if it ends the run, since it is an interruption or the archive's, not
// that of a file.
func endOf(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case index.Damaged(err):
		return err
	}
	return nil
}

// stored is a source whose bytes are not in a file.
type stored struct {
	io.ReaderAt
	size int64
}

func (s stored) Size() (int64, error) { return s.size, nil }
func (stored) Close() error           { return nil }

// origin opens the file, or the older archive where the file is gone.
func (r *reading) origin(ctx context.Context, j *job) (places.Source, error) {
	switch {
	case j.content != nil:
		return stored{j.content, j.found.Size}, nil
	case j.carried:
		return stored{index.NewRaw(r.old).File(ctx, j.was.ID, j.was.Size), j.was.Size}, nil
	}
	return r.sources.Open(ctx, j.found)
}

// compare finds out how a known source has changed, and returns where reading has
// to start.
func (r *reading) compare(ctx context.Context, j *job, source io.ReaderAt, u *unit) (start index.Source, err error) {
	was := *j.was
	if !r.building || j.size > was.Size { // else nothing more is asked of it
		if was, err = index.SourceState(ctx, r.old, j.was.ID); err != nil {
			return start, err
		}
	}
	how, read, err := compare(ctx, source, j.size, j.found.Inode, &was, r.raw)
	u.how, u.read = how, u.read+read
	switch {
	case err != nil:
	case how == replaced:
		j.replaces = was.Size > 0
	case !r.building && was.Resume != nil:
		// So does a touched session: where its entries have no times, its age in
		// the list is that of the file.
		u.tail = true
		return was, nil
	}
	return start, err
}

// project reads a source from start on and sends its rows.
func (r *reading) project(ctx context.Context, j *job, source io.ReaderAt, start index.Source, u unit, readNs int64) error {
	p := &projection{source: j.id, found: j.found, bytes: source, size: j.size, damage: j.damage, start: start, known: &lookups{r.old, r.raw}, feeder: r.feeder}
	if j.replaces {
		p.lines = newFileLines()
	}
	if start.Resume != nil {
		var err error
		n := max(start.Watermark%index.BlockSize, min(start.Watermark, proofSize))
		if p.before, err = r.raw.Read(ctx, nil, j.was.ID, start.Watermark-n, n); err != nil {
			return r.fail(ctx, j, err, true)
		}
	}
	p.emit = func(row any) error {
		u.rows = append(u.rows, row)
		u.size += sizeOf(row)
		if u.size < r.piece {
			return nil
		}
		full := u
		u = unit{job: j, how: u.how}
		return r.send(full)
	}
	var options jsonl.Options
	for {
		out, scan, err := p.run(ctx, options)
		switch {
		case errors.Is(err, jsonl.ErrRestart):
			options = scan.Restart()
			p.start, p.before = index.Source{}, nil // what was stored was read differently, too
			u = unit{job: j, how: u.how, first: u.first, again: !u.first, read: u.read}
			continue
		case err != nil:
			return r.fail(ctx, j, err, u.first)
		}
		r.complete(ctx, j, out, readNs)
		if err := r.keep(ctx, j, p); err != nil {
			return r.fail(ctx, j, err, u.first)
		}
		u.out, u.last = out, true
		if u.read += out.read; p.start.Watermark == 0 { // all of it, whatever was compared before
			u.read = out.read
		}
		return r.send(u)
	}
}

// complete fills in what a later run needs to tell whether the source changed.
func (r *reading) complete(ctx context.Context, j *job, out *outcome, readNs int64) {
	s := &out.source
	s.ReadNs, s.MissingAt = readNs, j.missing
	if j.carried {
		s.ReadNs, s.FileSize = j.was.ReadNs, j.was.FileSize
	} else if _, is := places.Unpacked(j.found.Path); is {
		s.FileSize = &j.found.Size
	}
	if j.content == nil && !j.carried && !r.sources.Still(ctx, j.found, s.OnDisk()) {
		// Someone writes to it right now. What was read may be a mixture, so
		// the next run compares every byte.
		s.Inode, s.ReadNs = -1, 0
		j.folds, j.absorbed = nil, nil
	}
}

// keep makes the rows of the version that the file replaces.
func (r *reading) keep(ctx context.Context, j *job, p *projection) error {
	if !j.replaces {
		return nil
	}
	was, err := index.SourceState(ctx, r.old, j.was.ID)
	if err != nil {
		return err
	}
	last, err := index.LastVersion(ctx, r.old, was.ID)
	if err != nil {
		return err
	}
	v := &index.Version{ID: index.ID(j.id, last+1), ReplacedAt: r.now().UnixMilli()}
	return keepVersion(ctx, was, r.raw.File(ctx, was.ID, was.Size), p.lines, v, p.emit)
}

// sizeOf returns how many bytes of memory a row takes, about.
func sizeOf(row any) int {
	switch r := row.(type) {
	case *index.Text:
		n := 192
		for _, c := range r.Columns {
			n += len(c)
		}
		return n
	case *index.Prose:
		return len(r.Text) + 64
	case *index.Block:
		return len(r.Data) + 64
	case *index.VersionBlock:
		return len(r.Data) + 64
	}
	return 256
}

// lookups answers from the archive as it was before the run.
type lookups struct {
	old *index.Asker
	raw *index.Raw
}

func (l *lookups) entry(ctx context.Context, source int64, id string) (s seen, ok bool, err error) {
	var found []struct {
		ID     int64 `db:"id"`
		Offset int64 `db:"offset"`
		Bytes  int64 `db:"bytes"`
	}
	lo, hi := index.Range(source)
	err = sqlx.SelectContext(ctx, l.old, &found, `SELECT id, offset, bytes FROM _entry WHERE entry_id = ? AND id BETWEEN ? AND ? AND dup_of IS NULL`, id, lo+1, hi)
	if err != nil || len(found) == 0 {
		return s, false, err
	}
	return seen{row: found[0].ID, offset: found[0].Offset, bytes: found[0].Bytes}, true, nil
}

func (l *lookups) line(ctx context.Context, source int64, at seen) ([]byte, error) {
	return l.raw.Read(ctx, nil, source, at.offset, at.bytes)
}

func (l *lookups) call(ctx context.Context, source int64, callID string) (*rows.Call, error) {
	var found []rows.Call
	lo, hi := index.Range(source)
	err := sqlx.SelectContext(ctx, l.old, &found, `SELECT entry, n FROM _tool_call WHERE entry BETWEEN ? AND ? AND call_id = ? ORDER BY entry DESC, n DESC LIMIT 1`, lo, hi, callID)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}
