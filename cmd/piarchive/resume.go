package main

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/spf13/pflag"

	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/query/history"
	"piarchive/internal/query/session"
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

` + referenceHelp + `
The programs go on at the current leaf; from there, /tree leads to any entry.

With --json: {"schema","session","directory","command":[WORD],"line"}.
`

// resumeFlags are the flags of resume.
type resumeFlags struct {
	exec, copy, yes, fresh bool
}

func bindResume(flags *pflag.FlagSet) runner {
	var f resumeFlags
	flags.BoolVar(&f.exec, "exec", false, "run the command")
	flags.BoolVar(&f.copy, "copy", false, "put the command on the clipboard, too")
	flags.BoolVarP(&f.yes, "yes", "y", false, "do not ask before a file is restored")
	bindFresh(flags, &f.fresh)
	return f.run
}

func (f *resumeFlags) run(ctx context.Context, c *call) error {
	if f.exec && (f.copy || c.json) {
		return usageErrorf("--exec goes with neither --copy nor --json")
	}
	if f.fresh {
		a, err := openArchive(ctx, c, true)
		if err != nil {
			return err
		}
		a.Close()
	}
	a, found, entry, err := openSession(ctx, c, cmp.Or(strings.Join(c.args, ""), "latest:."))
	if err != nil {
		return err
	}
	defer a.Close()
	command, err := session.ResumeCommand(ctx, a, found)
	if err != nil {
		return err
	}
	if command == nil {
		return withHint(fmt.Errorf("resume %s: neither pi nor omp wrote it", found.Path), "piarchive show SESSION prints it")
	}
	line := shellLine(command)
	if err := f.directory(found, line); err != nil {
		return err
	}
	if found.CWD != "" {
		line = shellLine([]string{"cd", found.CWD}) + " && " + line
	}
	if err := f.restore(ctx, c, a, found); err != nil {
		return err
	}
	project, title := text.Headline(found, 72)
	c.talk("%s%s", project, title)
	if entry != "" && entry != "leaf" {
		c.talk("%s goes on at the current leaf; /tree leads to %s", command[0], entry)
	}
	if f.exec {
		a.Close()
		return start(c, found.CWD, command, line)
	}
	if c.json {
		err = c.writeJSON(documents.NewResume(found, command, line))
	} else {
		_, err = fmt.Fprintln(c.stdout, line)
	}
	if err == nil && f.copy {
		err = c.clipboard(line)
	}
	return err
}

// shellLine is a command as people type it.
func shellLine(command []string) string {
	words := make([]string, len(command))
	for i, word := range command {
		words[i] = terminal.ShellWord(word, runtime.GOOS == "windows")
	}
	return strings.Join(words, " ")
}

// directory checks that the directory of a session is there.
func (f *resumeFlags) directory(found query.SessionRef, line string) error {
	if found.CWD == "" {
		return nil
	}
	if info, err := os.Stat(found.CWD); err == nil && info.IsDir() {
		return nil
	}
	return withHint(fmt.Errorf("resume %s: its directory %s is gone", cmp.Or(found.ID, found.Path), found.CWD),
		"make it again, or run this where the project is now: "+line)
}

// restore puts the file of a session back where it was, if it is gone.
func (f *resumeFlags) restore(ctx context.Context, c *call, a *query.Archive, found query.SessionRef) error {
	if _, err := os.Lstat(found.Path); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if !f.yes {
		yes, err := c.agreed(ctx, found.Path+" is gone. Restore it from the archive?")
		if err != nil {
			return err
		}
		if !yes {
			return withHint(fmt.Errorf("resume %s: the file is gone", found.Path), "--yes restores it without asking")
		}
	}
	list, err := history.List(ctx, a, history.KeptOptions{Keys: []int64{found.Key}})
	if err != nil {
		return err
	}
	r := newRestoring(c, a, &restoreFlags{})
	for _, s := range list {
		if err := r.session(ctx, s); err != nil {
			return err
		}
	}
	if r.failed == nil {
		c.talk("restored %s", found.Path)
	}
	return r.failed
}

// start becomes the command, in a directory.
func start(c *call, dir string, command []string, line string) error {
	program, err := exec.LookPath(command[0])
	if err != nil {
		return withHint(fmt.Errorf("resume: find %s: %w", command[0], errors.Unwrap(err)), "put it into a directory of $PATH; what would run is: "+line)
	}
	if err := c.stdout.drain(); err != nil {
		return err
	}
	environ := os.Environ()
	if dir != "" {
		if err := os.Chdir(dir); err != nil {
			return fmt.Errorf("resume: %w", err)
		}
		environ = append(environ, "PWD="+dir)
	}
	c.stdout.paged.Store(true) // who talks to it is not cut short
	return become(program, command, environ)
}

// clipboard asks the terminal to take a text. Base64 holds nothing that it obeys.
func (c *call) clipboard(s string) error {
	out := c.env.stderr
	switch {
	case c.isTerminal(1):
		out = c.env.stdout
	case !c.isTerminal(2):
		return usageErrorf("--copy needs a terminal, which has the clipboard")
	}
	if err := c.stdout.drain(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\x1b]52;c;%s\a", base64.StdEncoding.EncodeToString([]byte(s)))
	return err
}
