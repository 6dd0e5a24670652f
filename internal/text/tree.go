package text

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/query/session"
	"piarchive/internal/terminal"
)

// treePicture prints a plan.
type treePicture struct {
	Page
	*TreePlan
	list documents.Steps

	line  []byte // the row so far
	taken int    // its cells, where there is a limit
}

// Tree prints a tree that was drawn.
func (p Page) Tree(ref query.SessionRef, plan *TreePlan, list documents.Steps) {
	t := &treePicture{Page: p, TreePlan: plan, list: list}
	t.title(ref)
	for _, r := range t.rows {
		t.row(r)
	}
	if n := len(t.tree.Lost); n > 0 {
		p.say(p.Style.Bad(terminal.Counted(n, "entry") + " that no root leads to, because they are their own ancestors:"))
		p.Steps(list)
	}
}

// title says what the session is.
func (p *treePicture) title(ref query.SessionRef) {
	leaves := 0
	for _, n := range p.tree.Nodes {
		if n.Children == 0 {
			leaves++
		}
	}
	about := terminal.Counted(len(p.tree.Nodes), "entry")
	if leaves > 1 {
		about += fmt.Sprintf(", %s leaves", terminal.Count(int64(leaves)))
	}
	ref.First = "" // it is the next line
	project, name := Headline(ref, p.Room(len(about)+2))
	p.say(p.link(ref, p.Style.Label(project)+p.Style.Bold(name)) + "  " + p.Style.Dim(about))
}

func (p *treePicture) row(r treeRow) {
	dim := p.Style.Dim
	switch r.kind {
	case rowNode:
		p.node(r)
	case rowFold:
		p.say(dim(r.prefix + "│ … " + terminal.Counted(r.entries, "entry")))
	case rowBranches:
		branches := "1 branch"
		if r.count > 1 {
			branches = terminal.Count(int64(r.count)) + " branches"
		}
		p.say(dim(r.prefix + "├─… " + terminal.Counted(r.entries, "entry") + " in " + branches))
	case rowSummary:
		p.summary(r)
	case rowGap:
		p.say("")
	}
}

// node prints the row of one entry: what it is, its label, how it begins, and at
// the right edge its place.
func (p *treePicture) node(r treeRow) {
	n, s := &p.tree.Nodes[r.node], p.Style
	mark, what, text := "○ ", s.Dim, s.Dim
	if n.Active {
		mark, what, text = "● ", s.Plain, s.Plain
		if n.Role == "user" {
			what = s.Bold
		}
	}
	p.add(r.prefix, s.Dim)
	p.add(mark, what)
	p.add(strings.ReplaceAll(terminal.Safe(cmp.Or(n.Role, n.Type)), "_", " "), what)
	p.add("  ", s.Plain)
	if n.Label.Text != "" {
		p.add("⚑ "+terminal.Safe(n.Label.Text)+"  ", s.Label)
	}
	if n.Orphan {
		p.add("parent "+terminal.Safe(n.ParentID)+" is not in the file  ", s.Bad)
	}
	begins := p.list.Text(*n.Step)
	if branch, ok := p.ended[r.node]; ok {
		begins = fmt.Sprintf("of the branch at @%d", p.tree.Nodes[branch].Line)
	}
	p.end(begins, text, n, n.Row == p.tree.Leaf)
}

// summary prints what was written when the branch above was left.
func (p *treePicture) summary(r treeRow) {
	n, dim := &p.tree.Nodes[r.node], p.Style.Dim
	if text := p.list.Text(*n.Step); text != "" {
		p.add(r.prefix, dim)
		p.add("╰ ", dim)
		p.end(text, dim, n, false)
	}
}

// add adds a piece to the row.
func (p *treePicture) add(text string, paint func(string) string) {
	p.line = append(p.line, paint(text)...)
	if p.Width > 0 {
		p.taken += terminal.Width(text)
	}
}

// end prints the row: what it has so far, as much of a text as there is room
// for, and at the right edge the place of the entry.
func (p *treePicture) end(text string, paint func(string) string, n *session.TreeNode, leaf bool) {
	s := p.Style
	place, note := "  @"+strconv.Itoa(n.Line), ""
	if n.Copies > 0 {
		note = fmt.Sprintf("  ×%d", n.Copies+1)
	}
	if leaf {
		note += "  ← leaf"
	}
	if n.Row == p.asked {
		note += "  ◀"
	}
	room := documents.PreviewCells
	if p.Width > 0 {
		room = max(10, p.Width-p.taken-terminal.Width(note+place))
	}
	p.add(p.Glyphs.Fit(text, room), paint)
	if p.Width > 0 {
		p.line = append(p.line, terminal.Blanks(note+place, p.Width-p.taken)...)
	}
	p.add(note, s.Bold)
	p.add(place, s.Accent)
	p.Out.Write(append(p.line, '\n'))
	p.line, p.taken = p.line[:0], 0
}
