// Package ingest brings an archive up to date with the session files: it looks at
// them, sees what has changed, reads that, and hands rows to the index. It also
// proves, file against archive, that nothing was lost on the way.
//
// # Ways in
//
// [Run] brings an archive up to date, [Pending] counts what it would look into,
// [Verify] proves. [One] and [Copy] read a single file into an archive in memory.
//
// # Invariants
//
// Session files are only read. What cannot be read or decoded is a problem that the
// archive records, and ends no run. What the archive holds of a file that is gone or
// was rewritten stays in it. An entry becomes rows in one place, [rows.Maker]. A run holds
// the lock; where nothing is new it writes nothing.
package ingest

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"

	"piarchive/internal/exclude"
	"piarchive/internal/index"
	"piarchive/internal/places"
	"piarchive/internal/salvage"
)

// Options of a run.
type Options struct {
	Archive  string // path of the archive
	Roots    []places.Root
	Known    bool             // first look where the sources of the archive came from
	Full     bool             // build a new archive and swap, keeping what only the old one holds
	Exclude  exclude.Projects // whose sessions are not taken up
	Budget   *Budget          // of a run that somebody waits for; nil: all is read
	Wait     time.Duration    // how long to wait for another run to end
	Now      func() time.Time
	Progress func(Progress) // called often; may be nil

	// Open opens the archive for the run to look at. It stays open where the run has
	// written nothing. With nil the run opens and closes it itself.
	Open func(context.Context) (Opened, error)
}

// Opened is an archive that is open for reading.
type Opened interface{ DB() *sqlx.DB }

// Progress tells how far a run has come. Bytes are those of session files.
type Progress struct {
	Files, AllFiles int
	Bytes, AllBytes int64
}

// Report tells what a run did.
type Report struct {
	Seen, New, Appended, Replaced, Moved, Unchanged, Folded, Missing, Unreadable int   // files; unreadable ones with the directories
	Excluded                                                                     int   // files of excluded projects
	EntriesAdded                                                                 int   // without repeated lines
	BytesRead, BytesSeen                                                         int64 // of session files, each byte once
	Elapsed                                                                      time.Duration
	Wrote                                                                        bool // the archive has changed
	Salvage                                                                      *Salvage
	Left                                                                         Left
}

// Run brings the archive up to date:
//
//  1. Take the lock; open the archive, or begin a new one.
//  2. Walk the roots; compare what the file system says with what was read.
//  3. Read what is new or has changed, on all cores, while another goroutine writes.
//  4. Last, mark the sources that are gone: what moved is then already there.
//
// A run that finds nothing new writes nothing. Where all is to be made anew and the
// archive proves to be damaged, what is whole in it is saved first.
func Run(ctx context.Context, o Options) (*Report, error) {
	report, err := (&run{options: o}).do(ctx)
	if o.Full && err != nil && salvage.Damaged(o.Archive, err) {
		return (&run{options: o, salvaging: true}).do(ctx)
	}
	return report, err
}

// run is the state of one run.
type run struct {
	options    Options
	started    time.Time
	reads      time.Time    // since when it has read files, after the walk
	ix         *index.Index // for writing; nil until there is something to write
	building   bool         // ix is a new archive
	old        *index.Asker // the archive as it was before, for comparing; nil for the first one
	sources    places.Opener
	survey     *survey
	nextID     int64
	subagents  map[int64]string // known ones, with the session they worked for; for a build
	versioned  map[int64]bool   // known sources with earlier versions; for a build
	rerooted   []places.Found   // unchanged, but found under another root than before
	enclosed   []places.Found   // unchanged, in the artifact folder of a session
	goOn       map[int64]bool   // known sources that go on in the job of another state
	folds      []index.Folded   // into sources without a job
	absorbed   []int64          // sources that these hold as well
	unfold     []string         // paths that are folded no more, or otherwise
	refolded   map[string]bool  // those that are
	writes     map[string]bool  // folders with a source that this run writes
	strays     []places.Problem
	report     *Report
	unsearched bool // no full text is made: ix is for looking at one file
	salvaging  bool // the archive is damaged
	saved      *salvage.Archive
	piece      int // size of the rows after which a source is written in pieces; 0 means smallSource
}

func (r *run) do(ctx context.Context) (*Report, error) {
	r.started, r.report, r.refolded = r.options.Now(), &Report{}, map[string]bool{}
	r.sources.Quick = r.options.Budget != nil
	lock, err := index.Acquire(ctx, r.options.Archive, r.options.Wait)
	if err != nil {
		return nil, err
	}
	checked := time.Time{}
	defer func() { lock.Release(checked) }()
	defer r.close()
	if err := r.open(ctx); err != nil {
		return nil, err
	}
	if err := r.update(ctx); err != nil {
		return nil, err
	}
	checked = r.started
	r.report.Elapsed = r.options.Now().Sub(r.started)
	return r.report, nil
}

// writer returns the archive opened for writing.
func (r *run) writer(ctx context.Context) (*index.Index, error) {
	if r.ix == nil {
		ix, err := index.Open(ctx, r.options.Archive)
		if err != nil {
			return nil, err
		}
		r.ix = ix
	}
	return r.ix, nil
}

// close closes the writer last, for only the writer can move the log into the archive.
func (r *run) close() {
	r.sources.Close()
	r.closeOld()
	if r.ix != nil {
		r.ix.Close()
	}
}

func (r *run) closeOld() {
	switch {
	case r.old == nil:
	case r.options.Open != nil && !r.report.Wrote:
		r.old.Release()
	default:
		r.old.Close()
	}
	if r.saved != nil {
		index.RemoveScratch(r.options.Archive)
	}
}

