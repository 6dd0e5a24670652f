// Package aside makes files that appear under their name when they are whole, or
// not at all, and never in the place of another.
//
// Until then a file lies beside its place, under a name that is not that of a
// session, for the owner alone. What a killed process leaves under such a name,
// [Sweep] removes: for as long as its owner lives, another file beside it is locked.
package aside

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/gofrs/flock"
)

// Name is that of a file that is being made for a place.
type Name struct {
	place string
	path  string
	lock  *flock.Flock
}

const (
	lockSuffix = ".lock"
	fileSuffix = ".tmp"
)

// New finds a name that nobody has, for a place where nothing is. There is no file
// by that name yet.
func New(place string) (*Name, error) {
	if err := Free(place); err != nil {
		return nil, err
	}
	for {
		f, err := os.CreateTemp(filepath.Dir(place), ".piarchive-*"+lockSuffix)
		if at, ok := errors.AsType[*fs.PathError](err); ok { // nobody asked for a file of that name
			err = &fs.PathError{Op: "create", Path: place, Err: at.Err}
		}
		if err != nil {
			return nil, err
		}
		name := f.Name()
		f.Close()
		n := &Name{place: place, path: name[:len(name)-len(lockSuffix)], lock: flock.New(name)}
		held, err := n.lock.TryLock()
		if err != nil { // not every file system has locks: nothing is swept there
			os.Remove(name)
		}
		if held || err != nil {
			return n, nil
		}
		// Another process sweeps, and takes this for the lock of a dead one.
	}
}

// Free returns an error if something is in a place.
func Free(place string) error {
	if _, err := os.Lstat(place); err == nil {
		return taken(place)
	}
	return nil
}

func taken(place string) error { return &fs.PathError{Op: "create", Path: place, Err: fs.ErrExist} }

// Path is where the file is to be made.
func (n *Name) Path() string { return n.path + fileSuffix }

// Keep gives the file its place if nothing has it. A link does not replace what a
// rename would; not every file system has links.
func (n *Name) Keep() error {
	err := os.Link(n.Path(), n.place)
	switch {
	case err == nil:
		os.Remove(n.Path())
	case errors.Is(err, fs.ErrExist):
		return taken(n.place)
	default:
		if err := Free(n.place); err != nil {
			return err
		}
		if err := os.Rename(n.Path(), n.place); err != nil {
			return err
		}
	}
	if dir, err := os.Open(filepath.Dir(n.place)); err == nil {
		dir.Sync() // not every system can
		dir.Close()
	}
	return nil
}

// Clear removes what has not got its place, and gives the name back.
func (n *Name) Clear() {
	for _, suffix := range []string{"", "-journal", "-wal", "-shm"} {
		os.Remove(n.Path() + suffix)
	}
	os.Remove(n.lock.Path())
	n.lock.Unlock()
	os.Remove(n.lock.Path()) // for systems that keep a file that is open
}

// Sweep removes what killed processes left aside in dir.
func Sweep(dir string) {
	left, _ := os.ReadDir(dir)
	locks := regexp.MustCompile(`^\.piarchive-[0-9]+\.lock$`)
	for _, e := range left {
		if !e.Type().IsRegular() || !locks.MatchString(e.Name()) {
			continue
		}
		name := filepath.Join(dir, e.Name())
		n := &Name{path: name[:len(name)-len(lockSuffix)], lock: flock.New(name, flock.SetFlag(os.O_RDWR))}
		if held, _ := n.lock.TryLock(); held {
			n.Clear()
		}
	}
}

// File is such a file that is written from its beginning to its end.
type File struct {
	*os.File
	name *Name
}

// Create begins one, and makes the directories above it if it may.
func Create(place string, mayMake bool) (*File, error) {
	if err := Free(place); err != nil {
		return nil, err
	}
	if mayMake {
		if err := os.MkdirAll(filepath.Dir(place), 0o700); err != nil {
			return nil, err
		}
	}
	name, err := New(place)
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(name.Path(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		name.Clear()
		return nil, err
	}
	return &File{file, name}, nil
}

// Keep makes the file durable, with a time unless that is zero, and gives it its
// place.
func (f *File) Keep(mtime time.Time) error {
	err := errors.Join(f.Sync(), f.Close())
	if err == nil && !mtime.IsZero() {
		err = os.Chtimes(f.name.Path(), mtime, mtime)
	}
	if err != nil {
		return err
	}
	return f.name.Keep()
}

// Drop clears away what is left; after Keep, nothing is.
func (f *File) Drop() {
	f.Close()
	f.name.Clear()
}
