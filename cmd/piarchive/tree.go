package main

import (
	"context"

	"github.com/spf13/pflag"

	"piarchive/internal/query"
	"piarchive/internal/query/session"
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
		a, ref, err := openSession(ctx, c, c.args[0])
		if err != nil {
			return err
		}
		defer a.Close()
		tree, err := session.ReadTree(ctx, a, ref)
		if err != nil {
			return err
		}
		plan := newTreePlan(tree, *depth)
		if !c.json {
			plan.draw()
		}
		list, err := newStepList(ctx, c, a, ref, tree.Lost, plan.steps(c.json))
		if err != nil {
			return err
		}
		if c.json {
			return writeTree(c, ref, plan, list)
		}
		c.page(ctx)
		(&treePicture{call: c, treePlan: plan, list: list, width: c.width()}).print(ref)
		return nil
	}
}

// writeTree prints piarchive.tree/1.
func writeTree(c *call, session query.SessionRef, p *treePlan, list stepList) error {
	d := c.newDocument(false)
	d.value("session", newSessionRefDoc(session))
	d.textOrNull("leafId", p.tree.LeafID)
	d.list("nodes")
	for i, n := range p.tree.Nodes {
		if p.hidden(i) {
			continue
		}
		d.item()
		d.text("id", n.ID)
		d.number("line", int64(n.Line))
		d.textOrNull("parentId", n.ParentID)
		d.number("depth", int64(n.Depth))
		d.text("type", n.Type)
		d.textOrNull("role", n.Role)
		d.textOrNull("label", n.Label.Text)
		d.time("labelTimestamp", n.Label.Time)
		d.time("timestamp", n.Time)
		d.text("preview", list.preview(*n.Step))
		d.flag("active", n.Active)
		d.number("childCount", int64(n.Children))
		d.number("copies", int64(n.Copies)) // further lines of the file with the same id
		d.close('}')
	}
	d.close(']')
	list.list(d, "lost")
	return d.end()
}
