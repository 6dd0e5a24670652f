package question

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"piarchive/internal/words"
)

// columns are the full-text columns by the names that in: takes.
var columns = [...]string{"output", "call", "assistant", "thinking", "user", "notes"}

// Qualifier is one row of the table of filters.
type Qualifier struct {
	Name   string
	About  string   // with the kind of value in backquotes, as in the usage of a flag
	Values []string // the only ones it takes; nil for any
}

// Filters is the table. where.go in package search translates each row to SQL; in:
// is compiled into the full-text expression instead.
func Filters() []Qualifier {
	return []Qualifier{
		{Name: "project", About: "only in projects like `TEXT`; . is this directory"},
		{Name: "cwd", About: "the same as --project `TEXT`"},
		{Name: "after", About: "only entries from `DATE` on"},
		{Name: "until", About: "only entries until the end of `DATE`"},
		{Name: "on", About: "only entries of `DATE`"},
		{Name: "before", About: "only entries before `DATE`"},
		{Name: "role", About: "only messages of `ROLE`"},
		{Name: "type", About: "only entries of `TYPE`"},
		{Name: "tool", About: "only calls and results of `TOOL`"},
		{Name: "model", About: "only answers of `MODEL`"},
		{Name: "provider", About: "only answers of models of `PROVIDER`"},
		{Name: "system", About: "only in sessions of `SYSTEM`: pi, omp, rust, harness"},
		{Name: "session", About: "only in the session `ID`"},
		{Name: "name", About: "only in sessions with `TEXT` in their name"},
		{Name: "label", About: "only entries with `TEXT` in their label"},
		{Name: "file", About: "only calls that touched a file with `TEXT` in its path"},
		{Name: "in", About: "only in these kinds of text: `KINDS`", Values: append([]string{"tool", "error"}, columns[:]...)},
		{Name: "is", About: "only entries that are `WHAT`, as is: says", Values: []string{
			"active", "abandoned", "leaf", "missing", "error", "aborted", "named", "labelled", "fork", "subagent"}},
		{Name: "has", About: "only entries that have `WHAT`, as has: says; compaction: all of its session", Values: []string{"image", "thinking", "toolcall", "compaction"}},
		{Name: "under", About: "only below `ENTRY`"},
		{Name: "cost", About: "only in sessions of that cost: `RANGE`"},
		{Name: "tokens", About: "only in sessions of so many tokens: `RANGE`"},
	}
}

// Qualifiers returns the names of all qualifiers.
func Qualifiers() []string {
	var names []string
	for _, q := range Filters() {
		names = append(names, q.Name)
	}
	return append(names, "sort", "limit")
}

// Sorts are the orders of an answer.
func Sorts() []string { return []string{"rank", "new", "old", "cost"} }

// KnownValues returns what a qualifier takes whatever the archive holds: all
// that it takes, or of dates some; nil where any text will do.
func KnownValues(name string) []string {
	if name == "sort" {
		return Sorts()
	}
	if values := findQualifier(name).Values; values != nil {
		return values
	}
	if IsDate(name) {
		return []string{"today", "yesterday", "-3d", "-7d", "-2w", "-1mo", "-3mo", "-1y"}
	}
	return nil
}

// IsDate reports whether a qualifier takes dates.
func IsDate(name string) bool {
	return slices.Contains([]string{"after", "before", "on", "until"}, name)
}

// maxName is the length of the longest name.
const maxName = len("provider")

func isQualifier(name string) bool {
	return slices.Contains(Qualifiers(), name)
}

// nearQualifier returns the qualifier that a name is one slip away from.
func nearQualifier(name string) string {
	const least = 3 // shorter names are near everything
	names := slices.DeleteFunc(Qualifiers(), func(q string) bool { return len(q) < least })
	if len(name) < least {
		return ""
	}
	return words.Nearest(name, names, 1)
}

// findQualifier returns the row of a name, an empty one if there is none.
func findQualifier(name string) (found Qualifier) {
	for _, q := range Filters() {
		if q.Name == name {
			found = q
		}
	}
	return found
}

// NewFilter makes a filter from the value of a flag: a comma list.
func NewFilter(name, value string) Filter {
	l := lexer{rest: value}
	f := Filter{Name: name, Values: l.values()}
	if l.rest != "" { // white space: the value is one text
		f.Values = []string{value}
	}
	return f
}

// With returns the question with one more condition.
func (q Query) With(f Filter) Query {
	switch e := q.Expr.(type) {
	case nil:
		q.Expr = f
	case And:
		q.Expr = append(e[:len(e):len(e)], f)
	default:
		q.Expr = And{e, f}
	}
	return q
}

// maxValue is the length in bytes of the longest value that is compared:
// longer than any path, shorter than what SQLite takes for a pattern.
const maxValue = 8192

// Refuse returns why the values of a filter make no sense, "" if they do.
func (f Filter) Refuse() string {
	q := findQualifier(f.Name)
	for _, v := range f.Values {
		switch {
		case v == "" && q.Values == nil:
			return "takes a value"
		case len(v) > maxValue:
			return fmt.Sprintf("takes no value of %d bytes", len(v))
		case q.Values != nil && !slices.Contains(q.Values, v):
			return fmt.Sprintf("takes %s, not %q", strings.Join(q.Values, ", "), v)
		case IsDate(f.Name):
			if _, _, err := ParseDate(v, time.Now()); err != nil {
				return fmt.Sprintf("takes a date such as 2026-09-01, yesterday or -3d, not %q", v)
			}
		case f.Name == "cost" || f.Name == "tokens":
			if _, _, ok := ParseRange(v); !ok {
				return fmt.Sprintf("takes >1, <5 or 10k..50k, not %q", v)
			}
		}
	}
	return ""
}

// Values returns the values of every filter of a name in a question.
func Values(n Node, name string) []string {
	var parts []Node
	switch n := n.(type) {
	case Filter:
		if n.Name == name {
			return n.Values
		}
	case Not:
		return Values(n.Node, name)
	case And:
		parts = n
	case Or:
		parts = n
	}
	var values []string
	for _, part := range parts {
		values = append(values, Values(part, name)...)
	}
	return values
}
