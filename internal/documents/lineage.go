package documents

import (
	"fmt"
	"io"
	"strings"
	"time"

	"piarchive/internal/query/lineage"
)

// NewLineage lists the sessions of a family.
func NewLineage(f *lineage.Family) List[lineage.Member] {
	type member = lineage.Member
	return List[member]{Rows: f.Members, Columns: []Column[member]{
		{Key: "session", Of: func(m member) any {
			if m.Named != "" {
				return nil
			}
			return NewSessionRef(m.Session)
		}},
		{Key: "named", Of: func(m member) any { return orNull(m.Named) }},
		{Key: "depth", Of: func(m member) any { return m.Depth }},
		{Key: "parent", Of: func(m member) any {
			if m.Parent < 0 {
				return nil
			}
			return f.Members[m.Parent].Path()
		}},
		{Key: "relation", Of: func(m member) any { return orNull(m.Relation) }},
		{Key: "by", Of: func(m member) any { return orNull(m.By) }},
		{Key: "created", Of: func(m member) any { return orNever(m.Created) }},
		{Key: "messageCount", Of: func(m member) any { return m.Messages }},
		{Key: "entryCount", Of: func(m member) any { return m.Entries }},
		{Key: "sharedEntries", Of: func(m member) any { return m.Shared }},
		{Key: "ownEntries", Of: func(m member) any { return m.Own }},
		{Key: "left", Of: func(m member) any { return ofPlace(m.Left, lineagePlace) }},
		{Key: "lastShared", Of: func(m member) any { return ofPlace(m.Last, lineagePlace) }},
		{Key: "-path", Of: func(m member) any { return m.Path() }},
		{Key: "-id", Of: func(m member) any { return m.Session.ID }},
		{Key: "-line", Of: func(m member) any { return ofPlace(m.Left, func(p *lineage.Place) any { return p.Entry.Line }) }},
	}}
}

// LineageFields are what is told of a session in a line.
const LineageFields = "depth relation path id parent line sharedEntries ownEntries"

// lineagePlace is an entry of a session of a family.
func lineagePlace(p *lineage.Place) any {
	return struct {
		Path  string    `json:"path"`
		Entry *EntryRef `json:"entry"`
	}{p.Session.Path, NewEntryRef(&p.Entry)}
}

func ofPlace(p *lineage.Place, of func(*lineage.Place) any) any {
	if p == nil {
		return nil
	}
	return of(p)
}

// LineageDot draws a family in the language of Graphviz.
func LineageDot(out io.Writer, f *lineage.Family) error {
	var b strings.Builder
	b.WriteString("digraph lineage {\n  rankdir=LR;\n  node [shape=box];\n")
	for i, m := range f.Members {
		style := ""
		switch {
		case m.Named != "":
			style = ", style=dashed"
		case i == f.Asked:
			style = ", style=bold"
		}
		fmt.Fprintf(&b, "  n%d [label=%s%s];\n", i, dotText(lineageLabel(m)...), style)
		if m.Parent < 0 {
			continue
		}
		label := m.Relation
		if m.Left != nil && f.Members[m.Parent].Named == "" {
			label += " " + m.Left.Entry.Place()
		}
		fmt.Fprintf(&b, "  n%d -> n%d [label=%s];\n", m.Parent, i, dotText(label))
	}
	b.WriteString("}\n")
	_, err := io.WriteString(out, b.String())
	return err
}

func lineageLabel(m lineage.Member) []string {
	if m.Named != "" {
		return []string{"not in the archive", m.Named}
	}
	label := []string{m.Session.ID}
	if title := m.Session.Title(); title != "" {
		label = append(label, title)
	}
	if m.Created != nil {
		label = append(label, m.Created.UTC().Format(time.DateOnly))
	}
	return label
}

// dotText is lines as one quoted text.
func dotText(lines ...string) string {
	for i, line := range lines {
		lines[i] = strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(OneLine(line))
	}
	return `"` + strings.Join(lines, `\n`) + `"`
}
