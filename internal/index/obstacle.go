package index

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Obstacle is what in the surroundings of an archive kept it from being read or
// written, as far as advice differs.
type Obstacle int

// The obstacles there are.
const (
	NoObstacle Obstacle = iota
	Full                // no room on the disk, or none left of a quota
	Closed              // no permission, or a read-only file system
	Broken              // the disk fails
)

// Cause returns what SQLite or the system said, without the steps of the work
// that it prevented.
func Cause(err error) error {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		if e.Code() == sqlite3.SQLITE_IOERR_SHMSIZE {
			return fmt.Errorf("no room for the memory that readers and writers share: %w", e)
		}
		return e
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e
	}
	return err
}

// framed is how the driver words what SQLite says.
const framed = `(?s)^(?:SQL logic error: )?(.*?)(?: \(\d+\))?(?: \(SQLITE_BUSY\))?$`

// Plain is the text of an error for people: without what the driver adds, and where
// SQLite itself says too little, in other words.
func Plain(err error) string {
	text := err.Error()
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return text
	}
	said := regexp.MustCompile(framed).FindStringSubmatch(e.Error())[1]
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_NOTADB:
		said = "it does not begin as a database of SQLite does"
	case sqlite3.SQLITE_BUSY:
		said = "another program is writing it"
	}
	return strings.ReplaceAll(text, e.Error(), said)
}

// ObstacleOf finds the obstacle that caused err.
func ObstacleOf(err error) Obstacle {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		switch e.Code() & 0xff {
		case sqlite3.SQLITE_FULL:
			return Full
		case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
			return Closed
		case sqlite3.SQLITE_IOERR:
			if e.Code() == sqlite3.SQLITE_IOERR_SHMSIZE {
				return Full
			}
			return Broken
		}
	}
	is := func(causes ...error) bool {
		return slices.ContainsFunc(causes, func(cause error) bool { return errors.Is(err, cause) })
	}
	switch {
	case is(syscall.ENOSPC, syscall.EDQUOT):
		return Full
	case is(fs.ErrPermission, syscall.EROFS):
		return Closed
	case is(syscall.EIO, syscall.EFBIG):
		return Broken
	}
	return NoObstacle
}

var errIrregular = errors.New("not a regular file")

// Usable returns why no archive can be at path, nil if one can: a directory, a pipe
// or a device is there, or where its log, its lock and the like belong. Opening a
// pipe would wait for a writer, and a run that makes an archive would replace a
// device.
func Usable(path string) error {
	for _, suffix := range []string{"", "-wal", "-shm", "-journal", lockSuffix, older, older + "-wal", older + "-shm"} {
		switch info, err := os.Stat(path + suffix); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			if at, ok := errors.AsType[*fs.PathError](err); ok && suffix == "" {
				err = at.Err // which does not name it again
			}
			return fmt.Errorf("open archive %s: %w", path, err)
		case info.IsDir():
			return fmt.Errorf("open archive %s: %s is a directory, %w", path, filepath.Base(path)+suffix, errIrregular)
		case !info.Mode().IsRegular():
			return fmt.Errorf("open archive %s: %s is %w", path, filepath.Base(path)+suffix, errIrregular)
		}
	}
	return nil
}
