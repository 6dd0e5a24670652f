package main

import (
	"math"

	"piarchive/internal/documents"
	"piarchive/internal/query/numbers"
)

// numbersHead begins the documents of stats and cost.
type numbersHead struct {
	By    string         `json:"by"`
	Zone  string         `json:"tz"`
	Since documents.Time `json:"since"`
	Until documents.Time `json:"until"` // the first moment that is not part of it
}

// keyDoc names a row.
type keyDoc struct {
	Key      *string               `json:"key"`
	Start    documents.Time        `json:"start,omitzero"`
	End      documents.Time        `json:"end,omitzero"`
	Provider *string               `json:"provider,omitempty"`
	Model    *string               `json:"model,omitempty"`
	Session  *documents.SessionRef `json:"session,omitempty"`
}

type usedDoc struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"`
	Reasoning  int64 `json:"reasoning"`
	Total      int64 `json:"total"`
}

type messagesDoc struct {
	User       int64 `json:"user"`
	Assistant  int64 `json:"assistant"`
	ToolResult int64 `json:"toolResult"`
	Other      int64 `json:"other"`
	Total      int64 `json:"total"`
}

// costSumDoc is what model calls used.
type costSumDoc struct {
	Cost     *float64 `json:"cost"`
	Calls    int64    `json:"modelCalls"`
	Unpriced int64    `json:"unpriced"`
	Tokens   usedDoc  `json:"tokens"`
}

// countsOfRow is all that stats counts.
type countsOfRow struct {
	Sessions  int          `json:"sessions"`
	Subagents int          `json:"subagents"`
	Messages  *messagesDoc `json:"messages"`
	Tokens    *usedDoc     `json:"tokens"`
	Cost      *float64     `json:"cost"`
	Calls     int64        `json:"modelCalls"`
	Unpriced  int64        `json:"unpriced"`
	Partial   int64        `json:"partial"`
	ToolCalls int64        `json:"toolCalls"`
	Errors    int64        `json:"errors"`

	Results   *int64   `json:"results,omitempty"`
	Truncated *int64   `json:"truncated,omitempty"`
	ErrorRate *float64 `json:"errorRate,omitempty"`
	MeanMs    *float64 `json:"meanMs,omitempty"`
}

// statsRow is a row of piarchive.stats/1; a total has no key.
type statsRow struct {
	*keyDoc
	countsOfRow
}

type leftOutDoc struct {
	Tokens    usedDoc  `json:"tokens"`
	Cost      *float64 `json:"cost"`
	Calls     int64    `json:"modelCalls"`
	Unpriced  int64    `json:"unpriced"`
	Messages  int64    `json:"messages"`
	ToolCalls int64    `json:"toolCalls"`
}

// piStatsDoc is what pi's own getSessionStats returns, under its names.
type piStatsDoc struct {
	UserMessages      int              `json:"userMessages"`
	AssistantMessages int              `json:"assistantMessages"`
	ToolCalls         int              `json:"toolCalls"`
	ToolResults       int              `json:"toolResults"`
	TotalMessages     int              `json:"totalMessages"`
	Tokens            documents.Tokens `json:"tokens"`
	Cost              *float64         `json:"cost"`
	Unpriced          int              `json:"unpriced"`
}

// piDoc is how versions of pi count one session.
type piDoc struct {
	All       piStatsDoc `json:"all"`       // footer from 0.81 on, /session of 1.5.2
	Assistant piStatsDoc `json:"assistant"` // footer before
	Context   piStatsDoc `json:"context"`   // /session up to 0.73.1
}

type statsDoc struct {
	numbersHead
	Rows     []statsRow            `json:"rows"`
	Total    statsRow              `json:"total"`
	LeftOut  leftOutDoc            `json:"leftOut"`
	Session  *documents.SessionRef `json:"session"`
	Pi       *piDoc                `json:"pi"`
	Coverage documents.Coverage    `json:"coverage"`
}

type costRow struct {
	*keyDoc
	Sessions  int `json:"sessions"`
	Subagents int `json:"subagents"`
	costSumDoc
	Active    costSumDoc `json:"active"`
	Abandoned costSumDoc `json:"abandoned"`
}

