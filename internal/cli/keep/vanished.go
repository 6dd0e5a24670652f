package keep

import (
	"context"
	"slices"

	"github.com/spf13/pflag"

	"piarchive/internal/cli"
	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/query/history"
)

const vanishedHelp = `Sessions of which the archive has more than the disk: their file is gone, or it
was cut short or written anew, and lines that were in it are only here. All of
it is kept until it is forgotten.

  piarchive vanished
  piarchive vanished 4a369254            its earlier states, numbered
  piarchive show 4a369254 --version 2    one of them
  piarchive restore 4a369254             the file, where it was

A file counts as gone only if the directory it was found under could be read.

In a pipe each session is one line of fields set apart by tabs: when it was
found, missing or rewritten, id, lines and bytes that only the archive has,
project, title, path. With SESSION each earlier state is one: its number, when
it was replaced, lines, bytes, lines that the next state lacks, SHA-256, path.

With --json: {"schema","sessions":[{"path","id","cwd","name","firstMessage",
"modified","missing","missingAt","bytes","lines","dropped":{"lines","bytes",
"rewrites","at"},"versions":[{"version","replacedAt","mtime","bytes","lines",
"dropped","titleOnly","sha256"}]}],"coverage"}. bytes and lines are those of the
file as it was read last, dropped those that rewrites took away before; null
without. versions are its earlier states, the oldest first.
`

// vanishedFlags are the flags of vanished.
type vanishedFlags struct{ missing, rewritten bool }

// Vanished is the command vanished.
func Vanished() cli.Command {
	return cli.Command{
		Name: "vanished", Args: "[SESSION…]", Summary: "list the sessions that only the archive still has", Access: cli.Reads, Lists: true,
		Help: vanishedHelp, Bind: bindVanished,
	}
}

func bindVanished(flags *pflag.FlagSet) cli.Runner {
	var f vanishedFlags
	flags.BoolVar(&f.missing, "missing", false, "only sessions whose file is gone")
	flags.BoolVar(&f.rewritten, "rewritten", false, "only sessions that lines were dropped from")
	return f.run
}

func (f *vanishedFlags) run(ctx context.Context, c *cli.Call) error {
	a, err := cli.OpenArchive(ctx, c)
	if err != nil {
		return err
	}
	defer a.Close()
	var all []*history.Kept
	if len(c.Args) > 0 {
		all, err = c.Place("auto").KeptVersions(ctx, a, c.Args)
	} else {
		all, err = history.Vanished(ctx, a)
	}
	if err != nil {
		return cli.Explained(err)
	}
	list := all[:0]
	for _, v := range all {
		if (!f.missing || v.Session.Missing) && (!f.rewritten || v.Dropped > 0) {
			list = append(list, v)
		}
	}
	if err := f.print(ctx, c, a, list); err != nil {
		return err
	}
	if len(c.Args) > 0 && !slices.ContainsFunc(list, func(v *history.Kept) bool { return len(v.Versions) > 0 }) {
		return cli.ErrNothing
	}
	return nil
}

func (f *vanishedFlags) print(ctx context.Context, c *cli.Call, a *query.Archive, list []*history.Kept) error {
	all := documents.NewVanished(list)
	if len(c.Args) > 0 && !c.JSON && !c.JSONL && !c.LaysOut() {
		for _, v := range list {
			if err := documents.NewVersions(v).Fields(c.Stdout, documents.VersionFields); err != nil {
				return err
			}
		}
		return nil
	}
	return cli.PrintList(ctx, c, a, all, documents.VanishedFields, documents.Object{{Name: "sessions", Value: all}}, func() error {
		switch {
		case len(c.Args) > 0:
			for _, v := range list {
				if len(v.Versions) == 0 {
					c.Talk("%s was never cut short or written anew", v.Session.Path)
				}
			}
			return c.Text().Versions(list)
		case len(list) == 0:
			c.Talk("nothing has vanished")
			return nil
		}
		c.Page(ctx)
		return c.Text().Vanished(ctx, a, list)
	})
}
