package search

import (
	"cmp"
	"strings"
	"time"

	"piarchive/internal/index"
	"piarchive/internal/query"
	"piarchive/internal/query/question"
	"piarchive/internal/query/session"
)

// condition is a piece of SQL over entry e, or over session s and source f.
type condition struct {
	sql      string
	args     []any
	sessions string // the same as sql where it is about the session alone: SQL over s and f, with the same args
}

// environment is what some filters depend on.
type environment struct {
	now    time.Time
	cwd    string            // of the user: "." in project:.
	id     string            // SQL for the id of the entry; e has none for a title
	byText bool              // a full-text expression has found the entries that are filtered
	below  map[string]string // by value of under:, the ids of the entries below, as JSON
}

// filter says for each qualifier but in: which entries have one of its values.
func filter(name string) func(v string, env environment) condition {
	return map[string]func(string, environment) condition{
		"role":     column("e.role"),
		"type":     column("e.type"),
		"provider": column("e.provider"),
		"system":   ofSession(column("s.system")),
		"model": func(v string, _ environment) condition {
			return either(plain(query.Matching("e.model", v)), plain(query.Matching("e.provider || '/' || e.model", v)))
		},
		"tool": func(v string, env environment) condition {
			return either(plain(query.Matching("e.tool", v)), ofEntry("_tool_call t", "t.entry", plain(query.Matching("t.name", v)), env))
		},
		"project": ofSession(project),
		"cwd":     ofSession(project),
		"session": ofSession(func(v string, _ environment) condition {
			if strings.ContainsAny(v, "*?") {
				return plain(query.Matching("s.session_id", v))
			}
			return condition{sql: "(s.session_id = ? OR substr(s.session_id, 1, length(?)) = ? OR f.path = ?)", args: []any{v, v, v, v}}
		}),
		"name": ofSession(func(v string, _ environment) condition { return plain(query.Containing("s.name", v)) }),
		"label": func(v string, env environment) condition {
			return ofEntry("labels t", "t.target", plain(query.Containing("t.label", v)), environment{})
		},
		"file": func(v string, env environment) condition {
			return ofEntry("_file_touch t", "t.entry", plain(query.Containing("t.path", v)), env)
		},
		"is":     is,
		"has":    has,
		"under":  under,
		"after":  date(">=", ""),
		"before": date("<", ""),
		"on":     date(">=", "<"),
		"until":  date("", "<"),
		"cost":   ofSession(number("s.cost")),
		"tokens": ofSession(number("s.total")),
	}[name]
}

// condition spells a part of a plan.
func (env environment) condition(n question.Node) condition {
	const matching = " IN (SELECT rowid FROM fts WHERE fts MATCH ?)"
	switch n := n.(type) {
	case question.Filter:
		conditions := make([]condition, len(n.Values))
		for i, v := range n.Values {
			conditions[i] = filter(n.Name)(v, env)
		}
		return either(conditions...)
	case question.Holds:
		// The plus keeps SQLite from looking each of very many rows up.
		return condition{sql: "+" + env.id + matching, args: []any{n.Text.String()}}
	case question.Lacks:
		return condition{sql: env.id + " NOT" + matching, args: []any{n.Text.String()}}
	case question.Not:
		inner := env.condition(n.Node)
		inner.sql = "NOT coalesce(" + inner.sql + ", 0)"
		if inner.sessions != "" {
			inner.sessions = "NOT coalesce(" + inner.sessions + ", 0)"
		}
		return inner
	case question.And:
		return combine(" AND ", env.conditions(n))
	case question.Or:
		return combine(" OR ", env.conditions(n))
	}
	return condition{}
}

func (env environment) conditions(nodes []question.Node) []condition {
	conditions := make([]condition, len(nodes))
	for i, n := range nodes {
		conditions[i] = env.condition(n)
	}
	return conditions
}

// ofSession makes a condition on entries of one on their session and source:
// the sessions are looked through once.
func ofSession(sql func(string, environment) condition) func(string, environment) condition {
	return func(v string, env environment) condition {
		c := sql(v, env)
		c.sessions = c.sql
		c.sql = env.id + " >> 24 IN (" + sessionsWhere + c.sql + ")"
		return c
	}
}

const sessionsWhere = "SELECT s.id FROM _session s JOIN _source f ON f.id = s.id WHERE "

// ofEntry is the condition that a row of another table belongs to the entry. A
// few entries found by their text are looked up there; else the table is looked
// through once.
func ofEntry(table, key string, c condition, env environment) condition {
	if env.byText {
		c.sql = "EXISTS (SELECT 1 FROM " + table + " WHERE " + key + " = e.id AND " + c.sql + ")"
	} else {
		c.sql = "e.id IN (SELECT " + key + " FROM " + table + " WHERE " + c.sql + ")"
	}
	return c
}

