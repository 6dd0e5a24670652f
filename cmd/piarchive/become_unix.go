//go:build unix

package main

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// become replaces this process by a program.
func become(program string, command, environ []string) error {
	return fmt.Errorf("run %s: %w", program, unix.Exec(program, command, environ))
}
