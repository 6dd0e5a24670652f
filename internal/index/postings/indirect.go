package postings

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/jmoiron/sqlx"
)

// indirect asks FTS5 for what this package would read itself.
type indirect struct {
	columns []string
	weights string // as arguments of bm25
}

// Indirect reads an index whose format [Open] does not know: FTS5 is asked for the
// rows of each phrase and for their scores, which takes it three to four times as long.
// What it does not tell are counts and tokens: the counts of its lists are 0, the
// weights are given here instead of with the [Ranking], and [Reader.Sizes] knows none.
func Indirect(ctx context.Context, q sqlx.QueryerContext, weights [Columns]float64) (*Reader, error) {
	in := &indirect{}
	if err := sqlx.SelectContext(ctx, q, &in.columns, `SELECT name FROM pragma_table_info('fts')`); err != nil {
		return nil, fmt.Errorf("open full-text index: %w", err)
	}
	for _, w := range weights {
		in.weights += fmt.Sprintf(", %g", w)
	}
	r := &Reader{q: q, indirect: in}
	if err := sqlx.GetContext(ctx, q, &r.rows, `SELECT count(*) FROM fts_docsize`); err != nil {
		return nil, fmt.Errorf("count the rows of the full-text index: %w", err)
	}
	return r, nil
}

// IsIndirect reports whether FTS5 is asked.
func (r *Reader) IsIndirect() bool { return r.indirect != nil }

func (r *Reader) ask(ctx context.Context, p Phrase, within Set) (*List, error) {
	var names []string
	for i, name := range r.indirect.columns {
		if within>>i&1 == 1 {
			names = append(names, name)
		}
	}
	match := `{` + strings.Join(names, " ") + `} : "` + strings.Join(p.Tokens, " ") + `"`
	if p.Prefix {
		match += " *"
	}
	list := &List{}
	err := r.each(ctx, func(rows *sql.Rows) error {
		var row int64
		var score float64
		if err := rows.Scan(&row, &score); err != nil {
			return err
		}
		list.add(row, new(counts))
		list.scores = append(list.scores, score)
		return nil
	}, `SELECT rowid, -bm25(fts`+r.indirect.weights+`) FROM fts WHERE fts MATCH ? ORDER BY rowid`, match)
	return list, err
}