// load reads of what the archive knows that which is sure to be needed.
func (r *run) load(ctx context.Context) (err error) {
	if r.old == nil {
		r.survey, err = newSurvey(ctx, &r.sources, nil, true)
		return err
	}
	if r.survey, err = newSurvey(ctx, &r.sources, r.old, r.building); err != nil {
		return err
	}
	if r.building {
		if r.saved != nil {
			r.subagents = r.saved.Enclosing
		} else {
			r.subagents, err = index.Subagents(ctx, r.old)
		}
		if err == nil {
			r.versioned, err = index.Versioned(ctx, r.old)
		}
	} else {
		r.nextID, err = index.LastSource(ctx, r.old)
	}
	return err
}

// update does steps 2 to 4.
func (r *run) update(ctx context.Context) error {
	jobs, gone, err := r.plan(ctx)
	if err != nil {
		return err
	}
	if r.building {
		if err := enoughSpace(r.options.Archive, jobs); err != nil {
			return err
		}
	}
	if err := r.execute(ctx, jobs); err != nil {
		return err
	}
	if err := r.conclude(ctx, gone); err != nil {
		return err
	}
	if r.building {
		r.report.Wrote = true
		r.closeOld() // not every system replaces a file that is open
		if r.saved != nil {
			r.report.Salvage.Kept = r.ix.SetAside()
		}
		return r.ix.Publish(ctx)
	}
	return nil
}

// conclude records what is gone, and the files that could not be read at all.
func (r *run) conclude(ctx context.Context, gone []index.Source) error {
	r.report.Missing = len(gone)
	if !r.building {
		if err := r.recordFolds(ctx); err != nil {
			return err
		}
	}
	for _, s := range gone {
		at := r.started.UnixMilli()
		if err := r.write(ctx, func() error { return r.ix.SetMissing(ctx, s.ID, &at) }); err != nil {
			return err
		}
	}
	for _, f := range r.rerooted {
		if err := r.write(ctx, func() error { return r.ix.SetRoot(ctx, r.survey.known[f.Path].ID, f.Root) }); err != nil {
			return err
		}
	}
	if err := r.recordStrays(ctx); err != nil {
		return err
	}
	if r.report.Wrote || r.building {
		if err := r.write(ctx, func() error { return r.stamp(ctx) }); err != nil {
			return err
		}
	}
	if r.ix == nil {
		return nil
	}
	return r.ix.Commit(ctx)
}

// stamp writes the time of the run, and the fingerprints of all folders.
func (r *run) stamp(ctx context.Context) error {
	at := r.started.UnixMilli()
	fingerprints := r.survey.fingerprints
	folded, err := index.AllFolded(ctx, r.ix.Query())
	if err != nil {
		return err
	}
	byFolder := map[string][]index.Source{}
	for _, f := range folded {
		folder := filepath.Dir(f.Path)
		byFolder[folder] = append(byFolder[folder], f.File())
	}
	if fingerprints == nil {
		all, err := index.Sources(ctx, r.ix.Query())
		if err != nil {
			return err
		}
		for _, files := range byFolder {
			all = append(all, files...)
		}
		fingerprints = map[string]index.Fingerprint{}
		takeFingerprints(fingerprints, all)
		clear(r.writes)
	}
	for folder := range r.writes {
		sources, err := index.SourcesIn(ctx, r.ix.Query(), folder)
		if err != nil {
			return err
		}
		delete(fingerprints, folder)
		takeFingerprints(fingerprints, append(sources, byFolder[folder]...))
	}
	r.survey.markDatabases(fingerprints, r.started)
	if err := r.ix.PutFingerprints(ctx, fingerprints, at); err != nil {
		return err
	}
	return r.ix.SetMeta(ctx, "indexed_at", at)
}

// recordStrays replaces the problems of files that were never read, if they
// are not the ones already recorded. A question leaves those elsewhere alone.
func (r *run) recordStrays(ctx context.Context) error {
	var recorded []places.Problem
	if !r.building {
		err := sqlx.SelectContext(ctx, r.old, &recorded, `SELECT path, kind, message FROM _problem WHERE source IS NULL ORDER BY path || char(0) || kind || message`)
		if err != nil {
			return fmt.Errorf("read the recorded problems: %w", err)
		}
	}
	for _, p := range recorded {
		looked := func(w places.Walked) bool { return places.Inside(w.Root.Path, p.Path) }
		if r.options.Known && !slices.ContainsFunc(r.survey.walks, looked) {
			r.strays = append(r.strays, p)
		}
	}
	slices.SortFunc(r.strays, func(a, b places.Problem) int {
		return strings.Compare(a.Path+"\x00"+a.Kind+a.Message, b.Path+"\x00"+b.Kind+b.Message)
	})
	r.strays = slices.Compact(r.strays)
	if !r.building {
		if slices.Equal(recorded, r.strays) {
			return nil
		}
		if err := r.write(ctx, func() error { return r.ix.ClearStrays(ctx) }); err != nil {
			return err
		}
	}
	for _, p := range r.strays {
		row := &index.Problem{Path: p.Path, Kind: p.Kind, Message: p.Message}
		if err := r.write(ctx, func() error { return r.ix.Add(ctx, row) }); err != nil {
			return err
		}
	}
	return nil
}

// write does one change inside the open transaction, opening one if need be.
func (r *run) write(ctx context.Context, change func() error) error {
	r.report.Wrote = true
	ix, err := r.writer(ctx)
	if err != nil {
		return err
	}
	if err := ix.Begin(ctx); err != nil {
		return err
	}
	return change()
}
