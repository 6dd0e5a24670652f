// Package regex searches the text of entries for regular expressions, and spares
// most of the search: it knows what a text must hold for an expression to match.
//
// [Compile] makes an expression ready. [Regex.Narrow] then says which words an
// entry must hold, for the full-text index to look up; [All.Lines] passes over
// the raw lines of sessions in which no match can be, without decoding them; and
// [Regex.Match] and [Regex.Spans] try a text itself.
//
// What is passed over cannot match: every doubt is a line to look at. Matching
// takes time in proportion to the text, and ends early when it is told to.
package regex

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"piarchive/internal/words"
)

// Regex is a regular expression to search entries with, in the syntax of RE2:
// it takes time in proportion to the text, whatever it is. Every column of an
// entry is a text of its own.
//
//   - ^ and $ match at every line, . matches within one: (?m) without (?s).
//   - Case is ignored unless the expression holds an upper-case letter, as in
//     ripgrep's smart case; (?i) and (?-i) inside it say otherwise.
type Regex struct {
	pattern string // as the user wrote it
	expr    *regexp.Regexp
	size    int            // of the compiled program, in instructions
	inLine  bool           // no match goes beyond a line of text
	loose   *regexp.Regexp // inLine: expr where every place is the beginning and the end of a line
	needs   formula
	narrow  [][]words.Pattern
	quoted  string // matches where this text, in quotes, is found to the letter; nothing else above counts
}

// maxSize bounds a compiled program: every character of a text may cost a
// step in each instruction.
const maxSize = 1 << 13

// Compile makes a regular expression ready. The error says what is wrong
// with the pattern.
func Compile(pattern string) (*Regex, error) {
	// On its own first: an error then shows what the user wrote, not what it
	// becomes here.
	if _, err := syntax.Parse(pattern, syntax.Perl); err != nil {
		return nil, compileError(pattern, err)
	}
	flags := "(?m)"
	if !hasUpper(pattern) {
		flags = "(?mi)"
	}
	tree, err := syntax.Parse(flags+pattern, syntax.Perl)
	if err != nil {
		return nil, compileError(pattern, err)
	}
	r := &Regex{pattern: pattern, inLine: staysInLine(tree)}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, compileError(pattern, err)
	}
	if r.size = len(program.Inst); r.size > maxSize {
		return nil, compileError(pattern, &syntax.Error{Code: syntax.ErrLarge})
	}
	if r.expr, err = regexp.Compile(flags + pattern); err != nil {
		return nil, compileError(pattern, err)
	}
	r.needs, r.narrow = required(tree)
	if r.loose = r.expr; r.inLine && loosen(tree) {
		if r.loose, err = regexp.Compile(tree.String()); err != nil {
			return nil, compileError(pattern, err)
		}
	}
	return r, nil
}

// Literal makes an expression that matches a text as it stands, case aside;
// nil if the text is too long for one.
func Literal(text string) *Regex {
	r, err := Compile("(?i)" + regexp.QuoteMeta(strings.ToValidUTF8(text, "\ufffd")))
	if err != nil {
		return nil
	}
	return r
}

// Quoted matches as a text in quotes is found: [words.Contains] knows where
// words begin and end, and what nobody sees.
func Quoted(text string) *Regex {
	return &Regex{pattern: `"` + text + `"`, quoted: text}
}

func compileError(pattern string, err error) error {
	var at *syntax.Error
	switch {
	case !errors.As(err, &at):
		return fmt.Errorf("compile regular expression %q: %w", pattern, err)
	case at.Code == syntax.ErrLarge || at.Code == syntax.ErrNestingDepth:
		return fmt.Errorf("compile regular expression %.60q: %s", pattern, at.Code)
	case at.Expr == "" || at.Expr == pattern:
		return fmt.Errorf("compile regular expression %q: %s", pattern, at.Code)
	}
	return fmt.Errorf("compile regular expression %q: %s: %q", pattern, at.Code, at.Expr)
}

// String returns the expression as the user wrote it.
func (r *Regex) String() string { return r.pattern }

// Narrow returns what the full text of every entry that matches must hold: of
// each list one pattern. nil says that nothing is known.
func (r *Regex) Narrow() [][]words.Pattern { return r.narrow }

// MatchString reports whether the expression matches in a text.
func (r *Regex) MatchString(text string) bool { return r.Match(text, &atomic.Bool{}) }

// maxSpans is how many places of a text are worth showing.
const maxSpans = 200

// Spans returns the first places in a text where the expression matches more
// than nothing, in order.
func (r *Regex) Spans(text string) []words.Span {
	var spans []words.Span
	for from, to := range r.candidates(text) {
		for _, at := range r.expr.FindAllStringIndex(text[from:to], maxSpans) {
			if at[0] < at[1] && len(spans) < maxSpans {
				spans = append(spans, words.Span{Start: from + at[0], End: from + at[1]})
			}
		}
		if len(spans) == maxSpans {
			break
		}
	}
	return spans
}

// maxSteps is how long a match may take without looking at stop, in characters
// times instructions: some tenths of a second.
const maxSteps = 1 << 25

