package documents

import (
	"context"
	"io"
	"strconv"
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

// list adds the entries to a document.
func (l Steps) list(d *stream, name string) {
	d.list(name)
	for _, s := range l.Steps {
		d.item()
		d.text("id", s.ID)
		d.textOrNull("parentId", s.ParentID)
		d.number("line", int64(s.Line))
		d.number("offset", s.Offset)
		d.number("bytes", s.Bytes)
		d.text("type", s.Type)
		d.textOrNull("role", s.Role)
		d.time("timestamp", s.Time)
		d.textOrNull("label", l.Labels[s.Row].Text)
		d.text("preview", l.Preview(s))
		d.close('}')
	}
	d.close(']')
}

// Text is how an entry begins, in one harmless line.
func (l Steps) Text(s session.Step) string { return singleSpaced(terminal.Safe(l.Previews.Of(s.Row))) }

// PreviewCells is how much of that goes into documents and pipes.
const PreviewCells = 120

func (l Steps) Preview(s session.Step) string { return terminal.Fit(l.Text(s), PreviewCells) }

// Fields writes a line for each entry: line, id, type, role, time, preview, set
// apart by tabs.
func (l Steps) Fields(out io.Writer) error {
	var line []byte // used again and again: there may be 100 000
	for _, s := range l.Steps {
		line = strconv.AppendInt(line[:0], int64(s.Line), 10)
		for _, text := range []string{s.ID, s.Type, s.Role} {
			line = append(append(line, '\t'), terminal.Safe(text)...)
		}
		line = append(line, '\t')
		if s.Time != nil {
			line = AppendISO(line, *s.Time)
		}
		line = append(append(append(line, '\t'), l.Preview(s)...), '\n')
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// singleSpaced leaves single spaces between words, and none around them.
func singleSpaced(s string) string {
	if strings.Contains(s, "  ") || strings.HasPrefix(s, " ") || strings.HasSuffix(s, " ") {
		return strings.Join(strings.Fields(s), " ")
	}
	return s
}

// Path writes piarchive.path/1.
func (w Writer) Path(ref query.SessionRef, list Steps, bridges []session.Bridge) error {
	d := w.begin("piarchive.path/1")
	d.value("session", NewSessionRef(ref))
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
	d.textOrNull("leafId", leaf)
	list.list(d, "entries")
	d.flag("complete", problem == "")
	d.textOrNull("problem", problem)
	d.list("bridges")
	for _, b := range bridges {
		d.item()
		d.text("id", b.Orphan.ID)
		d.text("to", b.To.ID)
		d.value("session", NewSessionRef(b.Session))
		d.list("missing")
		for _, s := range b.Missing {
			d.item()
			d.text("id", s.ID)
			d.text("type", s.Type)
			d.number("line", int64(s.Line))
			d.close('}')
		}
		d.close(']')
		d.close('}')
	}
	d.close(']')
	return d.end()
}

// Children writes piarchive.children/1.
func (w Writer) Children(ref query.SessionRef, list Steps) error {
	d := w.begin("piarchive.children/1")
	d.value("session", NewSessionRef(ref))
	list.list(d, "entries")
	return d.end()
}

// Tree writes piarchive.tree/1 but for the nodes that are hidden.
func (w Writer) Tree(ref query.SessionRef, tree *session.Tree, lost Steps, hidden func(node int) bool) error {
	d := w.begin("piarchive.tree/1")
	d.value("session", NewSessionRef(ref))
	d.textOrNull("leafId", tree.LeafID)
	d.list("nodes")
	for i, n := range tree.Nodes {
		if hidden(i) {
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
		d.text("preview", lost.Preview(*n.Step))
		d.flag("active", n.Active)
		d.number("childCount", int64(n.Children))
		d.number("copies", int64(n.Copies)) // further lines of the file with the same id
		d.close('}')
	}
	d.close(']')
	lost.list(d, "lost")
	return d.end()
}

// Context writes what the model is sent for the entry at row: a document of pi's
// own, without a schema.
func (w Writer) Context(ctx context.Context, a *query.Archive, row int64) error {
	d := w.begin("")
	d.list("messages")
	built, err := session.Context(ctx, a, row, d.raw)
	if err != nil {
		return err
	}
	d.close(']')
	d.value("thinkingLevel", built.ThinkingLevel)
	d.value("model", built.Model)
	return d.end()
}
