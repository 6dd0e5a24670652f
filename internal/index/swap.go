package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// replace puts a finished file in the place of the archive at path. Whenever it
// ends, be it killed, one of the two archives is whole, and it is the one that
// [OpenReader] and, behind [Acquire], [Open] find.
func replace(ctx context.Context, file, path string) error {
	whole, err := checkpoint(ctx, path)
	if err != nil {
		return fmt.Errorf("move the log of the older archive into it: %w", err)
	}
	return swap(file, path, whole)
}

// put puts a finished build in its place.
func (ix *Index) put(ctx context.Context) error {
	if ix.aside == "" {
		return replace(ctx, ix.file, ix.path)
	}
	if err := keepDamaged(ix.path, ix.aside); err != nil {
		return fmt.Errorf("keep the damaged archive as %s: %w", ix.aside, err)
	}
	return swap(ix.file, ix.path, true)
}

// SetAside has a build keep the damaged archive that it replaces, under a name that
// nothing has yet, and returns the name.
func (ix *Index) SetAside() string {
	for n := 1; ; n++ {
		ix.aside = fmt.Sprintf("%s.damaged-%d", ix.path, n)
		if _, err := os.Lstat(ix.aside); errors.Is(err, fs.ErrNotExist) {
			return ix.aside
		}
	}
}

// keepDamaged gives a damaged archive and its log a second name, which nothing has.
func keepDamaged(path, aside string) error {
	for _, suffix := range []string{"-wal", ""} {
		err := os.Link(path+suffix, aside+suffix)
		switch {
		case suffix != "" && errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil && !errors.Is(err, fs.ErrExist): // a file system without second names
			err = os.Rename(path+suffix, aside+suffix)
		}
		if err == nil {
			err = os.Chmod(aside+suffix, 0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkpoint moves what is only in the log of the older archive into the archive,
// and reports whether the archive then is whole without the log: a reader that
// still looks at an earlier state prevents it.
func checkpoint(ctx context.Context, path string) (whole bool, err error) {
	if info, err := os.Stat(path + "-wal"); !Exists(path) || errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return true, nil
	}
	ix, err := connect(ctx, path, path, "busy_timeout(250)")
	if err != nil {
		return false, err
	}
	var did struct {
		Busy         bool `db:"busy"`
		Log          int  `db:"log"`
		Checkpointed int  `db:"checkpointed"`
	}
	err = ix.conn.GetContext(ctx, &did, "PRAGMA wal_checkpoint(full)")
	if err := errors.Join(err, ix.Close()); err != nil {
		return false, err
	}
	return !did.Busy || did.Log >= 0 && did.Log == did.Checkpointed, nil
}

// swap makes file durable and renames it to path. The log of what is there has
// to go first, or it would be taken for the log of the new archive.
func swap(file, path string, whole bool) error {
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	defer lockToReplace(path)()
	if whole {
		os.Remove(path + "-wal")
		os.Remove(path + "-shm")
	} else {
		err = setAside(path)
	}
	if err == nil {
		err = os.Rename(file, path)
	}
	giveBack(path)
	if err != nil {
		return err
	}
	if dir, err := os.Open(filepath.Dir(path)); err == nil {
		dir.Sync() // not every system can
		dir.Close()
	}
	return nil
}

// older is what the name of an archive gets while it is replaced together with
// a log that it needs.
const older = ".older"

// setAside gives an archive and its log a second name, where they are whole when
// the log is gone from its place.
func setAside(path string) error {
	if err := os.Link(path, path+older); err != nil {
		return fmt.Errorf("set the older archive aside, which a reader still looks at: %w", err)
	}
	for _, suffix := range []string{"-wal", "-shm"} { // the file with the locks of who reads
		if err := os.Rename(path+suffix, path+older+suffix); err != nil {
			return fmt.Errorf("set the log of the older archive aside: %w", err)
		}
	}
	return nil
}

// giveBack undoes setAside as long as no other archive has taken the place, and
// clears away the older one when one has.
func giveBack(path string) {
	if _, err := os.Lstat(path + older); err != nil {
		return
	}
	back := isAside(path)
	for _, suffix := range []string{"-shm", "-wal"} {
		if !back {
			os.Remove(path + older + suffix)
		} else if err := os.Rename(path+older+suffix, path+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return // the other name still has all
		}
	}
	os.Remove(path + older)
}

// isAside reports whether the archive at path is also there under its second name.
func isAside(path string) bool {
	here, err := os.Stat(path)
	if err != nil {
		return false
	}
	there, err := os.Stat(path + older)
	return err == nil && os.SameFile(here, there)
}

// readable is where to read the archive at path: under its second name, where a
// run was killed while its log was there.
func readable(path string) string {
	if _, err := os.Lstat(path + older + "-wal"); err == nil && isAside(path) {
		return path + older
	}
	return path
}