// Match reports whether the expression matches in a text; not for sure once stop is
// set.
func (r *Regex) Match(text string, stop *atomic.Bool) bool {
	if r.quoted != "" {
		return words.Contains(text, r.quoted) >= words.Folded
	}
	for from, to := range r.candidates(text) {
		switch {
		case stop.Load():
			return false
		case (to-from)*r.size > maxSteps:
			if r.expr.MatchReader(&stoppable{text: text[from:to], step: max(1, maxSteps/r.size), stop: stop}) {
				return true
			}
		case r.expr.MatchString(text[from:to]):
			return true
		}
	}
	return false
}

// stoppable reads a text that ends early when stop is set.
type stoppable struct {
	text string
	step int // characters between looks at stop
	n    int
	stop *atomic.Bool
}

// ReadRune implements io.RuneReader.
func (s *stoppable) ReadRune() (rune, int, error) {
	if s.n++; s.text == "" || s.n%s.step == 0 && s.stop.Load() {
		return 0, 0, io.EOF
	}
	r, n := utf8.DecodeRuneInString(s.text)
	s.text = s.text[n:]
	return r, n, nil
}

// candidates yields the parts of a text that a match can lie in: all of it or,
// where a match stays within a line, the lines that hold what it needs.
func (r *Regex) candidates(text string) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		switch {
		case len(r.needs.clauses) == 0 || r.needs.oddText(text):
			yield(0, len(text))
			return
		case !r.inLine:
			if holds(&r.needs, text) {
				yield(0, len(text))
			}
			return
		}
		hits := newFinder(r.needs.clauses[0], text)
		for at := 0; at < len(text); {
			hit := hits.next(at)
			if hit == len(text) {
				return
			}
			from := at + strings.LastIndexByte(text[at:hit], '\n') + 1
			to := len(text)
			if n := strings.IndexByte(text[hit:], '\n'); n >= 0 {
				to = hit + n
			}
			if (len(r.needs.clauses) == 1 || holds(&r.needs, text[from:to])) && !yield(from, to) {
				return
			}
			at = to + 1
		}
	}
}

// Either writes one pattern for any of several. Whether case counts is settled
// for each of them on its own.
func Either(patterns []string) string {
	parts := make([]string, len(patterns))
	for i, text := range patterns {
		flag := "i"
		if hasUpper(text) {
			flag = "-i"
		}
		parts[i] = "(?" + flag + ":" + text + ")"
	}
	return strings.Join(parts, "|")
}

// hasUpper reports whether a pattern holds an upper-case letter that stands for itself
// or for a class, but not as the name of one: \S, \pL and (?P<Name> do not count,
// \p{Lu} and [[:upper:]] do.
func hasUpper(pattern string) bool {
	if strings.Contains(pattern, "[:upper:]") || strings.Contains(pattern, `\p{Lu}`) || strings.Contains(pattern, `\p{Lt}`) {
		return true
	}
	upper := func(s string) bool { return strings.ContainsFunc(s, isUpper) }
	for pattern != "" {
		r, n := utf8.DecodeRuneInString(pattern)
		switch {
		case strings.HasPrefix(pattern, `\Q`):
			literal, _, _ := strings.Cut(pattern[2:], `\E`)
			if upper(literal) {
				return true
			}
			n = min(len(pattern), 2+len(literal)+2)
		case r == '\\':
			n = escapeLength(pattern)
		case strings.HasPrefix(pattern, "(?P<"), strings.HasPrefix(pattern, "(?<"):
			if end := strings.IndexByte(pattern, '>'); end > 0 {
				n = end + 1
			}
		case strings.HasPrefix(pattern, "(?"):
			if end := strings.IndexAny(pattern, ":)"); end > 0 {
				n = end + 1
			}
		case isUpper(r):
			return true
		}
		pattern = pattern[n:]
	}
	return false
}

func isUpper(r rune) bool { return unicode.IsUpper(r) || unicode.IsTitle(r) }

// escapeLength is the length of the escape that a pattern begins with.
func escapeLength(pattern string) int {
	if len(pattern) < 2 {
		return len(pattern)
	}
	_, n := utf8.DecodeRuneInString(pattern[1:])
	n++
	if strings.IndexByte("pPx", pattern[1]) >= 0 && len(pattern) > 2 {
		if end := strings.IndexByte(pattern, '}'); pattern[2] == '{' && end > 0 {
			return end + 1
		}
		if n++; pattern[1] == 'x' {
			n++
		}
	}
	return min(n, len(pattern))
}

// staysInLine reports whether no match goes beyond a line, and that a line on its own
// matches as it does in its text.
func staysInLine(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginText, syntax.OpEndText, syntax.OpAnyChar:
		return false
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			if r == '\n' {
				return false
			}
		}
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			if re.Rune[i] <= '\n' && '\n' <= re.Rune[i+1] {
				return false
			}
		}
	}
	for _, sub := range re.Sub {
		if !staysInLine(sub) {
			return false
		}
	}
	return true
}

// loosen takes ^ and $ out of a tree; false if there are none.
func loosen(re *syntax.Regexp) bool {
	found := re.Op == syntax.OpBeginLine || re.Op == syntax.OpEndLine
	if found {
		re.Op = syntax.OpEmptyMatch
	}
	for _, sub := range re.Sub {
		found = loosen(sub) || found
	}
	return found
}
