package main

import (
	"encoding/base64"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"piarchive/internal/documents"
)

// resultPrinter writes the answer to one SQL statement, row by row, so that
// no answer is too large. A value is nil, int64, float64, string or []byte.
type resultPrinter interface {
	begin(columns []string) error
	row(values []any) error
	end() error
}

// sqlText writes a value exactly: NULL as nothing, a REAL with a point or an
// exponent, blobs in hexadecimal.
func sqlText(value any) string {
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

// csvResult writes CSV.
type csvResult struct{ *csv.Writer }

func newCSVResult(c *call) csvResult {
	c.data()
	return csvResult{csv.NewWriter(c.stdout)}
}

func (r csvResult) begin(columns []string) error { return r.Write(columns) }

func (r csvResult) row(values []any) error {
	fields := make([]string, len(values))
	for i, v := range values {
		fields[i] = sqlText(v)
	}
	return r.Write(fields)
}

func (r csvResult) end() error {
	r.Flush()
	return r.Error()
}

// lineResult writes a line for each row with fixed text around the fields.
type lineResult struct {
	c                      *call
	before, between, after string
	rule                   bool // a Markdown rule below the names
	cell                   func(string) string
}

func (r *lineResult) begin(columns []string) error {
	err := r.write(columns)
	if err == nil && r.rule {
		_, err = r.c.stdout.WriteString(strings.Repeat("|---", len(columns)) + "|\n")
	}
	return err
}

func (r *lineResult) row(values []any) error {
	fields := make([]string, len(values))
	for i, v := range values {
		fields[i] = sqlText(v)
	}
	return r.write(fields)
}

func (r *lineResult) write(fields []string) error {
	line := make([]string, len(fields))
	for i, s := range fields {
		line[i] = r.cell(s)
	}
	_, err := r.c.stdout.WriteString(r.before + strings.Join(line, r.between) + r.after + "\n")
	return err
}

func (r *lineResult) end() error { return nil }

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

// jsonResult writes one document for each statement.
type jsonResult struct {
	c    *call
	rows int
}

func (r *jsonResult) begin(columns []string) error {
	names, err := documents.Encode(columns)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(r.c.stdout, `{"schema":%q,"columns":%s,"rows":[`, documents.SQL, names)
	return err
}

func (r *jsonResult) row(values []any) error {
	if r.rows++; r.rows > 1 {
		r.c.stdout.WriteByte(',')
	}
	if r.c.isTerminal(1) {
		r.c.stdout.WriteByte('\n')
	}
	fields := make([][]byte, len(values))
	for i, v := range values {
		var err error
		if fields[i], err = sqlJSON(v); err != nil {
			return err
		}
	}
	return writeJoined(r.c, '[', fields, ']')
}

func (r *jsonResult) end() error {
	_, err := r.c.stdout.WriteString("]}\n")
	return err
}

// jsonlResult writes one object a row.
type jsonlResult struct {
	c     *call
	names [][]byte // encoded, with the colon
}

func (r *jsonlResult) begin(columns []string) error {
	used := map[string]bool{}
	for _, name := range columns {
		key := name
		for n := 2; used[key]; n++ { // an object holds a name once
			key = fmt.Sprintf("%s:%d", name, n)
		}
		used[key] = true
		encoded, err := documents.Encode(key)
		if err != nil {
			return err
		}
		r.names = append(r.names, append(encoded, ':'))
	}
	return nil
}

func (r *jsonlResult) row(values []any) error {
	fields := make([][]byte, len(values))
	for i, v := range values {
		value, err := sqlJSON(v)
		if err != nil {
			return err
		}
		fields[i] = slices.Concat(r.names[i], value)
	}
	if err := writeJoined(r.c, '{', fields, '}'); err != nil {
		return err
	}
	return r.c.stdout.WriteByte('\n')
}

func (r *jsonlResult) end() error { return nil }

func writeJoined(c *call, open byte, fields [][]byte, end byte) error {
	c.stdout.WriteByte(open)
	for i, cell := range fields {
		if i > 0 {
			c.stdout.WriteByte(',')
		}
		c.stdout.Write(cell)
	}
	return c.stdout.WriteByte(end) // tells of any error before it
}

// sqlJSON writes a value as JSON. An infinite REAL becomes a number too large
// for a REAL, which is how SQLite itself writes it.
func sqlJSON(value any) ([]byte, error) {
	switch v := value.(type) {
	case float64:
		switch {
		case math.IsInf(v, 1):
			return []byte("9e999"), nil
		case math.IsInf(v, -1):
			return []byte("-9e999"), nil
		}
		return []byte(sqlText(v)), nil
	case []byte:
		return documents.Encode(base64.StdEncoding.EncodeToString(v))
	}
	return documents.Encode(value)
}
