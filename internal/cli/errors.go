package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"strconv"

	"piarchive/internal/archive"
	"piarchive/internal/documents"
	"piarchive/internal/index"
	"piarchive/internal/ingest"
	"piarchive/internal/query"
	"piarchive/internal/query/history"
	"piarchive/internal/terminal"
)

// ExitError gives an error an exit status other than the usual 2 and a kind
// for programs: usage, failure, locked, newer or interrupted.
type ExitError struct {
	Code int
	Kind string
	Err  error // nil: the status says it all, nothing is printed
}

func (e *ExitError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit status %d", e.Code)
	}
	return e.Err.Error()
}

func (e *ExitError) Unwrap() error { return e.Err }

// ErrNothing ends a run that worked and found nothing: status 1, silent.
var ErrNothing = &ExitError{Code: 1}

var ErrInterrupted = &ExitError{Code: 130, Kind: "interrupted", Err: errors.New("interrupted")}

// UsageErrorf is a mistake on the command line; unless another hint is given
// the reader is sent to the command's help.
func UsageErrorf(format string, a ...any) error {
	return &ExitError{Code: 2, Kind: "usage", Err: fmt.Errorf(format, a...)}
}

// hintError carries one line of advice beside the error.
type hintError struct {
	error
	hint string
}

func (e *hintError) Unwrap() error { return e.error }

// WithHint adds a line that says what to do next. The outermost hint wins.
func WithHint(err error, hint string) error { return &hintError{err, hint} }

// settingsErrors are all mistakes of the settings file, each of which is told.
type settingsErrors []error

func (all settingsErrors) Error() string   { return errors.Join(all...).Error() }
func (all settingsErrors) Unwrap() []error { return all }

// report prints err, if it is one, and returns the exit status. Whatever the
// error quotes from files or arguments, it stays one harmless line, or one document;
// of the settings file a line for each mistake.
func report(w io.Writer, err error, command string, asJSON bool) int {
	if err == nil {
		return 0
	}
	status := ExitError{Code: 2, Kind: "failure", Err: err}
	if e, ok := errors.AsType[*ExitError](err); ok {
		status.Code, status.Kind = e.Code, e.Kind
		if e.Err == nil {
			return e.Code
		}
	}
	hint := ""
	if e, ok := errors.AsType[*hintError](err); ok {
		hint = e.hint
	} else if status.Kind == "usage" && command == "" {
		hint = "see piarchive --help"
	} else if status.Kind == "usage" {
		hint = "see piarchive " + command + " --help"
	}
	several, ambiguous := errors.AsType[*query.Ambiguous](err)
	if asJSON {
		var candidates []string
		if ambiguous {
			candidates = several.Candidates
		}
		documents.Writer{Out: w, Schema: "piarchive.error/1"}.Write(documents.NewError(status.Kind, index.Plain(err), hint, candidates)) // there is nowhere to say that it failed
		return status.Code
	}
	lines := []error{err}
	if wrong, ok := errors.AsType[settingsErrors](err); ok {
		lines = wrong
	}
	for _, line := range lines {
		fmt.Fprintln(w, "piarchive: "+terminal.Safe(index.Plain(line)))
	}
	if ambiguous {
		for _, line := range several.Lines() {
			fmt.Fprintln(w, "  "+terminal.Safe(line))
		}
	}
	if hint != "" {
		fmt.Fprintln(w, "hint: "+terminal.Safe(hint))
	}
	return status.Code
}

