package index

import (
	"context"
	"fmt"
)

// tree is the entries of one session while their links are made.
type tree struct {
	nodes []node
	at    map[int64]int    // position in nodes by row id
	byID  map[string]int64 // the row that counts for an entry id; made when first needed
	moves map[int64]int64
}

func newTree(nodes []node, moves map[int64]int64) *tree { return &tree{nodes: nodes, moves: moves} }

// find returns the row that counts for an entry id.
func (t *tree) find(id string) (int64, bool) {
	if t.byID == nil {
		t.byID = make(map[string]int64, len(t.nodes))
		for _, n := range t.nodes {
			if n.DupOf == nil && n.ID&idMask > 0 {
				t.byID[n.EntryID] = n.ID
			}
		}
	}
	row, ok := t.byID[id]
	return row, ok
}

// moved follows a row that stands back to the one that counts now.
func (t *tree) moved(id int64) int64 {
	for range len(t.moves) + 1 {
		next, ok := t.moves[id]
		if !ok {
			break
		}
		id = next
	}
	return id
}

// link writes what was not known when the rows were written.
func (t *tree) link(ctx context.Context, ix *Index) error {
	for i := range t.nodes {
		n := &t.nodes[i]
		if to, ok := t.moves[n.ID]; ok {
			to = t.moved(to)
			n.DupOf = &to
			if err := ix.exec(ctx, `UPDATE entry SET dup_of = ? WHERE id = ?`, to, n.ID); err != nil {
				return err
			}
		} else if n.DupOf != nil && t.moved(*n.DupOf) != *n.DupOf {
			to := t.moved(*n.DupOf)
			n.DupOf = &to
			if err := ix.exec(ctx, `UPDATE entry SET dup_of = ? WHERE id = ?`, to, n.ID); err != nil {
				return err
			}
		}
	}
	for i := range t.nodes {
		n := &t.nodes[i]
		parent := n.Parent
		switch {
		case parent != nil:
			if to := t.moved(*parent); to != *parent {
				parent = &to
			}
		case n.ParentID != nil && *n.ParentID != n.EntryID:
			if to, ok := t.find(*n.ParentID); ok {
				parent = &to
			}
		}
		if parent == n.Parent {
			continue
		}
		n.Parent = parent
		if err := ix.exec(ctx, `UPDATE entry SET parent = ? WHERE id = ?`, *parent, n.ID); err != nil {
			return err
		}
	}
	return nil
}

// count returns the distinct entries and those among them that are nobody's
// parent.
func (t *tree) count() (entries, leaves int) {
	parents := make(map[int64]struct{}, len(t.nodes))
	for _, n := range t.nodes {
		if n.DupOf == nil && n.Parent != nil {
			parents[*n.Parent] = struct{}{}
		}
	}
	for _, n := range t.nodes {
		if n.DupOf != nil || n.ID&idMask == 0 {
			continue
		}
		entries++
		if _, ok := parents[n.ID]; !ok {
			leaves++
		}
	}
	return entries, leaves
}

// abandoned returns the runs of sequence numbers, first and last, of the
// entries that do not lie on the way from a root to the current leaf. Rows that
// repeat an id are in no run of their own: they may lie within one.
func (t *tree) abandoned(leaf *int64) [][2]int64 {
	parent := make(map[int64]*int64, len(t.nodes))
	for _, n := range t.nodes {
		parent[n.ID] = n.Parent
	}
	active := make(map[int64]bool)
	for id := leaf; id != nil && !active[t.moved(*id)]; {
		at := t.moved(*id)
		active[at] = true
		id = parent[at]
	}
	var runs [][2]int64
	open := false
	for _, n := range t.nodes {
		sequence := n.ID & idMask
		switch {
		case n.DupOf != nil || sequence == 0:
		case active[n.ID]:
			open = false
		case open:
			runs[len(runs)-1][1] = sequence
		default:
			runs, open = append(runs, [2]int64{sequence, sequence}), true
		}
	}
	return runs
}

// tangles names the entries whose way to a root is broken, and repeated ids
// whose lines differ.
func (t *tree) tangles() []*Problem {
	var found []*Problem
	note := func(n node, kind, format string, args ...any) {
		found = append(found, &Problem{Line: n.Line, Offset: n.Offset, Kind: kind, Message: fmt.Sprintf(format, args...)})
	}
	back := false // only a parent that lies behind its child can close a cycle
	for _, n := range t.nodes {
		switch {
		case n.DupOf != nil:
			if _, ok := t.moves[n.ID]; ok || *n.DupOf > n.ID {
				note(n, "duplicate-id", "entry %q is defined again further down, and differently", n.EntryID)
			}
		case n.ParentID != nil && *n.ParentID == n.EntryID:
			note(n, "self-parent", "entry %q names itself as its parent", n.EntryID)
		case n.ParentID != nil && n.Parent == nil:
			note(n, "orphan", "parent %q of entry %q is not in the file", *n.ParentID, n.EntryID)
		}
		back = back || n.Parent != nil && *n.Parent >= n.ID
	}
	if back {
		for _, n := range t.cycles() {
			note(n, "cycle", "entry %q is among its own ancestors", n.EntryID)
		}
	}
	return found
}

// cycles returns the members of cycles, in file order.
func (t *tree) cycles() []node {
	t.at = make(map[int64]int, len(t.nodes))
	for i, n := range t.nodes {
		t.at[n.ID] = i
	}
	const (
		unseen = iota
		onPath
		done
		inCycle
	)
	mark := make([]byte, len(t.nodes))
	var path []int
	for start := range t.nodes {
		path = path[:0]
		i, ok := start, true
		for ok && mark[i] == unseen {
			mark[i] = onPath
			path = append(path, i)
			ok = t.nodes[i].Parent != nil
			if ok {
				i, ok = t.at[*t.nodes[i].Parent]
			}
		}
		cycle := ok && mark[i] == onPath
		for k := len(path) - 1; k >= 0; k-- {
			if cycle {
				mark[path[k]] = inCycle
				cycle = path[k] != i
			} else {
				mark[path[k]] = done
			}
		}
	}
	var members []node
	for i, n := range t.nodes {
		if mark[i] == inCycle {
			members = append(members, n)
		}
	}
	return members
}
