// Package numbers adds up what the archive holds: sessions, messages, tool calls,
// tokens and costs ([Count]; [LikePi] as pi shows them of one session), and the
// bytes of the files ([Weigh]).
//
// Count and Weigh read no entries, but sums that were made when these came in: of
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

// StatsMeasures are what rows can be ordered and drawn by.
var StatsMeasures = [...]string{"cost", "tokens", "messages", "sessions"}

// StatsOptions say what is counted.
type StatsOptions struct {
	By           string         // one of StatsBys; "": no rows, only the total
	Zone         *time.Location // in which days begin
	Since, Until time.Time      // zero: no limit; exact to a quarter of an hour
	Project      string         // text or glob; an absolute path means all below it, too
	Session      int64          // of this session alone, and all that its file holds; 0: of all, copies left out
	Measure      string         // one of StatsMeasures: the order of rows that are no times
}

// Sums are added up over entries.
type Sums struct {
	Users, Assistants, Results, Others   int64 // messages by role
	Errors                               int64 // messages that are errors
	ToolCalls                            int64
	Calls                                int64    // of models
	Unpriced                             int64    // calls that used tokens and recorded no cost, or 0
	Partial                              int64    // calls that lack a basic number
	Input, Output, CacheRead, CacheWrite int64    // tokens
	Reasoning                            int64    // part of Output
	Total                                int64    // tokens as recorded, else the sum of the four
	Cost                                 *float64 // US dollars; nil: none was recorded
}

// Messages counts them all.
func (s Sums) Messages() int64 { return s.Users + s.Assistants + s.Results + s.Others }

// Add adds t to s.
func (s *Sums) Add(t Sums) {
	for _, p := range [...]struct {
		to   *int64
		from int64
	}{
		{&s.Users, t.Users}, {&s.Assistants, t.Assistants}, {&s.Results, t.Results}, {&s.Others, t.Others}, {&s.Errors, t.Errors},
		{&s.ToolCalls, t.ToolCalls}, {&s.Calls, t.Calls}, {&s.Unpriced, t.Unpriced}, {&s.Partial, t.Partial}, {&s.Input, t.Input},
		{&s.Output, t.Output}, {&s.CacheRead, t.CacheRead}, {&s.CacheWrite, t.CacheWrite}, {&s.Reasoning, t.Reasoning}, {&s.Total, t.Total},
	} {
		*p.to += p.from
	}
	if t.Cost != nil {
		sum := *t.Cost
		if s.Cost != nil {
			sum += *s.Cost
		}
		s.Cost = &sum
	}
}

// ToolSums are added up over tool calls.
type ToolSums struct {
	Calls, Results    int64 // a call has a result for each branch that has one
	Errors, Truncated int64 // of the results
	Timed, Duration   int64 // results with both times known; of these, from call to result, in milliseconds
}

func (s *ToolSums) add(t ToolSums) {
	s.Calls, s.Results, s.Errors = s.Calls+t.Calls, s.Results+t.Results, s.Errors+t.Errors
	s.Truncated, s.Timed, s.Duration = s.Truncated+t.Truncated, s.Timed+t.Timed, s.Duration+t.Duration
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
	Tool                ToolSums
}

// Sums adds up both kinds of branches.
func (r *StatsRow) Sums() Sums {
	s := r.Active
	s.Add(r.Abandoned)
	return s
}

// Measure is what a row has of one of StatsMeasures.
func (r *StatsRow) Measure(what string) float64 {
	s := r.Sums()
	switch what {
	case "cost":
		if s.Cost != nil {
			return *s.Cost
		}
		return 0
	case "messages":
		return float64(s.Messages())
	case "sessions":
		return float64(r.Sessions + r.Subagents)
	}
	return float64(s.Total)
}

// Stats is the answer: rows in order of time, else the greatest first.
type Stats struct {
	Rows  []*StatsRow
	Total StatsRow
	// What copies of counted entries have, as forks and exports make them, and
	// calls of subagents whose own sessions count.
	LeftOut      Sums
	LeftOutTools ToolSums
	Copies       Sums      // of one session: what of it counts in another one when all are counted
	Since, Until time.Time // the limits as they were applied
}

// Count counts sessions, messages, tokens, costs and tool calls. It reads sums
// of quarters of an hour, which the days of every time zone are made of.
func Count(ctx context.Context, a *query.Archive, o StatsOptions) (*Stats, error) {
	o = o.settled()
	q := &statsQuery{archive: a, o: o, answer: &Stats{Since: o.Since, Until: o.Until}}
	err := a.Steady(ctx, func() error {
		if err := q.prepare(ctx); err != nil {
			return err
		}
		if o.By == "tool" {
			return q.tools(ctx)
		}
		return q.tallies(ctx)
	})
	if err != nil {
		return nil, err
	}
	q.order()
	return q.answer, nil
}

// slotLength is the unit of time that sums are kept by.
const slotLength = index.SlotLength

// settled fills in what was left open, and widens the limits to whole slots.
func (o StatsOptions) settled() StatsOptions {
	if o.Zone == nil {
		o.Zone = time.UTC
	}
	if !o.Since.IsZero() {
		o.Since = time.Unix(slotOf(o.Since)*900, 0).UTC()
	}
	if !o.Until.IsZero() {
		o.Until = time.Unix((slotOf(o.Until.Add(-time.Nanosecond))+1)*900, 0).UTC()
	}
	o.Measure = cmp.Or(o.Measure, "tokens")
	return o
}

func slotOf(t time.Time) int64 { return floorDiv(t.Unix(), int64(slotLength/time.Second)) }

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
