package index

import (
	"os"
	"path/filepath"
	"regexp"

	"github.com/gofrs/flock"
)

// Aside is the name of a file that is being made, beside the place that it gets
// when it is whole. What a killed process leaves under such a name, [SweepAside]
// removes: for as long as its owner lives, another file beside it is locked.
type Aside struct {
	path string
	lock *flock.Flock
}

const (
	asideLock = ".lock"
	asideFile = ".tmp"
)

// NewAside finds a name in dir that nobody has. There is no file by that name
// yet.
func NewAside(dir string) (*Aside, error) {
	for {
		f, err := os.CreateTemp(dir, ".piarchive-*"+asideLock)
		if err != nil {
			return nil, err
		}
		name := f.Name()
		f.Close()
		a := &Aside{path: name[:len(name)-len(asideLock)], lock: flock.New(name)}
		held, err := a.lock.TryLock()
		if err != nil { // not every file system has locks: nothing is swept there
			os.Remove(name)
		}
		if held || err != nil {
			return a, nil
		}
		// Another process sweeps, and takes this for the lock of a dead one.
	}
}

// Path is where the file is to be made.
func (a *Aside) Path() string { return a.path + asideFile }

// Clear removes what has not got its place, and gives the name back.
func (a *Aside) Clear() {
	for _, suffix := range []string{"", "-journal", "-wal", "-shm"} {
		os.Remove(a.Path() + suffix)
	}
	os.Remove(a.lock.Path())
	a.lock.Unlock()
	os.Remove(a.lock.Path()) // for systems that keep a file that is open
}

// SweepAside removes what killed processes left aside in dir.
func SweepAside(dir string) {
	left, _ := os.ReadDir(dir)
	asideLocks := regexp.MustCompile(`^\.piarchive-[0-9]+\.lock$`)
	for _, e := range left {
		if !e.Type().IsRegular() || !asideLocks.MatchString(e.Name()) {
			continue
		}
		name := filepath.Join(dir, e.Name())
		a := &Aside{path: name[:len(name)-len(asideLock)], lock: flock.New(name, flock.SetFlag(os.O_RDWR))}
		if held, _ := a.lock.TryLock(); held {
			a.Clear()
		}
	}
}
