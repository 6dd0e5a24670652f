package ingest

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/jmoiron/sqlx"

	"piarchive/internal/index"
	"piarchive/internal/salvage"
)

// Salvage tells what became of a damaged archive.
type Salvage struct {
	Kept  string         // where it lies now
	Freed bool           // what was forgotten may be back: which pages were free is lost
	Lost  []salvage.Loss // what neither the files nor the archive have any more
}

// open opens the archive as it is, and begins a new one where there is none,
// where it is of an older layout, or where all is to be made anew. An archive
// that stays is opened for writing only when there is something to write.
func (r *run) open(ctx context.Context) (err error) {
	path := r.options.Archive
	r.building = r.options.Full || !index.Exists(path)
	if r.building && r.options.Budget != nil {
		return index.ErrOutdated
	}
	switch {
	case r.salvaging:
		err = r.salvage(ctx)
	case index.Exists(path):
		err = r.openOld(ctx)
	}
	if err == nil && r.building {
		r.ix, err = index.Build(ctx, path)
	}
	if err != nil {
		return err
	}
	return r.load(ctx)
}

func (r *run) openOld(ctx context.Context) error {
	db, err := r.reader(ctx)
	if errors.Is(err, index.ErrOutdated) && r.options.Budget == nil {
		r.building = true
		db, err = index.OpenOlder(ctx, r.options.Archive)
	}
	if err != nil {
		return err
	}
	r.old = index.NewAsker(db)
	if r.building {
		return r.old.Unmap(ctx)
	}
	return nil
}

func (r *run) reader(ctx context.Context) (*sqlx.DB, error) {
	if r.options.Open == nil {
		return index.OpenReader(ctx, r.options.Archive)
	}
	a, err := r.options.Open(ctx)
	if err != nil {
		return nil, err
	}
	return a.DB(), nil
}

// salvage takes what is whole in the damaged archive for the old one.
func (r *run) salvage(ctx context.Context) (err error) {
	r.building, r.report.Salvage = true, &Salvage{}
	if r.saved, err = salvage.Open(ctx, r.options.Archive, r.started); err != nil {
		return err
	}
	r.report.Salvage.Freed = r.saved.Freed
	r.old = index.NewAsker(r.saved.DB)
	return nil
}

// mend keeps the job of a file from comparing it with a copy that is not whole.
func (r *run) mend(j *job) {
	if r.saved == nil || j.was == nil {
		return
	}
	if loss := r.saved.Lost[j.was.ID]; loss != nil && loss.Bytes > 0 {
		j.alone = true
		if unchanged(&loss.Was, j.found) { // so all is there
			loss.Bytes, loss.Lines = 0, 0
		}
	}
}

// losses finds out what the new archive will lack of the damaged one. Earlier states
// of a file are made of the state that was read last: where that is neither whole
// nor in the file, they are lost with it.
func (r *run) losses(ctx context.Context, moved map[int64]*index.Source) error {
	if r.saved == nil {
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(r.saved.Lost)) {
		loss := *r.saved.Lost[id]
		there := r.survey.visited[loss.Was.Path]
		if s := r.survey.known[loss.Was.Path]; loss.Bytes > 0 && s != nil {
			versions, err := index.EarlierVersions(ctx, r.old, id)
			if err != nil {
				return err
			}
			loss.Versions += len(versions)
			delete(r.versioned, id)
		}
		if there || moved[id] != nil {
			loss.Bytes, loss.Lines, loss.Path = 0, 0, false
		}
		if loss.Bytes > 0 || loss.Lines > 0 || loss.Versions > 0 || loss.Path {
			r.report.Salvage.Lost = append(r.report.Salvage.Lost, loss)
		}
	}
	return nil
}
