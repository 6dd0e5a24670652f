package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"piarchive/internal/aside"
	"piarchive/internal/places"
	"piarchive/internal/query"
	"piarchive/internal/query/history"
	"piarchive/internal/terminal"
)

// Restoring writes the files of sessions anew, as they were read.
type Restoring struct {
	Place   *Place
	Archive *query.Archive
	Out     io.Writer // where the bytes go instead of a file
	File    string    // of the one session; "" for where it was
	Dir     string    // below which the files go as they lay below their roots; "" for where they were
	Version int       // of the earlier states, 1 being the oldest; 0 for what the file has lost

	swept map[string]bool // directories that something was restored to
}

// Restored is a file that was written.
type Restored struct {
	Path    string
	Version int // 0 for the latest state
	Was     history.StoredFile
}

// ErrInDatabase is that a session has no file of its own, to restore or to go on with.
var ErrInDatabase = errors.New("it is part of a database of OpenClaw, which is never written to")

// Session restores one; nothing is where it goes.
func (r *Restoring) Session(ctx context.Context, v *history.Kept) (done Restored, err error) {
	if done.Path, err = r.target(v); err != nil {
		return done, err
	}
	if done.Version, err = r.version(ctx, v); err != nil {
		return done, err
	}
	var to *aside.File
	err = history.Restore(ctx, r.Archive, v.Session, done.Version, func(f history.StoredFile) (io.Writer, error) {
		done.Was = f
		if r.Out != nil {
			return r.Out, nil
		}
		if dir := filepath.Dir(done.Path); !r.swept[dir] {
			if r.swept == nil {
				r.swept = map[string]bool{}
			}
			r.swept[dir] = true
			aside.Sweep(dir)
		}
		to, err = aside.Create(done.Path, r.File == "")
		return to, err
	})
	if to != nil {
		if err == nil {
			err = to.Keep(done.Was.Mtime)
		}
		to.Drop()
	}
	return done, err
}

// version picks the state that is to be restored, 0 being the latest: that of a
// file that is gone, but of one that is there what it has lost.
func (r *Restoring) version(ctx context.Context, v *history.Kept) (int, error) {
	elsewhere := r.Out != nil || r.File != "" || r.Dir != ""
	if r.Version > 0 || v.Session.Missing || !elsewhere {
		return r.Version, nil
	}
	if err := history.FillVersions(ctx, r.Archive, v); err != nil || v.Dropped == 0 {
		return 0, err
	}
	n := history.LostVersion(v.Versions)
	if n > 0 {
		r.Place.Say(fmt.Sprintf("%s: version %d of %d, with %s that the file lacks", v.Session.Path, n, len(v.Versions), terminal.Counted(v.Dropped, "line")))
	}
	return n, nil
}

// target is where a session goes; of a compressed file the lines are restored.
func (r *Restoring) target(v *history.Kept) (string, error) {
	path, _ := places.Unpacked(v.Session.Path)
	switch {
	case r.File != "":
		return r.Place.Abs(r.File)
	case r.Dir != "":
		dir, err := r.Place.Abs(r.Dir)
		below, relErr := filepath.Rel(v.Root, path)
		if relErr != nil || below == "." || !filepath.IsLocal(below) {
			below = filepath.Base(path)
		}
		return filepath.Join(dir, below), err
	case r.Out == nil && places.InDatabase(v.Session.Path):
		return "", ErrInDatabase
	}
	return path, nil
}
