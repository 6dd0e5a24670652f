package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"piarchive/internal/documents"
	"piarchive/internal/index"
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
	if hint != "" {
		fmt.Fprintln(w, "hint: "+terminal.Safe(hint))
	}
	if asJSON {
		documents.Writer{Out: w}.Line(documents.NewError(status.kind, status.err.Error(), hint)) // there is nowhere to say that it failed
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

// flagError says what a flag takes, in place of how Go reads it, and names the
// nearest flag there is to one that is not.
func flagError(flags *pflag.FlagSet, err error) error {
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		name := bad.GetFlag().Name
		switch bad.GetFlag().Value.Type() {
		case "int":
			return usageErrorf("--%s is a number, not %q", name, bad.GetValue())
		case "duration":
			return usageErrorf("--%s is a duration such as 10s, not %q", name, bad.GetValue())
		}
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok || unknown.GetSpecifiedShortnames() != "" {
		return usageErrorf("%w", err)
	}
	var names []string
	flags.VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
	if best := nearest(unknown.GetSpecifiedName(), names); best != "" {
		return withHint(usageErrorf("%w", err), "did you mean --"+best+"?")
	}
	return usageErrorf("%w", err)
}

// nearest is the name that a slip of the finger may have been meant for, if any.
func nearest(name string, names []string) string {
	best, distance := "", 3 // further off is no longer a slip of the finger
	for _, other := range names {
		if d := editDistance(name, other); d < distance && d < len(other) {
			best, distance = other, d
		}
	}
	return best
}

// unknownCommand names the nearest command there is, if one is near.
func unknownCommand(table []command, name string) error {
	err := usageErrorf("unknown command %q", name)
	var names []string
	for _, cmd := range table {
		if !cmd.hidden {
			names = append(names, cmd.name)
		}
	}
	best := nearest(name, names)
	if best == "" {
		return err
	}
	return withHint(err, "did you mean "+best+"?")
}

// editDistance counts the insertions, deletions, replacements and swaps of
// neighbours that turn a into b.
func editDistance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, change)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
