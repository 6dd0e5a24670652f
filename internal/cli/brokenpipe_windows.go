package cli

import (
	"errors"

	"golang.org/x/sys/windows"
)

// IsBrokenPipe reports whether a write failed because the reader has gone.
// Windows says "no data" for a pipe that is being closed.
func IsBrokenPipe(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA)
}
