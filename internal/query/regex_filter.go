package query

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// A formula says of bytes what they must hold if a regular expression is to
// match: of every clause one stretch. Stretches are of printable ASCII that
// JSON does not escape, so they stand in a raw line just as in the text.
//
// Two things break that, and what holds one of them is odd: nothing is known of
// it. Some writers escape what they need not, "<" as \u003c or "/" as \/. And
// where case is ignored, K (U+212A) is a k and ſ (U+017F) an s.
type formula struct {
	clauses [][]*stretch // the most telling first
	slash   bool         // a slash counts
	folds   bool         // k or s counts in any case
}

func (f *formula) sort() {
	slices.SortStableFunc(f.clauses, func(a, b []*stretch) int { return cmp.Compare(clauseBits(b), clauseBits(a)) })
}

// clauseBits is how telling a clause is: how seldom a place in a text meets it.
// One with many alternatives, each of which is looked for, is never the best.
func clauseBits(clause []*stretch) float64 {
	least := math.Inf(1)
	for _, s := range clause {
		least = min(least, s.bits)
	}
	if n := len(clause); n > 2 {
		return least - float64(maxAlternatives*maxStretch*8)
	}
	return least - math.Log2(float64(len(clause)))
}

const kelvin, longS = "\u212a", "\u017f"

// oddText says that a decoded text is odd.
func (f *formula) oddText(text string) bool {
	return f.folds && (strings.Contains(text, longS) || strings.Contains(text, kelvin))
}

// nextOdd is where in raw lines, from on, something odd is, or their length.
func (f *formula) nextOdd(raw []byte, from int) int {
	if len(f.clauses) == 0 {
		return len(raw)
	}
	first := nextEscape(raw, from, f.folds)
	for _, sign := range []struct {
		text  string
		holds bool
	}{{`\/`, f.slash}, {longS, f.folds}, {kelvin, f.folds}} {
		if sign.holds {
			if i := bytes.Index(raw[from:first], []byte(sign.text)); i >= 0 {
				first = from + i
			}
		}
	}
	return first
}

// nextEscape is where an escape stands for a printable ASCII character or, with
// folds, for one that ignoring case makes one.
func nextEscape(raw []byte, from int, folds bool) int {
	for {
		i := bytes.Index(raw[from:], []byte(`\u`))
		if i < 0 {
			return len(raw)
		}
		from += i + 2
		digits := raw[from:min(len(raw), from+4)]
		if len(digits) < 4 {
			return from - 2
		}
		switch {
		case digits[0] == '0' && digits[1] == '0' && digits[2] >= '2' && digits[2] <= '7',
			folds && (string(digits) == "017f" || string(digits) == "017F" || string(digits) == "212a" || string(digits) == "212A"):
			return from - 2
		}
	}
}

// holds says that bytes that are not odd hold what the formula demands.
func holds[T string | []byte](f *formula, text T) bool {
	for _, clause := range f.clauses {
		if !slices.ContainsFunc(clause, func(s *stretch) bool { return find(s, text, 0) < len(text) }) {
			return false
		}
	}
	return true
}

// mayMatch says that the expression may match in the text of a raw line. Where a
// match lies in one line of a text, it stands in the raw line between two
// escapes that break lines, and is tried there; but where the label of an entry
// is an object, that is a text as it is written.
func (r *Regex) mayMatch(line []byte) bool {
	f := &r.needs
	switch {
	case len(f.clauses) == 0:
		return true
	case !r.inLine || bytes.Contains(line, []byte(`"label"`)):
		if holds(f, line) {
			return true
		}
	default:
		hits := newFinder(f.clauses[0], line)
		for at := 0; at < len(line); {
			hit := hits.next(at)
			if hit == len(line) {
				break
			}
			from, to := unbroken(line, hit)
			if part := line[from:to]; holds(f, part) && r.tryRaw(part) {
				return true
			}
			at = to
		}
	}
	return f.nextOdd(line, 0) < len(line)
}

