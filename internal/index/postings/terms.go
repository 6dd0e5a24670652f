package postings

import (
	"bytes"
	"context"
	"database/sql"
	"slices"
)

// Sizes returns those of some tokens that the index has, each with the bytes of its
// posting lists on the leaves where they begin: an estimate of how frequent it is. A
// token may be left of which all rows are deleted.
func (r *Reader) Sizes(ctx context.Context, tokens []string) (map[string]int, error) {
	found := map[string]int{}
	if r.indirect != nil {
		for _, t := range tokens {
			if list, err := r.ask(ctx, Phrase{Tokens: []string{t}}, All); err != nil {
				return nil, err
			} else if len(list.Rows) > 0 {
				found[t] = len(list.Rows)
			}
		}
		return found, nil
	}
	keys := make([]string, len(tokens))
	for i, t := range tokens {
		keys[i] = string(termsOf(t, false).lo)
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	for _, s := range r.segments {
		if err := r.sizesIn(ctx, s, keys, found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// Beginning is [Reader.Sizes] for the tokens that begin with a prefix: those on the
// first leaves, if there are very many.
func (r *Reader) Beginning(ctx context.Context, prefix string) (map[string]int, error) {
	const most = 400 // leaves
	if r.indirect != nil {
		return nil, nil // FTS5 does not tell its terms
	}
	t := termsOf(prefix, true)
	spans, err := r.spans(ctx, t)
	if err != nil {
		return nil, err
	}
	found := map[string]int{}
	w := walk{leaves: leaves{ctx: ctx, read: &r.leaves}}
	for _, s := range spans {
		id := r.segments[s.segment].id
		last := min(s.last, s.first+most)
		err := r.eachLeaf(ctx, `SELECT id, block FROM fts_data WHERE id BETWEEN ? AND ?`, func(at int64, block []byte) error {
			page := int(at - leafID(id, 0))
			if err := w.start(span{first: page, last: page}, id, block); err != nil {
				return err
			}
			for first := true; w.next != none; first = false {
				at, err := w.term(first)
				if err != nil {
					return err
				}
				if bytes.Compare(w.name, t.lo) >= 0 && bytes.Compare(w.name, t.hi) < 0 {
					found[string(w.name[1:])] += min(w.next, len(w.data)) - at
				}
			}
			return nil
		}, leafID(id, s.first), leafID(id, last))
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// eachLeaf reads leaves, one after the other.
func (r *Reader) eachLeaf(ctx context.Context, query string, visit func(id int64, block []byte) error, args ...any) error {
	return r.each(ctx, func(rows *sql.Rows) error {
		var id int64
		var block sql.RawBytes
		if err := rows.Scan(&id, &block); err != nil {
			return err
		}
		r.leaves++
		return visit(id, block)
	}, query, args...)
}

// sizesIn adds what one segment has of terms in order.
func (r *Reader) sizesIn(ctx context.Context, s segment, keys []string, found map[string]int) error {
	on, err := r.leavesOf(ctx, s, keys)
	if err != nil || len(on) == 0 {
		return err
	}
	ids := make([]int64, 0, len(on))
	for page := range on {
		ids = append(ids, leafID(s.id, page))
	}
	slices.Sort(ids)
	w := walk{leaves: leaves{ctx: ctx, read: &r.leaves}}
	return r.eachLeaf(ctx, `SELECT d.id, d.block FROM json_each(?) r CROSS JOIN fts_data d ON d.id = r.value`, func(id int64, block []byte) error {
		page := int(id - leafID(s.id, 0))
		if err := w.start(span{first: page, last: page}, s.id, block); err != nil {
			return err
		}
		return w.sizes(on[page], found)
	}, array(ids))
}

// leavesOf looks terms up in fts_idx: by leaf, those that it holds or nothing does.
func (r *Reader) leavesOf(ctx context.Context, s segment, keys []string) (map[int][]string, error) {
	on := map[int][]string{}
	err := r.each(ctx, func(rows *sql.Rows) error {
		var i int
		var page sql.NullInt64
		if err := rows.Scan(&i, &page); err != nil {
			return err
		}
		if p := max(s.first, int(page.Int64>>1)); p <= s.last { // none: before the second leaf
			on[p] = append(on[p], keys[i])
		}
		return nil
	}, `SELECT k.key, (SELECT pgno FROM fts_idx WHERE segid = ?1 AND term <= CAST(k.value AS BLOB) ORDER BY term DESC LIMIT 1)
		FROM json_each(?2) k`, s.id, array(keys))
	return on, err
}

// sizes adds what the leaf has of terms in order.
func (w *walk) sizes(keys []string, found map[string]int) error {
	for first := true; w.next != none && len(keys) > 0; first = false {
		at, err := w.term(first)
		if err != nil {
			return err
		}
		for len(keys) > 0 && bytes.Compare([]byte(keys[0]), w.name) < 0 {
			keys = keys[1:]
		}
		if len(keys) > 0 && keys[0] == string(w.name) {
			found[keys[0][1:]] += min(w.next, len(w.data)) - at
		}
	}
	return nil
}
