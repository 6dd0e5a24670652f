//go:build !windows

package session

import (
	"errors"
	"os"

	"github.com/gofrs/flock"
)

// lock waits for the right to append to a file. It binds only processes of this
// program, and ends with the process.
func lock(path string) (unlock func(), err error) {
	l := flock.New(path, flock.SetFlag(os.O_RDWR))
	err = l.Lock()
	if errors.Is(err, errors.ErrUnsupported) { // not every file system has locks
		return func() {}, nil
	}
	if err != nil {
		return nil, err
	}
	return func() { l.Unlock() }, nil
}
