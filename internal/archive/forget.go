package archive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"piarchive/internal/index"
	"piarchive/internal/query"
	"piarchive/internal/query/history"
	"piarchive/internal/terminal"
)

// Forgetting removes sessions from an archive, or only their earlier versions.
type Forgetting struct {
	Place    *Place
	Sessions []string // by name; none for those that the next fields mean
	Missing  bool     // only those whose file is gone
	Project  string
	Until    time.Time // no later activity, or no later replaced; zero for any
	Versions bool      // only the earlier versions
	Present  bool      // also sessions whose file is there
	Compact  bool      // write the archive anew, without what is free in it
	Wait     time.Duration
}

// StillThere is that a session which was named has its file.
type StillThere struct{ Path string }

func (e *StillThere) Error() string {
	return fmt.Sprintf("forget %s: the file is there, and the next run of index would bring the session back", e.Path)
}

// Plan finds what is to go.
func (f *Forgetting) Plan(ctx context.Context, a *query.Archive) (list []*history.Kept, err error) {
	if len(f.Sessions) > 0 {
		list, err = f.Place.Kept(ctx, a, f.Sessions)
	} else {
		o := history.KeptOptions{Project: f.Project, Missing: f.Missing || !f.Versions && !f.Present}
		if f.Versions {
			o.ReplacedUntil = f.Until
		} else {
			o.Until = f.Until
		}
		list, err = history.List(ctx, a, o)
	}
	if err != nil {
		return nil, err
	}
	left := list[:0]
	for _, v := range list {
		switch _, err := os.Lstat(v.Session.Path); {
		case f.Versions:
			if v.Rewrites > 0 {
				left = append(left, v)
			}
		case f.Present || errors.Is(err, fs.ErrNotExist):
			left = append(left, v)
		case len(f.Sessions) > 0:
			return nil, &StillThere{v.Session.Path}
		default:
			f.Place.Say(v.Session.Path + " is there again and stays")
		}
	}
	return left, nil
}

// Bytes is how much of a session goes.
func (f *Forgetting) Bytes(v *history.Kept) int64 {
	if f.Versions {
		return v.Earlier
	}
	return v.Bytes + v.Earlier
}

// Run forgets what was planned, and returns how many sessions it was.
func (f *Forgetting) Run(ctx context.Context, list []*history.Kept) (n int, err error) {
	lock, err := index.Acquire(ctx, f.Place.File, f.Wait)
	if errors.Is(err, index.ErrLocked) {
		return 0, fmt.Errorf("forget: %w", err)
	}
	if err != nil {
		return 0, f.Place.writeError(err)
	}
	defer lock.Release(time.Time{})
	if len(list) > 0 {
		n, err = f.remove(ctx, list)
	}
	if err == nil && f.Compact {
		err = index.Compact(ctx, f.Place.File)
	}
	return n, f.Place.writeError(err)
}

func (f *Forgetting) remove(ctx context.Context, list []*history.Kept) (int, error) {
	ix, err := index.Open(ctx, f.Place.File)
	if err != nil {
		return 0, err
	}
	defer ix.Close()
	sources := make([]index.Source, len(list))
	for i, v := range list {
		sources[i] = v.Source()
	}
	var gone []index.Source
	if f.Versions {
		until := f.Until
		if until.IsZero() {
			until = f.Place.Now()
		}
		gone, err = ix.ForgetVersions(ctx, sources, until.UnixMilli())
	} else {
		gone, err = ix.Forget(ctx, sources)
	}
	if changed := len(sources) - len(gone); err == nil && changed > 0 {
		f.Place.Say(terminal.Counted(changed, "session") + " changed in the meantime and stay")
	}
	return len(gone), err
}
