package read

import (
	"context"

	"github.com/spf13/pflag"

	"piarchive/internal/cli"
	"piarchive/internal/documents"
	"piarchive/internal/query/session"
	"piarchive/internal/text"
)

const treeHelp = `Draws the branches of a session. ● is on the way to the current leaf, ○ was
abandoned. Entries that just follow each other are folded into a count; what
stays is where a branch begins and ends and what the user said first on it,
labels (⚑), compactions and branch summaries. A summary (╰) stands below the
branch that was left with it.

The way to the leaf runs straight down, and so does the largest branch of those
that were abandoned together; the others hang from it. --depth N draws N levels
of branches: 1 is the way to the leaf alone. SESSION@LINE marks that entry (◀),
which is never folded.

With --json: {"schema","session","leafId","nodes":[{"id","line","parentId",
"depth","type","role","label","labelTimestamp","timestamp","preview","active",
"asked","childCount","copies"}],"lost":[…]}, depth first as pi's getTree has
them; asked is true of the entry of SESSION@LINE; lost are entries that no root
leads to, because they are their own ancestors. --depth leaves out the same
entries as in the picture.
`

// Tree is the command tree.
func Tree() cli.Command {
	return cli.Command{
		Name: "tree", Args: "SESSION[@LINE]", Summary: "draw the branches of a session", Access: cli.Reads,
		Help: treeHelp, Bind: bindTree,
	}
}

func bindTree(flags *pflag.FlagSet) cli.Runner {
	links := ""
	depth := flags.Int("depth", 0, "draw `N` levels of branches; 0 draws all")
	cli.BindHyperlinks(flags, &links)
	return func(ctx context.Context, c *cli.Call) error {
		if *depth < 0 {
			return cli.UsageErrorf("--depth is a number of levels, not %d", *depth)
		}
		a, ref, entry, err := cli.OpenSession(ctx, c, c.Args[0])
		if err != nil {
			return err
		}
		defer a.Close()
		var asked int64
		if entry != "" {
			if asked, err = session.FindRow(ctx, a, ref, entry); err != nil {
				return cli.Explained(err)
			}
		}
		tree, err := session.ReadTree(ctx, a, ref)
		if err != nil {
			return err
		}
		plan := text.PlanTree(tree, *depth, asked)
		steps := plan.Steps
		if !c.JSON {
			steps = plan.Draw
		}
		list, err := documents.ReadSteps(ctx, a, ref, tree.Lost, steps())
		if err != nil {
			return err
		}
		if c.JSON {
			return c.Documents().Tree(ref, tree, asked, list, plan.Hidden)
		}
		c.Page(ctx)
		c.Hyperlinks(links)
		c.Text().Tree(ref, plan, list)
		return nil
	}
}
