package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// ErrLocked means that another run is writing the archive.
var ErrLocked = errors.New("another run is writing the archive")

// Lock is the right to write an archive. The system gives it back when the
// process ends, however it ends.
type Lock struct{ file *flock.Flock }

// Acquire takes the lock of the archive at path, waiting up to wait for it, and
// clears away what a killed build left. An archive that one of them was about to
// replace is put right.
func Acquire(ctx context.Context, path string, wait time.Duration) (*Lock, error) {
	if err := Usable(path); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("create the archive's directory: %w", err)
	}
	f := flock.New(lockPath(path), flock.SetPermissions(0o600))
	ok, err := f.TryLock()
	if err == nil && !ok && wait > 0 {
		limit, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		ok, err = f.TryLockContext(limit, 25*time.Millisecond)
		if errors.Is(err, context.DeadlineExceeded) {
			err = nil
		}
	}
	switch {
	case ctx.Err() != nil:
		return nil, errors.Join(ctx.Err(), f.Unlock())
	case err != nil:
		return nil, fmt.Errorf("lock archive %s: %w", path, err)
	case !ok:
		return nil, ErrLocked
	}
	removeDatabase(path + building)
	RemoveScratch(path)
	giveBack(path)
	return &Lock{f}, nil
}

// Release gives the lock back and remembers, as the time of the lock file, that
// a run has just looked at everything: a run that finds nothing new writes
// nothing else.
func (l *Lock) Release(checked time.Time) error {
	if !checked.IsZero() {
		os.Chtimes(l.file.Path(), checked, checked) // for display only
	}
	return l.file.Unlock()
}

// Checked returns when the last run finished looking at the files, or the zero
// time if that is not known.
func Checked(path string) time.Time {
	info, err := os.Stat(lockPath(path))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

const lockSuffix = ".lock"

func lockPath(path string) string { return path + lockSuffix }
