package words

import (
	"bytes"
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

// Contains tells how closely the raw text holds literal. What Phrase(literal) finds is at
// least Tokens, or None where the phrase runs across the parts of several identifiers; a
// literal without tokens can still be Verbatim or Folded. No text holds the empty literal.
func Contains(text, literal string) Match {
	switch {
	case literal == "":
		return None
	case strings.Contains(text, literal):
		return Verbatim
	case containsFolded(text, literal):
		return Folded
	case len(Find(text, Quoted(literal))) > 0:
		return Tokens
	}
	return None
}

// containsFolded folds text piece by piece: it may be very long, and mostly the answer
// lies near its beginning or the text is short.
func containsFolded(text, literal string) bool {
	const piece = 64 << 10
	var c classifier
	want := appendFolded(nil, literal, &c)
	if len(want) == 0 { // nothing but marks
		return false
	}
	var folded []byte
	for text != "" {
		n := pieceEnd(text, max(piece, len(literal)))
		folded = appendFolded(folded, text[:n], &c)
		text = text[n:]
		if bytes.Contains(folded, want) {
			return true
		}
		// What a match across the border needs of this piece.
		rest := folded[max(0, len(folded)-len(want)+1):]
		folded = folded[:copy(folded, rest)]
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

// appendFolded appends text as it looks without case and diacritics.
func appendFolded(dst []byte, text string, c *classifier) []byte {
	for i := 0; i < len(text); {
		if b := text[i]; b < utf8.RuneSelf {
			if 'A' <= b && b <= 'Z' {
				b |= 0x20
			}
			dst = append(dst, b)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		i += n
		if k, f := c.class(r); k != mark {
			dst = utf8.AppendRune(dst, f)
		}
	}
	return dst
}
