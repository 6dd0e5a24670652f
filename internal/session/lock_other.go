//go:build !windows

package session

import (
	"os"

	"github.com/gofrs/flock"
)

// lock waits for the right to append to a file. It binds only processes of this
// program, and ends with the process.
func lock(path string) (unlock func(), err error) {
	l := flock.New(path, flock.SetFlag(os.O_RDWR))
	if err := l.Lock(); err != nil {
		return nil, err
	}
	return func() { l.Unlock() }, nil
}
