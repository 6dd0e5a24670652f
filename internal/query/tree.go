package query

import (
	"context"
	"slices"
)

// Tree is the entries of a session by their parents, one node an id.
type Tree struct {
	Nodes []TreeNode // depth first: roots in file order, children by time
	Leaf  int64      // row of the current leaf, 0 if there is none
	Lost  []Step     // members of cycles, and what hangs from them: no root leads there
}

// TreeNode is one entry in a tree.
type TreeNode struct {
	Step
	Depth    int
	Children int
	Active   bool  // on the way to the current leaf
	Label    Label // in force; its text is "" if there is none
	Copies   int   // further lines of the file with the same id
}

// Tree reads a session as a tree. An entry is a root if it has no parent, names
// itself, or names one that the file does not have. Children are sorted by
// their times and, where these are equal or no dates, stay in file order.
func (a *Archive) Tree(ctx context.Context, session SessionRef) (*Tree, error) {
	steps, err := a.Entries(ctx, session.Key)
	if err != nil {
		return nil, err
	}
	labels, err := a.labels(ctx, session.Key)
	if err != nil {
		return nil, err
	}
	copies, err := a.repeats(ctx, session.Key)
	if err != nil {
		return nil, err
	}
	leaf, err := a.Leaf(ctx, session.Key)
	if err != nil {
		return nil, err
	}
	b := treeBuilder{steps: steps, children: map[int64][]int{}, at: make(map[int64]int, len(steps)), labels: labels, copies: copies}
	b.link()
	b.activate(leaf)
	b.walk()
	tree := &Tree{Nodes: b.nodes, Leaf: leaf}
	for i, s := range steps {
		if !b.seen[i] {
			tree.Lost = append(tree.Lost, s)
		}
	}
	return tree, nil
}

type treeBuilder struct {
	steps    []Step
	at       map[int64]int // position in steps by row
	roots    []int
	children map[int64][]int // positions by row of the parent
	active   map[int64]bool
	labels   map[int64]Label
	copies   map[int64]int
	seen     []bool
	nodes    []TreeNode
}

func (b *treeBuilder) link() {
	for i, s := range b.steps {
		b.at[s.Row] = i
		if s.Parent == 0 {
			b.roots = append(b.roots, i)
		} else {
			b.children[s.Parent] = append(b.children[s.Parent], i)
		}
	}
	for _, kids := range b.children {
		slices.SortStableFunc(kids, func(x, y int) int {
			s, t := b.steps[x].Time, b.steps[y].Time
			if s == nil || t == nil {
				return 0
			}
			return s.Compare(*t)
		})
	}
}

// activate marks the way from the leaf to its root.
func (b *treeBuilder) activate(leaf int64) {
	b.active = map[int64]bool{}
	for row := leaf; row != 0 && !b.active[row]; {
		b.active[row] = true
		i, ok := b.at[row]
		if !ok {
			return
		}
		row = b.steps[i].Parent
	}
}

// walk lists the nodes depth first, without recursion: a chain may be 100 000
// entries long.
func (b *treeBuilder) walk() {
	type frame struct{ at, depth int }
	b.seen = make([]bool, len(b.steps))
	b.nodes = make([]TreeNode, 0, len(b.steps))
	var stack []frame
	for _, r := range slices.Backward(b.roots) {
		stack = append(stack, frame{r, 0})
	}
	for len(stack) > 0 {
		f := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if b.seen[f.at] {
			continue
		}
		b.seen[f.at] = true
		s := b.steps[f.at]
		kids := b.children[s.Row]
		b.nodes = append(b.nodes, TreeNode{Step: s, Depth: f.depth, Children: len(kids), Active: b.active[s.Row], Label: b.labels[s.Row], Copies: b.copies[s.Row]})
		for _, k := range slices.Backward(kids) {
			stack = append(stack, frame{k, f.depth + 1})
		}
	}
}

// ChildrenOf returns the direct children of an entry, in file order.
func (a *Archive) ChildrenOf(ctx context.Context, session SessionRef, row int64) ([]Step, error) {
	steps, err := a.Entries(ctx, session.Key)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(steps, func(s Step) bool { return s.Parent != row }), nil
}
