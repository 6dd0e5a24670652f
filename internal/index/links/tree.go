// Package links finds out how the entries of one session hang together: who follows
// whom, what lies off the current branch, where the way to a root is broken, and which
// call a result answers. It knows rows as numbers, and no archive.
//
// [New] takes the entries in the order of the file; [Tree.Link] comes first, for it
// sets what all else goes by.
package links

import (
	"cmp"
	"fmt"
	"slices"
)

// Node is what the links of a session are made from.
type Node struct {
	ID       int64   `db:"id"`
	Parent   *int64  `db:"parent"`
	DupOf    *int64  `db:"dup_of"`
	EntryID  string  `db:"entry_id"`
	ParentID *string `db:"parent_id"`
	Line     int     `db:"line"`
	Offset   int64   `db:"offset"`
}

// Tree is the entries of one session while their links are made.
type Tree struct {
	nodes []Node
	zero  int64            // the number that entries are counted from, of what stands in front of them
	byID  map[string]int64 // the row that counts for an entry id; made when first needed
	moves map[int64]int64
}

// New makes a tree of the entries of a session. The row of its first one is zero + 1;
// moves leads from rows that count no more to those that do.
func New(nodes []Node, zero int64, moves map[int64]int64) *Tree {
	return &Tree{nodes: nodes, zero: zero, moves: moves}
}

// Named returns the row that counts for an entry id, nil if there is none.
func (t *Tree) Named(id *string) *int64 {
	if id == nil {
		return nil
	}
	if t.byID == nil {
		t.byID = make(map[string]int64, len(t.nodes))
		for _, n := range t.nodes {
			if n.DupOf == nil && n.ID > t.zero {
				t.byID[n.EntryID] = n.ID
			}
		}
	}
	if row, ok := t.byID[*id]; ok {
		return &row
	}
	return nil
}

// moved returns the row that counts now in place of one.
func (t *Tree) moved(id int64) int64 {
	for range len(t.moves) + 1 {
		next, ok := t.moves[id]
		if !ok {
			break
		}
		id = next
	}
	return id
}

// Link sets what was not known when the rows were made, and returns the
// positions of the nodes whose parent, or whose row that counts, has changed.
func (t *Tree) Link() (parents, repeats []int) {
	for i := range t.nodes {
		n := &t.nodes[i]
		if to, ok := t.moves[n.ID]; ok {
			n.DupOf = new(t.moved(to))
			repeats = append(repeats, i)
		} else if n.DupOf != nil && t.moved(*n.DupOf) != *n.DupOf {
			n.DupOf = new(t.moved(*n.DupOf))
			repeats = append(repeats, i)
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
			parent = t.Named(n.ParentID)
		}
		if parent != n.Parent {
			n.Parent = parent
			parents = append(parents, i)
		}
	}
	return parents, repeats
}

// parents returns the parent of each row.
func (t *Tree) parents() map[int64]*int64 {
	parents := make(map[int64]*int64, len(t.nodes))
	for _, n := range t.nodes {
		parents[n.ID] = n.Parent
	}
	return parents
}

// Count returns the distinct entries and those among them that are nobody's
// parent.
func (t *Tree) Count() (entries, leaves int) {
	parents := make(map[int64]struct{}, len(t.nodes))
	for _, n := range t.nodes {
		if n.DupOf == nil && n.Parent != nil {
			parents[*n.Parent] = struct{}{}
		}
	}
	for _, n := range t.nodes {
		if n.DupOf != nil || n.ID == t.zero {
			continue
		}
		entries++
		if _, ok := parents[n.ID]; !ok {
			leaves++
		}
	}
	return entries, leaves
}

// Abandoned returns the runs of sequence numbers, first and last, of the
// entries that do not lie on the way from a root to the current leaf. Rows that
// repeat an id are in no run of their own: they may lie within one.
func (t *Tree) Abandoned(leaf *int64) [][2]int64 {
	parent := t.parents()
	active := make(map[int64]bool)
	for id := leaf; id != nil && !active[t.moved(*id)]; {
		at := t.moved(*id)
		active[at] = true
		id = parent[at]
	}
	var runs [][2]int64
	open := false
	for _, n := range t.nodes {
		sequence := n.ID - t.zero
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

// Within reports whether a sequence number lies in one of the runs.
func Within(runs [][2]int64, sequence int64) bool {
	i, found := slices.BinarySearchFunc(runs, sequence, func(run [2]int64, n int64) int { return cmp.Compare(run[0], n) })
	return found || i > 0 && sequence <= runs[i-1][1]
}

// Tangle is a link that leads nowhere, or back.
type Tangle struct {
	Line          int
	Offset        int64
	Kind, Message string
}

// Tangles names the entries whose way to a root is broken, and repeated ids
// whose lines differ.
func (t *Tree) Tangles() []Tangle {
	var found []Tangle
	note := func(n Node, kind, format string, args ...any) {
		found = append(found, Tangle{Line: n.Line, Offset: n.Offset, Kind: kind, Message: fmt.Sprintf(format, args...)})
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
func (t *Tree) cycles() []Node {
	at := make(map[int64]int, len(t.nodes)) // by row id
	for i, n := range t.nodes {
		at[n.ID] = i
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
				i, ok = at[*t.nodes[i].Parent]
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
	var members []Node
	for i, n := range t.nodes {
		if mark[i] == inCycle {
			members = append(members, n)
		}
	}
	return members
}
