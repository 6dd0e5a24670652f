package session

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
)

// Picker is a query in the grammar of the list in which pi picks a session to
// resume (1.5.0 and later). The zero Picker matches every session.
//
//	word word      all of them: each somewhere in the name, the id, what was
//	               said, or the project; else scattered in name or project
//	"a phrase"     the same, whatever white space lies between its words
//	re:PATTERN     a regular expression, in any of the four
//
// Case does not matter. With a quote that is never closed, quotes are ordinary
// characters. No word matches across two of the four fields.
type Picker struct {
	tokens []pickerToken
	regex  *regexp.Regexp
	never  bool // the query cannot be read
}

type pickerToken struct {
	text   string // in lower case; a phrase with single spaces
	phrase bool
}

// ParsePicker reads a query. One with an empty or invalid regular expression
// comes back with the reason, and as in pi matches no session.
func ParsePicker(query string) (Picker, error) {
	query = strings.TrimFunc(query, jsSpace)
	if query == "" {
		return Picker{}, nil
	}
	pattern, ok := strings.CutPrefix(query, "re:")
	if !ok {
		return Picker{tokens: pickerTokens(query)}, nil
	}
	pattern = strings.TrimFunc(pattern, jsSpace)
	if pattern == "" {
		return Picker{never: true}, errors.New("re: is followed by no regular expression")
	}
	regex, err := regexp.Compile("(?i)" + pattern)
	if wrong, ok := errors.AsType[*syntax.Error](err); ok {
		err = fmt.Errorf("compile regular expression %.60q: %s", pattern, wrong.Code)
	}
	return Picker{regex: regex, never: err != nil}, err
}

// Empty reports whether the query asks for nothing, so that there is nothing to rank.
func (p Picker) Empty() bool { return p.tokens == nil && p.regex == nil && !p.never }

// pickerTokens cuts a query at white space and quotes; a quote also ends the
// word it follows.
func pickerTokens(query string) []pickerToken {
	pieces := strings.Split(query, `"`)
	if len(pieces)%2 == 0 { // the last quote is not closed
		pieces = []string{query}
	}
	tokens := []pickerToken{} // not nil: even without tokens the query is one
	for i, piece := range pieces {
		if i%2 == 0 {
			for _, word := range strings.FieldsFunc(piece, jsSpace) {
				tokens = append(tokens, pickerToken{text: lower(word)})
			}
		} else if phrase := singleSpaced(lower(piece)); phrase != "" {
			tokens = append(tokens, pickerToken{text: phrase, phrase: true})
		}
	}
	return tokens
}

// What a token counts by the best field it is found in; the fuzzy score, which
// is much smaller, decides between sessions of the same kind.
const (
	inName    = 0
	inText    = 1_000_000 // in the id, the project or what was said
	scattered = 2_000_000
)

// Match reports whether a session matches, and how well: the lower the better. It
// looks at the text of the session, too.
func (p Picker) Match(s *Info) (score float64, ok bool) {
	switch {
	case p.never:
		return 0, false
	case p.regex != nil:
		return p.matchRegex(s)
	}
	f := pickerFields{info: s}
	for _, token := range p.tokens {
		one, ok := f.match(token)
		if !ok {
			return 0, false
		}
		score += one
	}
	return score, true
}

func (p Picker) matchRegex(s *Info) (float64, bool) {
	if s.Name != "" && p.regex.MatchString(s.Name) {
		return inName, true
	}
	found := p.regex.MatchString(s.ID) || p.regex.MatchString(s.Text) || p.regex.MatchString(s.CWD)
	return inText, found
}

// pickerFields is a session as tokens see it. What is long is made when asked
// for, and once.
type pickerFields struct {
	info   *Info
	text   string // in lower case
	spaced string // with single spaces, too
}

func (f *pickerFields) match(t pickerToken) (score float64, ok bool) {
	name, cwd := lower(f.info.Name), lower(f.info.CWD)
	if t.phrase {
		name, cwd = singleSpaced(name), singleSpaced(cwd)
	}
	if strings.Contains(name, t.text) {
		score, _ := fuzzy(t.text, name)
		return inName + score, true
	}
	if strings.Contains(lower(f.info.ID), t.text) || strings.Contains(cwd, t.text) || strings.Contains(f.said(t.phrase), t.text) {
		return inText, true
	}
	if t.phrase {
		return 0, false
	}
	score, ok = fuzzy(t.text, name)
	if other, inProject := fuzzy(t.text, cwd); inProject && (!ok || other < score) {
		score, ok = other, true
	}
	return scattered + score, ok
}

// said is the text of the session in lower case.
func (f *pickerFields) said(singleSpaces bool) string {
	if f.text == "" {
		f.text = lower(f.info.Text)
	}
	if !singleSpaces {
		return f.text
	}
	if f.spaced == "" {
		f.spaced = singleSpaced(f.text)
	}
	return f.spaced
}

// lower is s in lower case, where a sigma is a sigma also at the end of a word.
func lower(s string) string { return strings.ReplaceAll(strings.ToLower(s), "ς", "σ") }

// singleSpaced is s without white space around it and with single spaces in it.
func singleSpaced(s string) string { return strings.Join(strings.FieldsFunc(s, jsSpace), " ") }

// jsSpace is what JavaScript takes for white space.
func jsSpace(r rune) bool { return r == '\ufeff' || r != '\u0085' && unicode.IsSpace(r) }
