package text

import (
	"context"
	"strconv"
	"strings"

	"piarchive/internal/query"
	"piarchive/internal/query/lineage"
	"piarchive/internal/terminal"
)

// Lineage draws a family:
//
//	● 4a369254  nightterm · resolveTerminalPath cwd fix      2026-01-28
//	├─ fork c9e8754d  nightterm · resolveTerminalPath        2026-02-02  left at @31, 9 of its own
//	╰─ copy c0ffee00  nightterm · resolveTerminalPath        2026-03-30  nothing of its own
//
// The one that was asked for is marked. What does not fit is taken from the titles.
func (p Page) Lineage(ctx context.Context, a *query.Archive, f *lineage.Family) error {
	last := lastChildren(f)
	var open []bool // by depth: more children of the member above come further down
	for i, m := range f.Members {
		open = append(open[:m.Depth], !last[i])
		id := ""
		if m.Named == "" {
			var err error
			if id, err = a.Abbreviate(ctx, m.Session); err != nil {
				return err
			}
		}
		p.relative(f, i, lineagePrefix(open), id)
	}
	return nil
}

// lastChildren tells which members are the last of their parents' children.
func lastChildren(f *lineage.Family) []bool {
	last := make([]bool, len(f.Members))
	seen := map[int]bool{}
	for i := len(f.Members) - 1; i >= 0; i-- {
		parent := f.Members[i].Parent
		last[i] = !seen[parent]
		seen[parent] = true
	}
	return last
}

func lineagePrefix(open []bool) string {
	var b strings.Builder
	for depth, more := range open {
		switch {
		case depth == 0:
		case depth < len(open)-1 && more:
			b.WriteString("│  ")
		case depth < len(open)-1:
			b.WriteString("   ")
		case more:
			b.WriteString("├─ ")
		default:
			b.WriteString("╰─ ")
		}
	}
	return b.String()
}

// relative prints the line of one session.
func (p Page) relative(f *lineage.Family, i int, prefix, id string) {
	s, m, asked := p.Style, f.Members[i], i == f.Asked
	if m.Named != "" {
		p.say(s.Dim(prefix) + s.Dim("not in the archive: ") + s.Dim(p.Glyphs.FitEnd(terminal.Safe(p.tilde(m.Named)), p.Room(terminal.Width(prefix)+20))))
		return
	}
	what := m.Relation
	if what != "" {
		what += " "
	}
	if asked {
		what = "● " + what
	}
	id = terminal.Safe(id)
	if id == terminal.Safe(m.Session.Path) { // even the id names several
		id = p.Glyphs.FitEnd(terminal.Safe(p.tilde(m.Session.Path)), 40)
	}
	tail := ""
	if m.Created != nil {
		tail = terminal.When(*m.Created, p.Now)
	}
	if left := leftAt(m, m.Parent >= 0 && f.Members[m.Parent].Named != ""); left != "" {
		tail += "  " + left
	}
	if m.Session.Missing {
		tail += " [missing]"
	}
	head := terminal.Width(prefix+what+id) + 2
	const least = 16 // cells that a title keeps
	if p.Width > 0 && p.Width-head-terminal.Width(tail)-2 < least {
		tail = p.Glyphs.Fit(tail, max(10, p.Width-head-2-least))
	}
	project, name := Headline(m.Session, p.Room(head+terminal.Width(tail)+2))
	paint := s.Plain
	if asked {
		paint = s.Bold
	}
	p.say(s.Dim(prefix) + paint(what) + p.link(m.Session, s.Accent(id)) + "  " + s.Label(project) + paint(name) + "  " + s.Dim(tail))
}

// leftAt says where a session left its parent or, where that is lacking, another that
// came from it.
func leftAt(m lineage.Member, lacking bool) string {
	switch {
	case m.Relation == "":
		return ""
	case m.Relation == "subagent" && m.Left == nil:
		return "" // what started it is not known
	case m.Relation == "subagent":
		return "started at " + m.Left.Entry.Place()
	case m.Left == nil:
		return "no entries shared"
	case m.Own == 0:
		return "nothing of its own"
	}
	left := "left at "
	if lacking {
		left = "like a sibling to "
	}
	return left + m.Left.Entry.Place() + ", " + strconv.Itoa(m.Own) + " of its own"
}
