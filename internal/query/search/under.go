package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"piarchive/internal/index"
	"piarchive/internal/query"
	"piarchive/internal/query/question"
	"piarchive/internal/query/session"
)

// entriesBelow finds the entries that under: asks for: for each of its values in a
// question, as a JSON list of row ids, what lies below the entries it names. A
// value is an entry id or the beginning of one, in whatever session, or
// SESSION@N, as hits are printed, and whatever else [session.Find] takes. notes says
// which values name nothing.
func entriesBelow(ctx context.Context, a *query.Archive, expr question.Node) (found map[string]string, notes []string, err error) {
	for _, v := range question.Values(expr, "under") {
		if found[v] != "" {
			continue
		}
		tops, err := entriesNamed(ctx, a, v)
		var unknown *query.NotFound
		var several *query.Ambiguous
		switch {
		case errors.As(err, &unknown) || errors.As(err, &several):
			notes = append(notes, fmt.Sprintf("under:%s: %v", v, err))
		case err != nil:
			return nil, nil, err
		case len(tops) == 0:
			notes = append(notes, fmt.Sprintf("under:%s: no entry of that id", v))
		}
		ids, err := descendants(ctx, a, tops)
		if err != nil {
			return nil, nil, err
		}
		if found == nil {
			found = map[string]string{}
		}
		found[v] = query.List(ids)
	}
	return found, notes, nil
}

// entriesNamed returns the rows of the entries that a value of under: names.
func entriesNamed(ctx context.Context, a *query.Archive, v string) ([]int64, error) {
	if _, entry := session.SplitReference(v); entry != "" {
		s, entry, err := session.FindReadable(ctx, a, v, "")
		if err != nil {
			return nil, err
		}
		step, err := session.FindEntry(ctx, a, s, cmp.Or(entry, "leaf"))
		if err != nil {
			return nil, err
		}
		return []int64{step.Row}, nil
	}
	in, args := a.Within("")
	var rows []int64
	for _, condition := range []string{`e.entry_id = ?`, `e.entry_id >= ?1 AND e.entry_id < ?1 || char(1114111)`} {
		err := a.DB().SelectContext(ctx, &rows, `SELECT e.id FROM _entry e JOIN _source f ON f.id = e.id >> 24 WHERE `+condition+` AND e.dup_of IS NULL AND `+in,
			append([]any{v}, args...)...)
		if err != nil {
			return nil, fmt.Errorf("look up an entry: %w", err)
		}
		if len(rows) > 0 || len(v) < query.MinPrefix {
			break
		}
	}
	return rows, nil
}

// descendants returns the rows of the entries below others, in no order.
func descendants(ctx context.Context, a *query.Archive, tops []int64) ([]int64, error) {
	var all []int64
	bySession := map[int64][]int64{}
	for _, top := range tops {
		bySession[index.SourceOf(top)] = append(bySession[index.SourceOf(top)], top)
	}
	for session, waiting := range bySession {
		children, err := childrenIn(ctx, a, session)
		if err != nil {
			return nil, err
		}
		below := map[int64]bool{}
		for len(waiting) > 0 {
			last := len(waiting) - 1
			next := children[waiting[last]]
			waiting = waiting[:last]
			for _, id := range next {
				if !below[id] {
					below[id] = true
					all, waiting = append(all, id), append(waiting, id)
				}
			}
		}
		// What goes round in a circle below itself is not its own descendant.
		if len(tops) == 1 {
			all = slices.DeleteFunc(all, func(id int64) bool { return id == tops[0] })
		}
	}
	return all, nil
}

// childrenIn returns the children of every entry of a session.
func childrenIn(ctx context.Context, a *query.Archive, session int64) (map[int64][]int64, error) {
	lo, hi := index.Range(session)
	rows, err := a.DB().QueryContext(ctx, `SELECT id, parent FROM _entry WHERE id BETWEEN ? AND ? AND parent IS NOT NULL AND dup_of IS NULL`, lo, hi)
	if err != nil {
		return nil, fmt.Errorf("read the branches of a session: %w", err)
	}
	defer rows.Close()
	children := map[int64][]int64{}
	for rows.Next() {
		var id, parent int64
		if err := rows.Scan(&id, &parent); err != nil {
			return nil, err
		}
		children[parent] = append(children[parent], id)
	}
	return children, rows.Err()
}
