package index

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
)

// Whole is all that is known of a source of which the archive has no rows but,
// perhaps, its own.
type Whole struct {
	Source  *Source
	Known   bool            // the source has its own row
	Session *Session        // nil: the file is no session
	Moves   map[int64]int64 // as [Index.Finish] takes them
	Rows    []any           // all others
}

// AddWhole writes a source. It has the same effect as [Index.Add], [Index.PutSource],
// [Index.PutSession] and [Index.Finish], but reads nothing back and writes nothing
// twice: most of the cost of a small source is that of its statements.
func (ix *Index) AddWhole(ctx context.Context, w *Whole) error {
	var session *sessionRow
	if w.Session != nil {
		if err := ix.markSubagent(ctx, w.Session, false); err != nil {
			return err
		}
		session = w.finish()
	}
	if err := ix.Add(ctx, w.Rows...); err != nil {
		return err
	}
	if w.Known {
		if err := ix.PutSource(ctx, w.Source); err != nil {
			return err
		}
	} else if err := ix.Add(ctx, w.Source); err != nil {
		return err
	}
	if session == nil {
		return nil
	}
	ix.markSession(session.ID, w.Source.Path)
	return ix.Add(ctx, session)
}

// sessionRow is a session with what its other rows tell of it.
type sessionRow struct {
	*Session
	entries, leaves int
	abandoned       *string // JSON
	usage           usageSum
	labels          string // JSON
}

// finish completes the rows as [Index.Finish] does those that are stored.
func (w *Whole) finish() *sessionRow {
	r := sortRows(w.Rows)
	nodes := make([]node, len(r.entries))
	for i, e := range r.entries {
		nodes[i] = node{ID: e.ID, Parent: e.Parent, DupOf: e.DupOf, EntryID: e.EntryID, ParentID: e.ParentID, Line: e.Line, Offset: e.Offset}
	}
	t := newTree(nodes, w.Moves)
	t.link()
	runs := t.abandoned(w.Session.Leaf)
	for i, e := range r.entries {
		e.Parent, e.DupOf = nodes[i].Parent, nodes[i].DupOf
		if within(runs, e.ID&idMask) {
			e.Flags |= FlagAbandoned
		}
	}
	for _, l := range r.labels {
		l.Target = t.named(&l.TargetID)
	}
	for _, c := range r.compactions {
		if at := t.named(c.FirstKeptID); at != nil {
			c.FirstKept = at
		}
	}
	r.join(t)
	for _, p := range t.tangles() {
		p.Source, p.Path = &w.Session.ID, w.Source.Path
		w.Rows = append(w.Rows, p)
	}
	s := &sessionRow{Session: w.Session, abandoned: storedRuns(runs), labels: inForce(r.labels)}
	s.entries, s.leaves = t.count()
	s.usage = sumUsage(r.uses, func(entry int64) bool {
		i, _ := slices.BinarySearchFunc(nodes, entry, func(n node, id int64) int { return cmp.Compare(n.ID, id) })
		return nodes[i].DupOf == nil
	})
	return s
}

// rows of one source, by what is derived from them.
type rows struct {
	entries     []*Entry
	labels      []*Label
	compactions []*Compaction
	calls       []*ToolCall
	results     []*ToolResult
	uses        []*TokenUse
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
		case *TokenUse:
			r.uses = append(r.uses, row)
		}
	}
	return r
}

// join joins results with calls whose id is not the only one of its kind.
func (r *rows) join(t *tree) {
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
	var calls []call
	for _, c := range r.calls {
		if c.CallID != nil && times[*c.CallID] > 1 {
			calls = append(calls, call{Entry: c.Entry, N: c.N, ID: *c.CallID})
		}
	}
	byEntry := map[int64]*ToolResult{}
	var joins []join
	for _, x := range r.results {
		if x.Call != nil {
			joins = append(joins, join{Entry: x.Entry, Call: *x.Call, N: *x.CallN})
			byEntry[x.Entry] = x
		}
	}
	for _, j := range t.rejoined(calls, joins) {
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

// usageSum is what the entries of a session used.
type usageSum struct {
	Input      int64    `db:"input"`
	Output     int64    `db:"output"`
	CacheRead  int64    `db:"cache_read"`
	CacheWrite int64    `db:"cache_write"`
	Total      int64    `db:"total"`
	Cost       *float64 `db:"cost"` // nil: none was recorded
}

// sumUsage adds up to the last bit as SQLite's sum() does, which keeps apart
// what is lost to rounding (Kahan and Babuška), in the same order.
func sumUsage(all []*TokenUse, counts func(entry int64) bool) usageSum {
	var s usageSum
	var sum, lost float64
	for _, u := range all {
		if !counts(u.Entry) {
			continue
		}
		s.Input, s.Output, s.Total = s.Input+u.Input, s.Output+u.Output, s.Total+u.Total
		s.CacheRead, s.CacheWrite = s.CacheRead+u.CacheRead, s.CacheWrite+u.CacheWrite
		if u.CostAll == nil {
			continue
		}
		next := sum + *u.CostAll
		if math.Abs(sum) > math.Abs(*u.CostAll) {
			lost += sum - next + *u.CostAll
		} else {
			lost += *u.CostAll - next + sum
		}
		sum = next
		s.Cost = &sum
	}
	if !math.IsNaN(lost) {
		sum += lost
	}
	return s
}
