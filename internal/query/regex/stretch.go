package regex

import (
	"math"
	"slices"
	"strings"
)

// byteSet is a set of ASCII characters.
type byteSet [2]uint64

func (s *byteSet) add(c byte)     { s[c>>6] |= 1 << (c & 63) }
func (s byteSet) has(c byte) bool { return s[c>>6]&(1<<(c&63)) != 0 }
func (s byteSet) empty() bool     { return s == byteSet{} }

// bits is how seldom one of the characters stands at a place of a text, in bits:
// how often they do is a rough guess at source code and English.
func (s byteSet) bits() float64 {
	often := 0.0
	for c := byte(0x20); c < 0x7f; c++ {
		if !s.has(c) {
			continue
		}
		switch {
		case c == ' ':
			often += 0.12
		case strings.IndexByte("etaoinsr", c) >= 0:
			often += 0.05
		case 'a' <= c && c <= 'z':
			often += 0.018
		case '0' <= c && c <= '9':
			often += 0.012
		case 'A' <= c && c <= 'Z':
			often += 0.004
		default:
			often += 0.006
		}
	}
	return -math.Log2(min(often, 1))
}

// stretch is a sequence of sets, each of which holds the next byte. It is found
// by backward matching with a non-deterministic automaton (Navarro, Raffinot):
// bit i of a mask says that the byte can stand at place length-1-i.
type stretch struct {
	length int
	bits   float64
	masks  [256]uint64
}

const maxStretch = 64 // bits of a mask

// newStretch makes a stretch of the first sets.
func newStretch(sets []byteSet) *stretch {
	s := &stretch{length: min(len(sets), maxStretch)}
	for i, set := range sets[:s.length] {
		s.bits += set.bits()
		for c := range byte(0x80) {
			if set.has(c) {
				s.masks[c] |= 1 << (s.length - 1 - i)
			}
		}
	}
	return s
}

// find returns where a stretch stands first in text, from on, or the length of
// the text.
func find[T string | []byte](s *stretch, text T, from int) int {
	top := uint64(1) << (s.length - 1)
	all := top<<1 - 1
	for end := from + s.length; ; {
		for end <= len(text) && s.masks[text[end-1]] == 0 { // most often
			end += s.length
		}
		if end > len(text) {
			return len(text)
		}
		state, shift := all, s.length
		for j := 1; ; j++ {
			state &= s.masks[text[end-j]]
			if state == 0 {
				break
			}
			if state&top != 0 { // what was read begins the stretch
				if j == s.length {
					return end - j
				}
				shift = s.length - j
			}
			state <<= 1
		}
		end += shift
	}
}

// finder finds the alternatives of a clause in a text, each step onwards.
type finder[T string | []byte] struct {
	clause []*stretch
	text   T
	at     []int // where each of them stands next; -1 if not known
}

func newFinder[T string | []byte](clause []*stretch, text T) finder[T] {
	return finder[T]{clause, text, slices.Repeat([]int{-1}, len(clause))}
}

// next returns where, from on, one of the alternatives stands first, or the
// length of the text. from must not decrease.
func (f *finder[T]) next(from int) int {
	first := len(f.text)
	for i, s := range f.clause {
		if f.at[i] < from {
			f.at[i] = find(s, f.text, from)
		}
		first = min(first, f.at[i])
	}
	return first
}
