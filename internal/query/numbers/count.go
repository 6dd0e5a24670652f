// Package numbers adds up what the archive holds: sessions, messages, tool calls,
// tokens and costs ([Count]; [LikePi] as pi shows them of one session), and the
// bytes of the files ([ReadSizes]).
//
// Count and ReadSizes read no entries, but sums that were made when these came in: of
// quarters of an hour, which the days of every time zone are made of, and of kinds
// of lines. What forks have copied counts once, unless one session is asked for;
// bytes count wherever they are.
package numbers

import (
	"cmp"
	"context"
	"time"

	"piarchive/internal/index"
	"piarchive/internal/query"
)

// StatsBys are what numbers can be told apart by.
var StatsBys = [...]string{"day", "week", "month", "hour", "model", "provider", "project", "system", "tool", "session"}

// Orders are what rows can be ordered and drawn by.
var Orders = [...]string{"cost", "tokens", "messages", "sessions"}

// StatsOptions say what is counted.
type StatsOptions struct {
	By           string         // one of StatsBys; "": no rows, only the total
	Zone         *time.Location // in which days begin
	Since, Until time.Time      // zero: no limit; exact to a quarter of an hour
	Project      string         // text or glob; an absolute path means all below it, too
	Session      int64          // of this session alone, and all that its file holds; 0: of all, copies left out
	Order        string         // one of Orders, for rows that are no times
}

// StatsRow is what one key has.
type StatsRow struct {
	Key             string    // day 2026-11-02, week 2026-W45, month 2026-11, hour in RFC 3339, provider/model, name, or path
	Start, End      time.Time // of a time
	Provider, Model string    // of a model
	Session         *query.SessionRef
	First           string // of a session: its first message, or the beginning of it

	Sessions, Subagents int  // sessions that have a part in it
	Active, Abandoned   Sums // on the way to the current leaf of their session, and off it
}

// Sums adds up both kinds of branches.
func (r *StatsRow) Sums() Sums {
	s := r.Active
	s.Add(r.Abandoned)
	return s
}

// Amount is what a row has of one of Orders, or of "calls", which tools are
// ordered by.
func (r *StatsRow) Amount(order string) float64 {
	s := r.Sums()
	switch order {
	case "cost":
		if s.Cost != nil {
			return *s.Cost
		}
		return 0
	case "messages":
		return float64(s.Messages())
	case "sessions":
		return float64(r.Sessions + r.Subagents)
	case "calls":
		return float64(s.N[ToolCalls])
	}
	return float64(s.N[Tokens])
}

// Stats is the answer: rows in order of time, else the greatest first.
type Stats struct {
	Rows  []*StatsRow
	Total StatsRow
	// What copies of counted entries have, as forks and exports make them, and
	// calls of subagents whose own sessions count.
	LeftOut      Sums
	Copies       Sums      // of one session: what of it counts in another one when all are counted
	Since, Until time.Time // the limits as they were applied
}

// Count counts sessions, messages, tokens, costs and tool calls. It reads sums
// of quarters of an hour, which the days of every time zone are made of.
func Count(ctx context.Context, a *query.Archive, o StatsOptions) (*Stats, error) {
	o = o.complete()
	q := &statsQuery{archive: a, o: o, answer: &Stats{Since: o.Since, Until: o.Until}}
	err := a.Steady(ctx, func() error {
		if err := q.prepare(ctx); err != nil {
			return err
		}
		return q.read(ctx)
	})
	if err != nil {
		return nil, err
	}
	q.order()
	return q.answer, nil
}

// slotSeconds is the length of a slot.
const slotSeconds = int64(index.Slot / time.Second)

func slotOf(t time.Time) int64       { return floorDiv(t.Unix(), slotSeconds) }
func slotStart(slot int64) time.Time { return time.Unix(slot*slotSeconds, 0).UTC() }

// complete fills in what was left open, and widens the limits to whole slots.
func (o StatsOptions) complete() StatsOptions {
	if o.Zone == nil {
		o.Zone = time.UTC
	}
	if !o.Since.IsZero() {
		o.Since = slotStart(slotOf(o.Since))
	}
	if !o.Until.IsZero() {
		o.Until = slotStart(slotOf(o.Until.Add(-time.Nanosecond)) + 1)
	}
	o.Order = cmp.Or(o.Order, "tokens")
	return o
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
