package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"piarchive/internal/query"
	"piarchive/internal/query/session"
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
	steps    []session.Step
	previews *session.Previews
	labels   map[int64]session.Label
}

// newStepList reads what is shown beside steps and, apart from the list, others.
func newStepList(ctx context.Context, c *call, a *query.Archive, ref query.SessionRef, steps []session.Step, others []*session.Step) (stepList, error) {
	l := stepList{call: c, steps: steps}
	for i := range steps {
		others = append(others, &steps[i])
	}
	var err error
	if l.previews, err = session.PreviewsOf(ctx, a, others); err != nil {
		return l, err
	}
	l.labels, err = session.Labels(ctx, a, ref.Key)
	return l, err
}

// list adds the entries to a document.
func (l stepList) list(d *document, name string) {
	d.list(name)
	for _, s := range l.steps {
		d.item()
		d.text("id", s.ID)
		d.textOrNull("parentId", s.ParentID)
		d.number("line", int64(s.Line))
		d.number("offset", s.Offset)
		d.number("bytes", s.Bytes)
		d.text("type", s.Type)
		d.textOrNull("role", s.Role)
		d.time("timestamp", s.Time)
		d.textOrNull("label", l.labels[s.Row].Text)
		d.text("preview", l.preview(s))
		d.close('}')
	}
	d.close(']')
}

// text is how an entry begins, in one harmless line.
func (l stepList) text(s session.Step) string {
	return singleSpaced(terminal.Safe(l.previews.Of(s.Row)))
}

// previewCells is how much of it goes into documents and pipes.
const previewCells = 120

func (l stepList) preview(s session.Step) string { return terminal.Fit(l.text(s), previewCells) }

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
			fmt.Fprintln(c.stdout, stepLine(c, s, l.labels[s.Row].Text, l.preview(s), c.width()))
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
			line = appendISO(line, *s.Time)
		}
		line = append(append(line, '\t'), l.preview(s)...)
		c.stdout.Write(append(line, '\n'))
	}
}

// stepLine is one entry in one line of a terminal.
func stepLine(c *call, s session.Step, label, preview string, width int) string {
	place := terminal.PadLeft(fmt.Sprintf("@%d", s.Line), placeWidth)
	what := terminal.Pad(terminal.Fit(terminal.Safe(orElse(s.Role, s.Type)), 14), 14)
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
		a, s, err := openSession(ctx, c, c.args[0])
		if err != nil {
			return err
		}
		defer a.Close()
		ref := "leaf"
		if len(c.args) > 1 {
			ref = c.args[1]
		}
		row, err := findRow(ctx, a, s, ref)
		if err != nil {
			return err
		}
		steps, bridges, err := session.BridgedPathTo(ctx, a, s, row)
		if err != nil {
			return err
		}
		if !*bridge {
			steps = unbridged(c, steps, bridges)
			bridges = nil
		}
		list, err := newStepList(ctx, c, a, s, steps, nil)
		if err != nil {
			return err
		}
		if c.json {
			return writePath(c, s, list, bridges)
		}
		list.print()
		return nil
	}
}

// unbridged is the path as pi has it: from the last orphan on. It says where the
// path would go on.
func unbridged(c *call, steps []session.Step, bridges []session.Bridge) []session.Step {
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
func writePath(c *call, session query.SessionRef, list stepList, bridges []session.Bridge) error {
	d := c.newDocument(false)
	d.value("session", newSessionRefDoc(session))
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
	d.textOrNull("leafId", leaf)
	list.list(d, "entries")
	d.flag("complete", problem == "")
	d.textOrNull("problem", problem)
	d.list("bridges")
	for _, b := range bridges {
		d.item()
		d.text("id", b.Orphan.ID)
		d.text("to", b.To.ID)
		d.value("session", newSessionRefDoc(b.Session))
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

// pathTo resolves an entry and walks to it. A session without entries has an
// empty path.
func pathTo(ctx context.Context, a *query.Archive, s query.SessionRef, ref string) ([]session.Step, error) {
	row, err := findRow(ctx, a, s, ref)
	if err != nil || row == 0 {
		return nil, err
	}
	return session.PathTo(ctx, a, row)
}

// findRow resolves an entry to its row; the leaf of a session without entries
// is 0.
func findRow(ctx context.Context, a *query.Archive, s query.SessionRef, ref string) (int64, error) {
	if ref == "leaf" {
		return session.Leaf(ctx, a, s.Key)
	}
	step, err := session.FindEntry(ctx, a, s, ref)
	return step.Row, referenceError(err)
}

func bindChildren(*pflag.FlagSet) runner {
	return func(ctx context.Context, c *call) error {
		a, ref, err := openSession(ctx, c, c.args[0])
		if err != nil {
			return err
		}
		defer a.Close()
		step, err := session.FindEntry(ctx, a, ref, c.args[1])
		if err != nil {
			return referenceError(err)
		}
		steps, err := session.ChildrenOf(ctx, a, ref, step.Row)
		if err != nil {
			return err
		}
		list, err := newStepList(ctx, c, a, ref, steps, nil)
		if err != nil {
			return err
		}
		if c.json {
			d := c.newDocument(false)
			d.value("session", newSessionRefDoc(ref))
			list.list(d, "entries")
			return d.end()
		}
		list.print()
		if len(steps) == 0 {
			return errNothing
		}
		return nil
	}
}
