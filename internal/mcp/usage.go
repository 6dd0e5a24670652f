package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"piarchive/internal/query"
	"piarchive/internal/query/numbers"
	"piarchive/internal/terminal"
)

const usageAbout = `Tokens, model calls and recorded cost in US dollars over past sessions, by day, week, month, model, provider, project, session or tool. Copies in forks count once. A cost that is missing was not recorded; it is not zero. Rows come dearest first, times latest first.`

type usageInput struct {
	By string `json:"by,omitempty" jsonschema:"day, week, month, hour, model (default), provider, project, system, tool or session"`
	span
	Limit  int `json:"limit,omitempty" jsonschema:"at most so many rows (default 20)"`
	Tokens int `json:"max_tokens,omitempty" jsonschema:"length of the answer (default 4000)"`
}

type used struct {
	Key        string   `json:"key"`
	Sessions   int      `json:"sessions"`
	Cost       *float64 `json:"cost,omitempty" jsonschema:"US dollars, where they were recorded"`
	ModelCalls int64    `json:"model_calls"`
	Tokens     int64    `json:"tokens"`
	Input      int64    `json:"input_tokens"`
	Output     int64    `json:"output_tokens"`
	CacheRead  int64    `json:"cache_read_tokens"`
	CacheWrite int64    `json:"cache_write_tokens"`
	ToolCalls  int64    `json:"tool_calls"`
}

type usageAnswer struct {
	Rows     []used `json:"rows"`
	Total    used   `json:"total"`
	All      int    `json:"rows_in_all"`
	Coverage string `json:"coverage"`
}

func (s *Server) usage(ctx context.Context, a *query.Archive, in usageInput) (*usageAnswer, error) {
	o := numbers.StatsOptions{By: in.By, Zone: s.Now().Location(), Project: s.project(in.span), Order: "cost"}
	if o.By == "" {
		o.By = "model"
	}
	if !slices.Contains(numbers.StatsBys[:], o.By) {
		return nil, fmt.Errorf("by: %q is none of %s", cut(terminal.Safe(o.By), 50), strings.Join(numbers.StatsBys[:], ", "))
	}
	var err error
	if o.Since, o.Until, err = in.times(s.Now()); err != nil {
		return nil, err
	}
	stats, err := numbers.Count(ctx, a, o)
	if err != nil {
		return nil, err
	}
	limit := bounded(in.Limit, 20, 1000)
	out := &usageAnswer{Total: newUsed(&stats.Total), All: len(stats.Rows)}
	if out.Coverage, err = s.coverage(ctx, a); err != nil {
		return nil, err
	}
	shown := stats.Rows
	if len(shown) > 0 && !shown[0].Start.IsZero() { // of times the latest
		shown = shown[max(0, len(shown)-limit):]
		slices.Reverse(shown)
	}
	var rows []used
	for _, row := range shown[:min(limit, len(shown))] {
		rows = append(rows, newUsed(row))
	}
	return fit(len(rows), room(in.Tokens), func(n int) *usageAnswer {
		with := *out
		with.Rows = append([]used{}, rows[:n]...)
		return &with
	}, func(bytes int) {
		for i := range rows[:min(1, len(rows))] {
			rows[i].Key = cut(rows[i].Key, bytes/4)
		}
	}), nil
}

func newUsed(row *numbers.StatsRow) used {
	sums := row.Sums()
	return used{
		Key: cut(terminal.Safe(row.Key), 300), Sessions: row.Sessions + row.Subagents, Cost: cost(sums), ModelCalls: sums.N[numbers.Calls],
		Tokens: sums.N[numbers.Tokens], Input: sums.N[numbers.Input], Output: sums.N[numbers.Output],
		CacheRead: sums.N[numbers.CacheRead], CacheWrite: sums.N[numbers.CacheWrite], ToolCalls: sums.N[numbers.ToolCalls],
	}
}

func cost(s numbers.Sums) *float64 {
	if v, ok := numbers.Cost(s).Value().(float64); ok {
		return &v
	}
	return nil
}

// Text is a line for each row, and one for all.
func (r *usageAnswer) Text() string {
	var b strings.Builder
	b.WriteString(left(len(r.Rows), r.All, false, "row", "the total below counts all"))
	line := func(name string, u used) {
		money := "cost not recorded"
		if u.Cost != nil {
			money = fmt.Sprintf("$%.4f", *u.Cost)
		}
		fmt.Fprintf(&b, "%s: %s, %d tokens (%d input, %d output, %d cache read, %d cache write), %d model calls, %d tool calls, %d sessions\n",
			name, money, u.Tokens, u.Input, u.Output, u.CacheRead, u.CacheWrite, u.ModelCalls, u.ToolCalls, u.Sessions)
	}
	for _, u := range r.Rows {
		line(u.Key, u)
	}
	line("total", r.Total)
	return b.String() + "\nCounted: " + r.Coverage + "\n"
}
