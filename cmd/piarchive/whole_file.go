package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// wholeFile is a new file that appears under its name when it is whole, or not
// at all, and never in the place of another.
type wholeFile struct {
	path    string
	temp    *os.File
	written int64
}

// newWholeFile begins one, and makes the directories above it if it may. It lies
// beside its place under a name that is not that of a session.
func newWholeFile(path string, mayMake bool) (*wholeFile, error) {
	if _, err := os.Lstat(path); err == nil {
		return nil, &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	if mayMake {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".piarchive-*.tmp") // for the owner alone
	if err != nil {
		if at, ok := errors.AsType[*fs.PathError](err); ok { // nobody asked for a file of that name
			err = &fs.PathError{Op: "create", Path: path, Err: at.Err}
		}
		return nil, err
	}
	return &wholeFile{path: path, temp: temp}, nil
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
	os.Remove(f.temp.Name())
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
