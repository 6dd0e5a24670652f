package read

import (
	"context"

	"github.com/spf13/pflag"

	"piarchive/internal/cli"
	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/query/session"
	"piarchive/internal/terminal"
)

const pathHelp = `Prints the entries from the root to ENTRY, or to the current leaf: all types,
one a line. Where the file names a parent that it does not have, the path
begins there; --json says so in "problem". Old forks lost their labels so, and
what hung from them: with --bridge the path goes on where the session that has
the parent, one that this was forked from or the other way round, leads back to
an entry of this file.

ENTRY is an entry id, a unique beginning of one, @N for the entry on line N, or
leaf; SESSION@LINE says both in one word.

With --json: {"schema","session","leafId","entries":[{"id","parentId","line",
"offset","bytes","type","role","timestamp","label","preview"}],"complete",
"problem","bridges":[{"id","to","session","missing":[{"id","type","line"}]}]},
where problem is null, "orphan" or "cycle". In a pipe each entry is one line of
fields set apart by tabs: line, id, type, role, time, preview.
`

const childrenHelp = `Prints the entries whose parent is ENTRY, in the order of the file. Takes
SESSION@LINE, or SESSION and ENTRY.

With --json: {"schema","session","entries":[…]}, the entries as in path.
`

// printSteps prints entries, each on a line.
func printSteps(ctx context.Context, c *cli.Call, l documents.Steps) error {
	if c.LaysOut() {
		c.Page(ctx)
		c.Text().Steps(l)
		return nil
	}
	return l.Fields(c.Stdout)
}

// Path is the command path.
func Path() cli.Command {
	return cli.Command{
		Name: "path", Args: "SESSION[@LINE] [ENTRY]", Summary: "list the entries from the root to one", Access: cli.Reads, Fields: true,
		Help: pathHelp, Bind: bindPath,
	}
}

func bindPath(flags *pflag.FlagSet) cli.Runner {
	bridge := flags.Bool("bridge", false, "go on above an entry whose parent only a related session has")
	return cli.OnSession(false, func(ctx context.Context, c *cli.Call, a *query.Archive, found query.SessionRef, entry string) error {
		row, err := session.FindRow(ctx, a, found, entry)
		if err != nil {
			return cli.Explained(err)
		}
		steps, bridges, err := session.BridgedPathTo(ctx, a, found, row)
		if err != nil {
			return err
		}
		if !*bridge && len(bridges) > 0 {
			sayBridge(c, bridges[len(bridges)-1])
			steps, bridges = session.Unbridged(steps, bridges), nil
		}
		list, err := documents.ReadSteps(ctx, a, found, steps, nil)
		if err != nil {
			return err
		}
		if c.JSON {
			return c.Documents().Path(found, list, bridges)
		}
		return printSteps(ctx, c, list)
	})
}

// sayBridge says where the path would go on.
func sayBridge(c *cli.Call, last session.Bridge) {
	c.Talk("the path begins on line %d: its parent %s is only in %s; --bridge goes on from line %d", last.Orphan.Line, terminal.Safe(last.Orphan.ParentID), terminal.Safe(last.Session.Path), last.To.Line)
}

// Children is the command children.
func Children() cli.Command {
	return cli.Command{
		Name: "children", Args: "SESSION[@LINE] [ENTRY]", Summary: "list what follows an entry", Access: cli.Reads, Fields: true,
		Help: childrenHelp, Bind: bindChildren,
	}
}

func bindChildren(*pflag.FlagSet) cli.Runner {
	return cli.OnSession(true, func(ctx context.Context, c *cli.Call, a *query.Archive, found query.SessionRef, entry string) error {
		step, err := session.FindEntry(ctx, a, found, entry)
		if err != nil {
			return cli.Explained(err)
		}
		steps, err := session.ChildrenOf(ctx, a, found, step.Row)
		if err != nil {
			return err
		}
		list, err := documents.ReadSteps(ctx, a, found, steps, nil)
		if err != nil {
			return err
		}
		if c.JSON {
			return c.Documents().Children(found, list)
		}
		if err := printSteps(ctx, c, list); err != nil {
			return err
		}
		if len(steps) == 0 {
			return cli.ErrNothing
		}
		return nil
	})
}
