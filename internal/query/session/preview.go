package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"piarchive/internal/jsonl"
	"piarchive/internal/query"
)

// previewLength is how much of a line a preview needs, in bytes.
const previewLength = 1600

// Previews says how entries begin.
type Previews struct {
	near []string         // by distance of the row from base: of entries that lie close together
	base int64            // row
	far  map[int64]string // by row: of others
}

// Of returns how an entry begins, in a few hundred characters of which none is
// made harmless; "" if it says nothing.
func (p *Previews) Of(row int64) string {
	if at := row - p.base; at >= 0 && at < int64(len(p.near)) {
		return p.near[at]
	}
	return p.far[row]
}

func (p *Previews) set(row int64, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	if at := row - p.base; at >= 0 && at < int64(len(p.near)) {
		p.near[at] = text
	} else if p.far != nil {
		p.far[row] = text
	}
}

// ReadPreviews reads how entries begin: what was said, else the tools that were
// called, else what an entry sets or runs. Lines are read only where no column
// says it.
func ReadPreviews(ctx context.Context, a *query.Archive, steps []Step) (*Previews, error) {
	pointers := make([]*Step, len(steps))
	for i := range steps {
		pointers[i] = &steps[i]
	}
	return PreviewsOf(ctx, a, pointers)
}

// PreviewsOf is [ReadPreviews] for steps that lie here and there.
func PreviewsOf(ctx context.Context, a *query.Archive, steps []*Step) (*Previews, error) {
	r := previewReader{archive: a}
	r.prepare(steps)
	var unheard, answers, named []int64
	for _, s := range steps {
		switch {
		case s.Role == "assistant" || s.Role == "user":
			if s.heard {
				r.set(s.Row, s.said)
			} else {
				unheard = append(unheard, s.Row)
			}
			if s.Role == "assistant" && strings.TrimSpace(s.said) == "" {
				answers = append(answers, s.Row)
			}
		case s.Role == "toolResult", s.Type == "custom", s.Type == "model_change":
			named = append(named, s.Row)
		}
	}
	r.collect(ctx, unheard, `SELECT p.id`+said+` FROM _prose p WHERE p.id `)
	r.collect(ctx, r.silent(answers), `SELECT entry, group_concat(name, ', ') FROM _tool_call WHERE entry `)
	r.collect(ctx, named, `SELECT id, coalesce(tool, custom, provider || '/' || model, model) FROM _entry
 WHERE (role = 'toolResult' OR role IS NULL AND type IN ('custom', 'model_change')) AND id `)
	r.lines(ctx, steps)
	if r.err != nil {
		return nil, fmt.Errorf("read previews: %w", r.err)
	}
	return &r.Previews, nil
}

// previewReader fills in previews; err is the first error.
type previewReader struct {
	Previews
	archive *query.Archive
	err     error
}

func (r *previewReader) prepare(steps []*Step) {
	if len(steps) == 0 {
		return
	}
	byRow := func(x, y *Step) int { return cmp.Compare(x.Row, y.Row) }
	lo, hi := slices.MinFunc(steps, byRow).Row, slices.MaxFunc(steps, byRow).Row
	if sparse(lo, hi, len(steps)) {
		r.far = make(map[int64]string, len(steps))
	} else {
		r.base, r.near = lo, make([]string, hi-lo+1)
	}
}

// sparse reports whether n rows are few of those between two.
func sparse(lo, hi int64, n int) bool { return hi-lo > 4*int64(n) }

// silent keeps of some rows those without a preview.
func (r *previewReader) silent(rows []int64) []int64 {
	return slices.DeleteFunc(rows, func(row int64) bool { return r.Of(row) != "" })
}

// collect runs a query that ends before the condition on the row. Rows that lie
// close together are read as one range, with what lies between: the query has to
// say the right thing of that, too.
func (r *previewReader) collect(ctx context.Context, rows []int64, sql string) {
	if len(rows) == 0 || r.err != nil {
		return
	}
	lo, hi := slices.Min(rows), slices.Max(rows)
	condition, args := `BETWEEN ? AND ?`, []any{lo, hi}
	if sparse(lo, hi, len(rows)) {
		condition, args = `IN (SELECT value FROM json_each(?))`, []any{query.List(rows)}
	}
	if strings.Contains(sql, "group_concat") {
		condition += ` GROUP BY 1`
	}
	r.err = r.scan(ctx, sql+condition, args)
}

func (r *previewReader) scan(ctx context.Context, query string, args []any) error {
	rows, err := r.archive.DB().QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var row, value any
		if err := rows.Scan(&row, &value); err != nil {
			return err
		}
		id, _ := row.(int64)
		text, _ := value.(string)
		if r.Of(id) == "" {
			r.set(id, text)
		}
	}
	return rows.Err()
}

// lines decodes the lines of entries that have no preview yet.
func (r *previewReader) lines(ctx context.Context, steps []*Step) {
	var silent []*Step
	var lines []query.Line
	for _, s := range steps {
		if r.Of(s.Row) == "" {
			silent, lines = append(silent, s), append(lines, s.line())
		}
	}
	if r.err != nil || len(lines) == 0 {
		return
	}
	texts := make([]string, len(lines))
	r.err = r.archive.EachLine(ctx, lines, func(i int, line []byte) {
		text := jsonl.Preview(line, silent[i].ID)
		texts[i] = text[:min(len(text), previewLength)]
	})
	for i, s := range silent {
		r.set(s.Row, texts[i])
	}
}
