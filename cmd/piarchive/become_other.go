//go:build !unix

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// become runs a program in this one's place, and ends as it does.
func become(program string, command, environ []string) error {
	child := exec.Command(program, command[1:]...)
	child.Env, child.Stdin, child.Stdout, child.Stderr = environ, os.Stdin, os.Stdout, os.Stderr
	err := child.Run()
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		return &exitError{code: ended.ExitCode()}
	}
	if err != nil {
		return fmt.Errorf("run %s: %w", program, err)
	}
	return nil
}
