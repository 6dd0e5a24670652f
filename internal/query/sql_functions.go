package query

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"

	"piarchive/internal/index"
	"piarchive/internal/jsonl"
	"piarchive/internal/query/regex"
)

// sqlFunctions are the functions that SQL has beside SQLite's own: entry_text,
// entry_json and regexp, the last of which is also the operator REGEXP.
type sqlFunctions struct {
	stop    *atomic.Bool // the running statement is to end
	lines   index.Lines  // as it sees them
	regexes map[string]*regex.Regex
	take    func([]driver.Value) error // of EachRow
}

// maxRegexes is how many expressions a statement keeps: usually one is enough,
// but they may come from a column.
const maxRegexes = 64

// begin readies the functions for another statement, which may see another
// state of the archive. end is to be called when it is over.
func (f *sqlFunctions) begin(ctx context.Context) (end func() bool) {
	stop := &atomic.Bool{}
	*f = sqlFunctions{stop: stop, regexes: map[string]*regex.Regex{}}
	return context.AfterFunc(ctx, func() { stop.Store(true) })
}

func (f *sqlFunctions) list() []index.Function {
	return []index.Function{
		{Name: "entry_text", Args: 1, Call: f.entryText},
		{Name: "entry_json", Args: 1, Call: f.entryJSON},
		{Name: "regexp", Args: 2, Call: f.regexp},
		{Name: "each_row", Args: -1, Call: f.eachRow},
	}
}

// entryText is all that is said in an entry; NULL for NULL, and where there is
// no such entry.
func (f *sqlFunctions) entryText(caller *index.Caller, args []driver.Value) (any, error) {
	line, id, err := f.line(caller, "entry_text", args[0])
	if line == nil || err != nil {
		return nil, err
	}
	if key, _ := args[0].(int64); key&index.MaxSequence == 0 {
		return f.title(caller, index.SourceOf(key), line)
	}
	e := jsonl.ParseEntry(line, id)
	if e == nil {
		return nil, nil
	}
	t := e.Text
	var parts []string
	for _, part := range []string{t.User, t.Thinking, t.Assistant, t.Call, t.Output, t.Notes} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "\n"), nil
}

// maxSlot is how far before a header omp's title slot is looked for, in bytes.
const maxSlot = 4096

// title is what the full text has in the place of a session's header.
func (f *sqlFunctions) title(caller *index.Caller, session int64, header []byte) (any, error) {
	slot, err := f.lines.Before(caller, session, maxSlot)
	if err != nil {
		return nil, err
	}
	if t := jsonl.ParseTitle(slot); t != "" {
		return t, nil
	}
	return jsonl.ParseTitle(header), nil
}

// entryJSON is the raw line of an entry; NULL for NULL, and where there is no
// such entry.
func (f *sqlFunctions) entryJSON(caller *index.Caller, args []driver.Value) (any, error) {
	line, _, err := f.line(caller, "entry_json", args[0])
	if line == nil || err != nil {
		return nil, err
	}
	return string(line), nil
}

// line reads the line of the entry with a key; nil where there is none.
func (f *sqlFunctions) line(caller *index.Caller, name string, key any) ([]byte, string, error) {
	switch key := key.(type) {
	case nil:
		return nil, "", nil
	case int64:
		return f.lines.Line(caller, key)
	}
	return nil, "", fmt.Errorf("%s takes the number that the views have in column entry, not %s", name, sqlLiteral(key))
}

// sqlLiteral shows a value that a function cannot use.
func sqlLiteral(value any) string {
	switch v := value.(type) {
	case string:
		return fmt.Sprintf("'%.40s'", v)
	case []byte:
		return "a blob"
	}
	return fmt.Sprint(value)
}

// regexp reports whether a pattern, the first argument, matches in a text. Either
// may be NULL, and then the answer is.
func (f *sqlFunctions) regexp(_ *index.Caller, args []driver.Value) (any, error) {
	if args[0] == nil || args[1] == nil {
		return nil, nil
	}
	pattern := plainText(args[0])
	r := f.regexes[pattern]
	if r == nil {
		var err error
		if r, err = regex.Compile(pattern); err != nil {
			return nil, err
		}
		if len(f.regexes) == maxRegexes {
			clear(f.regexes)
		}
		f.regexes[pattern] = r
	}
	if r.Match(plainText(args[1]), f.stop) {
		return int64(1), nil
	}
	return int64(0), nil
}

// plainText is a value as SQLite casts it to text.
func plainText(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	case float64:
		s := strconv.FormatFloat(v, 'g', 15, 64)
		if !strings.ContainsAny(s, ".eIN") {
			s += ".0"
		}
		return s
	}
	return fmt.Sprint(value)
}
