package read

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/pflag"

	"piarchive/internal/archive"
	"piarchive/internal/cli"
	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/terminal"
	"piarchive/internal/text"
)

const resumeHelp = `Prints the command that goes on with a session, from its directory: pi --session
FILE, or omp --resume FILE. Without SESSION it is the newest of this directory.

  piarchive resume                   cd /home/mira/src/orbit && pi --session …
  piarchive resume 4a369254 --exec   runs it
  eval "$(piarchive resume 4a36)"    the same, and the shell stays there

Words are quoted so that sh, bash, zsh and fish, or PowerShell on Windows, take
them as they are. A file that is gone is first restored to where it was, if you
agree; one that is there is never touched. --copy puts the command on the
clipboard, if the terminal allows it (OSC 52).

` + cli.EntryHelp + `
The programs go on at the current leaf; from there, /tree leads to any entry.

With --json: {"schema","session","directory","command":[WORD],"line"}.
`

// resumeFlags are the flags of resume.
type resumeFlags struct {
	exec, copy, yes bool
}

// Resume is the command resume.
func Resume() cli.Command {
	return cli.Command{
		Name: "resume", Args: "[SESSION[@LINE]]", Summary: "print the command that goes on with a session", Access: cli.Reads,
		Help: resumeHelp, Bind: bindResume,
	}
}

func bindResume(flags *pflag.FlagSet) cli.Runner {
	var f resumeFlags
	flags.BoolVar(&f.exec, "exec", false, "run the command")
	flags.BoolVar(&f.copy, "copy", false, "put the command on the clipboard, too")
	flags.BoolVarP(&f.yes, "yes", "y", false, "do not ask before a file is restored")
	return f.run
}

func (f *resumeFlags) run(ctx context.Context, c *cli.Call) error {
	if f.exec && (f.copy || c.JSON) {
		return cli.UsageErrorf("--exec goes with neither --copy nor --json")
	}
	a, found, entry, err := cli.OpenSession(ctx, c, cmp.Or(strings.Join(c.Args, ""), "latest:."))
	if err != nil {
		return err
	}
	defer a.Close()
	return f.resume(ctx, c, a, found, entry)
}

// GoOn prints the command that goes on with a session.
func GoOn(ctx context.Context, c *cli.Call, a *query.Archive, found query.SessionRef) error {
	return new(resumeFlags).resume(ctx, c, a, found, "")
}

// resume does with a session what is asked for; entry is the one that was named with
// it, if one was.
func (f *resumeFlags) resume(ctx context.Context, c *cli.Call, a *query.Archive, found query.SessionRef, entry string) error {
	r, err := archive.Resume(ctx, a, found)
	if err == nil && r.FileGone() {
		err = f.restore(ctx, c, a, r)
	}
	if err != nil {
		return cli.Explained(err)
	}
	project, title := text.Headline(found, 72)
	c.Talk("%s%s", project, title)
	if entry != "" && entry != "leaf" {
		c.Talk("%s goes on at the current leaf; /tree leads to %s", r.Command[0], entry)
	}
	switch {
	case f.exec:
		a.Close()
		if err := c.Stdout.Drain(); err != nil {
			return err
		}
		c.Stdout.Paged.Store(true) // who talks to the program is not cut short
		err = r.Become(os.Environ(), os.Stdin, os.Stdout, os.Stderr)
		if ended, ok := errors.AsType[*exec.ExitError](err); ok {
			return &cli.ExitError{Code: ended.ExitCode()}
		}
		return cli.Explained(err)
	case c.JSON:
		err = c.WriteJSON(documents.NewResume(found, r.Command, r.Line))
	default:
		_, err = fmt.Fprintln(c.Stdout, r.Line)
	}
	if err == nil && f.copy {
		err = clipboard(c, r.Line)
	}
	return err
}

// restore puts the file of a session back where it was.
func (f *resumeFlags) restore(ctx context.Context, c *cli.Call, a *query.Archive, r archive.Resumption) error {
	path := r.Session.Path
	yes, err := f.yes, error(nil)
	if !yes && !c.JSON {
		yes, err = terminal.Agreed(ctx, c.Stdin, c.Stderr, path+" is gone. Restore it from the archive?")
	}
	switch {
	case err != nil:
		return err
	case !yes:
		return cli.WithHint(fmt.Errorf("resume %s: the file is gone", path), "--yes restores it without asking")
	}
	if err := r.Restore(ctx, c.Place("auto"), a); err != nil {
		return cli.RestoreError(path, 0, err)
	}
	c.Talk("restored %s", path)
	return nil
}

// clipboard asks the terminal to take a text.
func clipboard(c *cli.Call, s string) error {
	out := c.Env.Stderr
	switch {
	case c.IsTerminal(1):
		out = c.Env.Stdout
	case !c.IsTerminal(2):
		return cli.UsageErrorf("--copy needs a terminal, which has the clipboard")
	}
	if err := c.Stdout.Drain(); err != nil {
		return err
	}
	_, err := io.WriteString(out, terminal.Clipboard(s, c.Getenv))
	return err
}
