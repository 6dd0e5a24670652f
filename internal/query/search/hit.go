package search

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"piarchive/internal/index"
	"piarchive/internal/query"
	"piarchive/internal/words"
)

// Hit is one entry that answers a question.
type Hit struct {
	Session query.SessionRef
	Entry   *query.EntryRef // nil for the title in front of the entries
	Where   string          // the kind of text the snippet is from; error, where that tells of one
	Snippet string          // one line, without control characters
	Ranges  [][2]int        // of what matched, in bytes of Snippet
	Score   float64         // the greater the better
	Rung    string          // how it was found, as [Result] has it
	Branch  string          // active or abandoned; "" for a title
	Copies  []Copy          // the same entry in other sessions
	Before  []Neighbour     // on its branch, where they were asked for
	After   []Neighbour

	row     int64
	copyKey int64
	copyOf  int64 // the row of the copy that counts; 0 where this one does
	failed  bool  // an answer or a tool that ended with an error
	line    query.Line
	exact   words.Match
	texts   *[6]string // by column, once read
}

// Copy is the same entry in another session, as forks make them.
type Copy struct {
	Session query.SessionRef
	Entry   *query.EntryRef
}

// hitRow is what a hit takes from the archive.
type hitRow struct {
	ID int64 `db:"id"`
	query.SessionRow
	query.EntryRow
	CopyKey *int64 `db:"copy_key"`
	CopyOf  *int64 `db:"copy_of"`
	Flags   int    `db:"flags"`
	Offset  *int64 `db:"offset"`
	Bytes   *int64 `db:"bytes"`
}

const hitColumns = query.SessionColumns + `, ` + query.EntryColumns + `,
 e.copy_key, e.copy_of, coalesce(e.flags, 0) AS flags, coalesce(e.offset, s.header_offset) AS offset, coalesce(e.bytes, s.header_bytes) AS bytes`

// readHits loads the entries of candidates, in their order.
func readHits(ctx context.Context, a *query.Archive, candidates []candidate) ([]*Hit, error) {
	ids := make([]int64, len(candidates))
	for i, c := range candidates {
		ids[i] = c.ID
	}
	var rows []hitRow
	err := a.DB().SelectContext(ctx, &rows, `SELECT j.value AS id, `+hitColumns+` FROM json_each(?) j
 JOIN _session s ON s.id = j.value >> 24 JOIN _source f ON f.id = s.id LEFT JOIN _entry e ON e.id = j.value`, query.List(ids))
	if err != nil {
		return nil, fmt.Errorf("read the hits: %w", err)
	}
	byID := make(map[int64]*hitRow, len(rows))
	for i := range rows {
		byID[rows[i].ID] = &rows[i]
	}
	hits := make([]*Hit, 0, len(candidates))
	for _, c := range candidates {
		row := byID[c.ID]
		if row == nil {
			return nil, fmt.Errorf("read the hits: entry %d is in no session", c.ID)
		}
		h := &Hit{Session: row.SessionRow.Ref(), Entry: row.EntryRow.Ref(), Score: c.Score, row: c.ID, failed: row.Flags&index.FlagError != 0}
		if row.CopyKey != nil {
			h.copyKey = *row.CopyKey
		}
		if row.CopyOf != nil {
			h.copyOf = *row.CopyOf
		}
		if row.Offset != nil && row.Bytes != nil {
			h.line = query.Line{Session: h.Session.Key, Offset: *row.Offset, Bytes: *row.Bytes}
		}
		hits = append(hits, h)
	}
	return hits, nil
}

// original shows hits in the session that counts, where that is found as well.
func (s *search) original(ctx context.Context, hits []*Hit) error {
	var counts []candidate
	at := map[int64]int{}
	for i, h := range hits {
		if h.copyOf != 0 {
			at[h.copyOf] = i
			counts = append(counts, candidate{h.copyOf, h.Score})
		}
	}
	met, err := s.meet(ctx, slices.Collect(maps.Keys(at)))
	if err != nil {
		return err
	}
	originals, err := readHits(ctx, s.archive, slices.DeleteFunc(counts, func(c candidate) bool { return !slices.Contains(met, c.ID) }))
	for _, h := range originals {
		*hits[at[h.row]] = *h
	}
	return err
}

// meet returns which entries meet the conditions, of some whose text is known to match.
func (s *search) meet(ctx context.Context, entries []int64) (met []int64, err error) {
	if s.union { // each of its questions has conditions of its own
		return slices.DeleteFunc(entries, func(row int64) bool { return !slices.Contains(s.rows, row) }), nil
	}
	if len(entries) == 0 {
		return nil, nil
	}
	all := combine(" AND ", append([]condition{{sql: "1"}}, s.where...))
	err = s.archive.DB().SelectContext(ctx, &met, `SELECT hit.value FROM json_each(?) hit JOIN _entry e ON e.id = hit.value WHERE `+all.sql, append([]any{query.List(entries)}, all.args...)...)
	if err != nil {
		return nil, fmt.Errorf("hold the originals of copies against the conditions: %w", err)
	}
	return met, nil
}

// findBranches tells which hits lie on the way from the root to the current leaf of
// their session.
func findBranches(ctx context.Context, a *query.Archive, hits []*Hit) error {
	rows := make([]int64, len(hits))
	for i, h := range hits {
		rows[i] = h.row
	}
	var active []int64
	err := a.DB().SelectContext(ctx, &active, `SELECT e.id FROM json_each(?) j JOIN _entry e ON e.id = j.value WHERE `+isActive, query.List(rows))
	if err != nil {
		return fmt.Errorf("find the branches of the hits: %w", err)
	}
	for _, h := range hits {
		switch {
		case slices.Contains(active, h.row):
			h.Branch = "active"
		case h.Entry != nil:
			h.Branch = "abandoned"
		}
	}
	return nil
}

// findCopies lists the same entries in other sessions.
func findCopies(ctx context.Context, a *query.Archive, hits []*Hit) error {
	byKey := map[int64]*Hit{}
	var keys []int64
	for _, h := range hits {
		if h.copyKey != 0 {
			byKey[h.copyKey] = h
			keys = append(keys, h.copyKey)
		}
	}
	in, args := a.Within("")
	var rows []hitRow
	err := a.DB().SelectContext(ctx, &rows, `SELECT e.id, `+hitColumns+` FROM json_each(?) j JOIN _entry e ON e.copy_key = j.value
 JOIN _session s ON s.id = e.id >> 24 JOIN _source f ON f.id = s.id WHERE e.dup_of IS NULL AND `+in+` ORDER BY e.id`, append([]any{query.List(keys)}, args...)...)
	if err != nil {
		return fmt.Errorf("find the copies of the hits: %w", err)
	}
	for _, r := range rows {
		if h := byKey[*r.CopyKey]; h.row != r.ID {
			h.Copies = append(h.Copies, Copy{Session: r.SessionRow.Ref(), Entry: r.EntryRow.Ref()})
		}
	}
	return nil
}
