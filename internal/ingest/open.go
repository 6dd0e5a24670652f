package ingest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

var (
	errNotRegular = errors.New("not a regular file")
	errTooLarge   = errors.New("too large")
)

// openRegular opens what has to be a regular file, or a symlink to one, and waits
// for nothing: any name may lead to a pipe or a device. All files that this package
// reads are opened here. What it is, is asked before, since some devices act when
// they are opened, and again of what was opened, which may be another thing by then.
func openRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, irregular(path)
	}
	return openSeen(path)
}

// openSeen is openRegular for a file that was asked a while ago.
func openSeen(path string) (*os.File, error) {
	f, err := openFile(path)
	if err != nil {
		if info, statErr := os.Stat(path); statErr == nil && !info.Mode().IsRegular() {
			err = irregular(path) // a socket does not even open
		}
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = irregular(path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func irregular(path string) error { return &fs.PathError{Op: "open", Path: path, Err: errNotRegular} }

// NoSpace means that a new archive does not fit on its disk.
type NoSpace struct {
	File        string // of the archive
	Needs, Free int64  // bytes
}

func (e *NoSpace) Error() string {
	return fmt.Sprintf("a new archive takes %d bytes or more, and its disk has %d free", e.Needs, e.Free)
}

// enoughSpace returns why a new archive of these sources does not fit on its
// disk, as far as that is sure: it is from a half of their size to somewhat more
// than all of it.
func enoughSpace(archive string, jobs []*job) error {
	var needs int64
	for _, j := range jobs {
		needs += j.found.Size / 2
	}
	if free, known := freeSpace(filepath.Dir(archive)); known && free < needs {
		return &NoSpace{archive, needs, free}
	}
	return nil
}

// readSmall returns what a regular file of at most limit bytes holds.
func readSmall(path string, limit int64) ([]byte, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(content)) > limit {
		err = &fs.PathError{Op: "read", Path: path, Err: errTooLarge}
	}
	return content, err
}
