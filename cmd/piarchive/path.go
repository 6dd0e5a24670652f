package main

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/terminal"
)

const pathHelp = `Prints the entries from the root to ENTRY, or to the current leaf: all types,
one a line. Where the file names a parent that it does not have, the path
begins there; --json says so in "problem". Old forks lost their labels so, and
what hung from them: with --bridge the path goes on where the session that has
the parent, one that this was forked from or the other way round, leads back to
an entry of this file.

ENTRY is an entry id, a unique beginning of one, @N for the entry on line N, or
leaf.

With --json: {"schema","session","leafId","entries":[{"id","parentId","line",
"offset","bytes","type","role","timestamp","label","preview"}],"complete",
"problem","bridges":[{"id","to","session","missing":[{"id","type","line"}]}]},
where problem is null, "orphan" or "cycle". In a pipe each entry is one line of
fields set apart by tabs: line, id, type, role, time, preview.
`

const childrenHelp = `Prints the entries whose parent is ENTRY, in the order of the file.

With --json: {"schema","session","entries":[…]}, the entries as in path.
`

const labelsHelp = `Prints the labels in force, of one session or of all.

With --json: {"schema","labels":[{"session","entry","targetId","label",
"timestamp"}]}. In a pipe: path, line, entry id, label, set apart by tabs.
`

// stepList is entries with what is shown beside them.
type stepList struct {
	call     *call
	steps    []query.Step
	previews *query.Previews
	labels   map[int64]string
}

// newStepList reads what is shown beside steps and, apart from the list, others.
func newStepList(ctx context.Context, c *call, a *query.Archive, session query.SessionRef, steps []query.Step, others []*query.Step) (stepList, error) {
	l := stepList{call: c, steps: steps}
	for i := range steps {
		others = append(others, &steps[i])
	}
	var err error
	if l.previews, err = a.PreviewsOf(ctx, others); err != nil {
		return l, err
	}
	l.labels, err = a.Labels(ctx, session.Key)
	return l, err
}

// list adds the entries to a document.
func (l stepList) list(d *documents.Stream, name string) {
	d.List(name)
	for _, s := range l.steps {
		d.Item()
		d.Text("id", s.ID)
		d.TextOrNull("parentId", s.ParentID)
		d.Number("line", int64(s.Line))
		d.Number("offset", s.Offset)
		d.Number("bytes", s.Bytes)
		d.Text("type", s.Type)
		d.TextOrNull("role", s.Role)
		d.Time("timestamp", s.Time)
		d.TextOrNull("label", l.labels[s.Row])
		d.Text("preview", l.preview(s))
		d.Close('}')
	}
	d.Close(']')
}

// text is how an entry begins, in one harmless line.
func (l stepList) text(s query.Step) string { return singleSpaced(terminal.Safe(l.previews.Of(s.Row))) }

// previewCells is how much of it goes into documents and pipes.
const previewCells = 120

func (l stepList) preview(s query.Step) string { return terminal.Fit(l.text(s), previewCells) }

// singleSpaced leaves single spaces between words, and none around them.
func singleSpaced(s string) string {
	if strings.Contains(s, "  ") || strings.HasPrefix(s, " ") || strings.HasSuffix(s, " ") {
		return strings.Join(strings.Fields(s), " ")
	}
	return s
}

func (l stepList) print() {
	c := l.call
	if c.isTerminal(1) {
		for _, s := range l.steps {
			fmt.Fprintln(c.stdout, stepLine(c, s, l.labels[s.Row], l.preview(s), c.width()))
		}
		return
	}
	var line []byte // used again and again: there may be 100 000
	for _, s := range l.steps {
		line = strconv.AppendInt(line[:0], int64(s.Line), 10)
		for _, text := range []string{s.ID, s.Type, s.Role} {
			line = append(append(line, '\t'), terminal.Safe(text)...)
		}
		line = append(line, '\t')
		if s.Time != nil {
			line = documents.AppendISO(line, *s.Time)
		}
		line = append(append(line, '\t'), l.preview(s)...)
		c.stdout.Write(append(line, '\n'))
	}
}

// stepLine is one entry in one line of a terminal.
func stepLine(c *call, s query.Step, label, preview string, width int) string {
	place := terminal.PadLeft(fmt.Sprintf("@%d", s.Line), placeWidth)
	what := terminal.Pad(terminal.Fit(terminal.Safe(cmp.Or(s.Role, s.Type)), 14), 14)
	flag := ""
	if label != "" {
		flag = "⚑ " + terminal.Safe(label) + "  "
	}
	room := width - placeWidth - 14 - 3 - terminal.Width(flag)
	if width == 0 {
		room = 1 << 20
	}
	return c.style.Accent(place) + "  " + what + " " + c.style.Label(flag) + c.style.Dim(terminal.Fit(preview, max(10, room)))
}

