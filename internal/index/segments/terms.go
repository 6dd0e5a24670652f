package segments

import (
	"bytes"
	"hash/maphash"
	"slices"

	"piarchive/internal/index/postings"
)

// terms is the lists of all terms: a hash table in open addressing. A term stands in
// front of its doclist, so that to find a rare one and to add to it takes three looks at
// memory, where a map takes five: that is most of what a build of full text costs.
type terms struct {
	seed  maphash.Seed
	slots []uint64 // half of the hash, then the number of a list, from 1 on; 0 is free
	lists []*[1 << chunkBits]list
	n     int
	bytes int    // of lists, about
	room  []byte // new lists begin in it

	warmed int64 // of no use, but what is fetched has to go somewhere
}

const chunkBits = 10

// list is where a term stands: the term, then a doclist, but for the size of its last
// position list.
type list struct {
	data   []byte
	term   int32 // its length
	size   int32 // where that size goes, in data
	at     int32 // the last position
	column int32
	row    int64
}

// shortList is how much room a new list has behind its term: most stay shorter.
const shortList = 16

func (t *terms) list(i int) *list { return &t.lists[i>>chunkBits][i&(1<<chunkBits-1)] }

// waiting is a token that is looked up together with others.
type waiting struct {
	token []byte
	hash  uint64
}

// atOnce is how many are.
const atOnce = 64

// warm hashes tokens, and looks where each of them is before the first one is needed:
// what is not in a cache is then fetched for several at once. This halves the time.
func (t *terms) warm(tokens []waiting) {
	if (t.n+len(tokens))*2 >= len(t.slots) {
		t.grow()
	}
	mask := uint64(len(t.slots) - 1)
	var seen [atOnce]*list
	n := 0
	for i := range tokens {
		tokens[i].hash = maphash.Bytes(t.seed, tokens[i].token)
		if slot := t.slots[tokens[i].hash&mask]; slot != 0 {
			seen[n] = t.list(int(uint32(slot)) - 1)
			n++
		}
	}
	for _, l := range seen[:n] {
		t.warmed += l.row
	}
	for _, l := range seen[:n] {
		t.warmed += int64(l.data[0]) + int64(l.data[len(l.data)-1])
	}
}

// find returns the list of a term, which may be new.
func (t *terms) find(term []byte, hash uint64) *list {
	mask := uint64(len(t.slots) - 1)
	i := hash & mask
	for ; t.slots[i] != 0; i = (i + 1) & mask {
		if t.slots[i]>>32 == hash>>32 {
			l := t.list(int(uint32(t.slots[i])) - 1)
			if string(l.data[:l.term]) == string(term) {
				return l
			}
		}
	}
	if t.n>>chunkBits == len(t.lists) {
		t.lists = append(t.lists, new([1 << chunkBits]list))
	}
	l := t.list(t.n)
	t.n++
	t.slots[i] = hash>>32<<32 | uint64(t.n)
	if len(t.room) < len(term)+shortList {
		t.room = make([]byte, len(term)+shortList+1<<16)
	}
	*l = list{data: append(t.room[:0:len(term)+shortList], term...), term: int32(len(term))}
	t.room = t.room[len(term)+shortList:]
	t.bytes += 96 + len(term)
	return l
}

// grow makes room for more terms.
func (t *terms) grow() {
	if t.slots == nil {
		t.seed = maphash.MakeSeed()
	}
	t.slots = make([]uint64, max(1<<12, 2*len(t.slots)))
	mask := uint64(len(t.slots) - 1)
	for n := range t.n {
		l := t.list(n)
		hash := maphash.Bytes(t.seed, l.data[:l.term])
		i := hash & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = hash>>32<<32 | uint64(n+1)
	}
}

// clear forgets all terms.
func (t *terms) clear() { *t = terms{seed: t.seed, slots: t.slots}; clear(t.slots) }

// sorted returns all lists in the order of their terms.
func (t *terms) sorted() []*list {
	all := make([]*list, t.n)
	for i := range all {
		all[i] = t.list(i)
	}
	slices.SortFunc(all, func(a, b *list) int { return bytes.Compare(a.data[:a.term], b.data[:b.term]) })
	return all
}

// add notes one more place, behind those that were added.
func (l *list) add(row int64, column, at int32) {
	if len(l.data) == int(l.term) || l.row != row {
		l.end()
		l.data = postings.AppendVarint(l.data, uint64(row-l.row))
		l.size = int32(len(l.data))
		l.data = append(l.data, 0)
		l.row, l.column, l.at = row, 0, 0
	}
	if l.column != column {
		l.data = postings.AppendVarint(append(l.data, 1), uint64(column))
		l.column, l.at = column, 0
	}
	l.data = postings.AppendVarint(l.data, uint64(at-l.at)+2)
	l.at = at
}

// end writes the size of the last position list in front of it, where there is room for
// one byte.
func (l *list) end() {
	if l.size == 0 {
		return
	}
	n := uint64(len(l.data)-int(l.size)-1) * 2
	if n < 0x80 {
		l.data[l.size] = byte(n)
		return
	}
	var room [9]byte
	l.data = slices.Replace(l.data, int(l.size), int(l.size)+1, postings.AppendVarint(room[:0], n)...)
}