type costDoc struct {
	numbersHead
	Rows     []costRow             `json:"rows"`
	Total    costRow               `json:"total"`
	Today    *costSumDoc           `json:"today"`
	Month    *costSumDoc           `json:"thisMonth"`
	LeftOut  leftOutDoc            `json:"leftOut"`
	Session  *documents.SessionRef `json:"session"`
	Coverage documents.Coverage    `json:"coverage"`
}

func (n *account) head() numbersHead {
	return numbersHead{By: n.by, Zone: n.zoneName, Since: documents.Time(n.stats.Since), Until: documents.Time(n.stats.Until)}
}

func (n *account) sessionDoc() *documents.SessionRef {
	if n.session == nil {
		return nil
	}
	doc := documents.NewSessionRef(*n.session)
	return &doc
}

func (n *account) keyDoc(row *numbers.StatsRow) *keyDoc {
	doc := &keyDoc{Key: orNull(row.Key)}
	switch n.by {
	case "day", "week", "month", "hour":
		doc.Start, doc.End = documents.Time(row.Start), documents.Time(row.End)
	case "model":
		if row.Key != "" {
			doc.Provider, doc.Model = &row.Provider, &row.Model
		}
	case "project", "system": // a project without a name is one, too
		doc.Key = &row.Key
	case "session":
		ref := documents.NewSessionRef(*row.Session)
		doc.Session = &ref
	}
	return doc
}

func newUsedDoc(s numbers.Sums) usedDoc {
	return usedDoc{s.Input, s.Output, s.CacheRead, s.CacheWrite, s.Reasoning, s.Total}
}

// dollars takes the noise from a sum of binary fractions: beyond a billionth of
// a dollar nothing was recorded.
func dollars(sum *float64) *float64 {
	if sum == nil || math.Abs(*sum) > 1e6 {
		return sum
	}
	round := math.Round(*sum*1e9) / 1e9
	return &round
}

func newCostSumDoc(s numbers.Sums) costSumDoc {
	return costSumDoc{Cost: dollars(s.Cost), Calls: s.Calls, Unpriced: s.Unpriced, Tokens: newUsedDoc(s)}
}

func newLeftOutDoc(s numbers.Sums) leftOutDoc {
	return leftOutDoc{Tokens: newUsedDoc(s), Cost: dollars(s.Cost), Calls: s.Calls, Unpriced: s.Unpriced, Messages: s.Messages(), ToolCalls: s.ToolCalls}
}

func (n *account) statsRowDoc(row *numbers.StatsRow, keyed bool) statsRow {
	s := row.Sums()
	doc := statsRow{countsOfRow: countsOfRow{
		Sessions: row.Sessions, Subagents: row.Subagents, Cost: dollars(s.Cost), Calls: s.Calls, Unpriced: s.Unpriced, Partial: s.Partial, ToolCalls: s.ToolCalls, Errors: s.Errors,
	}}
	if keyed {
		doc.keyDoc = n.keyDoc(row)
	}
	if n.by != "tool" {
		used := newUsedDoc(s)
		doc.Tokens = &used
		doc.Messages = &messagesDoc{User: s.Users, Assistant: s.Assistants, ToolResult: s.Results, Other: s.Others, Total: s.Messages()}
		return doc
	}
	t := row.Tool
	doc.ToolCalls, doc.Errors, doc.Results, doc.Truncated = t.Calls, t.Errors, &t.Results, &t.Truncated
	doc.ErrorRate, doc.MeanMs = ratio(t.Errors, t.Results), ratio(t.Duration, t.Timed)
	return doc
}

// ratio is nil where there is nothing to divide by.
func ratio(a, b int64) *float64 {
	if b == 0 {
		return nil
	}
	r := math.Round(float64(a)/float64(b)*1e4) / 1e4
	return &r
}

func (n *account) statsDoc(pi *numbers.PiStats) statsDoc {
	doc := statsDoc{numbersHead: n.head(), Rows: []statsRow{}, Total: n.statsRowDoc(&n.stats.Total, false), Session: n.sessionDoc(), Coverage: n.cov}
	for _, row := range n.shown {
		doc.Rows = append(doc.Rows, n.statsRowDoc(row, true))
	}
	if doc.LeftOut = newLeftOutDoc(n.stats.LeftOut); n.by == "tool" {
		doc.LeftOut.ToolCalls = n.stats.LeftOutTools.Calls
	}
	if pi != nil {
		doc.Pi = &piDoc{newPiStatsDoc(pi.All), newPiStatsDoc(pi.Assistant), newPiStatsDoc(pi.Context)}
	}
	return doc
}

