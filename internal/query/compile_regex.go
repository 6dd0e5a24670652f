package query

import "strings"

// isRegex says that a node asks for a regular expression and nothing else: one,
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
		if r := c.regex(n); r != nil {
			c.plan.regexes = append(c.plan.regexes, r)
		}
	}
	for _, n := range p.never {
		if r := c.regex(n); r != nil {
			c.plan.without = append(c.plan.without, r)
		}
	}
}

// regex compiles one expression. Either of several is one expression as well.
func (c *compiler) regex(n Node) *Regex {
	r, err := CompileRegex(alternation(n))
	if err != nil { // each was fine, so all of them together are too large
		c.note("%s: %v", n, err)
	}
	return r
}

// alternation writes a node as one expression. Whether case counts is settled
// for each alternative on its own.
func alternation(n Node) string {
	or, ok := n.(Or)
	if !ok {
		return n.(Pattern).Text
	}
	parts := make([]string, len(or))
	for i, part := range or {
		text, flag := alternation(part), "i"
		if hasUpper(text) {
			flag = "-i"
		}
		parts[i] = "(?" + flag + ":" + text + ")"
	}
	return strings.Join(parts, "|")
}
