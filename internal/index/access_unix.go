//go:build unix

package index

import (
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// denied tells why the archive at path may not be read; or, for writing, why it or a
// log beside it may not be written. It opens nothing: closing a file gives up the
// locks that this process has on it.
func denied(path string, writing bool) error {
	names, mode, op := []string{path}, uint32(unix.R_OK), "read"
	if writing {
		names, mode, op = append(names, filepath.Dir(path)), unix.W_OK, "write"
	}
	for _, name := range names {
		if err := unix.Access(name, mode); err != nil {
			return &fs.PathError{Op: op, Path: name, Err: err}
		}
	}
	return nil
}
