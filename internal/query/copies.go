package query

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"piarchive/internal/index"
)

// Identical puts files together that hold the same bytes, of those with one session
// id: in each group first what is there, then what is missing, by path. No file is
// read, and of what the archive holds only what the hashes of a file do not prove.
func (a *Archive) Identical(ctx context.Context, keys []int64) ([][]SessionRef, error) {
	var rows []struct {
		SessionRow
		Size      int64  `db:"size"`
		Watermark int64  `db:"watermark"`
		Proof     string `db:"proof"`
	}
	err := a.db.SelectContext(ctx, &rows, `SELECT `+SessionColumns+`, f.size, f.watermark, hex(f.head_hash) || hex(f.tail_hash) AS proof
 FROM json_each(?) k CROSS JOIN _source f ON f.id = k.value LEFT JOIN _session s ON s.id = f.id ORDER BY f.missing_at IS NOT NULL, f.path`, List(keys))
	if err != nil {
		return nil, fmt.Errorf("compare files: %w", err)
	}
	type looks struct {
		id, proof       string
		size, watermark int64
	}
	var groups [][]SessionRef
	alike := map[looks][]int{} // positions of groups
	for _, r := range rows {
		s := r.Ref()
		l := looks{s.ID, r.Proof, r.Size, r.Watermark}
		proven := r.Size == r.Watermark && r.Size <= 2*index.ProofSize
		at := -1
		for _, g := range alike[l] {
			same := proven
			if !proven {
				if same, err = a.sameBytes(ctx, groups[g][0].Key, s.Key); err != nil {
					return nil, fmt.Errorf("compare files: %w", err)
				}
			}
			if same {
				at = g
				break
			}
		}
		if at < 0 {
			at = len(groups)
			groups, alike[l] = append(groups, nil), append(alike[l], at)
		}
		groups[at] = append(groups[at], s)
	}
	return groups, nil
}

// identical reports whether files are copies of one.
func (a *Archive) identical(ctx context.Context, keys []int64) (bool, error) {
	if len(keys) < 2 {
		return true, nil
	}
	groups, err := a.Identical(ctx, keys)
	return len(groups) == 1, err
}

// sameBytes reports whether the archive holds the same bytes of two files of one
// size. What is packed alike need not be unpacked.
func (a *Archive) sameBytes(ctx context.Context, x, y int64) (bool, error) {
	lo, hi := index.Range(x)
	from, _ := index.Range(y)
	var unlike []int64
	err := a.db.SelectContext(ctx, &unlike, `SELECT x.id - ?1 FROM _raw x JOIN _raw y ON y.id = x.id - ?1 + ?3 WHERE x.id BETWEEN ?1 AND ?2 AND x.data <> y.data`, lo, hi, from)
	if err != nil {
		return false, err
	}
	for _, block := range unlike {
		one, err := a.raw.Block(ctx, x, block)
		if err != nil {
			return false, err
		}
		one = slices.Clone(one) // valid until the next call
		other, err := a.raw.Block(ctx, y, block)
		if err != nil || !bytes.Equal(one, other) {
			return false, err
		}
	}
	return true, nil
}
