package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"piarchive/internal/index"
)

// wholeFile is a new file that appears under its name when it is whole, or not
// at all, and never in the place of another.
type wholeFile struct {
	path    string
	aside   *index.Aside
	temp    *os.File
	written int64
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
	return &wholeFile{path: path, aside: aside, temp: temp}, nil
}

// newAside finds a name beside path.
func newAside(path string) (*index.Aside, error) {
	aside, err := index.NewAside(filepath.Dir(path))
	if at, ok := errors.AsType[*fs.PathError](err); ok { // nobody asked for a file of that name
		err = &fs.PathError{Op: "create", Path: path, Err: at.Err}
	}
	return aside, err
}

func (f *wholeFile) Write(p []byte) (int, error) {
	n, err := f.temp.Write(p)
	f.written += int64(n)
	return n, err
}

// keep makes the file durable, with a time unless that is zero, and gives it
// its name.
func (f *wholeFile) keep(mtime time.Time) error {
	err := errors.Join(f.temp.Sync(), f.temp.Close())
	if err == nil && !mtime.IsZero() {
		err = os.Chtimes(f.temp.Name(), mtime, mtime)
	}
	if err != nil {
		return err
	}
	return placeNew(f.temp.Name(), f.path)
}

// drop clears away what is left; after keep, nothing is.
func (f *wholeFile) drop() {
	f.temp.Close()
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
