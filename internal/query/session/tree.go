package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"piarchive/internal/index"
	"piarchive/internal/query"
)

// Tree is the entries of a session by their parents, one node an id.
type Tree struct {
	Nodes  []TreeNode // depth first: roots in file order, children by time
	Leaf   int64      // row of the current leaf, 0 if there is none
	LeafID string
	Lost   []Step // members of cycles, and what hangs from them: no root leads there
}

// TreeNode is one entry in a tree.
type TreeNode struct {
	*Step
	Depth    int
	Children int
	End      int   // position in Nodes behind the last of its descendants
	Active   bool  // on the way to the current leaf
	Label    Label // in force; its text is "" if there is none
	Copies   int   // further lines of the file with the same id
}

// ReadTree reads a session as a tree. An entry is a root if it has no parent, names
// itself, or names one that the file does not have. Children are sorted by
// their times and, where these are equal or no dates, stay in file order.
func ReadTree(ctx context.Context, a *query.Archive, session query.SessionRef) (*Tree, error) {
	steps, copies, err := distinctSteps(ctx, a, session.Key)
	if err != nil {
		return nil, err
	}
	labels, err := Labels(ctx, a, session.Key)
	if err != nil {
		return nil, err
	}
	leaf, err := Leaf(ctx, a, session.Key)
	if err != nil {
		return nil, err
	}
	b := newTreeBuilder(steps)
	tree := &Tree{Nodes: b.walk(), Leaf: leaf}
	if i := b.position(leaf); i >= 0 {
		tree.LeafID = steps[i].ID
	}
	for i, at := range b.placed {
		if at < 0 {
			tree.Lost = append(tree.Lost, steps[i])
		}
	}
	for row, l := range labels {
		if n := b.node(tree, row); n != nil {
			n.Label = l
		}
	}
	for row, count := range copies {
		if n := b.node(tree, row); n != nil {
			n.Copies = count
		}
	}
	for n := b.node(tree, leaf); n != nil && !n.Active; n = b.node(tree, n.Parent) {
		n.Active = true
	}
	return tree, nil
}

// treeBuilder links steps by their positions: maps and lists of lists would
// cost more than everything else where there are 100 000 of them.
type treeBuilder struct {
	steps    []Step
	at       []int32 // positions in steps by distance of the row from base; -1 where there is none
	base     int64
	children []int32 // positions of all children, those of one parent side by side
	first    []int32 // where the children of each step begin in children; its last element is the end
	roots    []int32
	placed   []int32 // positions in the walk; -1 for those it does not reach
}

func newTreeBuilder(steps []Step) *treeBuilder {
	b := &treeBuilder{steps: steps, first: make([]int32, len(steps)+1), placed: make([]int32, len(steps))}
	if len(steps) == 0 {
		return b
	}
	byRow := func(x, y Step) int { return cmp.Compare(x.Row, y.Row) }
	b.base = slices.MinFunc(steps, byRow).Row
	b.at = make([]int32, slices.MaxFunc(steps, byRow).Row-b.base+1)
	for i := range b.at {
		b.at[i] = -1
	}
	for i, s := range steps {
		b.at[s.Row-b.base] = int32(i)
		b.placed[i] = -1
	}
	b.link()
	return b
}

// position is where the step of a row is, -1 if there is none.
func (b *treeBuilder) position(row int64) int32 {
	if row < b.base || row-b.base >= int64(len(b.at)) {
		return -1
	}
	return b.at[row-b.base]
}

// node is the node of a row in the finished tree, nil if it has none.
func (b *treeBuilder) node(tree *Tree, row int64) *TreeNode {
	if i := b.position(row); i >= 0 && b.placed[i] >= 0 {
		return &tree.Nodes[b.placed[i]]
	}
	return nil
}

func (b *treeBuilder) link() {
	for i, s := range b.steps {
		if p := b.position(s.Parent); p >= 0 {
			b.first[p+1]++
		} else {
			b.roots = append(b.roots, int32(i))
		}
	}
	for i := range b.steps {
		b.first[i+1] += b.first[i]
	}
	next := slices.Clone(b.first)
	b.children = make([]int32, b.first[len(b.steps)])
	for i, s := range b.steps {
		if p := b.position(s.Parent); p >= 0 {
			b.children[next[p]] = int32(i)
			next[p]++
		}
	}
	for i := range b.steps {
		slices.SortStableFunc(b.childrenOf(int32(i)), func(x, y int32) int {
			s, t := b.steps[x].Time, b.steps[y].Time
			if s == nil || t == nil {
				return 0
			}
			return s.Compare(*t)
		})
	}
}

func (b *treeBuilder) childrenOf(i int32) []int32 { return b.children[b.first[i]:b.first[i+1]] }

