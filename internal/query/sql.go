package query

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"strings"
)

// ErrNotReading means that a statement is of a kind that could do something
// else than read.
var ErrNotReading = errors.New("a statement of sql begins with SELECT, WITH, VALUES or EXPLAIN")

// SQL runs statements separated by semicolons, one after the other, and hands
// the answer of each to answer: the names of its columns, and its rows as they
// come out of the archive. A value is nil, int64, float64, string or []byte.
// params are bound by name, to :name as well as @name and $name.
//
// The connection cannot write, nor attach or create files. Statements that
// would try are refused before SQLite sees them: some do a part of their work
// while they are being prepared.
func (a *Archive) SQL(ctx context.Context, text string, params map[string]any, answer func(columns []string, rows iter.Seq2[[]any, error]) error) error {
	list := statements(text)
	for _, statement := range list {
		switch word := verb(statement); word {
		case "SELECT", "WITH", "VALUES":
		default:
			return fmt.Errorf("%w, not %s", ErrNotReading, word)
		}
	}
	var args []any
	for name, value := range params {
		args = append(args, sql.Named(name, value))
	}
	offset := 0
	for _, statement := range list {
		offset += strings.Index(text[offset:], statement)
		if err := a.statement(ctx, statement, args, answer); err != nil && ctx.Err() == nil {
			if failed, ok := errors.AsType[*statementError](err); ok {
				return a.explain(ctx, failed.error, text, offset, statement)
			}
			return err
		} else if err != nil {
			return err
		}
		offset += len(statement)
	}
	return nil
}

// statementError is an error of SQLite or of the driver.
type statementError struct{ error }

func (e *statementError) Unwrap() error { return e.error }

func (a *Archive) statement(ctx context.Context, text string, args []any, answer func([]string, iter.Seq2[[]any, error]) error) error {
	if f := a.functions; f != nil {
		defer f.begin(ctx)()
	}
	rows, err := a.db.QueryxContext(ctx, text, args...)
	if err != nil {
		return &statementError{err}
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return &statementError{err}
	}
	return answer(columns, func(yield func([]any, error) bool) {
		for rows.Next() {
			if values, err := rows.SliceScan(); !yield(values, err) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(nil, &statementError{err})
		}
	})
}

// statements splits SQL at the semicolons that end statements, and drops empty
// ones.
func statements(text string) []string {
	var list []string
	start := 0
	for i := 0; i < len(text); {
		n := opaque(text[i:])
		switch {
		case n > 0:
			i += n
		case text[i] == ';':
			list = append(list, text[start:i])
			i++
			start = i
		default:
			i++
		}
	}
	list = append(list, text[start:])
	kept := list[:0]
	for _, s := range list {
		if skipSpace(s) != "" {
			kept = append(kept, s)
		}
	}
	return kept
}

// opaque returns the length of the comment, string or quoted name that s
// begins with, 0 if it begins with none. One that does not end goes to the end.
func opaque(s string) int {
	end, from := "", 1
	switch {
	case strings.HasPrefix(s, "--"):
		end = "\n"
	case strings.HasPrefix(s, "/*"):
		end, from = "*/", 2
	case s[0] == '\'', s[0] == '"', s[0] == '`': // a doubled quote ends one string and begins another: the same to us
		end = s[:1]
	case s[0] == '[':
		end = "]"
	default:
		return 0
	}
	n := strings.Index(s[from:], end)
	if n < 0 {
		return len(s)
	}
	return from + n + len(end)
}

// verb returns the word, in capitals, that says what a statement does: the
// first one, or the first of what is to be explained, for preparing that
// already has effects. Where there is no word, it is the first character.
func verb(statement string) string {
	for {
		s := skipSpace(statement)
		n := strings.IndexFunc(s, func(r rune) bool { return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z') })
		if n < 0 {
			n = len(s)
		}
		switch word := strings.ToUpper(s[:n]); word {
		case "EXPLAIN", "QUERY", "PLAN":
			statement = s[n:]
		case "":
			return fmt.Sprintf("%.1s", s)
		default:
			return word
		}
	}
}

// skipSpace removes the space and the comments that s begins with.
func skipSpace(s string) string {
	for {
		s = strings.TrimLeft(s, " \t\r\n\f\ufeff")
		if !strings.HasPrefix(s, "--") && !strings.HasPrefix(s, "/*") {
			return s
		}
		s = s[opaque(s):]
	}
}