// Explained gives errors of an archive, and of what is looked for in it, their exit
// status and a hint.
func Explained(err error) error {
	if e, ok := errors.AsType[*ingest.NoSpace](err); ok {
		err = fmt.Errorf("write archive %s: it takes at least %s, and its disk has %s free", e.File, terminal.Size(e.Needs), terminal.Size(e.Free))
		return WithHint(err, writeHint(index.Full))
	}
	if write, ok := errors.AsType[*archive.WriteError](err); ok {
		return WithHint(err, writeHint(write.Obstacle))
	}
	if missing, ok := errors.AsType[*query.NotFound](err); ok {
		switch {
		case missing.Ref == "latest:.":
			return WithHint(err, "latest is the newest of all directories")
		case missing.What == "session":
			return WithHint(err, "piarchive list shows the sessions; piarchive index takes up new ones")
		case missing.Line > 0 && missing.Line <= missing.Lines:
			return WithHint(err, "this prints it: "+CommandLine("entry", missing.Session, missing.Ref))
		}
		return WithHint(err, "an entry is its id, @N for the N-th line, or leaf")
	}
	if several, ok := errors.AsType[*query.Ambiguous](err); ok {
		if several.OneID {
			return WithHint(err, "these files have one id: give the path of one")
		}
		return WithHint(err, "give more characters of the id, or the path")
	}
	if _, ok := errors.AsType[*history.NoVersion](err); ok {
		return WithHint(err, "piarchive vanished SESSION lists the earlier versions of a session")
	}
	if none, ok := errors.AsType[*archive.NoCommand](err); ok {
		return WithHint(err, "put it into a directory of $PATH; what would run is: "+none.Line)
	}
	if none, ok := errors.AsType[*archive.NoDirectory](err); ok {
		return WithHint(err, "make it again, or run this where the project is now: "+none.Line)
	}
	if packed, ok := errors.AsType[*archive.Compressed](err); ok {
		return WithHint(err, "this writes "+packed.Plain+" beside it: "+CommandLine("restore", packed.Path))
	}
	switch {
	case errors.Is(err, archive.ErrNoProgram):
		return WithHint(err, "piarchive show SESSION prints it")
	case errors.Is(err, archive.ErrInDatabase):
		return WithHint(err, inDatabaseHint)
	case errors.Is(err, index.ErrLocked):
		return WithHint(&ExitError{Code: 75, Kind: "locked", Err: err}, "try again later, or let index --wait DUR wait longer")
	case errors.Is(err, index.ErrNewer):
		return WithHint(&ExitError{Code: 76, Kind: "newer", Err: err}, "update piarchive; the archive stays as it is")
	case errors.Is(err, archive.ErrNoSessions):
		return WithHint(&ExitError{Code: 1, Kind: "nothing", Err: err},
			"looked in ~/.pi/agent, ~/.omp/agent, ~/.openclaw and where their settings and variables point; name a place with --root DIR")
	case errors.Is(err, archive.ErrNoArchive):
		return WithHint(err, "piarchive index --db FILE begins one")
	case errors.Is(err, archive.ErrNoRoot):
		return WithHint(err, "a root is a directory of session files, or one such file")
	case index.Foreign(err):
		return WithHint(err, "name another file with --db FILE, or move this one away")
	case index.ObstacleOf(err) == index.Closed:
		return WithHint(err, "you must be allowed to read the archive and to look into its directory; where a log lies beside it (…-wal), also to write there")
	}
	return err
}

// CommandLine is a line that runs piarchive, to be pasted.
func CommandLine(args ...string) string {
	return terminal.ShellLine(append([]string{"piarchive"}, args...), runtime.GOOS == "windows")
}

// writeHint says what to do where an archive cannot be written.
func writeHint(obstacle index.Obstacle) string {
	switch obstacle {
	case index.Full:
		return "make room on the disk of the archive and run the same again; what the archive had, it still has"
	case index.Closed:
		return "you must be allowed to write the archive and its directory; name another archive with --db FILE or $PIARCHIVE_DB"
	}
	return "the disk may be failing, or the size of files be limited; what the archive had, it still has, and piarchive verify --deep proves it"
}

const inDatabaseHint = "piarchive restore SESSION --to DIR writes its lines as a file"

const DamagedCopyHint = "piarchive verify tells more; a backup of the archive may hold it whole, and piarchive index --full saves what is left"

// RestoreError says what to do where it can be said. version is the one that was asked
// for, 0 where none was.
func RestoreError(session string, version int, err error) error {
	var damaged *history.DamagedCopy
	var none *history.NoVersion
	switch {
	case errors.As(err, &none):
		return WithHint(fmt.Errorf("restore: %w", err), "piarchive vanished SESSION lists the earlier versions of a session")
	case errors.As(err, &damaged):
		return WithHint(fmt.Errorf("restore: %w", err), DamagedCopyHint)
	case errors.Is(err, archive.ErrInDatabase):
		return WithHint(fmt.Errorf("restore %s: %w", session, err), inDatabaseHint)
	case errors.Is(err, fs.ErrExist):
		there := session
		if at, ok := errors.AsType[*fs.PathError](err); ok {
			there = at.Path
		}
		if there == session {
			err = fs.ErrExist // which does not name it again
		}
		line := []string{"restore", session, "-o", there + ".restored"} // a name that no run of index takes up
		if version > 0 {
			line = append(line, "--version", strconv.Itoa(version))
		}
		return WithHint(fmt.Errorf("restore %s: %w", session, err), "nothing was touched; this restores it beside: "+CommandLine(line...))
	}
	return fmt.Errorf("restore %s: %w", session, err)
}
