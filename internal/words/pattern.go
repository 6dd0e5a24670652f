package words

import (
	"slices"
	"strings"
)

// Pattern is a phrase: tokens that follow each other in a text, or in the parts of one
// of its identifiers. With Prefix the last token may be the beginning of a longer one.
type Pattern struct {
	Tokens []string // folded
	Prefix bool
}

// Patterns returns what to look for when a bare word is searched for, any of them, the
// most literal first:
//
//	TerminalPath      terminalpath, terminal path
//	terminal_path     terminal path, terminalpath
//	src/bashTool.ts   src bashtool ts, src bash tool ts
//	0.73.1            0 73 1, v0 73 1
//
// It returns nil for a word without a token, such as "->".
func Patterns(word string) []Pattern {
	return alternatives(word, false)
}

// Prefixes is Patterns for a word whose end is open, given without the "*".
func Prefixes(word string) []Pattern {
	return alternatives(word, true)
}

// Quoted returns the one pattern of a text that was searched for in quotes, or nil if
// there is no token in it.
func Quoted(text string) []Pattern {
	if tokens := Terms(text); tokens != nil {
		return []Pattern{{Tokens: tokens}}
	}
	return nil
}

// Expr returns the FTS5 expression that matches what any of patterns matches, or "" if
// there are none. It can stand wherever FTS5 takes a phrase, but for NEAR.
func Expr(patterns []Pattern) string {
	if len(patterns) == 0 {
		return ""
	}
	var b strings.Builder
	for i, p := range patterns {
		if i > 0 {
			b.WriteString(" OR ")
		}
		// Tokens hold nothing but token characters, so there is no quote to escape.
		b.WriteByte('"')
		for j, tok := range p.Tokens {
			if j > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(tok)
		}
		b.WriteByte('"')
		if p.Prefix {
			b.WriteString(" *")
		}
	}
	if len(patterns) == 1 {
		return b.String()
	}
	return "(" + b.String() + ")"
}

// Terms returns the tokens that Feed returns for text, without identifier parts. Those
// longer than FTS5's limit are a few bytes longer than the limit, so as not to end inside
// a character.
func Terms(text string) []string {
	var tokens []string
	for s := (scanner{text: text}); s.next(); {
		tokens = append(tokens, string(s.folded))
	}
	return tokens
}

// maxJoined bounds the tokens that are also tried as one: terminal_path may stand in the
// text as terminalpath, but a long slug never does.
const maxJoined = 5

func alternatives(word string, prefix bool) []Pattern {
	var asIs, split []string
	identifier := true
	s := scanner{text: word}
	for end := 0; s.next(); end = s.end {
		identifier = identifier && (asIs == nil || joined(word[end:s.start]))
		asIs = append(asIs, string(s.folded))
		tok := word[s.start:s.end]
		for start, end := range parts(tok) {
			split = append(split, Terms(tok[start:end])...)
		}
	}
	if asIs == nil {
		return nil
	}
	all := [][]string{asIs, split}
	if identifier && len(asIs) <= maxJoined {
		all = append(all, []string{strings.Join(asIs, "")})
	}
	if isVersion(word) {
		all = append(all, append([]string{"v" + asIs[0]}, asIs[1:]...))
	}
	var patterns []Pattern
	for _, tokens := range all {
		same := func(p Pattern) bool { return slices.Equal(p.Tokens, tokens) }
		if !slices.ContainsFunc(patterns, same) {
			patterns = append(patterns, Pattern{tokens, prefix})
		}
	}
	return patterns
}

// isVersion is true for a word that begins like 0.73, which may stand in the text as v0.73.
func isVersion(word string) bool {
	const digits = "0123456789"
	major, rest, _ := strings.Cut(word, ".")
	return major != "" && strings.Trim(major, digits) == "" && strings.IndexAny(rest, digits) == 0
}
