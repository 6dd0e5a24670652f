package postings

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
)

// sink takes one posting, and returns false when the position list is damaged.
// The list is valid until it returns.
type sink func(row int64, list []byte) bool

// terms is a range of terms as the index has them, hi excluded.
type terms struct {
	lo, hi []byte
	one    bool // only lo is in the range
}

const (
	indexByte = '0'   // begins the terms of the index itself, before any of prefixes
	maxToken  = 32768 // bytes at which FTS5 cuts a token
)

// termsOf returns the range that a token makes or, with prefix, begins.
func termsOf(token string, prefix bool) terms {
	lo := append([]byte{indexByte}, token[:min(len(token), maxToken)]...)
	if !prefix {
		return terms{lo, append(slices.Clone(lo), 0), true}
	}
	hi := slices.Clone(lo)
	for hi[len(hi)-1] == 0xFF {
		hi = hi[:len(hi)-1]
	}
	hi[len(hi)-1]++
	return terms{lo, hi, false}
}

// span is the leaves of a segment that may hold a range of terms.
type span struct {
	segment     int // index in Reader.segments
	first, last int
}

// spans looks a range of terms up in fts_idx. They come newest first.
func (r *Reader) spans(ctx context.Context, t terms) ([]span, error) {
	if len(r.segments) == 0 {
		return nil, nil
	}
	ids := make([]int, len(r.segments))
	for i, s := range r.segments {
		ids[i] = s.id
	}
	var spans []span
	i := 0
	err := r.each(ctx, func(rows *sql.Rows) error {
		var from, to sql.NullInt64
		if err := rows.Scan(&from, &to); err != nil {
			return err
		}
		// The lowest bit says whether the doclist has an index of its own.
		s := span{i, r.segments[i].first, r.segments[i].last}
		if from.Valid {
			s.first = max(s.first, int(from.Int64>>1))
		}
		if to.Valid {
			s.last = min(s.last, int(to.Int64>>1))
		}
		if s.first <= s.last {
			spans = append(spans, s)
		}
		i++
		return nil
	}, `SELECT
			(SELECT pgno FROM fts_idx WHERE segid = s.value AND term < ?2 ORDER BY term DESC LIMIT 1),
			(SELECT pgno FROM fts_idx WHERE segid = s.value AND term >= ?3 ORDER BY term LIMIT 1)
		FROM json_each(?1) s ORDER BY s.id`, array(ids), append(slices.Clone(t.lo), 0), t.hi)
	return spans, err
}

func leafID(segment, page int) int64 { return int64(segment)<<37 + int64(page) }

func array(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // numbers and slices of them always marshal
	}
	return string(text)
}

// scan gives the postings of all rows that are not deleted to emit: segment after
// segment, in the order of spans, and within a segment by term and row. It calls
// begin, if there is one, before each segment.
func (r *Reader) scan(ctx context.Context, t terms, spans []span, begin func(), emit sink) error {
	if err := r.readTombstones(ctx); err != nil {
		return err
	}
	w := walk{leaves: leaves{ctx: ctx, read: &r.leaves}, emit: emit}
	pages, err := r.firstLeaves(ctx, spans)
	if err != nil {
		return err
	}
	// Most often a first leaf shows that no other is needed. A span may well be long
	// but for that: a term that everybody uses fills it, and comes just behind.
	spans = slices.Clone(spans)
	var rest [][2]int64
	for i := range spans {
		s, id := &spans[i], r.segments[spans[i].segment].id
		if s.first == s.last {
			continue
		}
		if err := w.start(*s, id, pages[i]); err != nil {
			return err
		}
		ends, err := w.ends(t)
		if err != nil {
			return err
		}
		if ends {
			s.last = s.first
		} else {
			rest = append(rest, [2]int64{leafID(id, s.first+1), leafID(id, s.last)})
		}
	}
	if len(rest) > 0 {
		w.rows, err = r.q.QueryContext(ctx, `SELECT d.id, d.block FROM json_each(?) r CROSS JOIN fts_data d
			WHERE d.id BETWEEN json_extract(r.value, '$[0]') AND json_extract(r.value, '$[1]')`, array(rest))
		if err != nil {
			return fmt.Errorf("read full-text index: %w", err)
		}
		defer w.rows.Close()
	}
	for i, s := range spans {
		if begin != nil {
			begin()
		}
		w.dead = r.segments[s.segment].dead
		if err := w.start(s, r.segments[s.segment].id, pages[i]); err != nil {
			return err
		}
		if err := w.span(t); err != nil {
			return err
		}
	}
	return nil
}

// firstLeaves reads the first leaf of each span.
func (r *Reader) firstLeaves(ctx context.Context, spans []span) ([][]byte, error) {
	ids := make([]int64, len(spans))
	for i, s := range spans {
		ids[i] = leafID(r.segments[s.segment].id, s.first)
	}
	pages := make([][]byte, len(spans))
	err := r.each(ctx, func(rows *sql.Rows) error {
		var i int
		var page []byte
		if err := rows.Scan(&i, &page); err != nil {
			return err
		}
		r.leaves++
		pages[i] = page
		return nil
	}, `SELECT r.key, d.block FROM json_each(?) r CROSS JOIN fts_data d ON d.id = r.value`, array(ids))
	if err != nil {
		return nil, err
	}
	for i, page := range pages {
		if page == nil {
			return nil, damaged(r.segments[spans[i].segment].id, spans[i].first, "missing")
		}
	}
	return pages, nil
}
