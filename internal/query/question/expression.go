package question

import (
	"strings"

	"piarchive/internal/words"
)

// Expression is what a question asks of the full-text index: a Phrase, AnyOf,
// AllOf, ButNot or Inside, or what SQLite alone can read. Written out it is an
// expression of FTS5 that matches the same entries.
type Expression interface{ String() string }

type (
	Phrase words.Pattern                   // tokens in a row, in one column
	AnyOf  []Expression                    // OR
	AllOf  []Expression                    // AND
	ButNot struct{ Keep, Drop Expression } // NOT
	Inside struct {                        // columns
		Expression
		Columns ColumnSet
	}
	fts5 string // as the user wrote it, for FTS5 to read
)

func (e Phrase) String() string { return words.Expr([]words.Pattern{words.Pattern(e)}) }
func (e AnyOf) String() string  { return written(e, " OR ") }
func (e AllOf) String() string  { return written(e, " AND ") }
func (e ButNot) String() string { return "(" + e.Keep.String() + " NOT " + e.Drop.String() + ")" }
func (e fts5) String() string   { return string(e) }

func (e Inside) String() string {
	sign, within := "", e.Columns
	if within == 0 {
		sign, within = "- ", AllColumns // in none
	}
	var names []string
	for i, name := range columns {
		if within.Has(i) {
			names = append(names, name)
		}
	}
	return sign + "{" + strings.Join(names, " ") + "} : (" + e.Expression.String() + ")"
}

func written(parts []Expression, operator string) string {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.String()
	}
	return "(" + strings.Join(texts, operator) + ")"
}

// anyPattern is the expression of a word or a quoted text, nil without a token.
func anyPattern(patterns []words.Pattern) Expression {
	parts := make([]Expression, len(patterns))
	for i, p := range patterns {
		parts[i] = Phrase(p)
	}
	return joined[Expression](parts, AnyOf(parts))
}

// restrict makes an expression match in some columns only.
func restrict(e Expression, within ColumnSet) Expression {
	if e == nil || within == AllColumns {
		return e
	}
	return Inside{e, within}
}

// ColumnSet has a bit for each of columns.
type ColumnSet uint8

// Has reports whether a column, by its number, is in the set.
func (s ColumnSet) Has(column int) bool { return s&(1<<column) != 0 }

// AllColumns are what is looked in unless in: says otherwise.
const AllColumns ColumnSet = 1<<len(columns) - 1

// ColumnName is the name of a column, as in: takes it.
func ColumnName(column int) string { return columns[column] }

// columnsOf returns the columns that in: names.
func columnsOf(in Filter) ColumnSet {
	var set ColumnSet
	for _, v := range in.Values {
		for i, name := range columns {
			if v == name || v == "tool" && (name == "call" || name == "output") || v == "error" && (name == "notes" || name == "output") {
				set |= 1 << i
			}
		}
	}
	return set
}

// Expression is what finds a word.
func (n Word) Expression() Expression { return anyPattern(shortened(words.Patterns(n.Text))) }
