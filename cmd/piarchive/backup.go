package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"piarchive/internal/documents"
	"piarchive/internal/index"
	"piarchive/internal/query"
	"piarchive/internal/terminal"
)

const backupHelp = `Copies the archive as it is at this moment into FILE, while others read and
write it, without what is free in it. A plain copy of the file would not do:
what was written last may lie in the log beside it.

FILE must not exist, is readable by you alone, and appears only when it is
whole. It is an archive like the other one:

  piarchive backup /mnt/disk/archive-$(date +%F).db
  piarchive --db /mnt/disk/archive-2026-09-01.db verify

With --json: {"schema","path","bytes","sessions","coverage"}.
`

func bindBackup(*pflag.FlagSet) runner {
	return func(ctx context.Context, c *call) error {
		if c.args[0] == "-" {
			return withHint(usageErrorf("an archive is not written to standard output"), "name a file; it is copied page by page")
		}
		path, err := c.abs(c.args[0])
		if err != nil {
			return err
		}
		if err := backup(ctx, c, path); err != nil {
			return err
		}
		return reportBackup(ctx, c, path)
	}
}

// backup copies the archive to path.
func backup(ctx context.Context, c *call, path string) error {
	if _, err := os.Lstat(path); err == nil {
		return backupError(path, &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist})
	}
	a, err := openArchive(ctx, c, false) // which makes it, or brings it to the present layout
	if err != nil {
		return err
	}
	a.Close()
	index.SweepAside(filepath.Dir(path))
	aside, err := newAside(path)
	if err != nil {
		return backupError(path, err)
	}
	defer aside.Clear()
	if err := index.Backup(ctx, c.db, aside.Path()); err != nil {
		return backupError(path, err)
	}
	if err := placeNew(aside.Path(), path); err != nil {
		return backupError(path, err)
	}
	return nil
}

func backupError(path string, err error) error {
	err = fmt.Errorf("backup to %s: %w", path, err)
	if errors.Is(err, fs.ErrExist) {
		return withHint(err, "nothing was touched; name a file that does not exist")
	}
	return err
}

// reportBackup says what is in the copy, from the copy.
func reportBackup(ctx context.Context, c *call, path string) error {
	a, err := query.Open(ctx, path, nil)
	if err != nil {
		return err
	}
	defer a.Close()
	cov, err := documents.NewCoverage(ctx, a)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if c.json {
		return c.writeJSON(documents.Backup{Path: path, Bytes: info.Size(), Sessions: cov.Files, Coverage: cov})
	}
	_, err = fmt.Fprintf(c.stdout, "%s, %s: %s\n", terminal.Counted(cov.Files, "session"), terminal.Size(info.Size()), terminal.Safe(path))
	return err
}

// wholeFile is a new file that appears under its name when it is whole, or not
// at all, and never in the place of another.
type wholeFile struct {
	*os.File // beside its place
	path     string
	aside    *index.Aside
}

// newWholeFile begins one, and makes the directories above it if it may. It lies
// beside its place under a name that is not that of a session, for the owner alone.
func newWholeFile(path string, mayMake bool) (*wholeFile, error) {
	if _, err := os.Lstat(path); err == nil {
		return nil, &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	if mayMake {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
	}
	aside, err := newAside(path)
	if err != nil {
		return nil, err
	}
	temp, err := os.OpenFile(aside.Path(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		aside.Clear()
		return nil, err
	}
	return &wholeFile{temp, path, aside}, nil
}

// newAside finds a name beside path.
func newAside(path string) (*index.Aside, error) {
	aside, err := index.NewAside(filepath.Dir(path))
	if at, ok := errors.AsType[*fs.PathError](err); ok { // nobody asked for a file of that name
		err = &fs.PathError{Op: "create", Path: path, Err: at.Err}
	}
	return aside, err
}

// keep makes the file durable, with a time unless that is zero, and gives it
// its name.
func (f *wholeFile) keep(mtime time.Time) error {
	err := errors.Join(f.Sync(), f.Close())
	if err == nil && !mtime.IsZero() {
		err = os.Chtimes(f.Name(), mtime, mtime)
	}
	if err != nil {
		return err
	}
	return placeNew(f.Name(), f.path)
}

// drop clears away what is left; after keep, nothing is.
func (f *wholeFile) drop() {
	f.Close()
	f.aside.Clear()
}

// placeNew gives a file its name if nothing has it. A link does not replace what
// a rename would; not every file system has links.
func placeNew(temp, path string) error {
	err := os.Link(temp, path)
	switch {
	case err == nil:
		os.Remove(temp)
	case errors.Is(err, fs.ErrExist):
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	default:
		if _, err := os.Lstat(path); err == nil {
			return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
		}
		if err := os.Rename(temp, path); err != nil {
			return err
		}
	}
	if dir, err := os.Open(filepath.Dir(path)); err == nil {
		dir.Sync() // not every system can
		dir.Close()
	}
	return nil
}
