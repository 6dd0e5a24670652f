package main

import (
	"io"
	"os"
	"strconv"
	"time"

	"golang.org/x/term"
)

// env is everything the program has from its process, so that a test can
// stand in for any of it. Below main nothing reaches for package os instead.
type env struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	now            func() time.Time
	cwd            func() (string, error)
	home           string             // "" when there is none
	isTerminal     func(fd int) bool  // 0, 1, 2: the three streams
	width          func() (cells int) // columns of standard output; 0 = unlimited, as in a pipe
	grace          time.Duration      // what an interrupted command gets to end in order; 0 = as long as it takes
}

func systemEnv() env {
	home, _ := os.UserHomeDir()
	isTerminal := func(fd int) bool { return term.IsTerminal(fd) }
	return env{
		stdin:      os.Stdin,
		stdout:     os.Stdout,
		stderr:     os.Stderr,
		getenv:     os.Getenv,
		now:        time.Now,
		cwd:        os.Getwd,
		home:       home,
		isTerminal: isTerminal,
		grace:      5 * time.Second,
		width: func() int {
			if !isTerminal(1) {
				return 0
			}
			size := func() (int, error) { cells, _, err := term.GetSize(1); return cells, err }
			return terminalWidth(os.Getenv, size)
		},
	}
}

// terminalWidth gives $COLUMNS the first word, as git does, so that a person
// can ask for narrower output than the window; 80 is the last resort.
func terminalWidth(getenv func(string) string, size func() (int, error)) int {
	if n, err := strconv.Atoi(getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if n, err := size(); err == nil && n > 0 {
		return n
	}
	return 80
}
