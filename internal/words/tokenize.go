package words

import (
	"encoding/binary"
	"unicode/utf8"
)

// Tokenize calls yield for every token that Feed returns for text, but for identifier
// parts, in order, until yield returns false. tok is the folded term, cut as FTS5 cuts it
// and valid until yield returns; text[start:end] is what it was made of.
func Tokenize(text string, yield func(tok []byte, start, end int) bool) {
	s := scanner{text: text}
	for s.next() && yield(s.token(), s.start, s.end) {
	}
}

// TokenList is the tokens of a text: each behind its length as a varint, folded, and up to
// a character longer than FTS5 cuts it.
type TokenList []byte

func (t *TokenList) add(token []byte) {
	if len(token) < 0x80 {
		*t = append(*t, byte(len(token)))
	} else {
		*t = binary.AppendUvarint(*t, uint64(len(token)))
	}
	*t = append(*t, token...)
}

func (t TokenList) next() (token []byte, rest TokenList) {
	if n := int(t[0]); n < 0x80 {
		return t[1 : 1+n], t[1+n:]
	}
	n, width := binary.Uvarint(t)
	end := width + int(n)
	return t[width:end], t[end:]
}

// Next returns the first token, as FTS5 stores it, and those behind it. There has to be one.
func (t TokenList) Next() (token []byte, rest TokenList) {
	token, rest = t.next()
	return token[:min(len(token), maxToken)], rest
}

// Text returns a text in which FTS5 finds just these tokens.
func (t TokenList) Text() string {
	text := make([]byte, 0, len(t))
	for len(t) > 0 {
		var token []byte
		token, t = t.next()
		text = append(append(text, token...), ' ')
	}
	return string(text)
}

// scanner reads the tokens of a text, or with exact those that FTS5 would see in it.
// Invalid UTF-8 separates, as if it had been replaced by U+FFFD; SQLite itself guesses
// a character.
type scanner struct {
	text  string
	exact bool

	start, end int    // the current token in text
	folded     []byte // the current token, up to a character longer than maxToken
	classes    uint8  // 1<<class for every class of ASCII characters in it

	classifier classifier
}

// token is the current token as FTS5 stores it.
func (s *scanner) token() []byte {
	return s.folded[:min(len(s.folded), maxToken)]
}

// reset starts over with another text, keeping the buffer.
func (s *scanner) reset(text string) {
	s.text, s.start, s.end = text, 0, 0
}

// next moves to the next token, or returns false at the end of the text.
func (s *scanner) next() bool {
	if s.folded == nil {
		s.folded = make([]byte, 0, 64)
	}
	s.folded, s.classes = s.folded[:0], 0
	if !s.skip() {
		return false
	}
	s.read()
	return true
}

// skip moves end, and start with it, to the beginning of a token.
func (s *scanner) skip() bool {
	text, i := s.text, s.end
	for i < len(text) {
		if c := text[i]; c < utf8.RuneSelf {
			f := asciiFold[c]
			if f == 0 {
				i++
				continue
			}
			if f > introducer {
				break
			}
			i += max(1, s.escape(i))
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if k, _ := s.class(r); k == token || k == solo {
			break
		}
		if r == csi {
			n = max(n, s.escape(i))
		}
		i += n
	}
	s.start, s.end = i, i
	return i < len(text)
}

// read folds the token at start and moves end behind it.
func (s *scanner) read() {
	text, i, buf, classes := s.text, s.start, s.folded, uint8(0)
	for i < len(text) {
		if c := text[i]; c < utf8.RuneSelf {
			f := asciiFold[c]
			if f <= introducer {
				break
			}
			if len(buf) < maxToken {
				buf = append(buf, f)
			}
			classes |= 1 << (c >> classShift)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		k, f := s.class(r)
		if k == separator || k == solo && i > s.start {
			break
		}
		if k != mark && len(buf) < maxToken {
			buf = utf8.AppendRune(buf, f)
		}
		i += n
		if k == solo {
			break
		}
	}
	s.end, s.folded, s.classes = i, buf, classes
}

// escape returns the length of the escape sequence at i, or 0.
func (s *scanner) escape(i int) int {
	if s.exact {
		return 0
	}
	return Escape(s.text[i:])
}

// class is the kind of r in this reading of the text: token, mark, solo or separator.
func (s *scanner) class(r rune) (kind, rune) {
	k, f := s.classifier.class(r)
	switch {
	case s.exact && k >= solo:
		k = token
	case k == glue:
		k = separator
	}
	return k, f
}
