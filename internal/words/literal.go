package words

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Literal returns what FTS5 can be asked for to find, perhaps among others, every text
// that holds literal, for one that a regular expression needs. ok is false if FTS5 cannot
// help: FTS5 knows tokens and how they begin, so in
//
//	minal path is miss
//
// minal may be the end of a token, path and is are tokens, and miss may begin one: the
// expression is "path is miss" *. The patterns are not for Find.
//
// With openStart the literal may begin anywhere in a text, without it only where no token
// and no escape sequence is under way; with openEnd it may end anywhere, without it only
// where no token goes on. The beginning and the end of a line or a text are such places.
// \b of a regular expression is none: it is also between the letters of "éa".
//
// The literal is one of the raw text, escape sequences and all: where one stands between
// two words of a text, a literal without it is not in that text, and where literal begins
// like the rest of one, as [32mok does, it is looked for both ways. Letters may differ in
// case as far as FTS5 folds it; that leaves out what Unicode has paired since version 7,
// such as Georgian, and the iota below.
func Literal(literal string, openStart, openEnd bool) (patterns []Pattern, ok bool) {
	for i := 0; i < len(literal); i++ {
		if literal[i] != esc && !strings.HasPrefix(literal[i:], string(csi)) {
			continue
		}
		n := Escape(literal[i:])
		if n == 0 { // perhaps one that goes on behind the literal
			literal, openEnd = literal[:i], false
			break
		}
		i += n - 1
	}
	patterns = append(patterns, inner(literal, openStart, openEnd))
	if openStart {
		for _, n := range escapeEnds(literal) {
			p := inner(literal[n:], false, openEnd)
			found := func(other Pattern) bool { return endsIn(p.Tokens, other.Tokens) }
			if !slices.ContainsFunc(patterns, found) {
				patterns = append(patterns, p)
			}
		}
	}
	if slices.ContainsFunc(patterns, func(p Pattern) bool { return p.Tokens == nil }) {
		return nil, false
	}
	return patterns, true
}

// inner returns the tokens of a literal that a text that holds it has as well.
func inner(literal string, openStart, openEnd bool) Pattern {
	var p Pattern
	s := scanner{text: literal}
	first := 0
	for openStart && first < len(literal) { // marks belong to what is before them
		r, n := utf8.DecodeRuneInString(literal[first:])
		if s.classifier.kind(r) != mark {
			break
		}
		first += n
	}
	for s.next() {
		r, _ := utf8.DecodeRuneInString(literal[s.start:])
		whole := s.classifier.kind(r) == solo
		if openStart && s.start == first && !whole {
			continue
		}
		p.Tokens = append(p.Tokens, string(s.folded))
		p.Prefix = openEnd && s.end == len(literal) && !whole
	}
	return p
}

// escapeEnds returns where an escape sequence may end in literal that has begun before
// it. It is the length of literal for one that may go on.
func escapeEnds(literal string) []int {
	var ends []int
	skip := func(i int, is func(byte) bool) int {
		for i < len(literal) && is(literal[i]) {
			i++
		}
		return i
	}
	add := func(i int, first byte) {
		switch {
		case i == len(literal):
			ends = append(ends, i)
		case first <= literal[i] && literal[i] <= '~':
			ends = append(ends, i+1)
		}
	}
	control := 0
	if strings.HasPrefix(literal, "[") {
		control = 1
	}
	add(skip(skip(control, isParameter), isIntermediate), '@')
	add(skip(0, isIntermediate), '0')
	return ends
}

// endsIn reports whether the last of tokens are last.
func endsIn(tokens, last []string) bool {
	n := len(tokens) - len(last)
	return n >= 0 && slices.Equal(tokens[n:], last)
}
