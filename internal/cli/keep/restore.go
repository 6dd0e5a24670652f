package keep

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"piarchive/internal/archive"
	"piarchive/internal/cli"
	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/query/history"
	"piarchive/internal/terminal"
)

const restoreHelp = `Writes the file of a session as it was read last, byte for byte: to where it
was, with the time it had, or elsewhere with -o or --to. What the archive holds
is first held against the length and the hashes taken when it was read. The
paths written are printed; -o - prints the file itself, on a terminal as entry
shows a line.

A file that is there is never touched, whatever it holds. Of a session that was
cut short or written anew, -o and --to give the last state that had what it has
lost; --version N gives another of those that piarchive vanished SESSION lists.

  piarchive restore 4a369254
  piarchive restore --all --to /tmp/sessions
  piarchive restore 4a369254 --version 2 -o before.jsonl

` + cli.SessionHelp + `piarchive vanished lists what there is to restore.

With --json: {"schema","restored":[{"path","id","from","version","bytes",
"mtime","sha256"}],"failed":[{"path","message"}],"coverage"}. path is that of
the file written, from that of the session; version is null for the latest
state.
`

// restoreFlags are the flags of restore.
type restoreFlags struct {
	output, to string
	version    int
	earlier    bool // --version was given
	all        bool
}

// Restore is the command restore.
func Restore() cli.Command {
	return cli.Command{
		Name: "restore", Args: "[SESSION…]", Summary: "write back the file of a session, byte for byte", Access: cli.Reads,
		Help: restoreHelp, Bind: bindRestore,
	}
}

func bindRestore(flags *pflag.FlagSet) cli.Runner {
	var f restoreFlags
	flags.StringVarP(&f.output, "output", "o", "", "write to `FILE`, which must not exist; - is standard output")
	flags.StringVar(&f.to, "to", "", "write below `DIR`, as it lay below its sessions root")
	flags.IntVar(&f.version, "version", 0, "the `N`-th of the earlier states, 1 being the oldest")
	flags.BoolVar(&f.all, "all", false, "every session whose file is gone; with --to all that vanished lists")
	return func(ctx context.Context, c *cli.Call) error {
		f.earlier = flags.Changed("version")
		return f.run(ctx, c)
	}
}

func (f *restoreFlags) check(c *cli.Call) error {
	switch {
	case f.all && len(c.Args) > 0:
		return cli.UsageErrorf("--all is every session; name none with it")
	case !f.all && len(c.Args) == 0:
		return cli.UsageErrorf("restore needs SESSION, or --all")
	case f.output != "" && f.to != "":
		return cli.UsageErrorf("-o and --to exclude each other")
	case f.output != "" && (f.all || len(c.Args) > 1):
		return cli.UsageErrorf("-o takes one session; --to DIR takes many")
	case f.earlier && f.version < 1:
		return cli.UsageErrorf("--version is a number from 1 on, not %d", f.version)
	case f.version > 0 && (f.all || len(c.Args) > 1):
		return cli.UsageErrorf("--version takes one session")
	case f.output == "-" && c.JSON:
		return cli.UsageErrorf("--json does not go with what is printed itself; write to a file with -o FILE")
	}
	return nil
}

func (f *restoreFlags) run(ctx context.Context, c *cli.Call) error {
	if err := f.check(c); err != nil {
		return err
	}
	a, err := cli.OpenStored(ctx, c)
	if err != nil {
		return err
	}
	defer a.Close()
	list, err := f.sessions(ctx, c, a)
	if err != nil {
		return err
	}
	r := archive.Restoring{Place: c.Place("auto"), Archive: a, File: f.output, Dir: f.to, Version: f.version}
	if f.output == "-" {
		c.Data()
		r.File, r.Out = "", c.Stdout
	}
	var told restored
	for _, v := range list {
		done, err := r.Session(ctx, v)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil: // which does not keep the others from it
			told.last = cli.RestoreError(v.Session.Path, f.version, err)
			_, damaged := errors.AsType[*history.DamagedCopy](err)
			told.damaged = told.damaged || damaged
			told.failed = append(told.failed, documents.Failed{Path: v.Session.Path, Message: query.Plain(err)})
		case r.Out == nil:
			told.back = told.back || done.Path == v.Session.Path
			told.files = append(told.files, documents.NewRestored(done.Path, v.Session, done.Version, done.Was))
		}
	}
	if r.Out != nil {
		return told.last
	}
	return told.print(ctx, c, a)
}

// sessions are those asked for.
func (f *restoreFlags) sessions(ctx context.Context, c *cli.Call, a *query.Archive) ([]*history.Kept, error) {
	switch {
	case f.all && f.to != "":
		return history.Vanished(ctx, a)
	case f.all:
		return history.List(ctx, a, history.KeptOptions{Missing: true})
	}
	list, err := c.Place("auto").Kept(ctx, a, c.Args)
	return list, cli.Explained(err)
}

// restored is what was done.
type restored struct {
	files  []documents.Restored
	failed []documents.Failed
	last   error
	back   bool // something is where it was

	damaged bool // a copy in the archive
}

func (r *restored) print(ctx context.Context, c *cli.Call, a *query.Archive) error {
	if c.JSON {
		if err := c.Documents().Answer(ctx, a, documents.RestoreDocument(r.files, r.failed)); err != nil {
			return err
		}
	} else {
		for _, d := range r.files {
			fmt.Fprintln(c.Stdout, terminal.Safe(d.Path))
		}
	}
	if r.back {
		c.Talk("the next run of piarchive index finds what is back")
	}
	switch n, failed := len(r.files), len(r.failed); {
	case failed == 1 && n == 0:
		return r.last
	case failed > 0:
		for _, d := range r.failed {
			c.Talk("%s: %s", d.Path, d.Message)
		}
		err := fmt.Errorf("restore: %s of %d could not be restored", terminal.Counted(failed, "session"), failed+n)
		if r.damaged {
			err = cli.WithHint(err, cli.DamagedCopyHint)
		}
		return err
	case n == 0:
		if c.IsTerminal(1) {
			c.Talk("nothing to restore")
		}
		return cli.ErrNothing
	}
	return nil
}
