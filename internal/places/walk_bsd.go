//go:build unix && !linux

package places

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

type entry = fs.DirEntry

func (d directory) entries([]byte) ([]entry, error) {
	fd, err := unix.FcntlInt(uintptr(d.fd), unix.F_DUPFD_CLOEXEC, 0) // for the os.File to close
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(fd), "")
	defer file.Close()
	return file.ReadDir(-1)
}
