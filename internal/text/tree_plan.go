package text

import (
	"cmp"
	"iter"
	"slices"

	"piarchive/internal/query/session"
)

// TreePlan decides which nodes of a tree are drawn, and where. The nodes come
// depth first, so those below a node follow it up to its End.
//
// A branch is drawn as one line of nodes, from top to bottom. At a branch point
// one child goes on with the line: the active one or, where all were abandoned,
// the one with the most below it. The others begin lines of their own, one level
// deeper. So a tree of n nodes has log n levels at most, however it branches.
type TreePlan struct {
	tree   *session.Tree
	depth  int         // levels to draw; 0 for all
	asked  int64       // the row of the entry to mark; 0 for none
	levels []int       // of the nodes
	heirs  []int       // positions of the children that go on with the line; 0 where there is none
	ends   map[int]int // branch summaries by the branch they ended, as positions
	ended  map[int]int // the other way round
	rows   []treeRow   // what is drawn
}

// treeRow is one row of the picture.
type treeRow struct {
	kind    treeRowKind
	prefix  string
	node    int // position, of rowNode and rowSummary
	entries int // of rowFold and rowBranches
	count   int // of rowBranches
}

type treeRowKind int

const (
	rowNode     treeRowKind = iota
	rowFold                 // entries that just follow each other
	rowBranches             // branches deeper than asked for
	rowSummary              // what was written when the branch above was left
	rowGap                  // between roots
)

// PlanTree plans a tree; depth is how many levels of branches are drawn, 0 for all,
// asked the row of an entry to mark.
func PlanTree(tree *session.Tree, depth int, asked int64) *TreePlan {
	n := len(tree.Nodes)
	p := &TreePlan{tree: tree, depth: depth, asked: asked, levels: make([]int, n), heirs: make([]int, n), ends: map[int]int{}, ended: map[int]int{}}
	summaries := map[int][]int{} // of the children of a node, or with -1 of the roots
	for i := -1; i < n; i++ {
		heir := 0
		for c := range p.children(i) {
			if tree.Nodes[c].Type == "branch_summary" {
				summaries[i] = append(summaries[i], c)
			}
			if i < 0 {
				continue
			}
			p.levels[c] = p.levels[i] + 1
			if heir == 0 || tree.Nodes[c].Active || !tree.Nodes[heir].Active && p.below(c) >= p.below(heir) {
				heir = c
			}
		}
		if heir > 0 {
			p.heirs[i], p.levels[heir] = heir, p.levels[i]
		}
	}
	if len(summaries) > 0 {
		p.pair(summaries)
	}
	return p
}

// children yields the positions of a node's children, or with -1 the roots.
func (p *TreePlan) children(i int) iter.Seq[int] {
	end := len(p.tree.Nodes)
	if i >= 0 {
		end = p.tree.Nodes[i].End
	}
	return func(yield func(int) bool) {
		for c := i + 1; c < end; c = p.tree.Nodes[c].End {
			if !yield(c) {
				return
			}
		}
	}
}

// below counts the nodes of a subtree.
func (p *TreePlan) below(i int) int { return p.tree.Nodes[i].End - i }

// Hidden reports whether a node lies deeper than asked for.
func (p *TreePlan) Hidden(i int) bool { return p.depth > 0 && p.levels[i] >= p.depth }

// pair finds the branches that were left with a summary. The summary begins the
// new branch; the old one is its sibling that the entry before it in the file
// belongs to. (The entry that a summary names itself says one thing in some
// releases, another in others.)
func (p *TreePlan) pair(summaries map[int][]int) {
	nodes := p.tree.Nodes
	inFile := make([]int, len(nodes))
	for i := range inFile {
		inFile[i] = i
	}
	slices.SortFunc(inFile, func(x, y int) int { return cmp.Compare(nodes[x].Row, nodes[y].Row) })
	before := make([]int, len(nodes)) // the node before each in the file
	for k, i := range inFile[1:] {
		before[i] = inFile[k]
	}
	for parent, list := range summaries {
		siblings := slices.Collect(p.children(parent))
		for _, s := range list {
			k, found := slices.BinarySearch(siblings, before[s])
			if !found {
				k--
			}
			if k < 0 || siblings[k] == s || before[s] >= nodes[siblings[k]].End || nodes[siblings[k]].Active {
				continue
			}
			delete(p.ended, p.ends[siblings[k]]) // of several the last stays
			p.ends[siblings[k]], p.ended[s] = s, siblings[k]
		}
	}
}

// line draws a node and those that go on from it, with the branches that hang
// from them. first stands before the first row, rest before all below.
func (p *TreePlan) line(start int, first, rest string) {
	var summaries, folded []int
	prefix := first
	unfold := func(least int) {
		if len(folded) >= least {
			p.rows = append(p.rows, treeRow{kind: rowFold, prefix: rest, entries: len(folded)})
		} else {
			for _, i := range folded {
				p.rows = append(p.rows, treeRow{prefix: rest, node: i})
			}
		}
		folded = folded[:0]
	}
	begun, asked := true, false // a branch begins here; the user has spoken on it
	for i, more := start, true; more; i, more = p.heirs[i], p.heirs[i] > 0 {
		n := &p.tree.Nodes[i]
		question := n.Role == "user" && (begun || !asked)
		asked = question || asked && !begun
		if begun || question || n.Children != 1 || p.landmark(n) {
			unfold(2) // a single entry takes no more room than its fold
			p.rows = append(p.rows, treeRow{prefix: prefix, node: i})
			prefix = rest
		} else {
			folded = append(folded, i)
		}
		p.branches(i, rest)
		begun = n.Children > 1
		if s, ok := p.ends[i]; ok {
			summaries = append(summaries, s)
		}
	}
	for _, s := range slices.Backward(summaries) { // the last branch to begin was the first to be left
		p.rows = append(p.rows, treeRow{kind: rowSummary, prefix: rest, node: s})
	}
}

// branches draws what hangs from a node beside the line it is on.
func (p *TreePlan) branches(i int, prefix string) {
	hidden := treeRow{kind: rowBranches, prefix: prefix}
	for c := range p.children(i) {
		switch {
		case c == p.heirs[i]:
		case p.Hidden(c):
			hidden.count++
			hidden.entries += p.below(c)
		default:
			p.line(c, prefix+"├─", prefix+"│ ")
		}
	}
	if hidden.count > 0 {
		p.rows = append(p.rows, hidden)
	}
}

// landmark reports whether a node is drawn wherever it is.
func (p *TreePlan) landmark(n *session.TreeNode) bool {
	switch n.Type {
	case "compaction", "branch_summary", "reset_boundary", "leaf":
		return true
	}
	return n.Label.Text != "" || n.Row == p.tree.Leaf || n.Row == p.asked || n.Orphan
}

// Steps are the nodes that are not hidden, whose previews a document needs.
func (p *TreePlan) Steps() (steps []*session.Step) {
	for i, n := range p.tree.Nodes {
		if !p.Hidden(i) {
			steps = append(steps, n.Step)
		}
	}
	return steps
}

// Draw lays out the picture, and returns the nodes whose previews it needs.
func (p *TreePlan) Draw() (steps []*session.Step) {
	for i := range p.children(-1) {
		if i > 0 {
			p.rows = append(p.rows, treeRow{kind: rowGap})
		}
		p.line(i, "", "")
	}
	for _, r := range p.rows {
		if r.kind == rowNode || r.kind == rowSummary {
			steps = append(steps, p.tree.Nodes[r.node].Step)
		}
	}
	return steps
}
