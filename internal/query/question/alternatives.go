package question

import "slices"

// Alternatives takes an OR apart in which regular expressions stand beside
// other things: (/re/ OR word) rest asks for /re/ rest, or for word rest. It is
// nil where there is none.
func Alternatives(expr Node) []Node {
	all, ok := expr.(And)
	if !ok {
		all = And{expr}
	}
	for i, n := range all {
		or, ok := n.(Or)
		if !ok || isRegex(or) || !slices.ContainsFunc(or, hasRegex) {
			continue
		}
		either := make([]Node, len(or))
		for j, alternative := range or {
			either[j] = flat(append(slices.Concat(all[:i], all[i+1:]), alternative))
		}
		return either
	}
	return nil
}

// flat joins nodes into one And.
func flat(nodes []Node) Node {
	var all And
	for _, n := range nodes {
		if and, ok := n.(And); ok {
			all = append(all, and...)
		} else {
			all = append(all, n)
		}
	}
	return group(all)
}

// hasRegex reports whether there is a regular expression in a node, not behind a not.
func hasRegex(n Node) bool {
	switch n := n.(type) {
	case Pattern:
		return true
	case And:
		return slices.ContainsFunc(n, hasRegex)
	case Or:
		return slices.ContainsFunc(n, hasRegex)
	}
	return false
}
