package query

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// condition is a piece of SQL over entry e, session s and source f.
type condition struct {
	sql  string
	args []any
}

// qualifier is one row of the table of filters.
type qualifier struct {
	name   string
	values []string // the only ones it takes; nil for any
	sql    func(v string, env environment) condition
}

// environment is what some filters depend on.
type environment struct {
	now time.Time
	cwd string // of the user: "." in project:.
}

// columns are the full-text columns by the names that in: takes.
var columns = [...]string{"output", "call", "assistant", "thinking", "user", "notes"}

// qualifiers is the table. in: is compiled into the full-text expression and
// has no SQL of its own.
func qualifiers() []qualifier {
	return []qualifier{
		{name: "in", values: append([]string{"tool"}, columns[:]...)},
		{name: "role", sql: column("e.role")},
		{name: "type", sql: column("e.type")},
		{name: "provider", sql: column("e.provider")},
		{name: "system", sql: column("s.system")},
		{name: "model", sql: func(v string, _ environment) condition {
			return either(match("e.model", v), match("e.provider || '/' || e.model", v))
		}},
		{name: "tool", sql: func(v string, _ environment) condition {
			call := match("c.name", v)
			call.sql = "EXISTS (SELECT 1 FROM tool_call c WHERE c.entry = e.id AND " + call.sql + ")"
			return either(match("e.tool", v), call)
		}},
		{name: "project", sql: project},
		{name: "cwd", sql: project},
		{name: "session", sql: func(v string, _ environment) condition {
			return condition{"(s.session_id = ? OR substr(s.session_id, 1, length(?)) = ? OR f.path = ?)", []any{v, v, v, v}}
		}},
		{name: "name", sql: func(v string, _ environment) condition { return contains("s.name", v) }},
		{name: "label", sql: func(v string, _ environment) condition {
			c := contains("l.label", v)
			c.sql = "EXISTS (SELECT 1 FROM labels l WHERE l.session = s.id AND l.target = e.id AND " + c.sql + ")"
			return c
		}},
		{name: "file", sql: func(v string, _ environment) condition {
			c := contains("t.path", v)
			c.sql = "EXISTS (SELECT 1 FROM file_touch t WHERE t.entry = e.id AND " + c.sql + ")"
			return c
		}},
		{name: "is", values: []string{"missing", "error", "aborted", "named", "labelled", "fork", "subagent"}, sql: is},
		{name: "has", values: []string{"image", "thinking", "toolcall", "compaction"}, sql: has},
		{name: "after", sql: date}, {name: "before", sql: date}, {name: "on", sql: date},
		{name: "cost", sql: number("s.cost")},
		{name: "tokens", sql: number("s.total")},
	}
}

func isQualifier(name string) bool {
	_, ok := findQualifier(name)
	return ok || name == "sort" || name == "limit"
}

