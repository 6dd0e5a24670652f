package question

import (
	"fmt"
	"slices"
	"strings"

	"piarchive/internal/words"
)

// A question may be as long as it likes; what is looked for has limits, so that
// the answer comes. More words than these narrow nothing down any further.
const (
	maxWords      = 128
	maxConditions = 100
	maxPhrase     = 64 // tokens of a phrase that FTS5 is asked for
	prefixCost    = 16 // a beginning costs as much as so many words
)

const nowhere = "in: says where the words beside it are looked for, and there are none"

// Compile turns a question into a plan. Text and filters that stand side by
// side become one full-text expression and plain conditions; where text and
// filters are mixed in an OR or behind a not, the text becomes a condition too.
func (q Query) Compile() *Plan {
	c := compiler{plan: &Plan{Simple: true}, seen: map[string]bool{}}
	p := c.plan
	top, ok := q.Expr.(And)
	if !ok && q.Expr != nil {
		top = And{q.Expr}
	}
	g := sortOut(top)
	g.text = c.literals(g.text)
	if len(g.text) > 0 { // to the letter as well: the entries that are found are looked at
		g.without = slices.DeleteFunc(g.without, isLiteral)
	} else {
		g.without = c.withoutLiterals(g.without)
	}
	if q.Raw != "" {
		p.Match = restrict(c.raw(q.Raw), g.within)
	} else {
		p.Match = c.text(g, true)
	}
	c.regexes(g)
	if p.Match == nil {
		if p.Futile = len(g.text) > 0; p.Futile && c.empty != nil {
			c.note("%s holds nothing that can be searched for as a word", c.empty)
		}
		p.Where = appendNode(p.Where, c.without(g))
	}
	p.Within = g.within
	for i, share := range p.Shares {
		p.Shares[i] = restrict(share, g.within)
	}
	for _, n := range g.rest {
		p.Where = appendNode(p.Where, c.condition(n, g.within, true))
	}
	if g.within != AllColumns && len(c.seen) == 0 && q.Raw == "" && !p.Scans() {
		c.note(nowhere)
	}
	if c.cost > maxWords {
		c.note("%d words are too many: only the first %d are looked for", len(c.seen), c.words)
	}
	if c.conditions > maxConditions {
		c.note("%d qualifiers are too many: only the first %d count", c.conditions, maxConditions)
	}
	return p
}

type compiler struct {
	plan       *Plan
	seen       map[string]bool // clauses so far; false for those beyond the limit
	words      int             // those of them that are looked for
	cost       int             // of all of them, in words
	conditions int
	empty      Node // one without a word in it
}

func (c *compiler) note(format string, args ...any) {
	c.plan.Notes = append(c.plan.Notes, fmt.Sprintf(format, args...))
}

// parts are the members of an And by what becomes of them.
type parts struct {
	text    []Node    // must be in the text
	without []Node    // must not be
	regexes []Node    // must match: patterns, or ors of them
	never   []Node    // must not
	within  ColumnSet // where it must or must not be
	rest    []Node    // conditions
}

func sortOut(nodes []Node) parts {
	p := parts{within: AllColumns}
	for _, n := range nodes {
		negated := false
		inner := n
		if not, ok := n.(Not); ok {
			negated, inner = true, not.Node
		}
		in, ok := inner.(Filter)
		switch {
		case ok && in.Name == "in" && negated:
			p.within &^= columnsOf(in)
		case ok && in.Name == "in":
			p.within &= columnsOf(in)
		case isRegex(inner) && negated:
			p.never = append(p.never, inner)
		case isRegex(inner):
			p.regexes = append(p.regexes, inner)
		case isText(inner) && negated:
			p.without = append(p.without, inner)
		case isText(inner):
			p.text = append(p.text, inner)
		default:
			p.rest = append(p.rest, n)
		}
	}
	return p
}

// isText reports whether a node can be a full-text expression of its own: it asks for
// text and nothing else. FTS5 has no not, only "a NOT b".
func isText(n Node) bool {
	switch n := n.(type) {
	case Word, Quote:
		return true
	case And:
		p := sortOut(n)
		return len(p.text) > 0 && len(p.rest)+len(p.regexes)+len(p.never) == 0
	case Or:
		return !slices.ContainsFunc(n, func(part Node) bool { return !isText(part) })
	case Some:
		return isText(Or(n))
	}
	return false
}

// isLiteral reports whether a text is quoted: its words alone do not tell whether it
// is there, for they may also stand in a row otherwise, or Inside an identifier.
func isLiteral(n Node) bool {
	_, ok := n.(Quote)
	return ok
}

// shortened cuts very long phrases: to find the place, their first tokens do.
func shortened(patterns []words.Pattern) []words.Pattern {
	patterns = slices.Clone(patterns)
	for i, p := range patterns {
		if len(p.Tokens) > maxPhrase {
			patterns[i] = words.Pattern{Tokens: p.Tokens[:maxPhrase]}
		}
	}
	return patterns
}

// text compiles the text of an And: what it must hold without what it must not.
// With shown, what it finds is highlighted.
func (c *compiler) text(p parts, shown bool) Expression {
	clauses := c.clauses(p.text, shown)
	expr := joined[Expression](clauses, AllOf(clauses))
	if expr == nil {
		return nil
	}
	if not := c.either(p.without, false); not != nil {
		expr = ButNot{expr, not}
	}
	return restrict(expr, p.within)
}

