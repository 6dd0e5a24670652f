// Package question reads what people ask and plans how it is answered.
//
// [Parse] makes a [Query], a tree of nodes, of any text; there is no text that is
// none. A query prints as a question that means the same. [Query.Compile] makes a
// [Plan] of it: an [Expression] for the full-text index, regular expressions, and
// conditions, for whoever has the archive to run. What a found text is worth to
// the question, [Closeness] and [Plan.Spans] tell.
//
// Nothing here looks into an archive. What is too much or cannot be looked for is
// left out of a plan, and the plan says so in its notes.
package question

import (
	"strconv"
	"strings"
)

// Query is a parsed question. It is made by [Parse], never fails to be one, and
// prints as a question that means the same.
type Query struct {
	Expr  Node   // nil: everything
	Text  string // what was typed beside qualifiers; "" where that cannot be told apart
	Raw   string // an expression of FTS5, for SQLite to read; Expr then holds filters alone
	typed string // all of it
	Sort  string // rank, new, old, cost; "" for the default
	Limit int    // 0 for the default
	Hints []string
}

// Node is one part of a question: And, Or, Some, Not, Word, Quote, Pattern or Filter.
type Node interface{ String() string }

// And asks for all of its parts.
type And []Node

// Or asks for any of its parts.
type Or []Node

// Not asks for entries without its part.
type Not struct{ Node Node }

// Word is a bare word; with Prefix, the beginning of one.
type Word struct {
	Text   string
	Prefix bool
}

// Quote is a text that is to be found as it stands.
type Quote struct{ Text string }

// Pattern is a regular expression, as it stands between its slashes. It is one
// that [regex.Compile] takes.
type Pattern struct{ Text string }

// Filter is a qualifier with its values, any of which will do.
type Filter struct {
	Name   string
	Values []string
}

func (n And) String() string { return join(n, " ") }
func (n Or) String() string  { return join(n, " OR ") }

func (n Not) String() string {
	text := bracketed(n.Node)
	if strings.HasPrefix(text, "(") {
		return "-" + text
	}
	if tokens := lex("-" + text + ")"); len(tokens) != 2 || !tokens[0].negated {
		return "-(" + text + ")" // "--" would be the beginning of a word
	}
	return "-" + text
}

// String writes what could be taken for something else, such as a lone quote or
// bracket, as another character that no word holds.
func (n Word) String() string {
	text := n.Text
	if n.Prefix {
		text += "*"
	}
	if isOperator(text) {
		return Quote{text}.String()
	}
	if !reads(text, n) {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune(`"()`, r) {
				return '\''
			}
			return r
		}, text)
	}
	return text
}

// reads reports whether a text is read as the word it is of, also in front of a
// bracket or a quote.
func reads(text string, n Word) bool {
	if strings.HasPrefix(text, `"`) {
		return false
	}
	p := parser{tokens: lex(text + ")"), at: 1}
	return len(p.tokens) == 2 && p.part(p.tokens[0], 0) == n
}

func (n Quote) String() string { return `"` + strings.ReplaceAll(n.Text, `"`, "/") + `"` }

func (n Pattern) String() string { return "/" + n.Text + "/" }

func (n Filter) String() string {
	values := make([]string, len(n.Values))
	for i, v := range n.Values {
		if !readsValue(v) {
			v = strings.ReplaceAll(v, `"`, "/")
		}
		if !readsValue(v) {
			v = Quote{v}.String()
		}
		values[i] = v
	}
	return n.Name + ":" + strings.Join(values, ",")
}

// readsValue reports whether a text is read as one value of a qualifier.
func readsValue(text string) bool {
	l := lexer{rest: text + ")"}
	values := l.values()
	return l.rest == ")" && values[0] == text && !strings.HasPrefix(text, `"`)
}

func (q Query) String() string {
	var parts []string
	if q.Raw != "" {
		parts = append(parts, q.Raw)
	}
	if q.Expr != nil {
		parts = append(parts, q.Expr.String())
	}
	if q.Sort != "" {
		parts = append(parts, "sort:"+q.Sort)
	}
	if q.Limit > 0 {
		parts = append(parts, "limit:"+strconv.Itoa(q.Limit))
	}
	return strings.Join(parts, " ")
}

func join(nodes []Node, operator string) string {
	parts := make([]string, len(nodes))
	for i, n := range nodes {
		if _, and := n.(And); and && operator == " OR " {
			parts[i] = n.String() // binds stronger
		} else {
			parts[i] = bracketed(n)
		}
	}
	return strings.Join(parts, operator)
}

func bracketed(n Node) string {
	switch n.(type) {
	case And, Or, Some:
		return "(" + n.String() + ")"
	}
	return n.String()
}