func findQualifier(name string) (qualifier, bool) {
	for _, q := range qualifiers() {
		if q.name == name {
			return q, true
		}
	}
	return qualifier{}, false
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

// Refuse returns why the values of a filter make no sense, "" if they do.
func (f Filter) Refuse() string {
	q, _ := findQualifier(f.Name)
	for _, v := range f.Values {
		switch f.Name {
		case "after", "before", "on":
			if _, _, err := ParseDate(v, time.Now()); err != nil {
				return fmt.Sprintf("%s: takes a date such as 2026-09-01, yesterday or -3d; %q is searched for as text", f.Name, v)
			}
		case "cost", "tokens":
			if _, _, ok := parseRange(v); !ok {
				return fmt.Sprintf("%s: takes >1, <5 or 10k..50k; %q is searched for as text", f.Name, v)
			}
		default:
			if v == "" || q.values != nil && !containsString(q.values, v) {
				return fmt.Sprintf("%s: takes %s; %q is searched for as text", f.Name, strings.Join(q.values, ", "), v)
			}
		}
	}
	return ""
}

func containsString(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// condition compiles a filter.
func (f Filter) condition(env environment) condition {
	q, _ := findQualifier(f.Name)
	conditions := make([]condition, len(f.Values))
	for i, v := range f.Values {
		if f.Name == "after" || f.Name == "before" || f.Name == "on" {
			v = f.Name + " " + v
		}
		conditions[i] = q.sql(v, env)
	}
	return either(conditions...)
}

// either joins conditions by OR.
func either(conditions ...condition) condition {
	var all condition
	for i, c := range conditions {
		if i > 0 {
			all.sql += " OR "
		}
		all.sql += c.sql
		all.args = append(all.args, c.args...)
	}
	all.sql = "(" + all.sql + ")"
	return all
}

func column(name string) func(string, environment) condition {
	return func(v string, _ environment) condition { return match(name, v) }
}

// match compares a column with a value or, with * or ? in it, a glob. Case
// does not matter.
func match(column, v string) condition {
	if strings.ContainsAny(v, "*?") {
		return condition{"lower(" + column + ") GLOB ?", []any{glob(v)}}
	}
	return condition{"lower(" + column + ") = ?", []any{strings.ToLower(v)}}
}

// contains looks for a value inside a column, or compares it as a glob.
func contains(column, v string) condition {
	if strings.ContainsAny(v, "*?") {
		return condition{"lower(" + column + ") GLOB ?", []any{glob(v)}}
	}
	return condition{"instr(lower(" + column + "), ?) > 0", []any{strings.ToLower(v)}}
}

// glob is a value as a pattern for GLOB: only * and ? are special.
func glob(v string) string { return strings.ReplaceAll(strings.ToLower(v), "[", "[[]") }

// project compares the directory of a session: "." and absolute paths mean that
// directory and all below it.
func project(v string, env environment) condition {
	switch {
	case v == ".":
		v = env.cwd
	case !filepath.IsAbs(v) || strings.ContainsAny(v, "*?"):
		return contains("s.cwd", v)
	}
	below := strings.TrimSuffix(v, string(filepath.Separator)) + string(filepath.Separator)
	return condition{"(s.cwd = ? OR substr(s.cwd, 1, ?) = ?)", []any{v, len([]rune(below)), below}}
}

func is(v string, _ environment) condition {
	return condition{sql: map[string]string{
		"missing":  "f.missing_at IS NOT NULL",
		"error":    "e.flags & 8 <> 0",
		"aborted":  "e.flags & 16 <> 0",
		"named":    "s.name IS NOT NULL",
		"labelled": "EXISTS (SELECT 1 FROM labels l WHERE l.session = s.id AND l.target = e.id)",
		"fork":     "s.parent IS NOT NULL",
		"subagent": "s.kind = 'subagent'",
	}[v]}
}

func has(v string, _ environment) condition {
	return condition{sql: map[string]string{
		"image":      "e.flags & 1 <> 0",
		"thinking":   "e.flags & 2 <> 0",
		"toolcall":   "e.flags & 4 <> 0",
		"compaction": "EXISTS (SELECT 1 FROM compaction c WHERE c.entry BETWEEN s.id << 24 AND (s.id << 24) + 16777215)",
	}[v]}
}

// date compares the time of an entry; v is the qualifier and the date.
func date(v string, env environment) condition {
	name, text, _ := strings.Cut(v, " ")
	from, to, err := ParseDate(text, env.now)
	if err != nil {
		return condition{sql: "0"}
	}
	switch name {
	case "after":
		return condition{"e.at >= ?", []any{from.UnixMilli()}}
	case "before":
		return condition{"e.at < ?", []any{from.UnixMilli()}}
	}
	return condition{"(e.at >= ? AND e.at < ?)", []any{from.UnixMilli(), to.UnixMilli()}}
}

func number(column string) func(string, environment) condition {
	return func(v string, _ environment) condition {
		low, high, _ := parseRange(v)
		return condition{"(" + column + " >= ? AND " + column + " <= ?)", []any{low, high}}
	}
}

// parseRange reads >1, >=1, <5, 10k..50k or a lone number.
func parseRange(v string) (low, high float64, ok bool) {
	const most = 1e300
	amount := func(s string) (float64, bool) {
		scale := 1.0
		switch {
		case strings.HasSuffix(s, "k"):
			s, scale = s[:len(s)-1], 1e3
		case strings.HasSuffix(s, "M"):
			s, scale = s[:len(s)-1], 1e6
		}
		n, err := strconv.ParseFloat(strings.TrimPrefix(s, "$"), 64)
		return n * scale, err == nil && n == n && n < most && n > -most
	}
	if a, b, found := strings.Cut(v, ".."); found {
		low, high, ok = -most, most, a != "" || b != ""
		if a != "" && ok {
			low, ok = amount(a)
		}
		if b != "" && ok {
			high, ok = amount(b)
		}
		return low, high, ok
	}
	for _, op := range []string{">=", "<=", ">", "<"} {
		if rest, found := strings.CutPrefix(v, op); found {
			n, ok := amount(rest)
			if op[0] == '>' {
				return n, most, ok
			}
			return -most, n, ok
		}
	}
	n, ok := amount(v)
	return n, n, ok
}
