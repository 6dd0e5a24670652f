package main

import (
	"cmp"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/term"

	"piarchive/internal/archive"
	"piarchive/internal/places"
	"piarchive/internal/terminal"
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
			return terminal.Columns(os.Getenv, size)
		},
	}
}

// archivePath says where the archive is: the flag, $PIARCHIVE_DB, or archive.db in
// the data directory of the platform.
func archivePath(e env, goos, flag string) (path string, err error) {
	if path = cmp.Or(flag, e.getenv("PIARCHIVE_DB")); path == "" {
		path = archive.UsualFile(places.Surroundings{Home: e.home, GOOS: goos, Getenv: e.getenv})
	}
	if path == "" {
		return "", withHint(errors.New("find the archive: no home directory"), "give it with --db FILE or $PIARCHIVE_DB")
	}
	path, err = e.abs(path)
	return archive.Followed(path), err
}

// rootPaths says which session roots were asked for, by flags or by
// $PIARCHIVE_ROOTS; nil means none, so the usual places.
func rootPaths(e env, flags []string) ([]string, error) {
	asked := flags
	if len(asked) == 0 {
		asked = filepath.SplitList(e.getenv("PIARCHIVE_ROOTS"))
	}
	return e.absAll(asked)
}

// absAll makes paths absolute; an empty one is left out: "a::b" names two roots, not
// the working directory too.
func (e env) absAll(paths []string) (all []string, err error) {
	for _, path := range paths {
		if path == "" {
			continue
		}
		if path, err = e.abs(path); err != nil {
			return nil, err
		}
		all = append(all, path)
	}
	return all, nil
}
