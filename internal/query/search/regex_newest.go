package search

import (
	"cmp"
	"container/heap"
	"math"
)

// instant is a place in the order of hits from old to new: by time and, in the
// same millisecond, by row.
type instant struct{ at, row int64 }

func (m instant) compare(o instant) int {
	return cmp.Or(cmp.Compare(m.at, o.at), cmp.Compare(m.row, o.row))
}

// never is older than anything; noTime is the time of what has none.
var never = instant{noTime, -1}

const noTime = math.MinInt64

func timeOf(at *int64) int64 {
	if at == nil {
		return noTime
	}
	return *at
}

func later(a, b instant) instant {
	if a.compare(b) < 0 {
		return b
	}
	return a
}

// scanHit is a row that matches.
type scanHit struct {
	instant
	copyKey int64 // equal in copies; 0 for what has none
}

// newestHits remembers the newest of the hits that were found so far, of copies
// one, to tell when no other hit can be among them.
type newestHits struct {
	limit  int // how many; 0 to remember none
	copies bool
	seen   map[int64]bool // copy keys
	heap   instantHeap
}

func (n *newestHits) add(h scanHit) {
	if n.limit == 0 {
		return
	}
	if h.copyKey != 0 && !n.copies {
		if n.seen[h.copyKey] { // just as old
			return
		}
		if n.seen == nil {
			n.seen = map[int64]bool{}
		}
		n.seen[h.copyKey] = true
	}
	if len(n.heap) < n.limit {
		heap.Push(&n.heap, h.instant)
	} else if h.compare(n.heap[0]) > 0 {
		n.heap[0] = h.instant
		heap.Fix(&n.heap, 0)
	}
}

// settled reports whether all of the newest hits are found where nothing that is not
// looked at yet is newer than rest, and that there is such a rest.
func (n *newestHits) settled(rest instant) bool {
	return n.limit > 0 && len(n.heap) == n.limit && rest != never && n.heap[0].compare(rest) > 0
}

// instantHeap implements heap.Interface, the oldest first.
type instantHeap []instant

func (h instantHeap) Len() int           { return len(h) }
func (h instantHeap) Less(i, j int) bool { return h[i].compare(h[j]) < 0 }
func (h instantHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }

// Push implements heap.Interface.
func (h *instantHeap) Push(m any) { *h = append(*h, m.(instant)) }

// Pop implements heap.Interface.
func (h *instantHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
