package cli

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

// Env is everything the program has from its process, so that a test can
// stand in for any of it. Below main nothing reads these from package os instead.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Now            func() time.Time
	CWD            func() (string, error)
	Home           string             // "" when there is none
	IsTerminal     func(fd int) bool  // 0, 1, 2: the three streams
	Width          func() (cells int) // columns of standard output; 0 = unlimited, as in a pipe
	Grace          time.Duration      // what an interrupted command gets to end in order; 0 = as long as it takes
}

// SystemEnv is the process as it is.
func SystemEnv() Env {
	home, _ := os.UserHomeDir()
	isTerminal := func(fd int) bool { return term.IsTerminal(fd) }
	return Env{
		Stdin:      os.Stdin,
		Stdout:     os.Stdout,
		Stderr:     os.Stderr,
		Getenv:     os.Getenv,
		Now:        time.Now,
		CWD:        os.Getwd,
		Home:       home,
		IsTerminal: isTerminal,
		Grace:      5 * time.Second,
		Width: func() int {
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
func archivePath(e Env, goos, flag string) (path string, err error) {
	if path = cmp.Or(flag, e.Getenv("PIARCHIVE_DB")); path == "" {
		path = archive.UsualFile(places.Surroundings{Home: e.Home, GOOS: goos, Getenv: e.Getenv})
	}
	if path == "" {
		return "", WithHint(errors.New("find the archive: no home directory"), "give it with --db FILE or $PIARCHIVE_DB")
	}
	path, err = e.Abs(path)
	return archive.Followed(path), err
}

// rootPaths says which session roots were asked for, by flags or by
// $PIARCHIVE_ROOTS; nil means none, so the usual places.
func rootPaths(e Env, flags []string) ([]string, error) {
	asked := flags
	if len(asked) == 0 {
		asked = filepath.SplitList(e.Getenv("PIARCHIVE_ROOTS"))
	}
	return e.AbsAll(asked)
}

// AbsAll makes paths absolute; an empty one is left out: "a::b" names two roots, not
// the working directory too.
func (e Env) AbsAll(paths []string) (all []string, err error) {
	for _, path := range paths {
		if path == "" {
			continue
		}
		if path, err = e.Abs(path); err != nil {
			return nil, err
		}
		all = append(all, path)
	}
	return all, nil
}
