package search

import (
	"context"
	"fmt"

	"piarchive/internal/jsonl"
	"piarchive/internal/query"
)

// readTexts reads the text of hits that have none yet, by column, from the raw
// lines.
func readTexts(ctx context.Context, a *query.Archive, hits []*Hit) error {
	var unread []*Hit
	var lines []query.Line
	for _, h := range hits {
		switch {
		case h.texts != nil:
		case h.Entry == nil:
			title, err := a.Title(ctx, h.line)
			if err != nil {
				return fmt.Errorf("read the text of the hits: %w", err)
			}
			h.texts = &[6]string{5: title}
		default:
			unread, lines = append(unread, h), append(lines, h.line)
		}
	}
	err := a.EachLine(ctx, lines, func(i int, line []byte) {
		h := unread[i]
		h.texts = &[6]string{}
		if e := jsonl.ParseEntry(line, h.Entry.ID); e != nil { // else the line holds no entry
			*h.texts = e.Text.Columns()
		}
	})
	if err != nil {
		return fmt.Errorf("read the text of the hits: %w", err)
	}
	return nil
}
