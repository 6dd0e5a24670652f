package session

import (
	"os"

	"golang.org/x/sys/windows"
)

// lock waits for the right to append to a file. Locks bind every program here, so
// it is on a byte far behind the end, where no program reads or writes.
func lock(path string) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	far := windows.Overlapped{OffsetHigh: 1 << 30}
	if err := windows.LockFileEx(windows.Handle(file.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &far); err != nil {
		file.Close()
		return nil, err
	}
	return func() { file.Close() }, nil
}