func newPiStatsDoc(s numbers.SessionStats) piStatsDoc {
	return piStatsDoc{s.UserMessages, s.AssistantMessages, s.ToolCalls, s.ToolResults, s.TotalMessages, documents.Tokens(s.Tokens), s.Cost, s.Unpriced}
}

func newCostRowDoc(row *numbers.StatsRow) costRow {
	return costRow{
		Sessions: row.Sessions, Subagents: row.Subagents,
		costSumDoc: newCostSumDoc(row.Sums()), Active: newCostSumDoc(row.Active), Abandoned: newCostSumDoc(row.Abandoned),
	}
}

// costRowDoc is a row with its key; the total has none.
func (n *account) costRowDoc(row *numbers.StatsRow) costRow {
	doc := newCostRowDoc(row)
	doc.keyDoc = n.keyDoc(row)
	return doc
}

func (n *account) costDoc(recent *spent) costDoc {
	doc := costDoc{numbersHead: n.head(), Rows: []costRow{}, Total: newCostRowDoc(&n.stats.Total), LeftOut: newLeftOutDoc(n.stats.LeftOut), Session: n.sessionDoc(), Coverage: n.cov}
	for _, row := range n.shown {
		doc.Rows = append(doc.Rows, n.costRowDoc(row))
	}
	if recent != nil {
		today, month := newCostSumDoc(recent.today), newCostSumDoc(recent.month)
		doc.Today, doc.Month = &today, &month
	}
	return doc
}

// csvKey is the beginning of a CSV line: the key, and for sessions their id.
func (n *account) csvKey(row *numbers.StatsRow) []any {
	if n.by == "session" {
		return []any{row.Key, row.Session.ID}
	}
	return []any{row.Key}
}

func (n *account) csvHead(columns ...string) []string {
	head := []string{n.by}
	if n.by == "session" {
		head = append(head, "session_id")
	}
	return append(head, columns...)
}

// csvCost is nothing where nothing was recorded.
func csvCost(s numbers.Sums) any {
	if s.Cost == nil {
		return nil
	}
	return *dollars(s.Cost)
}

func (n *account) writeCSV(head []string, line func(*numbers.StatsRow) []any) error {
	w := newCSVResult(n.call)
	err := w.begin(head)
	for _, row := range n.shown {
		if err == nil {
			err = w.row(append(n.csvKey(row), line(row)...))
		}
	}
	if err != nil {
		return err
	}
	return w.end()
}

func (n *account) statsCSV() error {
	if n.by == "tool" {
		return n.writeCSV(n.csvHead("sessions", "subagents", "tool_calls", "results", "errors", "truncated", "mean_ms"), func(r *numbers.StatsRow) []any {
			t := r.Tool
			var mean any
			if m := ratio(t.Duration, t.Timed); m != nil {
				mean = *m
			}
			return []any{int64(r.Sessions), int64(r.Subagents), t.Calls, t.Results, t.Errors, t.Truncated, mean}
		})
	}
	return n.writeCSV(n.csvHead("sessions", "subagents", "user_messages", "assistant_messages", "tool_results", "other_messages", "messages",
		"input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens", "total_tokens",
		"cost", "model_calls", "unpriced", "tool_calls", "errors"), func(r *numbers.StatsRow) []any {
		s := r.Sums()
		return []any{int64(r.Sessions), int64(r.Subagents), s.Users, s.Assistants, s.Results, s.Others, s.Messages(),
			s.Input, s.Output, s.CacheRead, s.CacheWrite, s.Reasoning, s.Total, csvCost(s), s.Calls, s.Unpriced, s.ToolCalls, s.Errors}
	})
}

func (n *account) costCSV() error {
	return n.writeCSV(n.csvHead("cost", "active_cost", "abandoned_cost", "unpriced", "model_calls", "total_tokens", "sessions", "subagents"), func(r *numbers.StatsRow) []any {
		s := r.Sums()
		return []any{csvCost(s), csvCost(r.Active), csvCost(r.Abandoned), s.Unpriced, s.Calls, s.Total, int64(r.Sessions), int64(r.Subagents)}
	})
}
