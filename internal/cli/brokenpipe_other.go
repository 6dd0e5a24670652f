//go:build !windows

package cli

import (
	"errors"
	"syscall"
)

// IsBrokenPipe reports whether a write failed because the reader has gone.
func IsBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
