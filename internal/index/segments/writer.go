package segments

import (
	"bytes"
	"encoding/binary"

	"piarchive/internal/index/postings"
)

const (
	pageSize  = 4050 // FTS5's own: with SQLite's overhead a page of the file
	header    = 4    // of a leaf: where its first rowid is, and its footer
	minSkip   = 4    // so many leaves without a term have a list of their rowids
	pageBits  = 31   // of the key of a page: number,
	levelBits = 5    // level of a list of rowids,
	listBit   = 1    // 1 for such a list, and the segment above
)

// writer writes one segment.
type writer struct {
	made      *[]any // takes the rows
	segment   int
	page      int    // number of the leaf at hand, from 1 on
	leaf      []byte // without its footer
	footer    []byte
	lastStart int    // where the last term of the leaf starts
	previous  []byte // term
	noTerm    bool   // the leaf has none yet
	noRow     bool   // nor a rowid: the one to come is written in full, and its place in the header
	named     []byte // what fts_idx names the leaves by that come next
	from      int    // the first of them; 0 when they are named
	bare      int    // of them, have no term
	skips     []skips
}

// skips is a page of rowids, the first on each leaf of a long doclist, or on a page of
// such a page.
type skips struct {
	page  int
	block []byte
	last  int64
	begun bool
}

func (w *writer) begin(made *[]any, segment int) {
	*w = writer{made: made, segment: segment, page: 1, from: 1, noTerm: true, leaf: append(w.leaf[:0], 0, 0, 0, 0), footer: w.footer[:0], skips: make([]skips, 1)}
}

// term writes a term with its doclist.
func (w *writer) term(term, doclist []byte) {
	w.key(term)
	if pageSize >= len(w.leaf)+len(w.footer)+len(doclist)+1 {
		w.leaf = append(w.leaf, doclist...)
		return
	}
	var row, previous int64
	for len(doclist) > 0 {
		delta, n := postings.Varint(doclist)
		row += int64(delta)
		doclist = doclist[n:]
		if w.noRow {
			binary.BigEndian.PutUint16(w.leaf, uint16(len(w.leaf)))
			w.leaf = postings.AppendVarint(w.leaf, uint64(row))
			w.noRow = false
			w.skip(row)
		} else {
			w.leaf = postings.AppendVarint(w.leaf, uint64(row-previous))
		}
		previous = row
		size, n := postings.Varint(doclist)
		n += int(size / 2)
		w.positions(doclist[:n])
		doclist = doclist[n:]
	}
}

// positions writes a position list with its size, over as many leaves as it takes.
func (w *writer) positions(list []byte) {
	if len(w.leaf)+len(w.footer)+len(list) <= pageSize {
		w.leaf = append(w.leaf, list...)
		return
	}
	for len(list) > 0 {
		space, n := pageSize-len(w.leaf)-len(w.footer), len(list)
		if n > space {
			n = whole(list, space)
		}
		w.leaf, list = append(w.leaf, list[:n]...), list[n:]
		if len(w.leaf)+len(w.footer) >= pageSize {
			w.flush()
		}
	}
}

// whole is the length of the integers in a list that fit into so many bytes, at least one.
func whole(list []byte, space int) int {
	_, length := postings.Varint(list)
	for {
		_, n := postings.Varint(list[length:])
		if length+n > space {
			return length
		}
		length += n
	}
}

// key writes the term itself.
func (w *writer) key(term []byte) {
	if len(w.leaf)+len(w.footer)+len(term)+2 >= pageSize && len(w.leaf) > header {
		w.flush()
	}
	w.footer = postings.AppendVarint(w.footer, uint64(len(w.leaf)-w.lastStart))
	w.lastStart = len(w.leaf)
	common := 0
	switch {
	case !w.noTerm:
		common = shared(w.previous, term)
		w.leaf = postings.AppendVarint(w.leaf, uint64(common))
	case w.page > 1:
		w.name()
		n := len(term)
		if len(w.previous) > 0 {
			n = 1 + shared(w.previous, term)
		}
		w.named, w.from = append(w.named[:0], term[:n]...), w.page
	}
	w.leaf = postings.AppendVarint(w.leaf, uint64(len(term)-common))
	w.leaf = append(w.leaf, term[common:]...)
	w.previous = append(w.previous[:0], term...)
	w.noTerm, w.noRow = false, false
	w.skips[0].page = w.page
}

// data makes a page.
func (w *writer) data(id int64, block []byte) {
	*w.made = append(*w.made, &Page{id, bytes.Clone(block)})
}

// flush writes the leaf and begins another.
func (w *writer) flush() {
	binary.BigEndian.PutUint16(w.leaf[2:], uint16(len(w.leaf)))
	if w.noTerm {
		if w.noRow && len(w.skips[0].block) > 0 {
			w.skips[0].block = postings.AppendVarint(w.skips[0].block, 0)
		}
		w.bare++
	}
	w.data(w.id(0, 0, w.page), append(w.leaf, w.footer...))
	w.leaf, w.footer, w.lastStart = append(w.leaf[:0], 0, 0, 0, 0), w.footer[:0], 0
	w.page++
	w.noTerm, w.noRow = true, true
}

// id is the key of a page.
func (w *writer) id(list, level, page int) int64 {
	return ((int64(w.segment)<<listBit+int64(list))<<levelBits+int64(level))<<pageBits + int64(page)
}

// name writes the row of fts_idx for the leaves since the last one, and of a long doclist
// that began there the rowids.
func (w *writer) name() {
	if w.from == 0 {
		return
	}
	flag := int64(0)
	if len(w.skips[0].block) > 0 && w.bare >= minSkip {
		flag = 1
	}
	for level := range w.skips {
		s := &w.skips[level]
		if len(s.block) == 0 {
			break
		}
		if flag == 1 {
			w.data(w.id(1, level, s.page), s.block)
		}
		s.block, s.begun = s.block[:0], false
	}
	w.bare = 0
	*w.made = append(*w.made, &Term{w.segment, append([]byte{}, w.named...), flag + int64(w.from)<<1})
	w.from = 0
}

// skip notes the first rowid of a leaf. A page of rowids that is full is written, and the
// first rowid of the next one noted on the level above.
func (w *writer) skip(row int64) {
	for level, done := 0, false; !done; level++ {
		s := &w.skips[level]
		if done = len(s.block) < pageSize; !done {
			s.block[0] = 1 // not the highest
			w.data(w.id(1, level, s.page), s.block)
			if level+1 == len(w.skips) {
				w.skips = append(w.skips, skips{})
				s = &w.skips[level]
			}
			if above := &w.skips[level+1]; len(above.block) == 0 {
				_, n := postings.Varint(s.block[1:])
				first, _ := postings.Varint(s.block[1+n:])
				above.page, above.begun, above.last = s.page, true, int64(first)
				above.block = postings.AppendVarint(postings.AppendVarint(append(above.block, 0), uint64(s.page)), first)
			}
			s.block, s.begun = s.block[:0], false
			s.page++
		}
		value := row - s.last
		if !s.begun {
			page := w.page
			if level > 0 {
				page = w.skips[level-1].page
			}
			flag := byte(1)
			if done {
				flag = 0
			}
			s.block = postings.AppendVarint(append(s.block, flag), uint64(page))
			value = row
		}
		s.block = postings.AppendVarint(s.block, uint64(value))
		s.begun, s.last = true, row
	}
}

// finish writes what is left, and returns how many leaves there are.
func (w *writer) finish() (leaves int) {
	if len(w.leaf) > header {
		w.flush()
	}
	w.name()
	return w.page - 1
}
