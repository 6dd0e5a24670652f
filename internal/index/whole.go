package index

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"piarchive/internal/index/links"
)

// Whole is all that is known of a source of which the archive has no rows yet.
type Whole struct {
	Source  *Source
	Session *Session        // nil: the file is no session
	Moves   map[int64]int64 // from rows that count no longer to those that do
	Rows    []any           // all others
}

// AddWhole writes a source. It has the same effect as [Index.Add] and [Index.Finish],
// but reads nothing back and writes nothing twice: most of the cost of a small source
// is that of its statements.
func (ix *Index) AddWhole(ctx context.Context, w *Whole) error {
	if w.Session == nil {
		return ix.Add(ctx, append(w.Rows, w.Source)...)
	}
	session := w.finish()
	ix.markEnclosed(w.Session.Enclosing)
	ix.markSession(session.ID, w.Source.Path)
	return ix.Add(ctx, append(w.Rows, w.Source, session)...)
}

// sessionRow is a session with what its other rows tell of it. Tokens and money
// are written later, by [Index.rollUp].
type sessionRow struct {
	*Session
	entries, leaves int
	abandoned       *string // JSON
	labels          string  // JSON
}

func newSessionRow(s *Session, t *links.Tree, runs [][2]int64, labels []*Label) *sessionRow {
	row := &sessionRow{Session: s, abandoned: storedRuns(runs), labels: inForce(labels)}
	row.entries, row.leaves = t.Count()
	return row
}

// storedRuns is such runs as JSON, nil if there are none.
func storedRuns(runs [][2]int64) *string {
	if runs == nil {
		return nil
	}
	return new(array(runs))
}

// finish completes the rows as [Index.Finish] does those that are stored.
func (w *Whole) finish() *sessionRow {
	r := sortRows(w.Rows)
	nodes := make([]links.Node, len(r.entries))
	for i, e := range r.entries {
		nodes[i] = links.Node{ID: e.ID, Parent: e.Parent, DupOf: e.DupOf, EntryID: e.EntryID, ParentID: e.ParentID, Line: e.Line, Offset: e.Offset}
	}
	zero, _ := Range(w.Session.ID)
	t := links.New(nodes, zero, w.Moves)
	t.Link()
	runs := t.Abandoned(w.Session.Leaf)
	for i, e := range r.entries {
		e.Parent, e.DupOf = nodes[i].Parent, nodes[i].DupOf
		if links.Within(runs, e.ID-zero) {
			e.Flags |= FlagAbandoned
		}
	}
	for _, l := range r.labels {
		l.Target = t.Named(&l.TargetID)
	}
	for _, c := range r.compactions {
		if at := t.Named(c.FirstKeptID); at != nil {
			c.FirstKept = at
		}
	}
	r.join(t)
	for _, p := range w.problems(t) {
		w.Rows = append(w.Rows, p)
	}
	return newSessionRow(w.Session, t, runs, r.labels)
}

// problems are the rows of the links that are broken.
func (w *Whole) problems(t *links.Tree) (rows []*Problem) {
	for _, p := range t.Tangles() {
		rows = append(rows, &Problem{Source: &w.Source.ID, Path: w.Source.Path, Line: p.Line, Offset: p.Offset, Kind: p.Kind, Message: p.Message})
	}
	return rows
}

// rows of one source, by what is derived from them.
type rows struct {
	entries     []*Entry
	labels      []*Label
	compactions []*Compaction
	calls       []*ToolCall
	results     []*ToolResult
}

func sortRows(all []any) *rows {
	r := &rows{}
	for _, row := range all {
		switch row := row.(type) {
		case *Entry:
			r.entries = append(r.entries, row)
		case *Label:
			r.labels = append(r.labels, row)
		case *Compaction:
			r.compactions = append(r.compactions, row)
		case *ToolCall:
			r.calls = append(r.calls, row)
		case *ToolResult:
			r.results = append(r.results, row)
		}
	}
	return r
}

// join joins results with calls whose id is not the only one of its kind.
func (r *rows) join(t *links.Tree) {
	times := map[string]int{}
	several := false
	for _, c := range r.calls {
		if c.CallID != nil {
			times[*c.CallID]++
			several = several || times[*c.CallID] > 1
		}
	}
	if !several {
		return
	}
	var calls []links.Call
	for _, c := range r.calls {
		if c.CallID != nil && times[*c.CallID] > 1 {
			calls = append(calls, links.Call{Entry: c.Entry, N: c.N, ID: *c.CallID})
		}
	}
	byEntry := map[int64]*ToolResult{}
	var joins []links.Join
	for _, x := range r.results {
		if x.Call != nil {
			joins = append(joins, links.Join{Entry: x.Entry, Call: *x.Call, N: *x.CallN})
			byEntry[x.Entry] = x
		}
	}
	for _, j := range t.Rejoined(calls, joins) {
		byEntry[j.Entry].Call, byEntry[j.Entry].CallN = &j.Call, &j.N
	}
}

// inForce collects the labels that hold at the end of a session, sorted.
func inForce(settings []*Label) string {
	last := map[string]*Label{}
	for _, l := range settings {
		if was := last[l.TargetID]; was == nil || l.Entry > was.Entry {
			last[l.TargetID] = l
		}
	}
	names := []string{}
	for _, l := range last {
		if l.Label != nil {
			names = append(names, *l.Label)
		}
	}
	slices.Sort(names)
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // people look at it
	encoder.Encode(names)        // strings: cannot fail
	return strings.TrimSuffix(text.String(), "\n")
}
