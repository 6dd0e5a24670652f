package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"piarchive/internal/places"
	"piarchive/internal/query"
	"piarchive/internal/query/history"
	"piarchive/internal/query/session"
	"piarchive/internal/terminal"
)

// Resumption is how to go on with a session.
type Resumption struct {
	Session query.SessionRef
	Command []string // the program and its arguments
	Line    string   // for a shell, from any directory
}

// ErrNoProgram is that no program goes on with a session.
var ErrNoProgram = errors.New("neither pi nor omp wrote it")

// NoDirectory is that the directory of a session is gone; elsewhere Line goes on.
type NoDirectory struct {
	Session query.SessionRef
	Line    string
}

func (e *NoDirectory) Error() string {
	return fmt.Sprintf("resume %s: its directory %s is gone", cmp.Or(e.Session.ID, e.Session.Path), e.Session.CWD)
}

// Compressed is that no program reads the file of a session; Plain is where it would lie
// unpacked.
type Compressed struct{ Path, Plain string }

func (e *Compressed) Error() string {
	return "resume " + e.Path + ": it is compressed, and no program goes on with it"
}

// Resume finds out how to go on with a session.
func Resume(ctx context.Context, a *query.Archive, s query.SessionRef) (r Resumption, err error) {
	r.Session = s
	if places.InDatabase(s.Path) {
		return r, fmt.Errorf("resume %s: %w", s.Path, ErrInDatabase)
	}
	if r.Command, err = session.ResumeCommand(ctx, a, s); err != nil {
		return r, err
	}
	if r.Command == nil {
		return r, fmt.Errorf("resume %s: %w", s.Path, ErrNoProgram)
	}
	if plain, is := places.Unpacked(s.Path); is {
		return r, &Compressed{s.Path, plain}
	}
	powerShell := runtime.GOOS == "windows"
	r.Line = terminal.ShellLine(r.Command, powerShell)
	if s.CWD == "" {
		return r, nil
	}
	if info, err := os.Stat(s.CWD); err != nil || !info.IsDir() {
		return r, &NoDirectory{s, r.Line}
	}
	r.Line = terminal.ShellLine([]string{"cd", s.CWD}, powerShell) + " && " + r.Line
	return r, nil
}

// FileGone reports whether the file is gone that the command reads.
func (r *Resumption) FileGone() bool {
	_, err := os.Lstat(r.Session.Path)
	return errors.Is(err, fs.ErrNotExist)
}

// Restore puts the file back where it was.
func (r *Resumption) Restore(ctx context.Context, p *Place, a *query.Archive) error {
	list, err := history.List(ctx, a, history.KeptOptions{Keys: []int64{r.Session.Key}})
	if err != nil {
		return err
	}
	restoring := Restoring{Place: p, Archive: a}
	for _, v := range list {
		if _, err := restoring.Session(ctx, v); err != nil {
			return err
		}
	}
	return nil
}

// NoCommand is that the program is not installed which goes on with a session.
type NoCommand struct {
	Program, Line string
	err           error
}

func (e *NoCommand) Error() string { return fmt.Sprintf("resume: find %s: %v", e.Program, e.err) }
func (e *NoCommand) Unwrap() error { return e.err }

// Become runs the command in the directory of the session: in this program's place,
// where a system knows such a thing. It returns what keeps that from being done, or
// how the program ended.
func (r *Resumption) Become(environ []string, in, out, errs *os.File) error {
	program, err := exec.LookPath(r.Command[0])
	if err != nil {
		return &NoCommand{r.Command[0], r.Line, errors.Unwrap(err)}
	}
	if dir := r.Session.CWD; dir != "" {
		environ = append(environ, "PWD="+dir)
		if err := os.Chdir(dir); err != nil {
			return fmt.Errorf("resume: %w", err)
		}
	}
	if runtime.GOOS == "windows" {
		child := exec.Command(program, r.Command[1:]...)
		child.Env, child.Stdin, child.Stdout, child.Stderr = environ, in, out, errs
		err = child.Run()
	} else {
		err = syscall.Exec(program, r.Command, environ)
	}
	if err != nil {
		return fmt.Errorf("run %s: %w", program, err)
	}
	return nil
}
