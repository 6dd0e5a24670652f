package documents

import (
	"context"
	"io"
	"strings"

	"piarchive/internal/query"
	"piarchive/internal/query/session"
	"piarchive/internal/terminal"
)

// Steps are entries with what is shown beside them.
type Steps struct {
	Steps    []session.Step
	Previews *session.Previews
	Labels   map[int64]session.Label
}

// ReadSteps reads what is shown beside steps and, apart from the list, others.
func ReadSteps(ctx context.Context, a *query.Archive, ref query.SessionRef, steps []session.Step, others []*session.Step) (Steps, error) {
	l := Steps{Steps: steps}
	for i := range steps {
		others = append(others, &steps[i])
	}
	var err error
	if l.Previews, err = session.PreviewsOf(ctx, a, others); err != nil {
		return l, err
	}
	l.Labels, err = session.Labels(ctx, a, ref.Key)
	return l, err
}

// list makes a list of the entries.
func (l Steps) list() List[session.Step] {
	type step = session.Step
	return List[step]{Rows: l.Steps, Columns: []Column[step]{
		{Key: "id", Of: func(s step) any { return s.ID }},
		{Key: "parentId", Of: func(s step) any { return orNull(s.ParentID) }},
		{Key: "line", Of: func(s step) any { return s.Line }},
		{Key: "offset", Of: func(s step) any { return s.Offset }},
		{Key: "bytes", Of: func(s step) any { return s.Bytes }},
		{Key: "type", Of: func(s step) any { return s.Type }},
		{Key: "role", Of: func(s step) any { return orNull(s.Role) }},
		{Key: "timestamp", Of: func(s step) any { return orNever(s.Time) }},
		{Key: "label", Of: func(s step) any { return orNull(l.Labels[s.Row].Text) }},
		{Key: "preview", Of: func(s step) any { return l.Preview(s) }},
	}}
}

// Fields writes the entries as lines of fields.
func (l Steps) Fields(out io.Writer) error {
	return l.list().Fields(out, "line id type role timestamp preview")
}

// Text is how an entry begins, in one harmless line.
func (l Steps) Text(s session.Step) string { return singleSpaced(terminal.Safe(l.Previews.Of(s.Row))) }

// PreviewCells is how much of that goes into documents and pipes.
const PreviewCells = 120

func (l Steps) Preview(s session.Step) string { return terminal.Fit(l.Text(s), PreviewCells) }

// singleSpaced leaves single spaces between words, and none around them.
func singleSpaced(s string) string {
	if strings.Contains(s, "  ") || strings.HasPrefix(s, " ") || strings.HasSuffix(s, " ") {
		return strings.Join(strings.Fields(s), " ")
	}
	return s
}

// Path writes the way to an entry.
func (w Writer) Path(ref query.SessionRef, list Steps, bridges []session.Bridge) error {
	d := w.begin()
	d.add("session", NewSessionRef(ref))
	leaf, problem := "", ""
	if n := len(list.Steps); n > 0 {
		leaf = list.Steps[n-1].ID
		switch first := list.Steps[0]; {
		case first.Orphan:
			problem = "orphan"
		case first.Parent != 0:
			problem = "cycle"
		}
	}
	d.add("leafId", orNull(leaf))
	d.add("entries", list.list())
	d.add("complete", problem == "")
	d.add("problem", orNull(problem))
	type bridge = session.Bridge
	type step = session.Step
	d.add("bridges", List[bridge]{Rows: bridges, Columns: []Column[bridge]{
		{Key: "id", Of: func(b bridge) any { return b.Orphan.ID }},
		{Key: "to", Of: func(b bridge) any { return b.To.ID }},
		{Key: "session", Of: func(b bridge) any { return NewSessionRef(b.Session) }},
		{Key: "missing", Of: func(b bridge) any {
			return List[step]{Rows: b.Missing, Columns: []Column[step]{
				{Key: "id", Of: func(s step) any { return s.ID }},
				{Key: "type", Of: func(s step) any { return s.Type }},
				{Key: "line", Of: func(s step) any { return s.Line }},
			}}
		}},
	}})
	return d.end()
}

// Children writes what follows an entry.
func (w Writer) Children(ref query.SessionRef, list Steps) error {
	d := w.begin()
	d.add("session", NewSessionRef(ref))
	d.add("entries", list.list())
	return d.end()
}

// Tree writes a tree but for the nodes that are hidden.
func (w Writer) Tree(ref query.SessionRef, tree *session.Tree, asked int64, lost Steps, hidden func(node int) bool) error {
	d := w.begin()
	d.add("session", NewSessionRef(ref))
	d.add("leafId", orNull(tree.LeafID))
	type node = *session.TreeNode
	var shown []node
	for i := range tree.Nodes {
		if !hidden(i) {
			shown = append(shown, &tree.Nodes[i])
		}
	}
	d.add("nodes", List[node]{Rows: shown, Columns: []Column[node]{
		{Key: "id", Of: func(n node) any { return n.ID }},
		{Key: "line", Of: func(n node) any { return n.Line }},
		{Key: "parentId", Of: func(n node) any { return orNull(n.ParentID) }},
		{Key: "depth", Of: func(n node) any { return n.Depth }},
		{Key: "type", Of: func(n node) any { return n.Type }},
		{Key: "role", Of: func(n node) any { return orNull(n.Role) }},
		{Key: "label", Of: func(n node) any { return orNull(n.Label.Text) }},
		{Key: "labelTimestamp", Of: func(n node) any { return orNever(n.Label.Time) }},
		{Key: "timestamp", Of: func(n node) any { return orNever(n.Time) }},
		{Key: "preview", Of: func(n node) any { return lost.Preview(*n.Step) }},
		{Key: "active", Of: func(n node) any { return n.Active }},
		{Key: "asked", Of: func(n node) any { return n.Row == asked }},
		{Key: "childCount", Of: func(n node) any { return n.Children }},
		{Key: "copies", Of: func(n node) any { return n.Copies }}, // further lines of the file with the same id
	}})
	d.add("lost", lost.list())
	return d.end()
}

// Context writes what the model is sent for the entry at row, as pi builds it, or
// the transcript: a document of pi's own, whose writer has no schema.
func (w Writer) Context(ctx context.Context, a *query.Archive, row int64, transcript bool) error {
	d := w.begin()
	d.list("messages")
	built, err := session.Context(ctx, a, row, transcript, d.raw)
	if err != nil {
		return err
	}
	d.close(']')
	d.add("thinkingLevel", built.ThinkingLevel)
	d.add("model", built.Model)
	return d.end()
}

// OMPContext is Context by the rules of omp: a document of omp's own.
func (w Writer) OMPContext(ctx context.Context, a *query.Archive, row int64, transcript bool) error {
	d := w.begin()
	d.list("messages")
	built, err := session.OMPContext(ctx, a, row, transcript, d.raw)
	if err != nil {
		return err
	}
	d.close(']')
	settings, err := Encode(built)
	if err != nil {
		return err
	}
	d.piece = append(append(d.piece, ','), settings[1:len(settings)-1]...)
	return d.end()
}
