package numbers

import (
	"context"
	"fmt"

	"piarchive/internal/index"
	"piarchive/internal/jsonl"
	"piarchive/internal/query"
	"piarchive/internal/query/session"
)

// SessionStats are the numbers that pi shows of one session, under pi's names.
// Tokens.Total is the sum of the other four, as there.
type SessionStats struct {
	UserMessages      int `json:"userMessages"`
	AssistantMessages int `json:"assistantMessages"`
	ToolCalls         int `json:"toolCalls"`
	ToolResults       int `json:"toolResults"`
	TotalMessages     int `json:"totalMessages"`
	Tokens            struct {
		Input      int64 `json:"input"`
		Output     int64 `json:"output"`
		CacheRead  int64 `json:"cacheRead"`
		CacheWrite int64 `json:"cacheWrite"`
		Total      int64 `json:"total"`
	} `json:"tokens"`
	Cost     *float64 `json:"cost"`     // US dollars; nil: none was recorded
	Unpriced int      `json:"unpriced"` // model calls that used tokens and recorded no cost, or 0
}

// PiStats are the numbers of one session as several versions of pi count them.
type PiStats struct {
	All       SessionStats `json:"all"`       // the whole file, every model call: footer since 0.81, /session of 1.5.2
	Assistant SessionStats `json:"assistant"` // the whole file, assistant messages alone: footer before
	Context   SessionStats `json:"context"`   // what the model is sent for the current leaf: /session up to 0.73.1
}

// add counts one model call. Costs are added up one by one, in the order of the
// file, for that is how pi comes to its last digit.
func (s *SessionStats) add(input, output, cacheRead, cacheWrite, total int64, cost *float64) {
	s.Tokens.Input += input
	s.Tokens.Output += output
	s.Tokens.CacheRead += cacheRead
	s.Tokens.CacheWrite += cacheWrite
	s.Tokens.Total += input + output + cacheRead + cacheWrite
	if (cost == nil || *cost == 0) && total != 0 {
		s.Unpriced++
	}
	if cost != nil {
		s.Cost = sum(s.Cost, *cost)
	}
}

// LikePi counts a session as pi does: what a line repeats counts again, and
// nothing is left out because another file has it, too.
func LikePi(ctx context.Context, a *query.Archive, ref query.SessionRef) (stats PiStats, err error) {
	err = a.Steady(ctx, func() error {
		if err := fileStats(ctx, a, ref.Key, &stats); err != nil {
			return fmt.Errorf("add up a session: %w", err)
		}
		leaf, err := session.Leaf(ctx, a, ref.Key)
		if err != nil {
			return err
		}
		stats.Context, err = contextStats(ctx, a, leaf)
		return err
	})
	return stats, err
}

// fileStats counts all entries of a file.
func fileStats(ctx context.Context, a *query.Archive, session int64, stats *PiStats) error {
	lo, hi := index.Range(session)
	all := &stats.All
	err := a.DB().QueryRowContext(ctx, `SELECT count(*), count(*) FILTER (WHERE role = 'user'), count(*) FILTER (WHERE role = 'assistant'), count(*) FILTER (WHERE role = 'toolResult'),
 (SELECT count(*) FROM _tool_call WHERE entry BETWEEN ?1 AND ?2) FROM _entry WHERE id BETWEEN ?1 AND ?2 AND type = 'message'`, lo, hi).
		Scan(&all.TotalMessages, &all.UserMessages, &all.AssistantMessages, &all.ToolResults, &all.ToolCalls)
	if err != nil {
		return err
	}
	stats.Assistant = *all
	rows, err := a.DB().QueryContext(ctx, `SELECT carrier = 'assistant', input, output, cache_read, cache_write, total, cost
 FROM _token_use WHERE entry BETWEEN ? AND ? ORDER BY entry, n`, lo, hi)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var assistant bool
		var input, output, cacheRead, cacheWrite, total int64
		var cost *float64
		if err := rows.Scan(&assistant, &input, &output, &cacheRead, &cacheWrite, &total, &cost); err != nil {
			return err
		}
		all.add(input, output, cacheRead, cacheWrite, total, cost)
		if assistant {
			stats.Assistant.add(input, output, cacheRead, cacheWrite, total, cost)
		}
	}
	return rows.Err()
}

// contextStats counts the messages of the context of a leaf.
func contextStats(ctx context.Context, a *query.Archive, leaf int64) (SessionStats, error) {
	var s SessionStats
	_, err := session.Context(ctx, a, leaf, false, func(message string) error {
		s.TotalMessages++
		m := jsonl.ParseMessage([]byte(message))
		switch m.Role {
		case "user":
			s.UserMessages++
		case "toolResult":
			s.ToolResults++
		case "assistant":
			s.AssistantMessages++
			s.ToolCalls += len(m.Calls)
			for _, u := range m.Usages {
				var cost *float64
				if u.HasCost {
					cost = &u.Cost
				}
				s.add(u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Total, cost)
			}
		}
		return nil
	})
	return s, err
}
