package main

import (
	"piarchive/internal/documents"
	"piarchive/internal/query/numbers"
)

// csvKey is the beginning of a CSV line: the key, and for sessions their id.
func (n *account) csvKey(row *numbers.StatsRow) []any {
	if n.By == "session" {
		return []any{row.Key, row.Session.ID}
	}
	return []any{row.Key}
}

func (n *account) csvHead(columns ...string) []string {
	head := []string{n.By}
	if n.By == "session" {
		head = append(head, "session_id")
	}
	return append(head, columns...)
}

// csvCost is nothing where nothing was recorded.
func csvCost(s numbers.Sums) any {
	if s.Cost == nil {
		return nil
	}
	return *documents.Dollars(s.Cost)
}

func (n *account) writeCSV(head []string, line func(*numbers.StatsRow) []any) error {
	w := newCSVResult(n.call)
	err := w.begin(head)
	for _, row := range n.Shown {
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
	if n.By == "tool" {
		return n.writeCSV(n.csvHead("sessions", "subagents", "tool_calls", "results", "errors", "truncated", "mean_ms"), func(r *numbers.StatsRow) []any {
			t := r.Tool
			var mean any
			if m := documents.Ratio(t.Duration, t.Timed); m != nil {
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
