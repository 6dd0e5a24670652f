package ingest

import (
	"fmt"
	"path/filepath"
)

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
