package regex

import (
	"bytes"
	"cmp"
	"iter"
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

// oddText reports whether a decoded text is odd.
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

// holds reports whether bytes that are not odd hold what the formula demands.
func holds[T string | []byte](f *formula, text T) bool {
	for _, clause := range f.clauses {
		if !slices.ContainsFunc(clause, func(s *stretch) bool { return find(s, text, 0) < len(text) }) {
			return false
		}
	}
	return true
}

// All are expressions that are looked for in the same lines.
type All []*Regex

// Add adds an expression, if there is one.
func (all *All) Add(r *Regex) {
	if r != nil {
		*all = append(*all, r)
	}
}

// Lines yields where the lines of some raw lines begin and end in which all
// expressions may match. What it looks for is the need that is met most seldom.
func (all All) Lines(text []byte) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		needs := all.needs()
		if len(needs.clauses) == 0 {
			at := 0
			for line := range bytes.Lines(text) {
				if at += len(line); !yield(at-len(line), at) {
					return
				}
			}
			return
		}
		hits := newFinder(needs.clauses[0], text)
		odd, sure := -1, len(all) == 1 && len(needs.clauses) == 1 && !all[0].inLine
		for at := 0; at < len(text); {
			if odd < at {
				odd = needs.nextOdd(text, at)
			}
			hit := min(odd, hits.next(at))
			if hit == len(text) {
				return
			}
			begin := at + bytes.LastIndexByte(text[at:hit], '\n') + 1
			at = hit + bytes.IndexByte(text[hit:], '\n') + 1
			if (sure || all.MayMatch(text[begin:at])) && !yield(begin, at) {
				return
			}
		}
	}
}

// needs are those of the expression whose needs are met most seldom.
func (all All) needs() *formula {
	if len(all) == 0 {
		return &formula{}
	}
	telling := func(r *Regex) float64 {
		if len(r.needs.clauses) == 0 {
			return math.Inf(-1)
		}
		return clauseBits(r.needs.clauses[0])
	}
	return &slices.MaxFunc(all, func(a, b *Regex) int { return cmp.Compare(telling(a), telling(b)) }).needs
}

// MayMatch reports whether a raw line may hold what all expressions match.
func (all All) MayMatch(line []byte) bool {
	for _, r := range all {
		if !r.mayMatch(line) {
			return false
		}
	}
	return true
}

// mayMatch reports whether the expression may match in the text of a raw line. Where a
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
