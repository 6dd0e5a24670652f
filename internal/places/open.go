package places

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// ErrNotRegular is what opening anything but a file meets.
var (
	ErrNotRegular  = errors.New("not a regular file")
	errTooLarge    = errors.New("too large")
	errUnknownName = errors.New("not looked into: its name is that of no session file in use or put away")
)

// Open opens what has to be a regular file, or a symlink to one, and waits
// for nothing: any name may lead to a pipe or a device. All files that this package
// reads are opened here. What it is, is asked before, since some devices act when
// they are opened, and again of what was opened, which may be another thing by then.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, irregular(path)
	}
	return openSeen(path)
}

// openSeen is Open for a file that was asked a while ago.
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

func irregular(path string) error { return &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular} }

// Cause is the text of an error without the path, which is reported beside it.
func Cause(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

// readSmall returns what a regular file of at most limit bytes holds.
func readSmall(path string, limit int64) ([]byte, error) {
	f, err := Open(path)
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
