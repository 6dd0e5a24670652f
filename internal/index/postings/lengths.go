package postings

import (
	"context"
	"fmt"
)

// Lengths returns the number of tokens in each of rows, which are ascending. The scores
// of an [Indirect] reader do without.
func (r *Reader) Lengths(ctx context.Context, rows []int64) ([]int64, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	if r.indirect != nil {
		return make([]int64, len(rows)), nil
	}
	// The sizes of one row are a varint for each column, so that those of all rows
	// can be told apart in one value, for which SQLite takes half the time.
	var n int
	var sizes []byte
	err := r.q.QueryRowxContext(ctx, `SELECT count(*), CAST(group_concat(d.sz, '') AS BLOB)
		FROM json_each(?) r CROSS JOIN fts_docsize d ON d.id = r.value`, array(rows)).Scan(&n, &sizes)
	if err != nil {
		return nil, fmt.Errorf("read lengths from the full-text index: %w", err)
	}
	in := varints{rest: sizes}
	lengths := make([]int64, len(rows))
	for i := range lengths {
		for range Columns {
			lengths[i] += int64(in.next())
		}
	}
	if n != len(rows) || in.bad || len(in.rest) > 0 {
		return nil, fmt.Errorf("%w: lengths of %d rows", ErrDamaged, len(rows))
	}
	return lengths, nil
}