func bindPath(flags *pflag.FlagSet) runner {
	bridge := flags.Bool("bridge", false, "go on above an entry whose parent only a related session has")
	return func(ctx context.Context, c *call) error {
		a, session, err := openSession(ctx, c, c.args[0])
		if err != nil {
			return err
		}
		defer a.Close()
		ref := "leaf"
		if len(c.args) > 1 {
			ref = c.args[1]
		}
		row, err := findRow(ctx, a, session, ref)
		if err != nil {
			return err
		}
		steps, bridges, err := a.BridgedPathTo(ctx, session, row)
		if err != nil {
			return err
		}
		if !*bridge {
			steps = unbridged(c, steps, bridges)
			bridges = nil
		}
		list, err := newStepList(ctx, c, a, session, steps, nil)
		if err != nil {
			return err
		}
		if c.json {
			return writePath(c, session, list, bridges)
		}
		list.print()
		return nil
	}
}

// unbridged is the path as pi has it: from the last orphan on. It says where the
// path would go on.
func unbridged(c *call, steps []query.Step, bridges []query.Bridge) []query.Step {
	if len(bridges) == 0 {
		return steps
	}
	last := bridges[len(bridges)-1]
	c.talk("the path begins on line %d: its parent %s is only in %s; --bridge goes on from line %d", last.Orphan.Line, terminal.Safe(last.Orphan.ParentID), terminal.Safe(last.Session.Path), last.To.Line)
	for i, s := range steps {
		if s.Row == last.Orphan.Row {
			return steps[i:]
		}
	}
	return steps
}

// writePath prints piarchive.path/1.
func writePath(c *call, session query.SessionRef, list stepList, bridges []query.Bridge) error {
	d := c.newDocument()
	d.Value("session", documents.NewSessionRef(session))
	leaf, problem := "", ""
	if n := len(list.steps); n > 0 {
		leaf = list.steps[n-1].ID
		switch first := list.steps[0]; {
		case first.Orphan:
			problem = "orphan"
		case first.Parent != 0:
			problem = "cycle"
		}
	}
	d.TextOrNull("leafId", leaf)
	list.list(d, "entries")
	d.Flag("complete", problem == "")
	d.TextOrNull("problem", problem)
	d.List("bridges")
	for _, b := range bridges {
		d.Item()
		d.Text("id", b.Orphan.ID)
		d.Text("to", b.To.ID)
		d.Value("session", documents.NewSessionRef(b.Session))
		d.List("missing")
		for _, s := range b.Missing {
			d.Item()
			d.Text("id", s.ID)
			d.Text("type", s.Type)
			d.Number("line", int64(s.Line))
			d.Close('}')
		}
		d.Close(']')
		d.Close('}')
	}
	d.Close(']')
	return d.End()
}

// pathTo resolves an entry and walks to it. A session without entries has an
// empty path.
func pathTo(ctx context.Context, a *query.Archive, session query.SessionRef, ref string) ([]query.Step, error) {
	row, err := findRow(ctx, a, session, ref)
	if err != nil || row == 0 {
		return nil, err
	}
	return a.PathTo(ctx, row)
}

// findRow resolves an entry to its row; the leaf of a session without entries
// is 0.
func findRow(ctx context.Context, a *query.Archive, session query.SessionRef, ref string) (int64, error) {
	if ref == "leaf" {
		return a.Leaf(ctx, session.Key)
	}
	step, err := a.FindEntry(ctx, session, ref)
	return step.Row, referenceError(err)
}

func bindChildren(*pflag.FlagSet) runner {
	return func(ctx context.Context, c *call) error {
		a, session, err := openSession(ctx, c, c.args[0])
		if err != nil {
			return err
		}
		defer a.Close()
		step, err := a.FindEntry(ctx, session, c.args[1])
		if err != nil {
			return referenceError(err)
		}
		steps, err := a.ChildrenOf(ctx, session, step.Row)
		if err != nil {
			return err
		}
		list, err := newStepList(ctx, c, a, session, steps, nil)
		if err != nil {
			return err
		}
		if c.json {
			d := c.newDocument()
			d.Value("session", documents.NewSessionRef(session))
			list.list(d, "entries")
			return d.End()
		}
		list.print()
		if len(steps) == 0 {
			return errNothing
		}
		return nil
	}
}
