package query

import (
	"strings"

	"piarchive/internal/words"
)

// plan is a question made ready to run.
type plan struct {
	match    string          // FTS5 expression; "" when no text is asked for
	patterns []words.Pattern // what match looks for, for highlighting
	quotes   []string        // quoted texts, for telling how exactly they were met
	where    []condition     // over e, s and f, all of which must hold
	simple   bool            // match is one AND of words: a newest part of it stands for the rest
	empty    []string        // words without anything that can be searched for
}

// compile turns a question into a plan. Text and filters that stand side by
// side become one full-text expression and plain conditions; where text and
// filters are mixed in an OR or behind a not, the text becomes a condition too.
func (q Query) compile(env environment) *plan {
	p := &plan{simple: true}
	c := compiler{plan: p, env: env}
	var parts []Node
	if and, ok := q.Expr.(And); ok {
		parts = and
	} else if q.Expr != nil {
		parts = []Node{q.Expr}
	}
	var match, exclude []string
	for _, n := range parts {
		switch {
		case isIn(n):
			continue
		case textOnly(n):
			if not, ok := n.(Not); ok {
				if expr := c.text(not.Node, false); expr != "" {
					exclude = append(exclude, expr)
				}
			} else if expr := c.text(n, true); expr != "" {
				match = append(match, expr)
			}
		default:
			if cond := c.condition(n); cond.sql != "" {
				p.where = append(p.where, cond)
			}
		}
	}
	c.assemble(parts, match, exclude)
	return p
}

type compiler struct {
	plan *plan
	env  environment
}

// assemble joins the text parts, restricted to the columns that in: names.
func (c *compiler) assemble(parts []Node, match, exclude []string) {
	p := c.plan
	within := ""
	var not []string
	for _, n := range parts {
		switch n := n.(type) {
		case Filter:
			if n.Name == "in" {
				within = columnFilter("", n.Values)
			}
		case Not:
			if f, ok := n.Node.(Filter); ok && f.Name == "in" {
				not = append(not, columnFilter("- ", f.Values))
			}
		}
	}
	if len(match) == 0 {
		for _, expr := range exclude {
			p.where = append(p.where, condition{"e.id NOT IN (SELECT rowid FROM fts WHERE fts MATCH ?)", []any{restrict(expr, within, not)}})
		}
		return
	}
	expr := strings.Join(match, " AND ")
	if len(match) > 1 {
		expr = "(" + expr + ")"
	}
	expr = restrict(expr, within, not)
	for _, x := range exclude {
		p.simple = false
		expr = "(" + expr + " NOT " + x + ")"
	}
	p.match = expr
}

func restrict(expr, within string, not []string) string {
	for _, filter := range append([]string{within}, not...) {
		if filter != "" {
			expr = filter + " : (" + expr + ")"
		}
	}
	return expr
}

func columnFilter(sign string, values []string) string {
	var names []string
	for _, v := range values {
		if v == "tool" {
			v = "call output"
		}
		names = append(names, v)
	}
	return sign + "{" + strings.Join(names, " ") + "}"
}

func isIn(n Node) bool {
	if not, ok := n.(Not); ok {
		n = not.Node
	}
	f, ok := n.(Filter)
	return ok && f.Name == "in"
}

// textOnly says that a part asks for text alone, so that it can become part of
// a full-text expression.
func textOnly(n Node) bool {
	switch n := n.(type) {
	case Filter:
		return false
	case Not:
		return textOnly(n.Node)
	case And:
		return allText(n)
	case Or:
		return allText(n)
	}
	return true
}

func allText(nodes []Node) bool {
	for _, n := range nodes {
		if _, negated := n.(Not); negated || !textOnly(n) {
			return false // FTS5 has no not of its own, only "a NOT b"
		}
	}
	return true
}

// text compiles a part that asks for text alone; shown says that what it finds
// is to be highlighted.
func (c *compiler) text(n Node, shown bool) string {
	p := c.plan
	switch n := n.(type) {
	case Word:
		patterns := words.Patterns(n.Text)
		if n.Prefix {
			patterns = words.Prefixes(n.Text)
			p.simple = false
		}
		if shown && len(patterns) == 0 {
			p.empty = append(p.empty, n.Text)
		}
		if shown {
			p.patterns = append(p.patterns, patterns...)
		}
		return words.Expr(patterns)
	case Quote:
		patterns := words.Quoted(n.Text)
		if shown {
			p.patterns = append(p.patterns, patterns...)
			p.quotes = append(p.quotes, n.Text)
			if len(patterns) == 0 {
				p.empty = append(p.empty, n.Text)
			}
		}
		return words.Expr(patterns)
	case And:
		return c.joined(n, " AND ", shown)
	case Or:
		p.simple = false
		return c.joined(n, " OR ", shown)
	}
	return ""
}

func (c *compiler) joined(nodes []Node, operator string, shown bool) string {
	var parts []string
	for _, n := range nodes {
		if expr := c.text(n, shown); expr != "" {
			parts = append(parts, expr)
		}
	}
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return "(" + strings.Join(parts, operator) + ")"
}

// condition compiles a part as SQL.
func (c *compiler) condition(n Node) condition {
	switch n := n.(type) {
	case Filter:
		if n.Name == "in" {
			return condition{}
		}
		return n.condition(c.env)
	case Not:
		inner := c.condition(n.Node)
		if inner.sql == "" {
			return inner
		}
		return condition{"NOT coalesce(" + inner.sql + ", 0)", inner.args}
	case And:
		return c.conditions(n, " AND ")
	case Or:
		return c.conditions(n, " OR ")
	}
	expr := c.text(n, true)
	if expr == "" {
		return condition{}
	}
	return condition{"e.id IN (SELECT rowid FROM fts WHERE fts MATCH ?)", []any{expr}}
}

func (c *compiler) conditions(nodes []Node, operator string) condition {
	var all condition
	for _, n := range nodes {
		part := c.condition(n)
		if part.sql == "" {
			continue
		}
		if all.sql != "" {
			all.sql += operator
		}
		all.sql += part.sql
		all.args = append(all.args, part.args...)
	}
	if all.sql != "" {
		all.sql = "(" + all.sql + ")"
	}
	return all
}
