package main

import (
	"context"

	"github.com/spf13/pflag"

	"piarchive/internal/documents"
	"piarchive/internal/query"
)

const treeHelp = `Draws the branches of a session. ● is on the way to the current leaf, ○ was
abandoned. Entries that just follow each other are folded into a count; what
stays is where a branch begins and ends and what the user said first on it,
labels (⚑), compactions and branch summaries. A summary (╰) stands below the
branch that was left with it.

The way to the leaf runs straight down, and so does the largest branch of those
that were abandoned together; the others hang from it. --depth N draws N levels
of branches: 1 is the way to the leaf alone.

With --json: {"schema","session","leafId","nodes":[{"id","line","parentId",
"depth","type","role","label","labelTimestamp","timestamp","preview","active",
"childCount","copies"}],"lost":[…]}, depth first as pi's getTree has them; lost
are entries that no root leads to, because they are their own ancestors. --depth
leaves out the same entries as in the picture.
`

func bindTree(flags *pflag.FlagSet) runner {
	depth := flags.Int("depth", 0, "draw `N` levels of branches; 0 draws all")
	return func(ctx context.Context, c *call) error {
		if *depth < 0 {
			return usageErrorf("--depth is a number of levels, not %d", *depth)
		}
		a, session, err := openSession(ctx, c, c.args[0])
		if err != nil {
			return err
		}
		defer a.Close()
		tree, err := a.Tree(ctx, session)
		if err != nil {
			return err
		}
		plan := newTreePlan(tree, *depth)
		if !c.json {
			plan.draw()
		}
		list, err := newStepList(ctx, c, a, session, tree.Lost, plan.steps(c.json))
		if err != nil {
			return err
		}
		if c.json {
			return writeTree(c, session, plan, list)
		}
		c.page(ctx)
		(&treePicture{call: c, treePlan: plan, list: list, width: c.width()}).print(session)
		return nil
	}
}

// writeTree prints piarchive.tree/1.
func writeTree(c *call, session query.SessionRef, p *treePlan, list stepList) error {
	d := c.newDocument()
	d.Value("session", documents.NewSessionRef(session))
	d.TextOrNull("leafId", p.tree.LeafID)
	d.List("nodes")
	for i, n := range p.tree.Nodes {
		if p.hidden(i) {
			continue
		}
		d.Item()
		d.Text("id", n.ID)
		d.Number("line", int64(n.Line))
		d.TextOrNull("parentId", n.ParentID)
		d.Number("depth", int64(n.Depth))
		d.Text("type", n.Type)
		d.TextOrNull("role", n.Role)
		d.TextOrNull("label", n.Label.Text)
		d.Time("labelTimestamp", n.Label.Time)
		d.Time("timestamp", n.Time)
		d.Text("preview", list.preview(*n.Step))
		d.Flag("active", n.Active)
		d.Number("childCount", int64(n.Children))
		d.Number("copies", int64(n.Copies)) // further lines of the file with the same id
		d.Close('}')
	}
	d.Close(']')
	list.list(d, "lost")
	return d.End()
}