// either compiles texts any of which will do.
func (c *compiler) either(nodes []Node, shown bool) Expression {
	clauses := c.clauses(nodes, shown)
	return joined[Expression](clauses, AnyOf(clauses))
}

// clauses compiles texts, each clause once.
func (c *compiler) clauses(nodes []Node, shown bool) []Expression {
	var clauses []Expression
	seen := map[string]bool{}
	for _, n := range nodes {
		if expr := c.clause(n, shown); expr != nil && !seen[expr.String()] {
			seen[expr.String()] = true
			clauses = append(clauses, expr)
		}
	}
	return clauses
}

// clause compiles one node that is a text.
func (c *compiler) clause(n Node, shown bool) Expression {
	switch n := n.(type) {
	case Word:
		if n.Prefix {
			return c.prefix(n, shown)
		}
		return c.leaf(n, words.Patterns(n.Text), shown)
	case Quote:
		if shown {
			c.plan.Quotes = append(c.plan.Quotes, n.Text)
		}
		return c.leaf(n, words.Quoted(n.Text), shown)
	case And:
		return c.text(sortOut(n), shown)
	case Or:
		c.plan.Simple = false
		return c.either(n, shown)
	case Some:
		c.plan.Simple = false
		c.plan.Shares = c.clauses(n, shown)
		return joined[Expression](c.plan.Shares, AnyOf(c.plan.Shares))
	}
	return nil
}

// raw takes an expression as it is. What looks like a word in it is highlighted.
func (c *compiler) raw(text string) Expression {
	c.plan.Simple = false
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n(){}:+^*,\"", r) }) {
		switch w {
		case "AND", "OR", "NOT", "NEAR":
		default:
			c.plan.Patterns = append(c.plan.Patterns, words.Prefixes(w)...)
		}
	}
	return fts5(text)
}

// prefix compiles the beginning of a word. One letter is the beginning of too
// much: it is a word.
func (c *compiler) prefix(n Word, shown bool) Expression {
	patterns := words.Prefixes(n.Text)
	if len(patterns) > 0 {
		if tokens := patterns[0].Tokens; len(tokens[len(tokens)-1]) < 2 {
			c.note("%s begins too many words: %s is looked for as a word", n, n.Text)
			return c.leaf(n, words.Patterns(n.Text), shown)
		}
		c.cost += prefixCost - 1
	}
	return c.leaf(n, patterns, shown)
}

// leaf is the expression of one word or quoted text, unless there are too many.
func (c *compiler) leaf(n Node, patterns []words.Pattern, shown bool) Expression {
	expr := anyPattern(shortened(patterns))
	if expr == nil {
		if shown {
			c.empty = n
		}
		return nil
	}
	key := expr.String()
	if within, seen := c.seen[key]; seen {
		if !within {
			return nil
		}
		return expr
	}
	c.cost++
	c.seen[key] = c.cost <= maxWords
	if !c.seen[key] {
		return nil
	}
	c.words++
	if shown {
		c.plan.Patterns = append(c.plan.Patterns, patterns...)
	}
	return expr
}

// holds is the condition that an entry, or the title of a session, matches.
func (c *compiler) holds(expr Expression) Node {
	if expr == nil {
		return nil
	}
	c.plan.Titles = true
	return Holds{expr}
}

// without is the condition of an And that only says what must not be there.
func (c *compiler) without(p parts) Node {
	expr := c.either(p.without, false)
	if expr == nil {
		return nil
	}
	return Lacks{restrict(expr, p.within)}
}

// condition compiles a node whose texts are not asked for first; nil demands
// nothing.
func (c *compiler) condition(n Node, within ColumnSet, shown bool) Node {
	switch n := n.(type) {
	case Word, Quote:
		return c.holds(restrict(c.clause(n, shown), within))
	case Pattern:
		c.note("%s cannot be looked for inside of brackets behind a not, or further in", n)
	case Filter:
		if n.Name == "in" { // not beside words, but in their place
			c.note(nowhere)
			return nil
		}
		if c.conditions += len(n.Values); c.conditions > maxConditions {
			return nil
		}
		return n
	case Not:
		if inner := c.condition(n.Node, within, false); inner != nil {
			return Not{inner}
		}
	case And:
		return c.all(sortOut(n), within, shown)
	case Or:
		return c.any(n, within, shown)
	}
	return nil
}

// all compiles an And of texts and other things.
func (c *compiler) all(p parts, within ColumnSet, shown bool) Node {
	var conditions []Node
	p.within &= within
	if expr := c.text(p, shown); expr != nil {
		conditions = appendNode(conditions, c.holds(expr))
	} else {
		conditions = appendNode(conditions, c.without(p))
	}
	for _, n := range slices.Concat(p.rest, p.regexes, p.never) {
		conditions = appendNode(conditions, c.condition(n, p.within, shown))
	}
	return group(conditions)
}

// any compiles an Or of texts and other things.
func (c *compiler) any(nodes Or, within ColumnSet, shown bool) Node {
	var conditions, texts, rest []Node
	for _, n := range nodes {
		if isText(n) {
			texts = append(texts, n)
		} else {
			rest = append(rest, n)
		}
	}
	if expr := c.either(texts, shown); expr != nil {
		conditions = appendNode(conditions, c.holds(restrict(expr, within)))
	}
	for _, n := range rest {
		conditions = appendNode(conditions, c.condition(n, within, shown))
	}
	return joined[Node](conditions, Or(conditions))
}

func appendNode(list []Node, n Node) []Node {
	if n == nil {
		return list
	}
	return append(list, n)
}
