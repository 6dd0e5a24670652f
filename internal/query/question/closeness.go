package question

import (
	"slices"

	"piarchive/internal/words"
)

// QuotedParts are the parts of a question that hold quoted texts. The rest need
// not be looked at again, for the archive has found it, and where a filter is
// the alternative to a text, nobody can tell what the text is worth.
func QuotedParts(expr Node) And {
	all, ok := expr.(And)
	if !ok {
		all = And{expr}
	}
	text := slices.ContainsFunc(all, func(n Node) bool { return isText(n) && !isWordless(n) })
	return slices.DeleteFunc(slices.Clone(all), func(n Node) bool {
		if not, ok := n.(Not); ok {
			return !text || !isLiteral(not.Node)
		}
		return !isText(n) || !hasQuote(n)
	})
}

func hasQuote(n Node) bool {
	switch n := n.(type) {
	case Quote:
		return words.Quoted(n.Text) != nil // the others are regular expressions
	case And:
		return slices.ContainsFunc(n, hasQuote)
	case Or:
		return slices.ContainsFunc(n, hasQuote)
	}
	return false // behind a not further in, a quoted text is as its words are
}

// Closeness tells how exactly texts meet a part of a question: as its least
// exact member where all are asked for, as the most exact one in an OR.
func Closeness(n Node, text *[6]string, within ColumnSet) words.Match {
	switch n := n.(type) {
	case Quote:
		return among(text, within, func(column string) words.Match { return words.Contains(column, n.Text) })
	case Word:
		patterns := words.Patterns(n.Text)
		if n.Prefix {
			patterns = words.Prefixes(n.Text)
		}
		return among(text, within, func(column string) words.Match {
			if len(words.Find(column, patterns)) > 0 {
				return words.Verbatim
			}
			return words.None
		})
	case Not:
		least := words.Tokens
		if isLiteral(n.Node) {
			least = words.Folded
		}
		if isText(n.Node) && Closeness(n.Node, text, within) >= least {
			return words.None
		}
	case And:
		least := words.Verbatim
		within &= sortOut(n).within
		for _, part := range n {
			least = min(least, Closeness(part, text, within))
		}
		return least
	case Or:
		most := words.None
		for _, part := range n {
			most = max(most, Closeness(part, text, within))
		}
		return most
	}
	return words.Verbatim // in: and the like, which are not to be seen in the text
}

// among returns the closest match among some of the columns.
func among(text *[6]string, within ColumnSet, match func(string) words.Match) words.Match {
	most := words.None
	for i, column := range text {
		if column != "" && within.Has(i) && most < words.Verbatim {
			most = max(most, match(column))
		}
	}
	return most
}

// isWordless reports whether a node is a text without a word.
func isWordless(n Node) bool {
	switch n := n.(type) {
	case Word:
		return words.Patterns(n.Text) == nil
	case Quote:
		return words.Quoted(n.Text) == nil
	}
	return false
}
