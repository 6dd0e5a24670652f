//go:build !windows

package main

import (
	"syscall"
)

const brokenPipe = syscall.EPIPE
