package query

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Matching compares a column with a value, in which * and ? stand for any text and
// any character. Case does not matter.
func Matching(column, v string) (string, []any) {
	pattern, operator := glob(v), " = ?"
	if strings.ContainsAny(pattern, "*?[") {
		operator = " GLOB ?"
	}
	return "lower(" + column + ")" + operator, []any{pattern}
}

// Flagged is a condition on entry e: that it has a flag of package index.
func Flagged(flag int) string { return fmt.Sprintf("e.flags & %d <> 0", flag) }

// Containing looks for a value inside a column, unless * and ? say where it is.
func Containing(column, v string) (string, []any) {
	if !strings.ContainsAny(v, "*?") {
		v = "*" + v + "*"
	}
	return Matching(column, v)
}

// glob is a value as a pattern for GLOB on a lower-case column: only * and ?
// are special. SQLite's lower knows ASCII only, so of other letters each case
// will do.
func glob(v string) string {
	var b strings.Builder
	for _, r := range v {
		switch other := unicode.SimpleFold(r); {
		case r == '[':
			b.WriteString("[[]")
		case r < utf8.RuneSelf:
			b.WriteRune(unicode.ToLower(r))
		case other == r:
			b.WriteRune(r)
		default:
			b.WriteRune('[')
			for b.WriteRune(r); other != r; other = unicode.SimpleFold(other) {
				b.WriteRune(other)
			}
			b.WriteRune(']')
		}
	}
	return b.String()
}

// InProject compares the directory of a session: "." and absolute paths mean that
// directory and all below it. Sessions of other systems have their separators.
func InProject(v, cwd string) (string, []any) {
	switch {
	case v == "." && cwd == "":
		return "0", nil // nowhere
	case v == ".":
		v = cwd
	case strings.ContainsAny(v, "*?") || !filepath.IsAbs(v) && !strings.HasPrefix(v, "/"):
		like, values := Containing("cwd", v)
		return "s.cwd IN (SELECT cwd FROM (" + projects + ") WHERE " + like + ")", values
	}
	v = strings.TrimRight(v, `/\`)
	return `(s.cwd = ? OR s.cwd >= ? AND s.cwd < ? OR s.cwd >= ? AND s.cwd < ?)`, []any{v, v + "/", v + "0", v + `\`, v + "]"}
}

// projects lists the directories of sessions, each once: it looks for the next one in
// the index, where DISTINCT would go through all sessions.
const projects = `WITH RECURSIVE p(cwd) AS (SELECT min(cwd) FROM _session UNION ALL` +
	` SELECT (SELECT min(cwd) FROM _session WHERE cwd > p.cwd) FROM p WHERE p.cwd IS NOT NULL) SELECT cwd FROM p`
