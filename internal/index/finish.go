package index

import (
	"context"
	"fmt"
)

// node is what the links of a session are made from.
type node struct {
	ID       int64   `db:"id"`
	Parent   *int64  `db:"parent"`
	DupOf    *int64  `db:"dup_of"`
	EntryID  string  `db:"entry_id"`
	ParentID *string `db:"parent_id"`
	Line     int     `db:"line"`
	Offset   int64   `db:"offset"`
}

// Finish ends a source whose rows were added in pieces, or behind those of an earlier
// run: w has no rows. It derives from them what only all together show: links to
// parents that came later, or that were defined again; the entries that labels and
// compactions name; counts, leaves, tokens, money. A resumed session keeps its first
// message where this part of the file has none.
func (ix *Index) Finish(ctx context.Context, w *Whole) error {
	source := w.Source.ID
	was, err := ix.formerSession(ctx, source)
	if err != nil {
		return err
	}
	if err := ix.clearState(ctx, source); err != nil {
		return err
	}
	if w.Session == nil {
		return ix.Add(ctx, w.Source)
	}
	if w.Session.FirstMessage == nil {
		w.Session.FirstMessage = was.FirstMessage
	}
	if !same(was.Enclosing, w.Session.Enclosing) { // else it was there before and has only grown
		ix.markEnclosed(was.Enclosing)
		ix.markEnclosed(w.Session.Enclosing)
	}
	session, err := ix.link(ctx, w, was.Abandoned)
	if err != nil {
		return err
	}
	lo, hi := Range(source)
	for row := range w.Moves { // counts no more
		if err := ix.markCopies(ctx, row, row); err != nil {
			return err
		}
	}
	ix.markSession(source, w.Source.Path)
	err = ix.Add(ctx, w.Source, session)
	if err == nil && ix.building { // else [Index.Commit] does
		err = ix.exec(ctx, totalQuery, lo, hi)
	}
	return err
}

// formerSession is what an earlier run has left of a session that stays.
type formerSession struct {
	Enclosing    *string `db:"enclosing"`
	Abandoned    *string `db:"abandoned"`
	FirstMessage *string `db:"first_message"`
}

func (ix *Index) formerSession(ctx context.Context, session int64) (was formerSession, err error) {
	// One row, whether there is a session or not.
	err = ix.get(ctx, &was, `SELECT max(enclosing) AS enclosing, max(abandoned) AS abandoned, max(first_message) AS first_message FROM _session WHERE id = ?`, session)
	if err != nil {
		err = fmt.Errorf("look for what was known of a session: %w", err)
	}
	return was, err
}

func same[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// link does it for the rows other than the session's own. abandoned is what is
// flagged already.
func (ix *Index) link(ctx context.Context, w *Whole, abandoned *string) (*sessionRow, error) {
	lo, hi := Range(w.Source.ID)
	var nodes []node
	err := ix.list(ctx, &nodes,
		`SELECT id, parent, dup_of, entry_id, parent_id, line, offset FROM _entry WHERE id BETWEEN ? AND ?`, lo, hi)
	if err != nil {
		return nil, fmt.Errorf("read the entries of a session: %w", err)
	}
	t := newTree(nodes, w.Moves)
	parents, repeats := t.link()
	for _, i := range repeats {
		if err := ix.exec(ctx, `UPDATE _entry SET dup_of = ? WHERE id = ?`, *nodes[i].DupOf, nodes[i].ID); err != nil {
			return nil, err
		}
	}
	for _, i := range parents {
		if err := ix.exec(ctx, `UPDATE _entry SET parent = ? WHERE id = ?`, *nodes[i].Parent, nodes[i].ID); err != nil {
			return nil, err
		}
	}
	labels, err := ix.nameTargets(ctx, t, lo, hi)
	if err != nil {
		return nil, err
	}
	if err := ix.joinCalls(ctx, t, lo, hi); err != nil {
		return nil, err
	}
	if err := ix.noteTangles(ctx, t, w); err != nil {
		return nil, err
	}
	runs := t.abandoned(w.Session.Leaf)
	session := newSessionRow(w.Session, t, runs, labels)
	if same(session.abandoned, abandoned) {
		return session, nil
	}
	return session, ix.abandon(ctx, runs, lo, hi)
}

// abandon flags the entries off the way to the current leaf, and no others.
func (ix *Index) abandon(ctx context.Context, runs [][2]int64, lo, hi int64) error {
	if err := ix.exec(ctx, `UPDATE OR FAIL _entry SET flags = flags & ~?1 WHERE id BETWEEN ?2 AND ?3 AND flags & ?1`, FlagAbandoned, lo, hi); err != nil {
		return err
	}
	for _, run := range runs {
		if err := ix.exec(ctx, `UPDATE OR FAIL _entry SET flags = flags | ? WHERE id BETWEEN ? AND ?`, FlagAbandoned, lo+run[0], lo+run[1]); err != nil {
			return err
		}
	}
	return nil
}

// nameTargets finds the entries that labels and compactions name, and returns
// the labels.
func (ix *Index) nameTargets(ctx context.Context, t *tree, lo, hi int64) (labels []*Label, err error) {
	if err := ix.list(ctx, &labels, `SELECT entry, target_id, target, label FROM _label WHERE entry BETWEEN ? AND ?`, lo, hi); err != nil {
		return nil, fmt.Errorf("read the labels: %w", err)
	}
	for _, l := range labels {
		if target := t.named(&l.TargetID); target != nil && (l.Target == nil || *l.Target != *target) {
			if err := ix.exec(ctx, `UPDATE _label SET target = ? WHERE entry = ?`, target, l.Entry); err != nil {
				return nil, err
			}
		}
	}
	var compactions []struct {
		Entry int64   `db:"entry"`
		Kept  *string `db:"first_kept_id"`
	}
	if err := ix.list(ctx, &compactions, `SELECT entry, first_kept_id FROM _compaction WHERE entry BETWEEN ? AND ? AND first_kept_id IS NOT NULL`, lo, hi); err != nil {
		return nil, fmt.Errorf("read the compactions: %w", err)
	}
	for _, c := range compactions {
		if kept := t.named(c.Kept); kept != nil {
			if err := ix.exec(ctx, `UPDATE _compaction SET first_kept = ? WHERE entry = ?`, kept, c.Entry); err != nil {
				return nil, err
			}
		}
	}
	return labels, nil
}

// noteTangles records the entries whose way to a root is broken.
func (ix *Index) noteTangles(ctx context.Context, t *tree, w *Whole) error {
	if !ix.building { // where there are none of an earlier run, and no index to look for them
		if err := ix.exec(ctx, `DELETE FROM _problem WHERE source = ? AND kind IN ('orphan', 'self-parent', 'cycle', 'duplicate-id')`, w.Source.ID); err != nil {
			return err
		}
	}
	for _, p := range t.tangles() {
		p.Source, p.Path = &w.Source.ID, w.Source.Path
		if err := ix.Add(ctx, p); err != nil {
			return err
		}
	}
	return nil
}
