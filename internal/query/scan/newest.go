package scan

import (
	"cmp"
	"container/heap"
	"math"
)

// Moment is a place in the order of hits from old to new: by time, in milliseconds,
// and in the same one by row.
type Moment struct{ At, Row int64 }

// Compare tells which moment is the earlier one, as [cmp.Compare] does.
func (m Moment) Compare(o Moment) int {
	return cmp.Or(cmp.Compare(m.At, o.At), cmp.Compare(m.Row, o.Row))
}

// never is older than anything; noTime is the time of what has none.
var never = Moment{noTime, -1}

const noTime = math.MinInt64

func timeOf(at *int64) int64 {
	if at == nil {
		return noTime
	}
	return *at
}

func later(a, b Moment) Moment {
	if a.Compare(b) < 0 {
		return b
	}
	return a
}

// Hit is a row that matches.
type Hit struct {
	Moment
	CopyKey int64 // equal in copies; 0 for what has none
}

// newestHits remembers the newest of the hits that were found so far, of copies
// one, to tell when no other hit can be among them.
type newestHits struct {
	limit  int // how many; 0 to remember none
	copies bool
	seen   map[int64]bool // copy keys
	heap   momentHeap
}

func (n *newestHits) add(h Hit) {
	if n.limit == 0 {
		return
	}
	if h.CopyKey != 0 && !n.copies {
		if n.seen[h.CopyKey] { // just as old
			return
		}
		if n.seen == nil {
			n.seen = map[int64]bool{}
		}
		n.seen[h.CopyKey] = true
	}
	if len(n.heap) < n.limit {
		heap.Push(&n.heap, h.Moment)
	} else if h.Compare(n.heap[0]) > 0 {
		n.heap[0] = h.Moment
		heap.Fix(&n.heap, 0)
	}
}

// settled reports whether all of the newest hits are found where nothing that is not
// looked at yet is newer than rest, and that there is such a rest.
func (n *newestHits) settled(rest Moment) bool {
	return n.limit > 0 && len(n.heap) == n.limit && rest != never && n.heap[0].Compare(rest) > 0
}

// momentHeap implements heap.Interface, the oldest first.
type momentHeap []Moment

func (h momentHeap) Len() int           { return len(h) }
func (h momentHeap) Less(i, j int) bool { return h[i].Compare(h[j]) < 0 }
func (h momentHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }

// Push implements heap.Interface.
func (h *momentHeap) Push(m any) { *h = append(*h, m.(Moment)) }

// Pop implements heap.Interface.
func (h *momentHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
