//go:build unix

package session

import (
	"errors"

	"golang.org/x/sys/unix"
)

// deviceOf tells file systems apart.
func deviceOf(path string) (uint64, error) {
	var stat unix.Stat_t
	err := unix.Stat(path, &stat)
	return uint64(stat.Dev), err
}

// otherFileSystem reports whether a rename failed because it would leave the file
// system.
func otherFileSystem(err error) bool { return errors.Is(err, unix.EXDEV) }
