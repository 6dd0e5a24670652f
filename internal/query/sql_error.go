package query

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"piarchive/internal/index"
	"piarchive/internal/words"
)

// SQLError is what SQLite has against a statement, with its place in the text.
type SQLError struct {
	Message      string
	Line, Column int    // of what is wrong, both from 1, in characters; 0: not known
	Kind         string // what Name is of: "token", "table", "column", "function", "parameter"; "" if nothing
	Name         string // that is not known
	Known        []string
	err          error
}

// Error implements error.
func (e *SQLError) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// Unwrap gives the error of the driver.
func (e *SQLError) Unwrap() error { return e.err }

// Nearest is what may have been meant instead of the name, "" if nothing is near.
func (e *SQLError) Nearest() string {
	name := strings.ToLower(e.Name[strings.LastIndexByte(e.Name, '.')+1:])
	best := words.Nearest(name, e.Known, 1+len(name)/4)
	switch {
	case best == name:
		return ""
	case e.Kind == "token":
		return strings.ToUpper(best)
	}
	return best
}

// Plain is [index.Plain] for those who do not know the archive below.
func Plain(err error) string { return index.Plain(err) }

// complaints are the messages that name something, and what they name: patterns
// that only a mistake compiles, not every start.
var complaints = [...]struct{ kind, pattern string }{
	{"token", `(?s)^near "(.*)": syntax error$`},
	{"text", `(?s)^unrecognized token: "(.*)"$`},
	{"table", `(?s)^no such table: (?:main\.)?(.*)$`},
	{"column", `(?s)^no such column: (.*)$`},
	{"function", `(?s)^no such function: (.*)$`},
	{"text", `(?s)^ambiguous column name: (.*)$`},
	{"text", `(?s)^wrong number of arguments to function (.*)\(\)$`},
	{"parameter", `(?s)^missing named argument "(.*)"$`},
}

// explain makes an [SQLError] of what went wrong with the statement at offset
// in text. What it cannot find out stays empty.
func (a *Archive) explain(ctx context.Context, err error, text string, offset int, statement string) error {
	e := &SQLError{Message: index.Plain(err), err: err}
	for _, c := range complaints {
		if m := regexp.MustCompile(c.pattern).FindStringSubmatch(e.Message); m != nil {
			e.Kind, e.Name = c.kind, m[1]
			break
		}
	}
	at := -1
	if e.Kind != "" && e.Kind != "parameter" {
		at = a.locate(ctx, e, statement)
	}
	if at >= 0 {
		before := text[:offset+at]
		e.Line = strings.Count(before, "\n") + 1
		e.Column = utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	}
	switch e.Kind {
	case "token":
		e.Known = strings.Fields(keywords)
	case "table":
		e.Known = a.names(ctx, `SELECT name FROM sqlite_master WHERE type = 'view' OR name = 'fts'`)
	case "function":
		e.Known = a.names(ctx, `SELECT DISTINCT name FROM pragma_function_list WHERE name GLOB '[a-z]*'`)
	case "column":
		e.Known = a.columns(ctx, statement)
	case "text":
		e.Kind, e.Name = "", ""
	}
	return e
}

// keywords are what a misspelled word in the wrong place may have been.
const keywords = "select from where group order by having limit offset join left inner outer cross on using union except intersect all distinct " +
	"and or not in is null like glob regexp match between exists case when then else end as asc desc with recursive values cast collate over partition filter"

// names are the answers to a query of one column; none if it fails.
func (a *Archive) names(ctx context.Context, query string, args ...any) (names []string) {
	if err := a.db.SelectContext(ctx, &names, query, args...); err != nil {
		return nil
	}
	return names
}

// columns are the columns of the views that a statement names, else of all.
func (a *Archive) columns(ctx context.Context, statement string) []string {
	views, err := a.Views(ctx)
	if err != nil {
		return nil
	}
	var named, all []string
	for _, v := range views {
		for _, c := range v.Columns {
			all = append(all, c.Name)
			if len(occurrences(statement, v.Name)) > 0 {
				named = append(named, c.Name)
			}
		}
	}
	if named == nil {
		named = all
	}
	slices.Sort(named)
	return slices.Compact(named)
}

// locate finds where in a statement a message points to, -1 if that is not
// certain.
func (a *Archive) locate(ctx context.Context, e *SQLError, statement string) int {
	name := e.Name
	places := occurrences(statement, name)
	if e.Kind == "column" && len(places) == 0 { // SQLite may have left out the quotes, or the table
		name = name[strings.LastIndexByte(name, '.')+1:]
		places = occurrences(statement, name)
	}
	if len(places) == 1 {
		return places[0]
	}
	if e.Kind != "token" {
		return -1
	}
	// The token at fault is the first one that the statement cannot go on with:
	// cut behind one before it, the statement is merely incomplete.
	const most = 100
	for _, at := range places[:min(len(places), most)] {
		prepared, err := a.db.PrepareContext(ctx, statement[:at+len(name)])
		if err == nil {
			prepared.Close()
			continue
		}
		if index.Plain(err) == e.Message {
			return at
		}
	}
	return -1
}

// occurrences are the places where a token, or some tokens in a row, stand in a
// statement outside of comments and other strings, case aside.
func occurrences(statement, token string) (places []int) {
	if token == "" {
		return nil
	}
	for i := 0; i < len(statement); {
		rest := statement[i:]
		word := 0
		for word < len(rest) && isWordByte(rest[word]) {
			word++
		}
		if len(rest) >= len(token) && strings.EqualFold(rest[:len(token)], token) && (word == 0 || len(token) >= word) &&
			(len(rest) == len(token) || !isWordByte(token[len(token)-1]) || !isWordByte(rest[len(token)])) {
			places = append(places, i)
		}
		i += max(1, word, opaque(rest))
	}
	return places
}

// isWordByte holds for what words are made of; all beyond ASCII is.
func isWordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}