// either joins conditions by OR.
func either(conditions ...condition) condition { return combine(" OR ", conditions) }

func combine(operator string, conditions []condition) condition {
	switch len(conditions) {
	case 0:
		return condition{}
	case 1:
		return conditions[0]
	}
	var all condition
	ofSessions := true
	for i, c := range conditions {
		if i > 0 {
			all.sql += operator
			all.sessions += operator
		}
		all.sql += c.sql
		all.sessions += c.sessions
		all.args = append(all.args, c.args...)
		ofSessions = ofSessions && c.sessions != ""
	}
	all.sql = "(" + all.sql + ")"
	if all.sessions = "(" + all.sessions + ")"; !ofSessions {
		all.sessions = ""
	}
	return all
}

func column(name string) func(string, environment) condition {
	return func(v string, _ environment) condition { return plain(query.Matching(name, v)) }
}

func project(v string, env environment) condition { return plain(query.InProject(v, env.cwd)) }

// plain is a condition on what stands in the rows that are asked.
func plain(sql string, args []any) condition { return condition{sql: sql, args: args} }

// isActive holds for entries on the way from the root to the current leaf.
const isActive = "(e.id IS NOT NULL AND e.dup_of IS NULL AND NOT " + session.Abandoned + ")"

// leaves are the entries that are nobody's parent: in a session of one branch
// the current leaf, elsewhere what a look at all entries shows.
const leaves = `SELECT leaf FROM _session WHERE abandoned IS NULL AND n_leaves = 1
 UNION ALL SELECT id FROM (SELECT e.id` + ofBranched + `EXCEPT SELECT e.parent` + ofBranched + `AND e.parent <> e.id)`

const ofBranched = ` FROM _session s JOIN _entry e ON e.id BETWEEN (s.id << 24) + 1 AND (s.id << 24) + 16777215
 WHERE NOT (s.abandoned IS NULL AND s.n_leaves = 1) AND e.dup_of IS NULL `

// under holds for the entries below the ones that a value names.
func under(v string, env environment) condition {
	return condition{sql: "e.id IN (SELECT value FROM json_each(?))", args: []any{cmp.Or(env.below[v], "[]")}}
}

func is(v string, env environment) condition {
	switch v {
	case "error":
		return condition{sql: query.Flagged(index.FlagError)}
	case "aborted":
		return condition{sql: query.Flagged(index.FlagAborted)}
	case "labelled":
		return condition{sql: "e.id IN (SELECT target FROM labels)"}
	case "active":
		return condition{sql: isActive}
	case "abandoned":
		return condition{sql: session.Abandoned}
	case "leaf":
		return condition{sql: "e.id IN (" + leaves + ")"}
	}
	return ofSession(func(string, environment) condition {
		return condition{sql: map[string]string{
			"missing":  "f.missing_at IS NOT NULL",
			"named":    "s.name IS NOT NULL",
			"fork":     "s.parent IS NOT NULL AND s.kind = 'session'",
			"subagent": "s.kind = 'subagent'",
		}[v]}
	})(v, env)
}

func has(v string, env environment) condition {
	if v == "compaction" {
		return condition{sql: env.id + " >> 24 IN (SELECT entry >> 24 FROM _compaction)"}
	}
	return condition{sql: map[string]string{
		"image":    query.Flagged(index.FlagImage),
		"thinking": query.Flagged(index.FlagThinking),
		"toolcall": query.Flagged(index.FlagToolCall),
	}[v]}
}

// moment is SQL for when something was said: what has no time of its own, such
// as a title, is as old as its session.
func (env environment) moment() string {
	return "coalesce(e.at, (SELECT created_at FROM _session WHERE id = " + env.id + " >> 24))"
}

// date compares the time of an entry with the first moment of a date, with the
// first one after it, or both.
func date(first, after string) func(string, environment) condition {
	return func(v string, env environment) condition {
		from, to, err := question.ParseDate(v, env.now)
		if err != nil { // Refuse lets none through
			return condition{sql: "0"}
		}
		var c []condition
		if first != "" {
			c = append(c, condition{sql: env.moment() + " " + first + " ?", args: []any{from.UnixMilli()}})
		}
		if after != "" {
			c = append(c, condition{sql: env.moment() + " " + after + " ?", args: []any{to.UnixMilli()}})
		}
		return combine(" AND ", c)
	}
}

// number compares a column with a range.
func number(column string) func(string, environment) condition {
	return func(v string, _ environment) condition {
		low, high, _ := question.ParseRange(v)
		return condition{sql: "(" + column + " >= ? AND " + column + " <= ?)", args: []any{low, high}}
	}
}
