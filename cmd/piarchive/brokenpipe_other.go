//go:build !windows

package main

import (
	"errors"
	"syscall"
)

// isBrokenPipe reports whether a write failed because the reader has gone.
func isBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
