package documents

import (
	"math"

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

// Spent is what was spent lately.
type Spent struct{ Today, Month numbers.Sums }

// NumbersHead begins the documents of stats and cost.
type NumbersHead struct {
	By    string `json:"by"`
	Zone  string `json:"tz"`
	Since Time   `json:"since"`
	Until Time   `json:"until"` // the first moment that is not part of it
}

// RowKey names a row.
type RowKey struct {
	Key      *string     `json:"key"`
	Start    Time        `json:"start,omitzero"`
	End      Time        `json:"end,omitzero"`
	Provider *string     `json:"provider,omitempty"`
	Model    *string     `json:"model,omitempty"`
	Session  *SessionRef `json:"session,omitempty"`
}

type Used struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"`
	Reasoning  int64 `json:"reasoning"`
	Total      int64 `json:"total"`
}

type Messages struct {
	User       int64 `json:"user"`
	Assistant  int64 `json:"assistant"`
	ToolResult int64 `json:"toolResult"`
	Other      int64 `json:"other"`
	Total      int64 `json:"total"`
}

// CostSum is what model calls used.
type CostSum struct {
	Cost     *float64 `json:"cost"`
	Calls    int64    `json:"modelCalls"`
	Unpriced int64    `json:"unpriced"`
	Tokens   Used     `json:"tokens"`
}

// RowCounts is all that stats counts.
type RowCounts struct {
	Sessions  int       `json:"sessions"`
	Subagents int       `json:"subagents"`
	Messages  *Messages `json:"messages"`
	Tokens    *Used     `json:"tokens"`
	Cost      *float64  `json:"cost"`
	Calls     int64     `json:"modelCalls"`
	Unpriced  int64     `json:"unpriced"`
	Partial   int64     `json:"partial"`
	ToolCalls int64     `json:"toolCalls"`
	Errors    int64     `json:"errors"`

	Results   *int64   `json:"results,omitempty"`
	Truncated *int64   `json:"truncated,omitempty"`
	ErrorRate *float64 `json:"errorRate,omitempty"`
	MeanMs    *float64 `json:"meanMs,omitempty"`
}

// StatsRow is a row of piarchive.stats/1; a total has no key.
type StatsRow struct {
	*RowKey
	RowCounts
}

type LeftOut struct {
	Tokens    Used     `json:"tokens"`
	Cost      *float64 `json:"cost"`
	Calls     int64    `json:"modelCalls"`
	Unpriced  int64    `json:"unpriced"`
	Messages  int64    `json:"messages"`
	ToolCalls int64    `json:"toolCalls"`
}

// PiStats is what pi's own getSessionStats returns, under its names.
type PiStats struct {
	UserMessages      int      `json:"userMessages"`
	AssistantMessages int      `json:"assistantMessages"`
	ToolCalls         int      `json:"toolCalls"`
	ToolResults       int      `json:"toolResults"`
	TotalMessages     int      `json:"totalMessages"`
	Tokens            Tokens   `json:"tokens"`
	Cost              *float64 `json:"cost"`
	Unpriced          int      `json:"unpriced"`
}

// Pi is how versions of pi count one session.
type Pi struct {
	All       PiStats `json:"all"`       // footer from 0.81 on, /session of 1.5.2
	Assistant PiStats `json:"assistant"` // footer before
	Context   PiStats `json:"context"`   // /session up to 0.73.1
}

type Stats struct {
	NumbersHead
	Rows     []StatsRow  `json:"rows"`
	Total    StatsRow    `json:"total"`
	LeftOut  LeftOut     `json:"leftOut"`
	Session  *SessionRef `json:"session"`
	Pi       *Pi         `json:"pi"`
	Coverage Coverage    `json:"coverage"`
}

// CostRow is a row of piarchive.cost/1; a total has no key.
type CostRow struct {
	*RowKey
	Sessions  int `json:"sessions"`
	Subagents int `json:"subagents"`
	CostSum
	Active    CostSum `json:"active"`
	Abandoned CostSum `json:"abandoned"`
}

type Cost struct {
	NumbersHead
	Rows     []CostRow   `json:"rows"`
	Total    CostRow     `json:"total"`
	Today    *CostSum    `json:"today"`
	Month    *CostSum    `json:"thisMonth"`
	LeftOut  LeftOut     `json:"leftOut"`
	Session  *SessionRef `json:"session"`
	Coverage Coverage    `json:"coverage"`
}

func (n *Numbers) head() NumbersHead {
	return NumbersHead{By: n.By, Zone: n.Zone, Since: Time(n.Stats.Since), Until: Time(n.Stats.Until)}
}

func (n *Numbers) sessionDoc() *SessionRef {
	if n.Session == nil {
		return nil
	}
	return new(NewSessionRef(*n.Session))
}

