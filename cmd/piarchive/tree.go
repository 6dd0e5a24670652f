package main

import (
	"context"

	"github.com/spf13/pflag"

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

// treeDoc is piarchive.tree/1.
type treeDoc struct {
	Session sessionRefDoc `json:"session"`
	LeafID  *string       `json:"leafId"`
	Nodes   []nodeDoc     `json:"nodes"`
	Lost    []stepDoc     `json:"lost"`
}

type nodeDoc struct {
	ID        string   `json:"id"`
	Line      int      `json:"line"`
	ParentID  *string  `json:"parentId"`
	Depth     int      `json:"depth"`
	Type      string   `json:"type"`
	Role      *string  `json:"role"`
	Label     *string  `json:"label"`
	LabelTime jsonTime `json:"labelTimestamp"`
	Time      jsonTime `json:"timestamp"`
	Preview   string   `json:"preview"`
	Active    bool     `json:"active"`
	Children  int      `json:"childCount"`
	Copies    int      `json:"copies"` // further lines of the file with the same id
}

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
		list, err := newStepList(ctx, c, a, session, plan.steps(c.json))
		if err != nil {
			return err
		}
		if c.json {
			return c.writeJSON(newTreeDoc(session, plan, list))
		}
		c.page(ctx)
		(&treePicture{call: c, treePlan: plan, list: list, width: c.width()}).print(session)
		return nil
	}
}

func newTreeDoc(session query.SessionRef, p *treePlan, list stepList) treeDoc {
	doc := treeDoc{Session: newSessionRefDoc(session), Nodes: []nodeDoc{}, Lost: []stepDoc{}}
	for i, n := range p.tree.Nodes {
		if n.Row == p.tree.Leaf {
			doc.LeafID = &n.ID
		}
		if p.hidden(i) {
			continue
		}
		d := nodeDoc{ID: n.ID, Line: n.Line, ParentID: orNull(n.ParentID), Depth: n.Depth, Type: n.Type, Role: orNull(n.Role),
			Label: orNull(n.Label.Text), Preview: list.preview(n.Step), Active: n.Active, Children: n.Children, Copies: n.Copies}
		if n.Time != nil {
			d.Time = jsonTime(*n.Time)
		}
		if n.Label.Time != nil {
			d.LabelTime = jsonTime(*n.Label.Time)
		}
		doc.Nodes = append(doc.Nodes, d)
	}
	for _, s := range p.tree.Lost {
		if s.Row == p.tree.Leaf {
			doc.LeafID = &s.ID
		}
		doc.Lost = append(doc.Lost, list.doc(s))
	}
	return doc
}
