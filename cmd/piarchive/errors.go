package main

import (
	"errors"
	"fmt"
	"io"

	"piarchive/internal/documents"
	"piarchive/internal/index"
	"piarchive/internal/query"
	"piarchive/internal/terminal"
)

// exitError gives an error an exit status other than the usual 2 and a kind
// for programs: usage, failure, locked, newer or interrupted.
type exitError struct {
	code int
	kind string
	err  error // nil: the status says it all, nothing is printed
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// errNothing ends a run that worked and found nothing: status 1, silent.
var errNothing = &exitError{code: 1}

var errInterrupted = &exitError{code: 130, kind: "interrupted", err: errors.New("interrupted")}

// usageErrorf is a mistake on the command line; unless another hint is given
// the reader is sent to the command's help.
func usageErrorf(format string, a ...any) error {
	return &exitError{code: 2, kind: "usage", err: fmt.Errorf(format, a...)}
}

// hintError carries one line of advice beside the error.
type hintError struct {
	error
	hint string
}

func (e *hintError) Unwrap() error { return e.error }

// withHint adds a line that says what to do next. The outermost hint wins.
func withHint(err error, hint string) error { return &hintError{err, hint} }

// report prints err, if it is one, and returns the exit status. Whatever the
// error quotes from files or arguments, it stays one harmless line.
func report(w io.Writer, err error, command string, asJSON bool) int {
	if err == nil {
		return 0
	}
	status := exitError{code: 2, kind: "failure", err: err}
	if e, ok := errors.AsType[*exitError](err); ok {
		status.code, status.kind = e.code, e.kind
		if e.err == nil {
			return e.code
		}
	}
	hint := ""
	if e, ok := errors.AsType[*hintError](err); ok {
		hint = e.hint
	} else if status.kind == "usage" && command == "" {
		hint = "see piarchive --help"
	} else if status.kind == "usage" {
		hint = "see piarchive " + command + " --help"
	}
	fmt.Fprintln(w, "piarchive: "+terminal.Safe(err.Error()))
	var candidates []string
	if several, ok := errors.AsType[*query.Ambiguous](err); ok {
		candidates = several.Candidates
		for _, line := range candidates {
			fmt.Fprintln(w, "  "+terminal.Safe(line))
		}
		if more := several.Count - len(candidates); more > 0 {
			fmt.Fprintf(w, "  and %d more\n", more)
		}
	}
	if hint != "" {
		fmt.Fprintln(w, "hint: "+terminal.Safe(hint))
	}
	if asJSON {
		documents.Writer{Out: w}.Line(documents.NewError(status.kind, status.err.Error(), hint, candidates)) // there is nowhere to say that it failed
	}
	return status.code
}

// writeError is archiveError for those that write the archive at path. For what
// the disk refuses, it says that alone: at which row it did is no help.
func writeError(path string, err error) error {
	obstacle := index.ObstacleOf(err)
	if obstacle == index.NoObstacle {
		return archiveError(err)
	}
	err = fmt.Errorf("write archive %s: %w", path, index.Cause(err))
	switch obstacle {
	case index.Full:
		return withHint(err, "make room on the disk of the archive and run the same again; what the archive had, it still has")
	case index.Closed:
		return withHint(err, "you must be allowed to write the archive and its directory; name another archive with --db FILE or $PIARCHIVE_DB")
	}
	return withHint(err, "the disk may be failing, or the size of files be limited; what the archive had, it still has, and piarchive verify --deep proves it")
}