func (n *Numbers) key(row *numbers.StatsRow) *RowKey {
	doc := &RowKey{Key: orNull(row.Key)}
	switch n.By {
	case "day", "week", "month", "hour":
		doc.Start, doc.End = Time(row.Start), Time(row.End)
	case "model":
		if row.Key != "" {
			doc.Provider, doc.Model = &row.Provider, &row.Model
		}
	case "project", "system": // a project without a name is one, too
		doc.Key = &row.Key
	case "session":
		doc.Session = new(NewSessionRef(*row.Session))
	}
	return doc
}

func newUsed(s numbers.Sums) Used {
	return Used{s.Input, s.Output, s.CacheRead, s.CacheWrite, s.Reasoning, s.Total}
}

// Dollars takes the noise from a sum of binary fractions: beyond a billionth of
// a dollar nothing was recorded.
func Dollars(sum *float64) *float64 {
	if sum == nil || math.Abs(*sum) > 1e6 {
		return sum
	}
	return new(math.Round(*sum*1e9) / 1e9)
}

func newCostSum(s numbers.Sums) CostSum {
	return CostSum{Cost: Dollars(s.Cost), Calls: s.Calls, Unpriced: s.Unpriced, Tokens: newUsed(s)}
}

func newLeftOut(s numbers.Sums) LeftOut {
	return LeftOut{Tokens: newUsed(s), Cost: Dollars(s.Cost), Calls: s.Calls, Unpriced: s.Unpriced, Messages: s.Messages(), ToolCalls: s.ToolCalls}
}

func newStatsRow(row *numbers.StatsRow, tools bool) StatsRow {
	s := row.Sums()
	doc := StatsRow{RowCounts: RowCounts{
		Sessions: row.Sessions, Subagents: row.Subagents, Cost: Dollars(s.Cost), Calls: s.Calls, Unpriced: s.Unpriced, Partial: s.Partial, ToolCalls: s.ToolCalls, Errors: s.Errors,
	}}
	if !tools {
		doc.Tokens = new(newUsed(s))
		doc.Messages = &Messages{User: s.Users, Assistant: s.Assistants, ToolResult: s.Results, Other: s.Others, Total: s.Messages()}
		return doc
	}
	t := row.Tool
	doc.ToolCalls, doc.Errors, doc.Results, doc.Truncated = t.Calls, t.Errors, &t.Results, &t.Truncated
	doc.ErrorRate, doc.MeanMs = Ratio(t.Errors, t.Results), Ratio(t.Duration, t.Timed)
	return doc
}

// StatsRow is a row with its key; the total has none.
func (n *Numbers) StatsRow(row *numbers.StatsRow) StatsRow {
	doc := newStatsRow(row, n.By == "tool")
	doc.RowKey = n.key(row)
	return doc
}

// Ratio is nil where there is nothing to divide by.
func Ratio(a, b int64) *float64 {
	if b == 0 {
		return nil
	}
	return new(math.Round(float64(a)/float64(b)*1e4) / 1e4)
}

// NewStats puts the document of stats together; pi may be nil.
func NewStats(n *Numbers, pi *numbers.PiStats) Stats {
	doc := Stats{NumbersHead: n.head(), Rows: []StatsRow{}, Total: newStatsRow(&n.Stats.Total, n.By == "tool"), Session: n.sessionDoc(), Coverage: n.Coverage}
	for _, row := range n.Shown {
		doc.Rows = append(doc.Rows, n.StatsRow(row))
	}
	if doc.LeftOut = newLeftOut(n.Stats.LeftOut); n.By == "tool" {
		doc.LeftOut.ToolCalls = n.Stats.LeftOutTools.Calls
	}
	if pi != nil {
		doc.Pi = &Pi{newPiStats(pi.All), newPiStats(pi.Assistant), newPiStats(pi.Context)}
	}
	return doc
}

func newPiStats(s numbers.SessionStats) PiStats {
	return PiStats{s.UserMessages, s.AssistantMessages, s.ToolCalls, s.ToolResults, s.TotalMessages, Tokens(s.Tokens), s.Cost, s.Unpriced}
}

func newCostRow(row *numbers.StatsRow) CostRow {
	return CostRow{
		Sessions: row.Sessions, Subagents: row.Subagents,
		CostSum: newCostSum(row.Sums()), Active: newCostSum(row.Active), Abandoned: newCostSum(row.Abandoned),
	}
}

// CostRow is a row with its key; the total has none.
func (n *Numbers) CostRow(row *numbers.StatsRow) CostRow {
	doc := newCostRow(row)
	doc.RowKey = n.key(row)
	return doc
}

// NewCost puts the document of cost together; recent may be nil.
func NewCost(n *Numbers, recent *Spent) Cost {
	doc := Cost{NumbersHead: n.head(), Rows: []CostRow{}, Total: newCostRow(&n.Stats.Total), LeftOut: newLeftOut(n.Stats.LeftOut), Session: n.sessionDoc(), Coverage: n.Coverage}
	for _, row := range n.Shown {
		doc.Rows = append(doc.Rows, n.CostRow(row))
	}
	if recent != nil {
		doc.Today, doc.Month = new(newCostSum(recent.Today)), new(newCostSum(recent.Month))
	}
	return doc
}
