package words

import (
	"hash/maphash"
	"math/bits"
	"strings"
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

// Feed appends to dst what goes into an FTS5 column for text, and returns it: the text
// as valid UTF-8 with unspaced scripts spaced and glue and escape sequences removed, then
// the parts of every identifier in it, each identifier once. Give it the whole text of a
// column at once: what follows the parts of one text must not be another text.
func (f *Feeder) Feed(dst []byte, text string) []byte {
	return f.read(f.appendText(dst, text), text, nil)
}

// Tokens appends to dst the tokens that FTS5 makes of what Feed returns for text, for
// an index that is built without it.
func (f *Feeder) Tokens(dst TokenList, text string) TokenList {
	f.lines = f.read(f.lines[:0], text, &dst)
	f.scanner.exact = true
	f.scanner.reset(string(f.lines))
	for f.scanner.next() {
		dst.add(f.scanner.token())
	}
	f.scanner.exact = false
	f.scanner.reset("")
	return dst
}

// read appends the parts of the identifiers of a text to dst, and its tokens to those
// of to, if there is any.
func (f *Feeder) read(dst []byte, text string, to *TokenList) []byte {
	f.seen.clear()
	f.parted = false
	f.scanner.reset(text)
	var id identifier
	for f.scanner.next() {
		if to != nil {
			to.add(f.scanner.token())
		}
		if ended := id.add(&f.scanner); ended.splits {
			dst = f.appendParts(dst, text[ended.start:ended.end])
		}
	}
	if id.splits {
		dst = f.appendParts(dst, text[id.start:id.end])
	}
	f.scanner.reset("") // do not keep the text alive
	return dst
}

// appendText appends text with the changes that make FTS5 read it as scanner does.
func (f *Feeder) appendText(dst []byte, text string) []byte {
	for {
		i := strings.IndexByte(text, esc)
		if i < 0 {
			return appendSpaced(dst, text, &f.scanner.classifier)
		}
		dst = append(appendSpaced(dst, text[:i], &f.scanner.classifier), ' ')
		text = text[i+max(1, Escape(text[i:])):]
	}
}

// appendSpaced appends a text without ESC.
func appendSpaced(dst []byte, text string, c *classifier) []byte {
	copied := 0
	for i := 0; ; {
		if i += asciiLen(text[i:]); i == len(text) {
			break
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		k, _ := c.class(r)
		if k == solo || k == glue || r == utf8.RuneError {
			dst = append(dst, text[copied:i]...)
			copied = i + n
		}
		switch {
		case k == solo:
			if len(dst) > 0 && dst[len(dst)-1] != ' ' {
				dst = append(dst, ' ')
			}
			dst = append(utf8.AppendRune(dst, r), ' ')
		case k == glue:
			dst = append(dst, ' ')
		case r == utf8.RuneError: // invalid, or U+FFFD itself
			dst = utf8.AppendRune(dst, r)
		case r == csi:
			if m := Escape(text[i:]); m > 0 {
				dst = append(append(dst, text[copied:i]...), ' ')
				n, copied = m, i+m
			}
		}
		i += n
	}
	return append(dst, text[copied:]...)
}

// asciiLen returns how many bytes of text come before the first that is not ASCII.
func asciiLen(text string) int {
	const high = 0x8080808080808080
	i := 0
	for ; i+8 <= len(text); i += 8 {
		b := text[i : i+8]
		w := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		if w &= high; w != 0 {
			return i + bits.TrailingZeros64(w)/8
		}
	}
	for i < len(text) && text[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// appendParts appends a line with the parts of an identifier, unless the text has
// had those parts before. The filler stands in front of the first such line only: one
// before every line would let no phrase run on from one identifier into the next, but
// would be every twelfth token of an index. Such a phrase is rare, and Find denies it.
func (f *Feeder) appendParts(dst []byte, id string) []byte {
	line := len(dst)
	dst = append(dst, '\n')
	if !f.parted {
		dst = utf8.AppendRune(dst, filler)
	}
	first := len(dst)
	for start, end := range parts(id) {
		dst = appendLower(append(dst, ' '), id[start:end])
	}
	if !f.seen.add(dst[first:]) {
		return dst[:line]
	}
	f.parted = true
	return dst
}

// appendLower appends text in one spelling for the hash; the rest is left to SQLite.
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
