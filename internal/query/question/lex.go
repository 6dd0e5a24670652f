package question

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

type tokenKind int

const (
	word tokenKind = iota
	quote
	pattern
	open
	closing
)

// token is one piece of a question. negated and name are what stood directly in
// front of it.
type token struct {
	kind    tokenKind
	text    string
	negated bool
	name    string // qualifier
	values  []string

	start, end int // in the question
}

// lex cuts a text into tokens.
func lex(text string) []token {
	var tokens []token
	l := lexer{rest: text}
	for {
		l.rest = strings.TrimLeftFunc(l.rest, unicode.IsSpace)
		if l.rest == "" {
			return tokens
		}
		start := len(text) - len(l.rest)
		t := l.token()
		t.start, t.end = start, len(text)-len(l.rest)
		tokens = append(tokens, t)
	}
}

type lexer struct{ rest string }

func (l *lexer) token() token {
	var t token
	if len(l.rest) > 1 && l.rest[0] == '-' && (l.rest[1] == '(' || l.rest[1] == '"' || startsWord(l.rest[1:])) {
		t.negated = true
		l.rest = l.rest[1:]
	}
	switch l.rest[0] {
	case '(':
		l.rest = l.rest[1:]
		t.kind = open
		return t
	case ')':
		l.rest = l.rest[1:]
		t.kind = closing
		return t
	case '"':
		if text, ok := l.quoted(); ok {
			t.kind, t.text = quote, text
			return t
		}
	}
	if l.rest[0] == '/' {
		if text, ok := l.slashed(); ok {
			t.kind, t.text = pattern, text
			return t
		}
	}
	if name, rest, ok := l.name(); ok && rest != "" && rest[0] != ')' && !unicode.IsSpace(rune(rest[0])) {
		before := l.rest
		l.rest = rest
		t.name = name
		t.values = l.values()
		t.text = before[:len(before)-len(l.rest)]
		return t
	}
	t.text = l.bare(false)
	return t
}

// name reads the name of a qualifier and its colon. It looks no further than
// names are long: there may be very many words and not one colon.
func (l *lexer) name() (name, rest string, ok bool) {
	i := strings.IndexByte(l.rest[:min(len(l.rest), maxName+1)], ':')
	if i < 0 || !isQualifier(l.rest[:i]) || strings.HasPrefix(l.rest[i:], "://") {
		return "", "", false
	}
	return l.rest[:i], l.rest[i+1:], true
}

// startsWord reports whether "-" in front of s means not: --force and -> are words.
func startsWord(s string) bool {
	r := []rune(s[:min(len(s), 4)])[0]
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '.' || r == '/'
}

// quoted reads a text in quotes, which must be closed and not empty.
func (l *lexer) quoted() (string, bool) {
	text, rest, ok := strings.Cut(l.rest[1:], `"`)
	if !ok || strings.TrimSpace(text) == "" {
		return "", false
	}
	l.rest = rest
	return text, true
}

// maxPattern bounds how far the end of a regular expression is looked for.
const maxPattern = 4096

// slashed reads a regular expression. Its closing slash ends a word; a slash
// inside it is written \/. What has none of the characters that make a pattern,
// but slashes inside, is a path: /usr/lib/.
func (l *lexer) slashed() (string, bool) {
	path := false
	for i := 1; i < min(len(l.rest), maxPattern); i++ {
		switch l.rest[i] {
		case '\\':
			i++
		case '/':
			next, _ := utf8.DecodeRuneInString(l.rest[i+1:])
			if i+1 < len(l.rest) && next != ')' && !unicode.IsSpace(next) {
				path = true
				continue
			}
			text := l.rest[1:i]
			if path && (!strings.ContainsAny(text, `\^$*+?()[]{}|`) || strings.ContainsFunc(text, unicode.IsSpace)) || strings.TrimSpace(text) == "" {
				return "", false
			}
			l.rest = l.rest[i+1:]
			return text, true
		}
	}
	return "", false
}

// bare reads up to white space, or to a bracket that closes a group: one that
// was opened inside the word belongs to it, as in f(x).
func (l *lexer) bare(list bool) string {
	depth, end := 0, len(l.rest)
scan:
	for i, r := range l.rest {
		switch {
		case unicode.IsSpace(r) || list && r == ',':
			end = i
			break scan
		case r == '(':
			depth++
		case r == ')':
			if depth == 0 {
				end = i
				break scan
			}
			depth--
		}
	}
	text := l.rest[:end]
	l.rest = l.rest[end:]
	return text
}

// values reads the comma list behind a qualifier.
func (l *lexer) values() []string {
	var values []string
	for {
		if l.rest != "" && l.rest[0] == '"' {
			if text, ok := l.quoted(); ok {
				values = append(values, text)
			} else {
				values = append(values, l.bare(true))
			}
		} else if v := l.bare(true); v != "" {
			values = append(values, v)
		}
		if l.rest == "" || l.rest[0] != ',' {
			break
		}
		l.rest = l.rest[1:]
	}
	if len(values) == 0 {
		values = []string{""}
	}
	return values
}
