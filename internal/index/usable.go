package index

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

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
			return fmt.Errorf("open archive %s: %w", path, err)
		case !info.Mode().IsRegular():
			return fmt.Errorf("open archive %s: %s is %w", path, filepath.Base(path)+suffix, errIrregular)
		}
	}
	return nil
}
