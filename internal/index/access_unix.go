//go:build unix

package index

import (
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// denied tells why the archive at path, or a log beside it, may not be written.
// It opens nothing: closing a file gives up the locks that this process has on it.
func denied(path string) error {
	for _, name := range []string{path, filepath.Dir(path)} {
		if err := unix.Access(name, unix.W_OK); err != nil {
			return &fs.PathError{Op: "write", Path: name, Err: err}
		}
	}
	return nil
}
