package main

import (
	"fmt"
	"slices"
	"strings"

	"piarchive/internal/query"
)

// treePicture prints a plan.
type treePicture struct {
	*treePlan
	call  *call
	list  stepList
	width int // of the terminal; 0 is unlimited
}

func (p *treePicture) print(session query.SessionRef) {
	p.title(session)
	for _, r := range p.rows {
		p.row(r)
	}
	if n := len(p.tree.Lost); n > 0 {
		p.say(p.call.style.bad(counted(n, "entry") + " that no root leads to, because they are their own ancestors:"))
		for _, s := range p.tree.Lost {
			p.say(stepLine(p.call, s, p.list.labels[s.Row], p.list.preview(s), p.width))
		}
	}
}

func (p *treePicture) say(line string) { fmt.Fprintln(p.call.stdout, line) }

// title says what the session is.
func (p *treePicture) title(session query.SessionRef) {
	leaves := 0
	for _, n := range p.tree.Nodes {
		if n.Children == 0 {
			leaves++
		}
	}
	about := counted(len(p.tree.Nodes), "entry")
	if leaves > 1 {
		about += fmt.Sprintf(", %s leaves", count(int64(leaves)))
	}
	project, name := safe(projectName(session.CWD)), ""
	if session.Name != "" {
		name = " · " + safe(session.Name)
	}
	room := p.room(len(about) + 2)
	project = fit(project, room)
	name = fit(name, max(1, room-cells.StringWidth(project)))
	p.say(p.call.style.label(project) + p.call.style.bold(name) + "  " + p.call.style.dim(about))
}

func (p *treePicture) room(taken int) int {
	if p.width == 0 {
		return 1 << 20
	}
	return max(10, p.width-taken)
}

func (p *treePicture) row(r treeRow) {
	dim := p.call.style.dim
	switch r.kind {
	case rowNode:
		p.node(r)
	case rowFold:
		p.say(dim(r.prefix + "│ … " + counted(r.entries, "entry")))
	case rowBranches:
		branches := "1 branch"
		if r.count > 1 {
			branches = count(int64(r.count)) + " branches"
		}
		p.say(dim(r.prefix + "├─… " + counted(r.entries, "entry") + " in " + branches))
	case rowSummary:
		if text := p.list.text(p.tree.Nodes[r.node].Step); text != "" {
			p.placed([]span{{r.prefix + "╰ ", dim}}, text, dim, p.tail(p.tree.Nodes[r.node], false))
		}
	case rowGap:
		p.say("")
	}
}

// span is a piece of a row, and how it is painted.
type span struct {
	text  string
	paint func(string) string
}

// node prints the row of one entry: what it is, its label, how it begins, and at
// the right edge its place.
func (p *treePicture) node(r treeRow) {
	n, s := p.tree.Nodes[r.node], p.call.style
	mark, what, text := "○ ", s.dim, s.dim
	if n.Active {
		mark, what, text = "● ", s.plain, s.plain
		if n.Role == "user" {
			what = s.bold
		}
	}
	head := []span{{r.prefix, s.dim}, {mark + safe(strings.ReplaceAll(orElse(n.Role, n.Type), "_", " ")) + "  ", what}}
	if n.Label.Text != "" {
		head = append(head, span{"⚑ " + safe(n.Label.Text) + "  ", s.label})
	}
	if n.Orphan {
		head = append(head, span{"parent " + safe(n.ParentID) + " is not in the file  ", s.bad})
	}
	begins := p.list.text(n.Step)
	if branch, ok := p.ended[r.node]; ok {
		begins = fmt.Sprintf("of the branch at @%d", p.tree.Nodes[branch].Line)
	}
	p.placed(head, begins, text, p.tail(n, n.Row == p.tree.Leaf))
}

// tail is what stands at the right edge of a row.
func (p *treePicture) tail(n query.TreeNode, leaf bool) []span {
	var tail []span
	if n.Copies > 0 {
		tail = append(tail, span{fmt.Sprintf("  ×%d", n.Copies+1), p.call.style.dim})
	}
	if leaf {
		tail = append(tail, span{"  ← leaf", p.call.style.bold})
	}
	return append(tail, span{fmt.Sprintf("  @%d", n.Line), p.call.style.accent})
}

// placed prints a row: its head, as much of a text as there is room for, and
// its tail at the right edge.
func (p *treePicture) placed(head []span, text string, paint func(string) string, tail []span) {
	line, taken := "", 0
	for _, part := range append(slices.Clone(head), tail...) {
		taken += cells.StringWidth(part.text)
	}
	for _, part := range head {
		line += part.paint(part.text)
	}
	text = fit(text, p.room(taken))
	line += paint(text)
	if p.width > 0 {
		line += strings.Repeat(" ", max(0, p.width-taken-cells.StringWidth(text)))
	}
	for _, part := range tail {
		line += part.paint(part.text)
	}
	p.say(line)
}
