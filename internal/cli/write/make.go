package write

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/pflag"

	"piarchive/internal/cli"
	"piarchive/internal/places"
	"piarchive/internal/session"
)

const newHelp = `Begins a session of no entries for a project, and prints the path of its file:
pi's SessionManager.create. DIR is the project, else this directory.

  piarchive new
  piarchive new ~/src/orbit --dialect omp
  piarchive append "$(piarchive new)" '{"role":"user","content":"hello"}'

The file lies where the program looks: below the first --root or of
$PIARCHIVE_ROOTS, else where its variables and settings say, else in its usual
place; --dir names the directory itself. pi makes the file only at the first
message; here it is there at once.

With --json: {"schema","dryRun","made":[{"path","id","from","entry"}]}.
`

// newFlags are the flags of new.
type newFlags struct {
	options
	dialect, id, dir, parent string
}

// New is the command new.
func New() cli.Command {
	return cli.Command{
		Name: "new", Args: "[DIR]", Summary: "begin a session for a project", Access: cli.Files,
		Help: newHelp, Bind: bindNew,
	}
}

func bindNew(flags *pflag.FlagSet) cli.Runner {
	var f newFlags
	f.bind(flags)
	cli.BindChoice(flags, &f.dialect, "dialect", "pi", "for the program `NAME`, which", "pi", "omp", "rust")
	flags.StringVar(&f.id, "id", "", "the session's `ID` instead of a made one")
	flags.StringVar(&f.dir, "dir", "", "put the file into `DIR`")
	flags.StringVar(&f.parent, "parent", "", "say that it comes from `SESSION`")
	return f.run
}

func (f *newFlags) run(ctx context.Context, c *cli.Call) (err error) {
	w := newWriter(c, f.options)
	defer w.close()
	n := session.New{System: f.dialect, ID: f.id, At: c.Now()}
	if n.CWD, err = c.Abs(cmp.Or(append(c.Args, ".")...)); err != nil {
		return err
	}
	if !exists(n.CWD) {
		return cli.WithHint(fmt.Errorf("new: the project %s is not a directory", n.CWD), "a session belongs to the directory in which its program runs")
	}
	if f.parent != "" {
		t, err := w.find(ctx, f.parent)
		if err != nil {
			return err
		}
		n.Parent = t.Path
	}
	if n.Dir, err = f.directory(c, n.CWD); err != nil {
		return err
	}
	made, err := session.Create(n)
	if err != nil {
		return fmt.Errorf("new: %w", err)
	}
	if err := w.make(made, "", ""); err != nil {
		return err
	}
	return w.finish(ctx)
}

// directory is where the file goes.
func (f *newFlags) directory(c *cli.Call, project string) (string, error) {
	if f.dir != "" {
		return c.Abs(f.dir)
	}
	root, flat := places.ForNew(c.Place("never").Around, f.dialect)
	if len(c.Roots) > 0 {
		root, flat = c.Roots[0], false
	}
	if root == "" {
		return "", cli.WithHint(errors.New("new: find the sessions: no home directory"), "name the directory with --dir DIR")
	}
	if flat {
		return root, nil
	}
	return filepath.Join(root, session.Directory(f.dialect, project, home(c))), nil
}

func home(c *cli.Call) session.Home { return session.Home{Dir: c.Home, Temp: temporary(c)} }

// temporary is the directory for temporary files that omp goes by.
func temporary(c *cli.Call) string {
	if runtime.GOOS == "windows" {
		return cmp.Or(c.Getenv("TEMP"), c.Getenv("TMP"))
	}
	return cmp.Or(c.Getenv("TMPDIR"), "/tmp")
}

const forkHelp = `Begins a new session whose path ends at an entry, or at the current one, and
prints the path of its file: pi's createBranchedSession. The entries keep their
ids, what was abandoned stays behind, labels in force come along. The session it
comes from does not change; its file may even be gone.

  piarchive fork 4a369254@17
  piarchive resume "$(piarchive fork 4a369254@17)" --exec
  piarchive fork 4a369254@17 --before         as pi's /fork, to ask anew
  piarchive fork 4a369254 --whole --project ~/src/other
  piarchive search --entries flaky | piarchive fork -

--whole takes all entries, on every branch: pi's forkFrom, which with --project
DIR takes a session to another directory.

` + cli.EntryHelp + `
Of a session of an older version a fork is of the current one. --dry-run prints
the lines that the file would hold.

With --json: {"schema","dryRun","made":[{"path","id","from","entry"}]}.
`

