package index

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
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
		for _, cause := range causes {
			if errors.Is(err, cause) {
				return true
			}
		}
		return false
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
