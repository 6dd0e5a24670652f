package documents

import (
	"bytes"
	"encoding/base64"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Rows writes rows of values one by one, so that no answer is too large. A value
// is nil, int64, float64, string or []byte.
type Rows interface {
	Begin(columns []string) error
	Row(values []any) error
	End() error
}

// Exact writes a value exactly: NULL as nothing, a REAL with a point or an
// exponent, blobs in hexadecimal.
func Exact(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		s := strconv.FormatFloat(v, 'g', -1, 64)
		if !strings.ContainsAny(s, ".eIN") {
			s += ".0"
		}
		return s
	case string:
		return v
	case []byte:
		return hex.EncodeToString(v)
	}
	return fmt.Sprint(value)
}

// each applies f to the values of a row.
func each[T any](values []any, f func(any) T) []T {
	fields := make([]T, len(values))
	for i, v := range values {
		fields[i] = f(v)
	}
	return fields
}

// csvRows writes CSV.
type csvRows struct{ *csv.Writer }

func CSV(out io.Writer) Rows { return csvRows{csv.NewWriter(out)} }

func (r csvRows) Begin(columns []string) error { return r.Write(columns) }
func (r csvRows) Row(values []any) error       { return r.Write(each(values, Exact)) }

func (r csvRows) End() error {
	r.Flush()
	return r.Error()
}

// lineRows writes a line for each row with fixed text around the fields.
type lineRows struct {
	out                    io.Writer
	before, between, after string
	rule                   bool // a Markdown rule below the names
	cell                   func(string) string
}

// Tabs writes lines of values set apart by tabs.
func Tabs(out io.Writer) Rows { return lineRows{out: out, between: "\t", cell: tabCell} }

// Markdown writes a table.
func Markdown(out io.Writer) Rows {
	return lineRows{out: out, before: "| ", between: " | ", after: " |", rule: true, cell: markdownCell}
}

func (r lineRows) Begin(columns []string) error {
	err := r.write(columns)
	if err == nil && r.rule {
		_, err = io.WriteString(r.out, strings.Repeat("|---", len(columns))+"|\n")
	}
	return err
}

func (r lineRows) Row(values []any) error { return r.write(each(values, Exact)) }
func (r lineRows) End() error             { return nil }

func (r lineRows) write(fields []string) error {
	line := make([]string, len(fields))
	for i, s := range fields {
		line[i] = r.cell(s)
	}
	_, err := io.WriteString(r.out, r.before+strings.Join(line, r.between)+r.after+"\n")
	return err
}

// tabCell escapes what has a meaning among tab-separated values.
func tabCell(s string) string {
	if !strings.ContainsAny(s, "\t\n\r\\") {
		return s
	}
	return strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`).Replace(s)
}

// markdownCell escapes what would end a cell of a Markdown table, or begin
// something else in it.
func markdownCell(s string) string {
	return strings.NewReplacer("\r\n", "<br>", "\n", "<br>", "\r", "<br>", "|", `\|`, "<", "&lt;", "&", "&amp;").Replace(s)
}

// jsonRows writes one document for each answer.
type jsonRows struct {
	Writer
	begun bool
}

// JSON writes rows as a document.
func (w Writer) JSON() Rows { return &jsonRows{Writer: w} }

func (r *jsonRows) Begin(columns []string) error {
	names, err := Encode(columns)
	if err == nil {
		_, err = fmt.Fprintf(r.Out, `{"schema":%q,"columns":%s,"rows":[`, r.Schema, names)
	}
	return err
}

func (r *jsonRows) Row(values []any) error {
	var line []byte
	if r.begun {
		line = append(line, ',')
	}
	r.begun = true
	if r.Indented {
		line = append(line, '\n')
	}
	line = append(append(append(line, '['), bytes.Join(each(values, exactJSON), []byte{','})...), ']')
	_, err := r.Out.Write(line)
	return err
}

func (r *jsonRows) End() error {
	_, err := io.WriteString(r.Out, "]}\n")
	return err
}

// jsonlRows writes one object a row.
type jsonlRows struct {
	out   io.Writer
	names [][]byte // encoded, with the colon
}

// JSONL writes rows as JSON Lines.
func (w Writer) JSONL() Rows { return &jsonlRows{out: w.Out} }

func (r *jsonlRows) Begin(columns []string) error {
	used := map[string]bool{}
	for _, name := range columns {
		key := name
		for n := 2; used[key]; n++ { // an object holds a name once
			key = fmt.Sprintf("%s:%d", name, n)
		}
		used[key] = true
		r.names = append(r.names, append(exactJSON(key), ':'))
	}
	return nil
}

func (r *jsonlRows) Row(values []any) error {
	members := each(values, exactJSON)
	for i, value := range members {
		members[i] = slices.Concat(r.names[i], value)
	}
	_, err := fmt.Fprintf(r.out, "{%s}\n", bytes.Join(members, []byte{','}))
	return err
}

func (r *jsonlRows) End() error { return nil }

// exactJSON writes a value as JSON. An infinite REAL becomes a number too large
// for a REAL, which is how SQLite itself writes it.
func exactJSON(value any) []byte {
	switch v := value.(type) {
	case float64:
		switch {
		case math.IsInf(v, 1):
			return []byte("9e999")
		case math.IsInf(v, -1):
			return []byte("-9e999")
		}
		return []byte(Exact(v))
	case []byte:
		value = base64.StdEncoding.EncodeToString(v)
	}
	body, _ := Encode(value) // integers, texts and nothing always encode
	return body
}
