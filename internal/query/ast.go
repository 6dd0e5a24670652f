package query

import "strings"

// Query is a parsed question. It is made by [Parse], never fails to be one, and
// prints as a question that means the same.
type Query struct {
	Expr  Node   // nil: everything
	Sort  string // rank, new, old, cost; "" for the default
	Limit int    // 0 for the default
	Hints []string
}

// Node is one part of a question: And, Or, Not, Word, Quote or Filter.
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

// Filter is a qualifier with its values, any of which will do.
type Filter struct {
	Name   string
	Values []string
}

func (n And) String() string { return join(n, " ") }
func (n Or) String() string  { return "(" + join(n, " OR ") + ")" }

func (n Not) String() string {
	if inner, ok := n.Node.(And); ok {
		return "-(" + inner.String() + ")"
	}
	return "-" + n.Node.String()
}

func (n Word) String() string {
	if n.Prefix {
		return n.Text + "*"
	}
	if plain(n.Text) {
		return n.Text
	}
	return Quote{n.Text}.String()
}

func (n Quote) String() string { return `"` + strings.ReplaceAll(n.Text, `"`, " ") + `"` }

func (n Filter) String() string {
	values := make([]string, len(n.Values))
	for i, v := range n.Values {
		if values[i] = v; !plain(v) || strings.Contains(v, ",") {
			values[i] = `"` + strings.ReplaceAll(v, `"`, " ") + `"`
		}
	}
	return n.Name + ":" + strings.Join(values, ",")
}

func (q Query) String() string {
	var parts []string
	if q.Expr != nil {
		parts = append(parts, q.Expr.String())
	}
	if q.Sort != "" {
		parts = append(parts, "sort:"+q.Sort)
	}
	return strings.Join(parts, " ")
}

func join(nodes []Node, separator string) string {
	parts := make([]string, len(nodes))
	for i, n := range nodes {
		parts[i] = n.String()
		if and, ok := n.(And); ok && len(and) > 1 {
			parts[i] = "(" + parts[i] + ")"
		}
	}
	return strings.Join(parts, separator)
}

// plain says that a text reads as one bare word.
func plain(s string) bool {
	return s != "" && !strings.ContainsAny(s, " \t\n\r\v\f\"()*") && s[0] != '-' && s != "OR"
}
