package index

import (
	"context"
	"fmt"

	"piarchive/internal/index/links"
)

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
	var nodes []links.Node
	err := ix.list(ctx, &nodes,
		`SELECT id, parent, dup_of, entry_id, parent_id, line, offset FROM _entry WHERE id BETWEEN ? AND ?`, lo, hi)
	if err != nil {
		return nil, fmt.Errorf("read the entries of a session: %w", err)
	}
	t := links.New(nodes, lo, w.Moves)
	parents, repeats := t.Link()
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
	runs := t.Abandoned(w.Session.Leaf)
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
func (ix *Index) nameTargets(ctx context.Context, t *links.Tree, lo, hi int64) (labels []*Label, err error) {
	if err := ix.list(ctx, &labels, `SELECT entry, target_id, target, label FROM _label WHERE entry BETWEEN ? AND ?`, lo, hi); err != nil {
		return nil, fmt.Errorf("read the labels: %w", err)
	}
	for _, l := range labels {
		if target := t.Named(&l.TargetID); target != nil && (l.Target == nil || *l.Target != *target) {
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
		if kept := t.Named(c.Kept); kept != nil {
			if err := ix.exec(ctx, `UPDATE _compaction SET first_kept = ? WHERE entry = ?`, kept, c.Entry); err != nil {
				return nil, err
			}
		}
	}
	return labels, nil
}

// noteTangles records the entries whose way to a root is broken.
func (ix *Index) noteTangles(ctx context.Context, t *links.Tree, w *Whole) error {
	if !ix.building { // where there are none of an earlier run, and no index to look for them
		if err := ix.exec(ctx, `DELETE FROM _problem WHERE source = ? AND kind IN ('orphan', 'self-parent', 'cycle', 'duplicate-id')`, w.Source.ID); err != nil {
			return err
		}
	}
	for _, p := range w.problems(t) {
		if err := ix.Add(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// joinCalls joins the stored results of a session as [links.Tree.Rejoined] says.
func (ix *Index) joinCalls(ctx context.Context, t *links.Tree, lo, hi int64) error {
	var calls []links.Call
	err := ix.list(ctx, &calls, `SELECT entry, n, call_id FROM _tool_call WHERE entry BETWEEN ?1 AND ?2 AND call_id IN
 (SELECT call_id FROM _tool_call WHERE entry BETWEEN ?1 AND ?2 AND call_id IS NOT NULL GROUP BY call_id HAVING count(*) > 1) ORDER BY entry, n`, lo, hi)
	if err != nil {
		return fmt.Errorf("read the calls with one id: %w", err)
	}
	if len(calls) == 0 {
		return nil
	}
	var results []links.Join
	if err := ix.list(ctx, &results, `SELECT entry, call, call_n FROM _tool_result WHERE entry BETWEEN ? AND ? AND call IS NOT NULL`, lo, hi); err != nil {
		return fmt.Errorf("read the results of calls: %w", err)
	}
	for _, j := range t.Rejoined(calls, results) {
		if err := ix.exec(ctx, `UPDATE _tool_result SET call = ?, call_n = ? WHERE entry = ?`, j.Call, j.N, j.Entry); err != nil {
			return err
		}
	}
	return nil
}
