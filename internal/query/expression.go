package query

import (
	"strings"

	"piarchive/internal/words"
)

// expression is what a question asks of the full-text index. Written out it is
// an expression of FTS5 that matches the same entries.
type expression interface{ String() string }

type (
	phraseOf words.Pattern                   // tokens in a row, in one column
	anyOf    []expression                    // OR
	allOf    []expression                    // AND
	butNot   struct{ keep, drop expression } // NOT
	inside   struct {                        // columns
		expression
		columns columnSet
	}
	fts5 string // as the user wrote it, for FTS5 to read
)

func (e phraseOf) String() string { return words.Expr([]words.Pattern{words.Pattern(e)}) }
func (e anyOf) String() string    { return written(e, " OR ") }
func (e allOf) String() string    { return written(e, " AND ") }
func (e butNot) String() string   { return "(" + e.keep.String() + " NOT " + e.drop.String() + ")" }
func (e fts5) String() string     { return string(e) }

func (e inside) String() string {
	sign, within := "", e.columns
	if within == 0 {
		sign, within = "- ", allColumns // in none
	}
	var names []string
	for i, name := range columns {
		if within&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return sign + "{" + strings.Join(names, " ") + "} : (" + e.expression.String() + ")"
}

func written(parts []expression, operator string) string {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.String()
	}
	return "(" + strings.Join(texts, operator) + ")"
}

// anyPattern is the expression of a word or a quoted text, nil without a token.
func anyPattern(patterns []words.Pattern) expression {
	parts := make([]expression, len(patterns))
	for i, p := range patterns {
		parts[i] = phraseOf(p)
	}
	switch len(parts) {
	case 0:
		return nil
	case 1:
		return parts[0]
	}
	return anyOf(parts)
}

// restrict makes an expression match in some columns only.
func restrict(e expression, within columnSet) expression {
	if e == nil || within == allColumns {
		return e
	}
	return inside{e, within}
}

// columnSet has a bit for each of columns.
type columnSet uint8

const allColumns columnSet = 1<<len(columns) - 1

// columnsOf returns the columns that in: names.
func columnsOf(in Filter) columnSet {
	var set columnSet
	for _, v := range in.Values {
		for i, name := range columns {
			if v == name || v == "tool" && (name == "call" || name == "output") {
				set |= 1 << i
			}
		}
	}
	return set
}
