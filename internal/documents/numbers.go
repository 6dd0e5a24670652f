package documents

import (
	"slices"

	"piarchive/internal/query"
	"piarchive/internal/query/numbers"
)

// Numbers is an answer of stats or cost, out of which documents are made.
type Numbers struct {
	By, Zone string
	Stats    *numbers.Stats
	Shown    []*numbers.StatsRow // of its rows, as many as are asked for
	Session  *query.SessionRef   // nil for all
	Coverage Coverage
}

// numberRow is a row of stats or cost.
type numberRow = *numbers.StatsRow

// measures makes columns of measures, over a part of each row's sums.
func measures(part func(numberRow) numbers.Sums, ids ...numbers.ID) (columns []Column[numberRow]) {
	for _, id := range ids {
		m := numbers.Measures[id]
		c := Column[numberRow]{Key: m.Key, Name: m.Name, Of: func(r numberRow) any { return id.Value(r, part(r)) }}
		if c.Key == "" {
			c.Key = "-" + m.Name
		}
		columns = append(columns, c)
	}
	return columns
}

// spent are the measures of what model calls used.
func spent(part func(numberRow) numbers.Sums) []Column[numberRow] {
	return slices.Concat(measures(part, numbers.CostSum, numbers.Calls, numbers.Unpriced), used(part))
}

func used(part func(numberRow) numbers.Sums) []Column[numberRow] {
	return measures(part, numbers.Input, numbers.Output, numbers.CacheRead, numbers.CacheWrite, numbers.Reasoning, numbers.Tokens)
}

// whole is the part of a row's sums that is all of them.
func whole(r numberRow) numbers.Sums { return r.Sums() }

func statsColumns(tools bool) []Column[numberRow] {
	columns := measures(whole, numbers.Sessions, numbers.Subagents)
	if tools {
		null := func(numberRow) any { return nil }
		columns = append(columns, Column[numberRow]{Key: "messages", Of: null}, Column[numberRow]{Key: "tokens", Of: null})
	} else {
		columns = slices.Concat(columns, measures(whole, numbers.Users, numbers.Assistants, numbers.Results, numbers.Others, numbers.Messages), used(whole))
	}
	columns = append(columns, measures(whole, numbers.CostSum, numbers.Calls, numbers.Unpriced, numbers.Partial, numbers.ToolCalls, numbers.Errors)...)
	if tools {
		columns = append(columns, measures(whole, numbers.ToolResults, numbers.Truncated, numbers.ErrorRate, numbers.MeanTime)...)
	}
	return columns
}

func costColumns() []Column[numberRow] {
	part := func(key string, of func(numberRow) numbers.Sums) Column[numberRow] {
		return Column[numberRow]{Key: key, Of: func(r numberRow) any { return record[numberRow]{spent(of), r} }}
	}
	return slices.Concat(measures(whole, numbers.Sessions, numbers.Subagents), spent(whole), measures(whole, numbers.ActiveCost, numbers.AbandonedCost), []Column[numberRow]{
		part("active", func(r numberRow) numbers.Sums { return r.Active }),
		part("abandoned", func(r numberRow) numbers.Sums { return r.Abandoned }),
	})
}

// key are the columns that name a row.
func (n *Numbers) key() []Column[numberRow] {
	columns := []Column[numberRow]{{Key: "key", Name: n.By, Of: func(r numberRow) any {
		if r.Key == "" && n.By != "project" && n.By != "system" { // a project without a name is one, too
			return nil
		}
		return r.Key
	}}}
	switch n.By {
	case "day", "week", "month", "hour":
		columns = append(columns, Column[numberRow]{Key: "start", Of: func(r numberRow) any { return Time(r.Start) }},
			Column[numberRow]{Key: "end", Of: func(r numberRow) any { return Time(r.End) }})
	case "model":
		named := func(key string, of func(numberRow) string) Column[numberRow] {
			return Column[numberRow]{Key: key, Of: func(r numberRow) any {
				if r.Key == "" {
					return absent{}
				}
				return of(r)
			}}
		}
		columns = append(columns, named("provider", func(r numberRow) string { return r.Provider }), named("model", func(r numberRow) string { return r.Model }))
	case "session":
		columns = append(columns, Column[numberRow]{Key: "session", Of: func(r numberRow) any { return NewSessionRef(*r.Session) }},
			Column[numberRow]{Key: "-session_id", Of: func(r numberRow) any { return r.Session.ID }})
	}
	return columns
}

// Rows lists the rows that are shown, of stats or of cost.
func (n *Numbers) Rows(cost bool) List[numberRow] {
	return List[numberRow]{append(n.key(), n.measured(cost)...), n.Shown}
}

func (n *Numbers) measured(cost bool) []Column[numberRow] {
	if cost {
		return costColumns()
	}
	return statsColumns(n.By == "tool")
}

// leftOut tells what is counted elsewhere.
func (n *Numbers) leftOut() any {
	part := func(numberRow) numbers.Sums { return n.Stats.LeftOut }
	messages := Column[numberRow]{Key: "messages", Of: func(numberRow) any { return n.Stats.LeftOut.Messages() }}
	return record[numberRow]{slices.Concat(used(part), measures(part, numbers.CostSum, numbers.Calls, numbers.Unpriced), []Column[numberRow]{messages}, measures(part, numbers.ToolCalls)), nil}
}

// document puts together what stats and cost have in common, and between them
// what they have not.
func (n *Numbers) document(cost bool, behindTotal, behindSession Object) Object {
	var session any
	if n.Session != nil {
		session = NewSessionRef(*n.Session)
	}
	return slices.Concat(Object{
		{"by", n.By}, {"tz", n.Zone}, {"since", Time(n.Stats.Since)}, {"until", Time(n.Stats.Until)}, // the first moment that is not part of it
		{"rows", n.Rows(cost)}, {"total", record[numberRow]{n.measured(cost), &n.Stats.Total}},
	}, behindTotal, Object{{"leftOut", n.leftOut()}, {"session", session}}, behindSession, Object{{"coverage", n.Coverage}})
}

// NewStats puts the document of stats together; pi, which may be nil, is how
// versions of pi count one session.
func NewStats(n *Numbers, pi *numbers.PiStats) Object {
	return n.document(false, nil, Object{{"pi", pi}})
}

// NewCost puts the document of cost together; recent may be nil.
func NewCost(n *Numbers, recent *numbers.Spent) Object {
	var today, month any
	if recent != nil {
		today = record[numberRow]{spent(func(numberRow) numbers.Sums { return recent.Today }), nil}
		month = record[numberRow]{spent(func(numberRow) numbers.Sums { return recent.Month }), nil}
	}
	return n.document(true, Object{{"today", today}, {"thisMonth", month}}, nil)
}

// CSVKeys are the columns of the rows that CSV has.
func (n *Numbers) CSVKeys(cost bool) string {
	keys := "sessions subagents messages.user messages.assistant messages.toolResult messages.other messages.total tokens.input tokens.output" +
		" tokens.cacheRead tokens.cacheWrite tokens.reasoning tokens.total cost modelCalls unpriced toolCalls errors"
	switch {
	case cost:
		keys = "cost active_cost abandoned_cost unpriced modelCalls tokens.total sessions subagents"
	case n.By == "tool":
		keys = "sessions subagents toolCalls results errors truncated meanMs"
	}
	if n.By == "session" {
		keys = "session_id " + keys
	}
	return "key " + keys
}