// walk lists the nodes depth first, without recursion: a chain may be 100 000
// entries long.
func (b *treeBuilder) walk() []TreeNode {
	nodes := make([]TreeNode, 0, len(b.steps))
	var open, stack []int32 // positions in nodes of unfinished subtrees, and in steps of what is to come
	for _, r := range slices.Backward(b.roots) {
		stack = append(stack, r)
	}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		depth := 0
		if p := b.position(b.steps[i].Parent); p >= 0 {
			depth = nodes[b.placed[p]].Depth + 1
		}
		for len(open) > depth {
			nodes[open[len(open)-1]].End = len(nodes)
			open = open[:len(open)-1]
		}
		b.placed[i] = int32(len(nodes))
		open = append(open, b.placed[i])
		children := b.childrenOf(i)
		nodes = append(nodes, TreeNode{Step: &b.steps[i], Depth: depth, Children: len(children)})
		for _, c := range slices.Backward(children) {
			stack = append(stack, c)
		}
	}
	for _, i := range open {
		nodes[i].End = len(nodes)
	}
	return nodes
}

// Entries returns every entry of a session, one for each id, in the order in
// which their ids first come in the file.
func Entries(ctx context.Context, a *query.Archive, session int64) ([]Step, error) {
	steps, _, err := distinctSteps(ctx, a, session)
	return steps, err
}

// distinctSteps also counts, by row, the further lines with the same id. The line
// that counts may be the last of them; its place is that of the first.
func distinctSteps(ctx context.Context, a *query.Archive, session int64) ([]Step, map[int64]int, error) {
	lo, hi := index.Range(session)
	entries, err := countEntries(ctx, a, session)
	if err != nil {
		return nil, nil, err
	}
	steps, err := readSteps(ctx, a, entries, true, `SELECT `+treeColumns+said+` FROM _entry e`+joinProse+` WHERE e.id BETWEEN ? AND ? AND e.dup_of IS NULL ORDER BY e.id`, lo+1, hi)
	if err != nil {
		return nil, nil, fmt.Errorf("read the entries of a session: %w", err)
	}
	nameParents(steps)
	var all int64
	if err := a.DB().GetContext(ctx, &all, `SELECT coalesce(max(id) - ?1, 0) FROM _entry WHERE id BETWEEN ?1 AND ?2`, lo, hi); err != nil {
		return nil, nil, fmt.Errorf("count the entries of a session: %w", err)
	}
	if all == int64(len(steps)) {
		return steps, nil, nil // rows are numbered without gaps: none was left out
	}
	var rows []struct {
		ID     int64 `db:"id"`
		Counts int64 `db:"dup_of"`
	}
	err = a.DB().SelectContext(ctx, &rows, `SELECT id, dup_of FROM _entry WHERE id BETWEEN ? AND ? AND dup_of IS NOT NULL ORDER BY id`, lo+1, hi)
	if err != nil {
		return nil, nil, fmt.Errorf("read the repeated entries of a session: %w", err)
	}
	copies, first := map[int64]int{}, map[int64]int64{}
	for _, r := range rows {
		copies[r.Counts]++
		if _, ok := first[r.Counts]; !ok {
			first[r.Counts] = r.ID
		}
	}
	place := func(s Step) int64 {
		if row, ok := first[s.Row]; ok {
			return min(row, s.Row)
		}
		return s.Row
	}
	slices.SortFunc(steps, func(x, y Step) int { return cmp.Compare(place(x), place(y)) })
	return steps, copies, nil
}

// nameParents adds the ids of parents that the file has, for steps sorted by row.
// Most follow their parents, or one that has the same.
func nameParents(steps []Step) {
	at := 0 // of the parent
	for i := range steps {
		s := &steps[i]
		if s.Parent == 0 {
			continue
		}
		found := true
		if i > 0 && steps[i-1].Row == s.Parent {
			at = i - 1
		} else if steps[at].Row != s.Parent {
			at, found = slices.BinarySearchFunc(steps, s.Parent, func(t Step, row int64) int { return cmp.Compare(t.Row, row) })
		}
		if found {
			s.ParentID = steps[at].ID
		}
		at = min(at, len(steps)-1)
	}
}

// ChildrenOf returns the direct children of an entry, in file order.
func ChildrenOf(ctx context.Context, a *query.Archive, session query.SessionRef, row int64) ([]Step, error) {
	steps, err := Entries(ctx, a, session.Key)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(steps, func(s Step) bool { return s.Parent != row }), nil
}

// BranchOf returns the entries of the branch that an entry is on: the way to the
// current leaf where it lies on that, or none is named, else the way to it and on,
// with the first child of each.
func BranchOf(ctx context.Context, a *query.Archive, session, row int64) ([]Step, error) {
	leaf, err := Leaf(ctx, a, session)
	if err != nil {
		return nil, err
	}
	isAsked := func(s Step) bool { return s.Row == row }
	branch, err := PathTo(ctx, a, leaf)
	if err != nil || row == 0 || slices.ContainsFunc(branch, isAsked) {
		return branch, err
	}
	if branch, err = PathTo(ctx, a, row); err != nil {
		return nil, err
	}
	all, err := Entries(ctx, a, session)
	if err != nil {
		return nil, err
	}
	first, taken := map[int64]Step{}, map[int64]bool{}
	for _, s := range slices.Backward(all) {
		first[s.Parent] = s
	}
	for _, s := range branch {
		taken[s.Row] = true
	}
	for at, ok := first[row]; ok && !taken[at.Row]; at, ok = first[at.Row] { // parents may go in a circle
		taken[at.Row] = true
		branch = append(branch, at)
	}
	return branch, nil
}