// tryRaw tries the expression on a part of a raw line. Beside the text there are
// quotes and commas, to which \b and \B are as they are to nothing; ^ and $ are
// not, so they hold everywhere. Where it is not simple, the answer is yes.
func (r *Regex) tryRaw(part []byte) bool {
	const long = 4 << 10
	if len(part) > long || !utf8.Valid(part) || bytes.Contains(part, []byte(`\u`)) {
		return true
	}
	if bytes.IndexByte(part, '\\') < 0 {
		return r.loose.Match(part)
	}
	text := make([]byte, 0, len(part))
	for i := 0; i < len(part); i++ {
		c := part[i]
		if c == '\\' && i+1 < len(part) {
			i++
			c = part[i]
			if k := strings.IndexByte("bfnrt", c); k >= 0 {
				c = "\b\f\n\r\t"[k]
			}
		}
		text = append(text, c)
	}
	return r.loose.Match(text)
}

// unbroken is the part of a raw line around a place that has no escape \n in it.
func unbroken(line []byte, at int) (from, to int) {
	breaks := func(i int) bool { // and is no n behind an escaped backslash
		before := bytes.TrimRight(line[:i], `\`)
		return (i-len(before))%2 == 0
	}
	for from = at; from > 0; {
		if from = bytes.LastIndex(line[:from], []byte(`\n`)); from < 0 || breaks(from) {
			break
		}
	}
	for to = at; ; to += 2 {
		n := bytes.Index(line[to:], []byte(`\n`))
		if n < 0 {
			return max(from, 0), len(line)
		}
		if to += n; breaks(to) {
			return max(from, 0), to
		}
	}
}

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

// formula makes stretches of sequences.
func (r *reading) formula(clauses [][]sequence) formula {
	f := formula{slash: r.slash, folds: r.folds}
	for _, alternatives := range clauses {
		best := make([][]byteSet, 0, len(alternatives))
		for _, s := range alternatives {
			runs := setsOf(s)
			if len(alternatives) == 1 {
				for _, sets := range runs {
					f.clauses = append(f.clauses, []*stretch{newStretch(sets)})
				}
				break
			}
			if len(runs) == 0 {
				best = nil
				break
			}
			longest := slices.MaxFunc(runs, func(a, b []byteSet) int { return len(a) - len(b) })
			if !slices.ContainsFunc(best, func(s []byteSet) bool { return slices.Equal(s, longest) }) {
				best = append(best, longest)
			}
		}
		if len(best) == 0 {
			continue
		}
		var clause []*stretch
		for _, sets := range best {
			clause = append(clause, newStretch(sets))
		}
		f.clauses = append(f.clauses, clause)
		if s := merged(best); s != nil && len(clause) > 2 {
			f.clauses = append(f.clauses, []*stretch{s})
		}
	}
	f.sort()
	return f
}

// setsOf returns the stretches of a sequence that are worth looking for.
func setsOf(s sequence) [][]byteSet {
	var all [][]byteSet
	for _, run := range s.runs(func(e element) bool { return !e.set.empty() }) {
		var sets []byteSet
		for _, e := range run {
			sets = append(sets, e.set)
		}
		if newStretch(sets).bits >= leastBits {
			all = append(all, sets)
		}
	}
	return all
}

// merged is one stretch that stands wherever one of the alternatives does, or
// nil if it would stand in too many places.
func merged(alternatives [][]byteSet) *stretch {
	shortest := maxStretch
	for _, a := range alternatives {
		shortest = min(shortest, len(a))
	}
	union := make([]byteSet, shortest)
	for _, a := range alternatives {
		for i := range union {
			union[i][0] |= a[i][0]
			union[i][1] |= a[i][1]
		}
	}
	if s := newStretch(union); s.bits >= leastBits+4 {
		return s
	}
	return nil
}
