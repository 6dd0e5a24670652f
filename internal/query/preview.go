package query

import (
	"context"
	"fmt"

	"piarchive/internal/index"
	"piarchive/internal/jsonl"
)

// previewLength is how much of a text a preview needs, in characters.
const previewLength = 400

// Previews returns, by row, how the entries of a session begin: what was said,
// else the tools that were called, else what the entry sets.
func (a *Archive) Previews(ctx context.Context, session int64) (map[int64]string, error) {
	lo, hi := index.Range(session)
	previews := map[int64]string{}
	for _, query := range []string{
		`SELECT entry, group_concat(name, ', ') FROM tool_call WHERE entry BETWEEN ? AND ? GROUP BY entry`,
		`SELECT id, coalesce(tool, custom, provider || '/' || model, model) FROM entry WHERE id BETWEEN ? AND ? AND role IS NOT 'assistant' AND coalesce(tool, custom, model) IS NOT NULL`,
		`SELECT entry, label FROM label WHERE entry BETWEEN ? AND ? AND label IS NOT NULL`,
		fmt.Sprintf(`SELECT id, substr(text, 1, %d) FROM prose WHERE id BETWEEN ? AND ?`, previewLength),
	} {
		if err := a.collect(ctx, previews, query, lo, hi); err != nil {
			return nil, fmt.Errorf("read previews: %w", err)
		}
	}
	steps, err := a.selectSteps(ctx, `SELECT `+stepColumns+` FROM entry e WHERE e.id BETWEEN ? AND ? AND e.type IN ('compaction', 'branch_summary', 'session_info', 'title_change', 'session_init', 'custom_message')`, lo, hi)
	if err != nil {
		return nil, fmt.Errorf("read previews: %w", err)
	}
	for _, s := range steps {
		line, err := a.StepLine(ctx, s)
		if err != nil {
			return nil, err
		}
		if e := jsonl.ParseEntry(line, s.ID); e != nil && e.Text.Notes != "" {
			previews[s.Row] = e.Text.Notes[:min(len(e.Text.Notes), 4*previewLength)]
		}
	}
	return previews, nil
}

func (a *Archive) collect(ctx context.Context, into map[int64]string, query string, args ...any) error {
	rows, err := a.db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var row int64
		var text *string
		if err := rows.Scan(&row, &text); err != nil {
			return err
		}
		if text != nil && *text != "" {
			into[row] = *text
		}
	}
	return rows.Err()
}
