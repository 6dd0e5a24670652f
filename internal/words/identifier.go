package words

import "iter"

// An identifier is a run of tokens joined by nothing but _ and -. Its parts are its
// tokens, cut further where the case says so (aB, ABc) and between letters and digits:
//
//	resolveTerminal_path   resolve terminal path
//	HTTPServer2            http server 2
//
// Inside a token the upper three bits of an ASCII character tell its class, and all
// of UTF-8 beyond ASCII is above these; no cut is made beside such a character.
const (
	classShift = 5
	digit      = '0' >> classShift
	upper      = 'A' >> classShift
	lower      = 'a' >> classShift
)

// identifier follows the tokens of a text and finds the identifiers among them.
type identifier struct {
	start, end int
	splits     bool // some token of it has more than one part
}

// add takes the next token. If it begins another identifier, add returns the one
// it ended, which is only of interest if it splits.
func (id *identifier) add(s *scanner) identifier {
	var ended identifier
	if !joined(s.text[id.end:s.start]) {
		ended, *id = *id, identifier{start: s.start}
	}
	id.end = s.end
	if s.mixed() && splits(s.text[s.start:s.end]) {
		id.splits = true
	}
	return ended
}

func joined(gap string) bool {
	for i := range len(gap) {
		if gap[i] != '_' && gap[i] != '-' {
			return false
		}
	}
	return gap != ""
}

// mixed is true if the token may have parts: a cheap test that most tokens fail.
func (s *scanner) mixed() bool {
	return s.classes&(s.classes-1) != 0
}

// splits reports whether a token has more than one part.
func splits(tok string) bool {
	return partEnd(tok) < len(tok) && !junk(tok)
}

// parts yields the place of every part of an identifier, or of one token.
func parts(id string) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		for i := 0; i < len(id); i++ { // i++ steps over the joint
			end := i
			for end < len(id) && id[end] != '_' && id[end] != '-' {
				end++
			}
			whole := i < end && junk(id[i:end])
			for i < end {
				n := end - i
				if !whole {
					n = partEnd(id[i:end])
				}
				if !yield(i, i+n) {
					return
				}
				i += n
			}
		}
	}
}

// junk is true for tokens whose parts nobody looks for: v2 and the like, hashes,
// base64, numbers with units. Their pieces would be a large part of all terms.
func junk(tok string) bool {
	const minLen, maxLen, minHex, maxChanges = 4, 40, 4, 3
	if len(tok) < minLen || len(tok) > maxLen || tok[0]>>classShift == digit {
		return true
	}
	hex, digits, changes := true, false, 0
	for i := range len(tok) {
		c := tok[i]
		isDigit := c>>classShift == digit
		digits = digits || isDigit
		hex = hex && (isDigit || 'a' <= c|0x20 && c|0x20 <= 'f')
		if i > 0 && isDigit != (tok[i-1]>>classShift == digit) {
			changes++
		}
	}
	return changes > maxChanges || hex && digits && len(tok) >= minHex
}

// partEnd returns the length of the first part of a token, or of what is left of it.
func partEnd(tok string) int {
	for i := 1; i < len(tok); i++ {
		prev, c := tok[i-1]>>classShift, tok[i]>>classShift
		switch {
		case prev == lower && c == upper, // aB
			prev == upper && c == upper && i+1 < len(tok) && tok[i+1]>>classShift == lower, // ABc
			prev == digit && (c == lower || c == upper),
			(prev == lower || prev == upper) && c == digit:
			return i
		}
	}
	return len(tok)
}
