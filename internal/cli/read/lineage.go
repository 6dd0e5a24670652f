package read

import (
	"context"

	"github.com/spf13/pflag"

	"piarchive/internal/cli"
	"piarchive/internal/documents"
	"piarchive/internal/query/lineage"
)

const lineageHelp = `Draws where a session comes from and what came of it: forks, subagents and
copies, down from the first. ● is SESSION.

A fork names its parent in its header, a subagent does so too or lies in the
folder of the session it worked for, and whatever repeats entries of an older
session comes from that, also where files have moved or parents are gone.
Behind each stands where it left its parent: the last entry that both have, or
the call that started a subagent. Of a parent that the archive lacks only its
name is known; its children then leave each other.

  --dot   for Graphviz: piarchive lineage SESSION --dot | dot -Tsvg

In a pipe each session is one line of fields set apart by tabs: depth, relation
(fork, subagent, copy), path, id, path of the parent, line where it left,
entries shared, entries of its own.

With --json: {"schema","session","members":[{"session","named","depth","parent",
"relation","by","created","messageCount","entryCount","sharedEntries",
"ownEntries","left":{"path","entry"},"lastShared"}],"coverage"}; named is a
parent that the archive lacks, by is header, folder or entries.
`

// Lineage is the command lineage.
func Lineage() cli.Command {
	return cli.Command{
		Name: "lineage", Args: "SESSION", Summary: "draw a session's forks, subagents and copies", Access: cli.Reads, Lists: true,
		Help: lineageHelp, Bind: bindLineage,
	}
}

func bindLineage(flags *pflag.FlagSet) cli.Runner {
	dot := flags.Bool("dot", false, "for Graphviz")
	return func(ctx context.Context, c *cli.Call) error {
		if *dot && (c.JSON || c.JSONL) {
			return cli.UsageErrorf("--dot and --json exclude each other")
		}
		a, err := cli.OpenHeld(ctx, c)
		if err != nil {
			return err
		}
		defer a.Close()
		asked, _, err := c.Place("auto").Find(ctx, a, c.Args[0])
		if err != nil {
			return cli.Explained(err)
		}
		family, err := lineage.Read(ctx, a, asked)
		if err != nil {
			return cli.Explained(err)
		}
		if *dot {
			return documents.LineageDot(c.Stdout, family)
		}
		list := documents.NewLineage(family)
		doc := documents.Object{{Name: "session", Value: documents.NewSessionRef(asked)}, {Name: "members", Value: list}}
		return cli.PrintList(ctx, c, a, list, documents.LineageFields, doc, func() error {
			c.Page(ctx)
			return c.Text().Lineage(ctx, a, family)
		})
	}
}
