package session

import (
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// threadNode is a session with those that were made from it.
type threadNode struct {
	info     *Info
	children []*threadNode
	activity time.Time // the latest of the session and all below it
	placed   bool
}

// thread reorders sessions, which come with the latest first, so that each is
// followed by those made from it. Of several such groups, the one with the
// latest activity anywhere in it comes first.
func thread(sessions []*Info) {
	nodes := make([]*threadNode, len(sessions))
	for i := range sessions {
		nodes[i] = &threadNode{info: sessions[i]}
	}
	parents := parentsOf(nodes)
	var roots []*threadNode
	for i, n := range nodes {
		if p := parents[i]; p != nil && p != n {
			p.children = append(p.children, n)
		} else {
			roots = append(roots, n)
		}
	}
	placed := sessions[:0]
	sortThreads(roots)
	for _, n := range roots {
		placed = n.place(placed, 0)
	}
	for _, n := range nodes { // sessions that name each other as parents
		placed = n.place(placed, 0)
	}
}

// parentsOf finds the session each was made from: by its path, else by the name
// of its file, which a moved directory keeps, and one that was put away up to what was
// added to it, else by its id.
func parentsOf(nodes []*threadNode) []*threadNode {
	byRef := map[string]*threadNode{}
	for _, key := range []func(s *Info) string{
		func(s *Info) string { return s.Path },
		func(s *Info) string {
			name, _, _ := strings.Cut(filepath.Base(s.Path), ".jsonl")
			return name + ".jsonl"
		},
		func(s *Info) string { return s.ID },
	} {
		for _, n := range nodes {
			if k := key(n.info); byRef[k] == nil {
				byRef[k] = n
			}
		}
	}
	parents := make([]*threadNode, len(nodes))
	for i, n := range nodes {
		ref := n.info.Parent
		if ref == "" {
			continue
		}
		if parents[i] = byRef[ref]; parents[i] == nil {
			// A session may come from a system with other separators.
			parents[i] = byRef[ref[strings.LastIndexAny(ref, `/\`)+1:]]
		}
	}
	return parents
}

// sortThreads sorts by the latest activity, all the way down.
func sortThreads(nodes []*threadNode) {
	for _, n := range nodes {
		sortThreads(n.children)
		n.activity = n.info.Modified
		for _, c := range n.children {
			if c.activity.After(n.activity) {
				n.activity = c.activity
			}
		}
	}
	slices.SortStableFunc(nodes, func(a, b *threadNode) int { return newest(a.activity, b.activity) })
}

// place appends the session and those below it to placed.
func (n *threadNode) place(placed []*Info, depth int) []*Info {
	if n.placed {
		return placed
	}
	n.placed = true
	n.info.Depth = depth
	placed = append(placed, n.info)
	for _, c := range n.children {
		placed = c.place(placed, depth+1)
	}
	return placed
}
