package question

import (
	"slices"

	"piarchive/internal/query/regex"
)

// isRegex reports whether a node asks for a regular expression and nothing else: one,
// or either of several.
func isRegex(n Node) bool {
	switch n := n.(type) {
	case Pattern:
		return true
	case Or:
		for _, part := range n {
			if !isRegex(part) {
				return false
			}
		}
		return true
	}
	return false
}

// regexes compiles the regular expressions of an And.
func (c *compiler) regexes(p parts) {
	for _, n := range p.regexes {
		c.plan.Regexes.Add(c.regex(n))
	}
	for _, n := range p.never {
		c.plan.Without.Add(c.regex(n))
	}
}

// literals takes the texts that hold no word, such as "=> {", for expressions
// that match them as they stand, and returns the others. A bare one counts only
// where nothing else is asked for: people type a lone dash.
func (c *compiler) literals(text []Node) []Node {
	rest := slices.DeleteFunc(slices.Clone(text), func(n Node) bool {
		q, quoted := n.(Quote)
		quoted = quoted && isWordless(q)
		if quoted {
			c.plan.Regexes.Add(regex.Literal(q.Text))
		}
		return quoted
	})
	if slices.ContainsFunc(rest, func(n Node) bool { return !isWordless(n) }) || len(rest) < len(text) {
		return rest
	}
	for _, n := range rest {
		c.plan.Regexes.Add(regex.Literal(n.(Word).Text))
	}
	return nil
}

// withoutLiterals takes the quoted texts whose words alone do not tell whether
// they are there, for expressions that must not match, and returns the others.
func (c *compiler) withoutLiterals(without []Node) []Node {
	return slices.DeleteFunc(slices.Clone(without), func(n Node) bool {
		if !isLiteral(n) {
			return false
		}
		c.plan.Without.Add(regex.Quoted(n.(Quote).Text))
		return true
	})
}

// regex compiles one expression. Either of several is one expression as well.
func (c *compiler) regex(n Node) *regex.Regex {
	r, err := regex.Compile(alternation(n))
	if err != nil { // each was fine, but all of them may be too large
		c.note("%s: %v", n, err)
	}
	return r
}

// alternation writes a node as one expression.
func alternation(n Node) string {
	or, ok := n.(Or)
	if !ok {
		return n.(Pattern).Text
	}
	parts := make([]string, len(or))
	for i, part := range or {
		parts[i] = alternation(part)
	}
	return regex.Either(parts)
}
