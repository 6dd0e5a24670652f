package question

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"piarchive/internal/query/regex"
)

// Parse reads a question. Every text is one:
//
//	words             all of them
//	"a phrase"        as it stands
//	-word -(…)        not
//	a OR b, ( )       either, grouping
//	a AND b, a NOT b  as a b, a -b; at the ends such a word is text
//	word*             words that begin so
//	/regex/           a regular expression
//	name:value        a qualifier; name:a,b takes either; name:"two words"
//
// Whatever does not fit, such as a lone quote, an unknown qualifier or a bracket
// without its partner, is literal text.
func Parse(text string) Query {
	p := parser{tokens: lex(text)}
	q := &p.query
	nodes := p.alternatives(0)
	for p.at < len(p.tokens) { // a closing bracket that was never opened
		p.at++
		nodes = append(nodes, p.alternatives(0)...)
	}
	q.Expr = group(nodes)
	q.typed, q.Text = text, besideQualifiers(text, p.tokens)
	return *q
}

// besideQualifiers is a text without its qualifiers, "" where some stand in brackets.
func besideQualifiers(text string, tokens []token) string {
	var b strings.Builder
	depth, from := 0, 0
	for _, t := range tokens {
		switch {
		case t.kind == open:
			depth++
		case t.kind == closing:
			depth--
		case t.name != "" && depth > 0:
			return ""
		case t.name != "":
			b.WriteString(text[from:t.start])
			from = t.end
		}
	}
	return strings.TrimSpace(b.String() + text[from:])
}

// ParseRegex reads a question that is one regular expression.
func ParseRegex(text string) (Query, error) {
	if _, err := regex.Compile(text); err != nil {
		return Query{}, err
	}
	var b strings.Builder // a slash inside would end it
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			b.WriteByte(text[i])
			i++
		} else if text[i] == '/' {
			b.WriteByte('\\')
		}
		b.WriteByte(text[i])
	}
	return Query{Expr: Pattern{b.String()}}, nil
}

// ParseRaw reads a question that is an expression of FTS5.
func ParseRaw(text string) Query { return Query{Raw: text} }

type parser struct {
	tokens []token
	at     int
	query  Query
}

// alternatives reads parts up to a closing bracket; OR binds weaker than
// standing side by side.
func (p *parser) alternatives(depth int) []Node {
	var either []Node
	var all []Node
	operator := "" // that stands directly in front
	for p.at < len(p.tokens) {
		t := p.tokens[p.at]
		if t.kind == closing {
			break
		}
		p.at++
		if p.operates(t, operator, len(all) > 0) {
			if t.text == "OR" {
				either, all = append(either, group(all)), nil
			}
			operator = t.text
			continue
		}
		n := p.part(t, depth)
		if operator == "NOT" && n != nil {
			n = Not{n}
		}
		operator = ""
		if t.name == "in" {
			all = append(all, errorsOnly(n)...)
		} else if n != nil {
			all = append(all, n)
		}
	}
	if len(either) == 0 {
		return all
	}
	if len(all) > 0 {
		either = append(either, group(all))
	}
	return []Node{joined[Node](either, Or(either))} // some alternatives may hold nothing
}

// operates reports whether a token, behind which the parser is, is an operator: a word
// such between two others, not behind another operator, but that NOT may follow
// AND and OR.
func (p *parser) operates(t token, before string, any bool) bool {
	if t.kind != word || !isOperator(t.text) || t.negated || t.name != "" || p.at == len(p.tokens) || p.tokens[p.at].kind == closing {
		return false
	}
	return any && before == "" || t.text == "NOT" && (before == "AND" || before == "OR")
}

func isOperator(text string) bool { return text == "AND" || text == "OR" || text == "NOT" }

// maxNesting bounds the brackets that are looked into; deeper ones are ignored.
// FTS5 reads an expression with a stack of 100 places, and each level of ours
// takes up to 12 of them.
const maxNesting = 6

// part reads one word, quote, qualifier or bracket.
func (p *parser) part(t token, depth int) Node {
	var n Node
	switch {
	case t.kind == open && depth < maxNesting:
		n = group(p.alternatives(depth + 1))
		if p.at < len(p.tokens) {
			p.at++
		}
	case t.kind == open:
		return nil
	case t.name != "":
		n = p.qualifier(t)
	case t.kind == quote:
		n = Quote{t.text}
	case t.kind == pattern:
		n = p.regex(t.text)
	default:
		n = p.literal(t.text)
	}
	if n != nil && t.negated {
		n = Not{n}
	}
	return n
}

// qualifier turns name:values into a filter, a setting of the whole question,
// or, where the values make no sense, literal text.
func (p *parser) qualifier(t token) Node {
	switch t.name {
	case "sort":
		if v := t.values[0]; slices.Contains(Sorts(), v) {
			p.query.Sort = v
		} else {
			p.hint("sort: takes rank, new, old or cost")
		}
		return nil
	case "limit":
		if n, err := strconv.Atoi(t.values[0]); err == nil && n > 0 {
			p.query.Limit = n
		} else {
			p.hint("limit: takes a number")
		}
		return nil
	}
	f := Filter{Name: t.name, Values: t.values}
	if why := f.Refuse(); why != "" {
		p.hint("%s: %s; it is searched for as text", t.name, why)
		return Word{Text: t.text}
	}
	return f
}

// errorsOnly takes in:error apart: messages of errors are notes or outputs of entries
// that failed.
func errorsOnly(n Node) []Node {
	failed := Filter{Name: "is", Values: []string{"error"}}
	switch n.String() {
	case "in:error":
		return []Node{Filter{Name: "in", Values: []string{"notes", "output"}}, failed}
	case "-in:error":
		return []Node{Not{failed}}
	}
	return []Node{n}
}

// regex is a regular expression, or where it is none, literal text.
func (p *parser) regex(text string) Node {
	if _, err := regex.Compile(text); err != nil {
		p.hint("/%s/ is searched for as text: %v", text, err)
		return Word{Text: "/" + text + "/"}
	}
	return Pattern{text}
}

// literal is a bare word. One that looks like a qualifier with a slip of the
// finger gets a hint.
func (p *parser) literal(text string) Node {
	if name, value, ok := strings.Cut(text, ":"); ok && value != "" && len(name) <= maxName+1 {
		if meant := nearQualifier(name); meant != "" {
			p.hint("%s: is searched for as text; did you mean %s: ?", name, meant)
		}
	}
	if stem, ok := strings.CutSuffix(text, "*"); ok && stem != "" && !strings.HasSuffix(stem, "*") {
		return Word{Text: stem, Prefix: true}
	}
	return Word{Text: text}
}

func (p *parser) hint(format string, args ...any) {
	p.query.Hints = append(p.query.Hints, fmt.Sprintf(format, args...))
}

// group makes one node of several.
func group(nodes []Node) Node { return joined[Node](nodes, And(nodes)) }

// joined is many, unless that has one part or none.
func joined[T any](parts []T, many T) T {
	switch len(parts) {
	case 0:
		var none T
		return none
	case 1:
		return parts[0]
	}
	return many
}
