package words

import (
	"hash/maphash"
	"unicode/utf8"
)

// Feeder prepares texts for FTS5. The zero value is ready; a Feeder keeps its memory
// from text to text and serves one goroutine.
type Feeder struct {
	scanner scanner
	seen    hashes // the identifiers of the current text
	parted  bool   // the parts of one of them are written
	lines   []byte // of parts, of the current text
}

// Feed appends to dst the tokens that go into an FTS5 column for text, and returns it:
// those of the text, then the parts of every identifier in it, each identifier once. Give
// it the whole text of a column at once: what follows the parts of one text must not be
// another text.
func (f *Feeder) Feed(dst TokenList, text string) TokenList {
	f.seen.clear()
	f.parted = false
	f.lines = f.lines[:0]
	f.scanner.reset(text)
	var id identifier
	for f.scanner.next() {
		dst.add(f.scanner.folded)
		if ended := id.add(&f.scanner); ended.splits {
			f.addParts(text[ended.start:ended.end])
		}
	}
	if id.splits {
		f.addParts(text[id.start:id.end])
	}
	f.scanner.exact = true
	f.scanner.reset(string(f.lines))
	for f.scanner.next() {
		dst.add(f.scanner.folded)
	}
	f.scanner.exact = false
	f.scanner.reset("") // do not keep the text alive
	if cap(f.lines) > keptLines {
		f.lines = nil
	}
	return dst
}

// addParts adds a line with the parts of an identifier, unless the text has had those
// parts before. The filler stands in front of the first such line only: one before every
// line would let no phrase run on from one identifier into the next, but would be every
// twelfth token of an index. Such a phrase is rare, and Find denies it.
func (f *Feeder) addParts(id string) {
	line := len(f.lines)
	f.lines = append(f.lines, '\n')
	if !f.parted {
		f.lines = utf8.AppendRune(f.lines, filler)
	}
	first := len(f.lines)
	for start, end := range parts(id) {
		f.lines = appendLower(append(f.lines, ' '), id[start:end])
	}
	if !f.seen.add(f.lines[first:]) {
		f.lines = f.lines[:line]
		return
	}
	f.parted = true
}

// appendLower appends text in one spelling for the hash; the rest is left to the scanner.
func appendLower(dst []byte, text string) []byte {
	for _, c := range []byte(text) {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		dst = append(dst, c)
	}
	return dst
}

// hashes is a set of byte strings, as 64-bit hashes in open addressing. When it has
// grown to its limit it forgets: a text with very many identifiers then gets some of
// them twice, and never much memory.
type hashes struct {
	seed  maphash.Seed
	slots []uint64 // 0 is free
	n     int
}

// keptLines is how much memory for parts is kept.
const keptLines = 1 << 20

const (
	minSlots  = 1 << 9  // enough for most texts
	keptSlots = 1 << 13 // what is cheap to clear for every text
	maxSlots  = 1 << 19 // 4 MB
)

func (h *hashes) clear() {
	if h.slots == nil {
		h.seed = maphash.MakeSeed()
	}
	if h.slots == nil || len(h.slots) > keptSlots {
		h.slots = make([]uint64, minSlots)
	} else if h.n > 0 {
		clear(h.slots)
	}
	h.n = 0
}

// add returns true if b is new.
func (h *hashes) add(b []byte) bool {
	if h.n >= len(h.slots)/2 {
		h.grow()
	}
	return h.insert(maphash.Bytes(h.seed, b) | 1)
}

func (h *hashes) insert(hash uint64) bool {
	mask := uint64(len(h.slots) - 1)
	i := hash >> 32 & mask
	for h.slots[i] != 0 {
		if h.slots[i] == hash {
			return false
		}
		i = (i + 1) & mask
	}
	h.slots[i] = hash
	h.n++
	return true
}

func (h *hashes) grow() {
	old := h.slots
	h.n = 0
	if len(old) >= maxSlots {
		clear(old)
		return
	}
	h.slots = make([]uint64, 2*len(old))
	for _, hash := range old {
		if hash != 0 {
			h.insert(hash)
		}
	}
}
