package regex

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"

	"piarchive/internal/words"
)

// What must a text hold if a regular expression matches in it? The tree of the
// expression is read twice, once for bytes and once for words, as sequences of
// elements of which one must be there:
//
//	\d+ (passed|failed)     \d " passed" or \d " failed"
//
// What is not known, or may be left out, is a gap, and what stands beside a gap
// is known to be in the text, in whatever order. Sequences are multiplied out
// until there are too many; then what is read so far becomes a clause of its
// own, and reading goes on behind a gap.

// element is one character of a sequence, or a gap.
type element struct {
	char rune    // for words: the character, as one of its cases; ' ' for whatever separates words
	set  byteSet // for bytes: one of these
}

var (
	gap       = element{}
	separator = element{char: ' '} // of words, perhaps without a character of its own
)

type sequence []element

// Sequences are as long and as many as is of use.
const (
	maxAlternatives = 32
	maxElements     = 256
	maxClass        = 8  // characters of a class that are taken one by one
	leastBits       = 8. // of a stretch that is worth looking for
)

// required returns what a match needs, as bytes and as words.
func required(tree *syntax.Regexp) (formula, [][]words.Pattern) {
	ofBytes := reading{}
	f := ofBytes.formula(append(ofBytes.clauses, ofBytes.read(tree)))
	ofWords := reading{words: true}
	return f, patterns(append(ofWords.clauses, ofWords.read(tree)))
}

// reading reads a tree for one of the two.
type reading struct {
	words   bool
	clauses [][]sequence // each with alternatives
	slash   bool         // see formula
	folds   bool
}

// read returns the alternatives of a part; to clauses it adds what the part
// demands besides.
func (r *reading) read(re *syntax.Regexp) []sequence {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		// \b is about ASCII letters: a word may well go on beyond it, as in éa.
		return []sequence{{}}
	case syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText:
		return []sequence{{separator}}
	case syntax.OpLiteral:
		return []sequence{r.literal(re)}
	case syntax.OpCharClass:
		return r.class(re.Rune)
	case syntax.OpCapture:
		return r.read(re.Sub[0])
	case syntax.OpConcat:
		return r.concat(re.Sub)
	case syntax.OpAlternate:
		return r.alternate(re.Sub)
	case syntax.OpQuest:
		return r.optional(re.Sub[0])
	case syntax.OpPlus:
		return repeated(r.read(re.Sub[0]), 1, false)
	case syntax.OpRepeat:
		switch {
		case re.Max == 0:
			return []sequence{{}}
		case re.Min == 0 && re.Max == 1:
			return r.optional(re.Sub[0])
		case re.Min > 0:
			return repeated(r.read(re.Sub[0]), re.Min, re.Min == re.Max)
		}
	}
	return []sequence{{gap}} // any character, any number of times, never
}

func (r *reading) literal(re *syntax.Regexp) sequence {
	var s sequence
	for _, c := range re.Rune {
		if len(s) == maxElements {
			return append(s, gap)
		}
		if re.Flags&syntax.FoldCase != 0 {
			s = append(s, r.oneOf(orbit(c)))
		} else {
			s = append(s, r.oneOf([]rune{c}))
		}
	}
	return s
}

// orbit is a character in all of its cases.
func orbit(c rune) []rune {
	all := []rune{c}
	for next := unicode.SimpleFold(c); next != c; next = unicode.SimpleFold(next) {
		all = append(all, next)
	}
	return all
}

// class reads a class, given as pairs of first and last.
func (r *reading) class(ranges []rune) []sequence {
	var chars []rune
	size := 0
	for i := 0; i < len(ranges); i += 2 {
		n := int(ranges[i+1]-ranges[i]) + 1
		if size += n; size > 2*0x80 {
			return []sequence{{gap}}
		}
		for c := ranges[i]; c <= ranges[i+1]; c++ {
			chars = append(chars, c)
		}
	}
	if len(chars) == 0 { // nothing matches
		return []sequence{{gap}}
	}
	if e := r.oneOf(chars); e != gap || !r.words {
		return []sequence{{e}}
	}
	var alternatives []sequence
	for _, c := range chars {
		if e := r.oneOf([]rune{c}); !slices.ContainsFunc(alternatives, func(s sequence) bool { return sameWord(s[0].char, c) }) {
			alternatives = append(alternatives, sequence{e})
		}
		if len(alternatives) > maxClass {
			return []sequence{{gap}}
		}
	}
	return alternatives
}

// oneOf is the element for one of some characters, or a gap if they have nothing
// in common that helps.
func (r *reading) oneOf(chars []rune) element {
	if r.words {
		for _, c := range chars {
			if !sameWord(chars[0], c) {
				return gap
			}
		}
		if separates(chars[0]) {
			return separator
		}
		return element{char: chars[0]}
	}
	var set byteSet
	for _, c := range chars {
		switch {
		case string(c) == kelvin || string(c) == longS:
		case c < 0x20 || c > 0x7e || c == '"' || c == '\\':
			return gap
		default:
			set.add(byte(c))
		}
	}
	if set.empty() {
		return gap
	}
	for _, c := range chars {
		r.slash = r.slash || c == '/'
		r.folds = r.folds || c >= 0x80
	}
	return element{set: set}
}

// sameWord reports whether the full text makes no difference between two characters.
func sameWord(a, b rune) bool {
	return a == b || separates(a) && separates(b) ||
		slices.Equal(words.Terms("x"+string(a)+"x"), words.Terms("x"+string(b)+"x"))
}

