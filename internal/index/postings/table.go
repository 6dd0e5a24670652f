package postings

import (
	"cmp"
	"math/bits"
	"slices"
)

// table holds a value for each of many rows. Rows that are near each other share a
// block, so that a doclist finds many of its rows where it found the one before,
// and only blocks have to be sorted.
type table[V any] struct {
	slots []*block[V] // open addressing; a power of two, at most half full
	all   [][]block[V]
	last  *block[V] // of the last row
}

const (
	blockRows   = 1 << blockBits
	blockBits   = 5
	blockMask   = blockRows - 1
	blocksAlloc = 16 // blocks that are allocated together
)

type block[V any] struct {
	key    int64
	used   uint32 // bit i: there is row i
	values [blockRows]V
}

// find returns the value of row, nil when it has none.
func (t *table[V]) find(row int64) *V {
	key := row >> blockBits
	if t.last == nil || t.last.key != key {
		if len(t.slots) == 0 {
			return nil
		}
		b := *t.slot(key)
		if b == nil {
			return nil
		}
		t.last = b
	}
	if t.last.used>>(row&blockMask)&1 == 0 {
		return nil
	}
	return &t.last.values[row&blockMask]
}

// add returns the value of row, a zero one if there was none.
func (t *table[V]) add(row int64) *V {
	key := row >> blockBits
	if t.last == nil || t.last.key != key {
		t.last = t.block(key)
	}
	t.last.used |= 1 << (row & blockMask)
	return &t.last.values[row&blockMask]
}

// block returns the block with key, a new one if there is none.
func (t *table[V]) block(key int64) *block[V] {
	if len(t.slots) > 0 {
		if b := *t.slot(key); b != nil {
			return b
		}
	}
	last := len(t.all) - 1
	if last < 0 || len(t.all[last]) == blocksAlloc {
		t.all = append(t.all, make([]block[V], 0, blocksAlloc))
		last++
		if 2*blocksAlloc*len(t.all) > len(t.slots) {
			t.grow()
		}
	}
	t.all[last] = append(t.all[last], block[V]{key: key})
	b := &t.all[last][len(t.all[last])-1]
	*t.slot(key) = b
	return b
}

// slot returns where the block with key is in slots, or where it would be.
func (t *table[V]) slot(key int64) **block[V] {
	const golden = 0x9E3779B97F4A7C15
	mask := len(t.slots) - 1
	for i := int(uint64(key) * golden >> 32); ; i++ {
		if s := &t.slots[i&mask]; *s == nil || (*s).key == key {
			return s
		}
	}
}

func (t *table[V]) grow() {
	t.slots = make([]*block[V], max(4*blocksAlloc, 4*len(t.slots)))
	for _, blocks := range t.all {
		for i := range blocks {
			*t.slot(blocks[i].key) = &blocks[i]
		}
	}
}

// n returns the number of rows.
func (t *table[V]) n() int {
	n := 0
	for _, blocks := range t.all {
		for i := range blocks {
			n += bits.OnesCount32(blocks[i].used)
		}
	}
	return n
}

// each visits the rows in ascending order.
func (t *table[V]) each(visit func(row int64, value *V)) {
	var order []*block[V]
	for _, blocks := range t.all {
		for i := range blocks {
			order = append(order, &blocks[i])
		}
	}
	slices.SortFunc(order, func(a, b *block[V]) int { return cmp.Compare(a.key, b.key) })
	for _, b := range order {
		for used := b.used; used != 0; used &= used - 1 {
			i := bits.TrailingZeros32(used)
			visit(b.key<<blockBits+int64(i), &b.values[i])
		}
	}
}
