package main

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
	*treePlan
	call  *call
	list  documents.Steps
	width int // of the terminal; 0 is unlimited

	line  []byte // the row so far
	taken int    // its cells, where there is a limit
}

func (p *treePicture) print(ref query.SessionRef) {
	p.title(ref)
	for _, r := range p.rows {
		p.row(r)
	}
	if n := len(p.tree.Lost); n > 0 {
		p.say(p.call.style.Bad(terminal.Counted(n, "entry") + " that no root leads to, because they are their own ancestors:"))
		for _, s := range p.tree.Lost {
			p.say(stepLine(p.call, s, p.list.Labels[s.Row].Text, p.list.Preview(s), p.width))
		}
	}
}

func (p *treePicture) say(line string) { fmt.Fprintln(p.call.stdout, line) }

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
	project, name := headline(ref, p.room(len(about)+2))
	p.say(p.call.style.Label(project) + p.call.style.Bold(name) + "  " + p.call.style.Dim(about))
}

func (p *treePicture) room(taken int) int {
	if p.width == 0 {
		return 1 << 20
	}
	return max(10, p.width-taken)
}

func (p *treePicture) row(r treeRow) {
	dim := p.call.style.Dim
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
	n, s := &p.tree.Nodes[r.node], p.call.style
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
	n, dim := &p.tree.Nodes[r.node], p.call.style.Dim
	if text := p.list.Text(*n.Step); text != "" {
		p.add(r.prefix, dim)
		p.add("╰ ", dim)
		p.end(text, dim, n, false)
	}
}

// add adds a piece to the row.
func (p *treePicture) add(text string, paint func(string) string) {
	p.line = append(p.line, paint(text)...)
	if p.width > 0 {
		p.taken += terminal.Width(text)
	}
}

// end prints the row: what it has so far, as much of a text as there is room
// for, and at the right edge the place of the entry.
func (p *treePicture) end(text string, paint func(string) string, n *session.TreeNode, leaf bool) {
	s := p.call.style
	place, note := "  @"+strconv.Itoa(n.Line), ""
	if n.Copies > 0 {
		note = fmt.Sprintf("  ×%d", n.Copies+1)
	}
	if leaf {
		note += "  ← leaf"
	}
	room := documents.PreviewCells
	if p.width > 0 {
		room = max(10, p.width-p.taken-terminal.Width(note+place))
	}
	p.add(terminal.Fit(text, room), paint)
	if p.width > 0 {
		p.line = append(p.line, terminal.Blanks(note+place, p.width-p.taken)...)
	}
	p.add(note, s.Bold)
	p.add(place, s.Accent)
	p.call.stdout.Write(append(p.line, '\n'))
	p.line, p.taken = p.line[:0], 0
}