// separates reports whether a character stands between words.
func separates(c rune) bool { return slices.Equal(words.Terms("x"+string(c)+"x"), []string{"x", "x"}) }

// concat multiplies its parts out.
func (r *reading) concat(parts []*syntax.Regexp) []sequence {
	all := []sequence{{}}
	for _, p := range parts {
		next := r.read(p)
		if both := product(all, next); both != nil {
			all = both
			continue
		}
		r.clauses = append(r.clauses, all)
		all = make([]sequence, len(next))
		for i, s := range next {
			all[i] = append(sequence{gap}, s...)
		}
	}
	return all
}

// product is every sequence of a followed by every one of b, or nil if they are
// too many or too long.
func product(a, b []sequence) []sequence {
	if len(a)*len(b) > maxAlternatives {
		return nil
	}
	var all []sequence
	for _, first := range a {
		for _, second := range b {
			if len(first)+len(second) > 2*maxElements {
				return nil
			}
			if n := len(first); n > 0 && len(second) > 0 && first[n-1] == gap && second[0] == gap {
				all = append(all, slices.Concat(first, second[1:]))
			} else {
				all = append(all, slices.Concat(first, second))
			}
		}
	}
	return all
}

// alternate joins the alternatives of its parts.
func (r *reading) alternate(parts []*syntax.Regexp) []sequence {
	var all []sequence
	for _, p := range parts {
		all = append(all, r.aside(p)...)
		if len(all) > maxAlternatives {
			return []sequence{{gap}}
		}
	}
	return all
}

func (r *reading) optional(re *syntax.Regexp) []sequence {
	if all := r.aside(re); len(all) < maxAlternatives {
		return append(all, sequence{})
	}
	return []sequence{{gap}}
}

// aside reads a part that need not be there: what it demands besides is dropped.
func (r *reading) aside(re *syntax.Regexp) []sequence {
	n := len(r.clauses)
	defer func() { r.clauses = r.clauses[:n] }()
	return r.read(re)
}

// repeated is a part n times or, unless exact, more often: then what comes before
// is followed by the first of them, and what comes behind by the last.
func repeated(part []sequence, n int, exact bool) []sequence {
	all := part
	whole := true
	for range n - 1 {
		more := product(all, part)
		if more == nil || len(more[0]) > maxElements {
			whole = false
			break
		}
		all = more
	}
	if exact && whole {
		return all
	}
	var ends []sequence
	for _, s := range all {
		open := append(slices.Clone(s), gap)
		if len(all) == 1 {
			open = append(open, s...)
		}
		ends = append(ends, open)
	}
	return ends
}

// runs cuts a sequence at what is not known.
func (s sequence) runs(known func(element) bool) []sequence {
	var all []sequence
	for len(s) > 0 {
		if !known(s[0]) {
			s = s[1:]
			continue
		}
		n := slices.IndexFunc(s, func(e element) bool { return !known(e) })
		if n < 0 {
			n = len(s)
		}
		all = append(all, s[:n])
		s = s[n:]
	}
	return all
}

// patterns makes patterns of the full text of sequences.
func patterns(clauses [][]sequence) [][]words.Pattern {
	var all [][]words.Pattern
	for _, alternatives := range clauses {
		var clause []words.Pattern
		for _, s := range alternatives {
			var of [][]words.Pattern
			for _, run := range s.runs(func(e element) bool { return e.char != 0 }) {
				if p := literalPatterns(run); p != nil {
					of = append(of, p)
				}
			}
			if len(alternatives) == 1 {
				all = append(all, of...)
				break
			}
			if len(of) == 0 {
				clause = nil
				break
			}
			longest := slices.MaxFunc(of, func(a, b []words.Pattern) int { return leastBytes(a) - leastBytes(b) })
			for _, p := range longest {
				if !slices.ContainsFunc(clause, func(o words.Pattern) bool { return o.Prefix == p.Prefix && slices.Equal(o.Tokens, p.Tokens) }) {
					clause = append(clause, p)
				}
			}
		}
		if len(clause) > 0 {
			all = append(all, clause)
		}
	}
	return all
}

// leastBytes is how much the shortest of some patterns holds.
func leastBytes(patterns []words.Pattern) int {
	return tokenBytes(slices.MinFunc(patterns, func(a, b words.Pattern) int { return tokenBytes(a) - tokenBytes(b) }))
}

func tokenBytes(p words.Pattern) int {
	n := 0
	for _, t := range p.Tokens {
		n += len(t)
	}
	return n
}

// literalPatterns are the patterns of which a text that holds a literal has one,
// wherever it stands; nil if nothing can be said of such a text. A beginning of
// a word that is too short begins too many.
func literalPatterns(run sequence) []words.Pattern {
	const leastPrefix = 3 // bytes
	var b strings.Builder
	for _, e := range run {
		b.WriteRune(e.char)
	}
	patterns, ok := words.Literal(b.String(), true, true)
	if !ok {
		return nil
	}
	for i, p := range patterns {
		if last := len(p.Tokens) - 1; p.Prefix && len(p.Tokens[last]) < leastPrefix {
			p = words.Pattern{Tokens: p.Tokens[:last]}
		}
		if patterns[i] = p; len(p.Tokens) == 0 {
			return nil
		}
	}
	return patterns
}
