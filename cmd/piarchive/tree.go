package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"piarchive/internal/query"
)

const treeHelp = `Draws the branches of a session. ● is on the way to the current leaf, ○ was
abandoned. Entries that just follow each other are folded into a count; where a
branch begins and ends, labels (⚑), compactions and branch summaries stay.

--depth N follows only N levels of branches.

With --json: {"schema","session","leafId","nodes":[{"id","line","parentId",
"depth","type","role","label","labelTimestamp","timestamp","preview","active",
"childCount","copies"}],"lost":[…]}, depth first as pi's getTree has them; lost
are entries that no root leads to, because they are their own ancestors.
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
	depth := flags.Int("depth", 0, "follow `N` levels of branches; 0 follows all")
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
		list, err := newStepList(ctx, c, a, session, tree.Lost)
		if err != nil {
			return err
		}
		if c.json {
			return c.writeJSON(newTreeDoc(session, tree, list))
		}
		c.page(ctx)
		p := &treePicture{call: c, tree: tree, list: list, width: c.width(), depth: *depth}
		p.title(session)
		p.draw()
		return nil
	}
}

func newTreeDoc(session query.SessionRef, tree *query.Tree, list stepList) treeDoc {
	doc := treeDoc{Session: newSessionRefDoc(session), Nodes: make([]nodeDoc, 0, len(tree.Nodes)), Lost: list.docs()}
	for _, n := range tree.Nodes {
		d := nodeDoc{ID: n.ID, Line: n.Line, ParentID: orNull(n.ParentID), Depth: n.Depth, Type: n.Type, Role: orNull(n.Role),
			Label: orNull(n.Label.Text), Preview: list.preview(n.Step), Active: n.Active, Children: n.Children, Copies: n.Copies}
		if n.Time != nil {
			d.Time = jsonTime(*n.Time)
		}
		if n.Label.Time != nil {
			d.LabelTime = jsonTime(*n.Label.Time)
		}
		if n.Row == tree.Leaf {
			doc.LeafID = orNull(n.ID)
		}
		doc.Nodes = append(doc.Nodes, d)
	}
	return doc
}

// treePicture draws a tree. The nodes come depth first, so a node's subtree
// follows it, and a chain of single children is a run of nodes.
type treePicture struct {
	call  *call
	tree  *query.Tree
	list  stepList
	width int
	depth int
	ends  []int // behind the last node of each subtree, by position
}

func (p *treePicture) title(session query.SessionRef) {
	leaves := 0
	for _, n := range p.tree.Nodes {
		if n.Children == 0 {
			leaves++
		}
	}
	title := projectName(session.CWD)
	if session.Name != "" {
		title += " · " + session.Name
	}
	about := fmt.Sprintf("%s entries, %s", count(int64(len(p.tree.Nodes))), plural(leaves, "leaf", "leaves"))
	fmt.Fprintln(p.call.stdout, p.call.style.bold(fit(safe(title), p.room(len(about)+2)))+"  "+p.call.style.dim(about))
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return count(int64(n)) + " " + many
}

func (p *treePicture) room(taken int) int {
	if p.width == 0 {
		return 1 << 20
	}
	return max(10, p.width-taken)
}

func (p *treePicture) draw() {
	p.ends = make([]int, len(p.tree.Nodes))
	var open []int
	for i, n := range p.tree.Nodes {
		for len(open) > 0 && p.tree.Nodes[open[len(open)-1]].Depth >= n.Depth {
			p.ends[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
		open = append(open, i)
	}
	for _, i := range open {
		p.ends[i] = len(p.tree.Nodes)
	}
	for i := 0; i < len(p.tree.Nodes); i = p.ends[i] {
		p.chain(i, "", "", 0)
	}
	if n := len(p.tree.Lost); n > 0 {
		fmt.Fprintln(p.call.stdout, p.call.style.bad(fmt.Sprintf("%s, their own ancestors, that no root leads to:", plural(n, "entry", "entries"))))
		p.list.print()
	}
}

// chain draws a node and those that follow it one by one, then the branches at
// its end. first stands before the first node, rest before all below.
func (p *treePicture) chain(start int, first, rest string, level int) {
	end := start // position of the last node of the chain
	for p.tree.Nodes[end].Children == 1 {
		end++
	}
	folded := 0
	prefix := first
	for i := start; i <= end; i++ {
		if i != start && i != end && !p.landmark(p.tree.Nodes[i]) {
			folded++
			continue
		}
		p.fold(rest, folded)
		folded = 0
		p.node(p.tree.Nodes[i], prefix)
		prefix = rest
	}
	if p.tree.Nodes[end].Children == 0 {
		return
	}
	if p.depth > 0 && level+1 >= p.depth {
		below := p.ends[end] - end - 1
		fmt.Fprintln(p.call.stdout, p.call.style.dim(rest+"└ … "+plural(below, "entry", "entries")+" in "+plural(p.tree.Nodes[end].Children, "branch", "branches")))
		return
	}
	for i := end + 1; i < p.ends[end]; i = p.ends[i] {
		if p.ends[i] < p.ends[end] {
			p.chain(i, rest+"├─", rest+"│ ", level+1)
		} else {
			p.chain(i, rest+"└─", rest+"  ", level+1)
		}
	}
}

// landmark says that a node is drawn even inside a chain.
func (p *treePicture) landmark(n query.TreeNode) bool {
	return n.Label.Text != "" || n.Row == p.tree.Leaf || n.Type == "compaction" || n.Type == "branch_summary" || n.Type == "reset_boundary"
}

func (p *treePicture) fold(prefix string, n int) {
	if n > 0 {
		fmt.Fprintln(p.call.stdout, p.call.style.dim(prefix+"│ … "+plural(n, "entry", "entries")))
	}
}

func (p *treePicture) node(n query.TreeNode, prefix string) {
	s := p.call.style
	mark, paint := "○", s.dim
	if n.Active {
		mark, paint = "●", func(text string) string { return text }
	}
	what := strings.ReplaceAll(orElse(n.Role, n.Type), "_", " ")
	place := fmt.Sprintf("@%d", n.Line)
	flag, leaf := "", ""
	if n.Label.Text != "" {
		flag = "⚑ " + safe(n.Label.Text) + "  "
	}
	if n.Row == p.tree.Leaf {
		leaf = "  ← leaf"
	}
	head := prefix + mark + " "
	room := p.room(cells.StringWidth(head+what+"  "+flag+place+leaf) + 2)
	preview := fit(p.list.preview(n.Step), room)
	fmt.Fprintln(p.call.stdout, s.dim(prefix)+paint(mark+" "+safe(what))+"  "+s.label(flag)+paint(preview)+"  "+s.accent(place)+s.bold(leaf))
}
