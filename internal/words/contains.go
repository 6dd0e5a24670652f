package words

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// Match tells how closely a text holds a literal. The closer the greater.
type Match int

const (
	None     Match = iota
	Tokens         // the tokens in a row, also as parts of an identifier
	Folded         // the characters, but for case and diacritics
	Verbatim       // the bytes
)

// Contains tells how closely the raw text holds literal. Folded and Verbatim are for
// whole tokens: "err" is not in "error". White space is compared as it is. Both texts
// are compared as they are seen, without escape sequences, but where one was, a token
// ends: text and literal have
//
//	ESC[31merrorESC[0m: no   error: no   Verbatim
//	ESC[1mfooESC[0mbar       foo         Verbatim
//	ESC[1mfooESC[0mbar       foobar      Verbatim, though to FTS5 there are two tokens
//
// What Expr(Quoted(literal)) finds is at least Tokens, or None where the phrase runs across
// the parts of several identifiers. What is at least Tokens is found by it, but for words
// with an escape sequence inside. A literal without tokens can still be Verbatim or Folded.
// No text holds the empty literal.
func Contains(text, literal string) Match {
	seen, cuts := plain(text)
	want, _ := plain(literal)
	switch {
	case want == "": // nothing, or nothing to be seen
		if literal != "" && strings.Contains(text, literal) {
			return Verbatim
		}
	case containsBytes(seen, cuts, want):
		return Verbatim
	case containsFolded(seen, cuts, want, 64<<10):
		return Folded
	case len(Find(text, Quoted(literal))) > 0:
		return Tokens
	}
	return None
}

// containsBytes reports whether literal is in text as whole tokens, another one beginning
// at every cut. One with marks at its ends is left to containsFolded.
func containsBytes(text string, cuts []int, literal string) bool {
	var c classifier
	for from := 0; ; {
		i := strings.Index(text[from:], literal)
		if i < 0 {
			return false
		}
		start := from + i
		if c.edge(text, cuts, start) && c.edge(text, cuts, start+len(literal)) {
			return true
		}
		from = start + 1
	}
}

// edge reports whether no token and no character of text goes on at i. It takes a mark
// for part of what is before it, always.
func (c *classifier) edge(text string, cuts []int, i int) bool {
	if i == 0 || i == len(text) {
		return true
	}
	last, cut := slices.BinarySearch(cuts, i)
	if cut {
		return true
	}
	first := 0
	if last > 0 {
		first = cuts[last-1]
	}
	for j := i; j >= first && i-j < utf8.UTFMax; j-- {
		if utf8.RuneStart(text[j]) {
			if _, n := utf8.DecodeRuneInString(text[j:]); j < i && i < j+n {
				return false
			}
			break
		}
	}
	r, _ := utf8.DecodeRuneInString(text[i:])
	if k := c.kind(r); k != token {
		return k != mark
	}
	for i > first {
		r, n := utf8.DecodeLastRuneInString(text[first:i])
		if k := c.kind(r); k != mark {
			return k != token
		}
		i -= n
	}
	return true
}

// kind returns the kind of any character, folded or not.
func (c *classifier) kind(r rune) kind {
	switch {
	case r >= utf8.RuneSelf:
		k, _ := c.class(r)
		return k
	case asciiFold[r] > introducer:
		return token
	}
	return separator
}

// containsFolded is containsBytes but for case and diacritics. It folds text piece by
// piece: it may be very long, and mostly the answer lies near its beginning or the text
// is short.
func containsFolded(text string, cuts []int, literal string, piece int) bool {
	var f, want folded
	want.add(literal, nil)
	if len(want.text) == 0 { // nothing but marks
		return false
	}
	for text != "" {
		n := pieceEnd(text, piece)
		cut := 0
		for cut < len(cuts) && cuts[cut] < f.read+n {
			cut++
		}
		f.add(text[:n], cuts[:cut])
		text, cuts = text[n:], cuts[cut:]
		if f.contains(want.text, text == "") {
			return true
		}
		f.keep(len(want.text))
	}
	return false
}

// pieceEnd returns where a piece of text of about n bytes can end outside a character.
func pieceEnd(text string, n int) int {
	n = min(n, len(text))
	for last := min(n+utf8.UTFMax-1, len(text)); n < last && !utf8.RuneStart(text[n]); {
		n++
	}
	return n
}

// folded is a stretch of a text as it looks without case and diacritics.
type folded struct {
	text  []byte
	cuts  []int // in text
	read  int   // how much of the original has been read
	later bool  // text does not begin with the original
	classifier
}

// add takes a piece of the original, with the cuts inside it by their place in the
// original.
func (f *folded) add(piece string, cuts []int) {
	for i := 0; i < len(piece); {
		for len(cuts) > 0 && cuts[0] <= f.read+i {
			f.cuts, cuts = append(f.cuts, len(f.text)), cuts[1:]
		}
		if b := piece[i]; b < utf8.RuneSelf {
			if 'A' <= b && b <= 'Z' {
				b |= 0x20
			}
			f.text = append(f.text, b)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(piece[i:])
		i += n
		if k, folded := f.class(r); k != mark {
			f.text = utf8.AppendRune(f.text, folded)
		}
	}
	f.read += len(piece)
}

// keep drops all but what is needed to find n bytes that end beyond the text, or with it.
func (f *folded) keep(n int) {
	drop := max(0, len(f.text)-n-2*utf8.UTFMax)
	for drop > 0 && drop < len(f.text) && !utf8.RuneStart(f.text[drop]) {
		drop++
	}
	if drop == 0 {
		return
	}
	f.later = true
	f.text = f.text[:copy(f.text, f.text[drop:])]
	old, _ := slices.BinarySearch(f.cuts, drop)
	f.cuts = f.cuts[:copy(f.cuts, f.cuts[old:])]
	for i := range f.cuts {
		f.cuts[i] -= drop
	}
}

// contains reports whether want is in the text as whole tokens. Only at the end of the
// original it is known that nothing follows the text.
func (f *folded) contains(want []byte, atEnd bool) bool {
	from := 0
	if f.later { // what is before the first character is not known
		_, from = utf8.DecodeRune(f.text)
	}
	for {
		i := bytes.Index(f.text[from:], want)
		if i < 0 {
			return false
		}
		start := from + i
		end := start + len(want)
		if f.edge(start) && (end < len(f.text) || atEnd) && f.edge(end) {
			return true
		}
		from = start + 1
	}
}

// edge reports whether no token goes on at i.
func (f *folded) edge(i int) bool {
	if i == 0 || i == len(f.text) {
		return true
	}
	before, _ := utf8.DecodeLastRune(f.text[:i])
	after, _ := utf8.DecodeRune(f.text[i:])
	if f.kind(before) != token || f.kind(after) != token {
		return true
	}
	_, cut := slices.BinarySearch(f.cuts, i)
	return cut
}