// forkFlags are the flags of fork.
type forkFlags struct {
	options
	id, project   string
	whole, before bool
}

// Fork is the command fork.
func Fork() cli.Command {
	return cli.Command{
		Name: "fork", Args: "SESSION[@LINE]", Summary: "begin a session that goes on from an entry", Access: cli.Files,
		Help: forkHelp, Bind: bindFork,
	}
}

func bindFork(flags *pflag.FlagSet) cli.Runner {
	var f forkFlags
	f.bind(flags)
	flags.StringVar(&f.id, "id", "", "the new session's `ID` instead of a made one")
	flags.StringVar(&f.project, "project", "", "for the project in `DIR` instead of its own")
	flags.BoolVar(&f.whole, "whole", false, "take every branch")
	flags.BoolVar(&f.before, "before", false, "end before the entry, not at it")
	return f.orders("SESSION@LINE", f.fork)
}

func (f *forkFlags) fork(_ context.Context, w *writer, t target, rest string) (err error) {
	switch {
	case rest != "" && w.Args[0] != "-":
		return cli.UsageErrorf("fork takes SESSION@LINE, or - for those on standard input, not %q", rest)
	case f.whole && (f.before || t.entry != ""):
		return cli.UsageErrorf("--whole takes every entry, wherever a path ends")
	}
	n := session.New{ID: f.id, CWD: t.file.CWD(), Dir: t.dir(), At: w.Now(), Parent: places.Live(t.Path)} // where it will be again
	if f.project != "" {
		if n.CWD, err = w.Abs(f.project); err != nil {
			return err
		}
		if !exists(n.CWD) {
			return fmt.Errorf("fork: the project %s is not a directory", n.CWD)
		}
		n.Dir = beside(w.Call, t, n.CWD)
	}
	made, entry, err := f.made(t, n)
	if err != nil {
		return w.failed(t.Path, err)
	}
	return w.make(made, t.Path, entry)
}

// made is the new session, and where its path ends.
func (f *forkFlags) made(t target, n session.New) (*session.Made, string, error) {
	if f.whole {
		made, err := t.file.Copy(n)
		return made, "", err
	}
	end := cmp.Or(t.entry, t.file.Leaf())
	if f.before {
		end = t.file.Parent(end)
	}
	if end == "" { // before the first entry there is nothing to take along
		n.System = t.file.System
		made, err := session.Create(n)
		return made, "", err
	}
	made, err := t.file.Fork(end, n)
	return made, end, err
}

// beside is the directory of another project's sessions below the root of a session;
// where projects have no directories there, its own.
func beside(c *cli.Call, t target, project string) string {
	dir := t.dir()
	name := func(project string) string { return session.Directory(t.file.System, project, home(c)) }
	if filepath.Base(dir) != name(t.file.CWD()) {
		return dir
	}
	return filepath.Join(filepath.Dir(dir), name(project))
}

const migrateHelp = `Makes a session of the current version of one of version 1 or 2, as pi does when
it opens such a file, and prints the path of its file. The file of the old one
stays as it is; the new one is a session of its own that comes from it.

  piarchive migrate 4a369254

Version 1, to pi 0.30, is a list without ids; version 2, to pi 0.34, has another
name for messages of extensions. Nothing is ever appended to either.

` + cli.SessionHelp + `--dry-run prints the lines that the file would hold.

With --json: {"schema","dryRun","made":[{"path","id","from","entry"}]}.
`

// Migrate is the command migrate.
func Migrate() cli.Command {
	return cli.Command{
		Name: "migrate", Args: "SESSION", Summary: "make a session of the current version of an older one", Access: cli.Files,
		Help: migrateHelp, Bind: bindMigrate,
	}
}

func bindMigrate(flags *pflag.FlagSet) cli.Runner {
	var o options
	o.bind(flags)
	return o.orders("SESSION", func(_ context.Context, w *writer, t target, _ string) error {
		made, err := t.file.Migrate(session.New{CWD: t.file.CWD(), Dir: t.dir(), At: w.Now()})
		if err != nil {
			return w.failed(t.Path, err)
		}
		return w.make(made, t.Path, "")
	})
}

// gone reports whether a file is not there.
func gone(path string) bool {
	_, err := os.Lstat(path)
	return err != nil
}
