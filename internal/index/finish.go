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

// Finish derives from the rows of a session what only all of them together show:
// links to parents that came later, or that were defined again (moves leads from
// the row that no longer counts to the one that does); the entries that labels and
// compactions name; counts, leaves, tokens, money. It runs after the last row of a
// session, so it does not matter in how many pieces the file came.
func (ix *Index) Finish(ctx context.Context, session int64, moves map[int64]int64) error {
	lo, hi := Range(session)
	var nodes []node
	err := ix.list(ctx, &nodes,
		`SELECT id, parent, dup_of, entry_id, parent_id, line, offset FROM entry WHERE id BETWEEN ? AND ?`, lo, hi)
	if err != nil {
		return fmt.Errorf("read the entries of a session: %w", err)
	}
	t := newTree(nodes, moves)
	parents, repeats := t.link()
	for _, i := range repeats {
		if err := ix.exec(ctx, `UPDATE entry SET dup_of = ? WHERE id = ?`, *nodes[i].DupOf, nodes[i].ID); err != nil {
			return err
		}
	}
	for _, i := range parents {
		if err := ix.exec(ctx, `UPDATE entry SET parent = ? WHERE id = ?`, *nodes[i].Parent, nodes[i].ID); err != nil {
			return err
		}
	}
	labels, err := ix.nameTargets(ctx, t, lo, hi)
	if err != nil {
		return err
	}
	if err := ix.joinCalls(ctx, t, lo, hi); err != nil {
		return err
	}
	path, err := ix.pathOf(ctx, session)
	if err != nil {
		return err
	}
	if err := ix.noteTangles(ctx, t, session, path); err != nil {
		return err
	}
	if err := ix.total(ctx, t, session, labels); err != nil {
		return err
	}
	for was := range moves { // counts no more
		if err := ix.markCopies(ctx, was, was); err != nil {
			return err
		}
	}
	ix.markSession(session, path)
	return nil
}

// total writes the counts and sums of a session.
func (ix *Index) total(ctx context.Context, t *tree, session int64, labels string) error {
	lo, hi := Range(session)
	var sum usageSum
	err := ix.get(ctx, &sum, `SELECT coalesce(sum(input),0) AS input, coalesce(sum(output),0) AS output,
 coalesce(sum(cache_read),0) AS cache_read, coalesce(sum(cache_write),0) AS cache_write, coalesce(sum(total),0) AS total, sum(cost) AS cost
 FROM token_use u WHERE u.entry BETWEEN ? AND ? AND NOT EXISTS (SELECT 1 FROM entry e WHERE e.id = u.entry AND e.dup_of IS NOT NULL)`, lo, hi)
	if err != nil {
		return fmt.Errorf("sum up the usage of a session: %w", err)
	}
	abandoned, err := ix.abandon(ctx, t, session)
	if err != nil {
		return err
	}
	entries, leaves := t.count()
	return ix.exec(ctx, `UPDATE session SET n_entries = ?, n_leaves = ?, abandoned = ?, input = ?, output = ?, cache_read = ?, cache_write = ?, total = ?, cost = ?, labels = ? WHERE id = ?`,
		entries, leaves, abandoned, sum.Input, sum.Output, sum.CacheRead, sum.CacheWrite, sum.Total, sum.Cost, labels, session)
}

// abandon flags the entries off the way to the current leaf, and returns their
// runs as they are stored.
func (ix *Index) abandon(ctx context.Context, t *tree, session int64) (*string, error) {
	var was struct {
		Leaf      *int64  `db:"leaf"`
		Abandoned *string `db:"abandoned"`
	}
	if err := ix.get(ctx, &was, `SELECT leaf, abandoned FROM session WHERE id = ?`, session); err != nil {
		return nil, fmt.Errorf("read the leaf of a session: %w", err)
	}
	runs := t.abandoned(was.Leaf)
	stored := storedRuns(runs)
	if stored == was.Abandoned || stored != nil && was.Abandoned != nil && *stored == *was.Abandoned {
		return stored, nil
	}
	lo, hi := Range(session)
	if was.Abandoned != nil {
		if err := ix.exec(ctx, `UPDATE OR FAIL entry SET flags = flags & ~256 WHERE id BETWEEN ? AND ? AND flags & 256`, lo, hi); err != nil {
			return nil, err
		}
	}
	for _, run := range runs {
		if err := ix.exec(ctx, `UPDATE OR FAIL entry SET flags = flags | 256 WHERE id BETWEEN ? AND ?`, lo+run[0], lo+run[1]); err != nil {
			return nil, err
		}
	}
	return stored, nil
}

// nameTargets finds the entries that labels and compactions name, and returns
// the labels in force.
func (ix *Index) nameTargets(ctx context.Context, t *tree, lo, hi int64) (inForceNow string, err error) {
	var labels []*Label
	if err := ix.list(ctx, &labels, `SELECT entry, target_id, target, label FROM label WHERE entry BETWEEN ? AND ?`, lo, hi); err != nil {
		return "", fmt.Errorf("read the labels: %w", err)
	}
	for _, l := range labels {
		if target := t.named(&l.TargetID); target != nil && (l.Target == nil || *l.Target != *target) {
			if err := ix.exec(ctx, `UPDATE label SET target = ? WHERE entry = ?`, target, l.Entry); err != nil {
				return "", err
			}
		}
	}
	var compactions []struct {
		Entry int64   `db:"entry"`
		Kept  *string `db:"first_kept_id"`
	}
	if err := ix.list(ctx, &compactions, `SELECT entry, first_kept_id FROM compaction WHERE entry BETWEEN ? AND ? AND first_kept_id IS NOT NULL`, lo, hi); err != nil {
		return "", fmt.Errorf("read the compactions: %w", err)
	}
	for _, c := range compactions {
		if kept := t.named(c.Kept); kept != nil {
			if err := ix.exec(ctx, `UPDATE compaction SET first_kept = ? WHERE entry = ?`, kept, c.Entry); err != nil {
				return "", err
			}
		}
	}
	return inForce(labels), nil
}

func (ix *Index) pathOf(ctx context.Context, source int64) (path string, err error) {
	if err := ix.get(ctx, &path, `SELECT path FROM source WHERE id = ?`, source); err != nil {
		return "", fmt.Errorf("read the path of a source: %w", err)
	}
	return path, nil
}

// noteTangles records the entries whose way to a root is broken.
func (ix *Index) noteTangles(ctx context.Context, t *tree, session int64, path string) error {
	if !ix.building { // where there are none of an earlier run, and no index to look for them
		if err := ix.exec(ctx, `DELETE FROM problem WHERE source = ? AND kind IN ('orphan', 'self-parent', 'cycle', 'duplicate-id')`, session); err != nil {
			return err
		}
	}
	for _, p := range t.tangles() {
		p.Source, p.Path = &session, path
		if err := ix.Add(ctx, p); err != nil {
			return err
		}
	}
	return nil
}
