//go:build unix

package places

import (
	"os"

	"golang.org/x/sys/unix"
)

// openFile does not wait for a writer where a pipe has taken the place of a file
// since it was looked at, nor make a terminal there that of this process.
func openFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
}
