package documents

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"piarchive/internal/terminal"
)

// Column is what a list tells of each of its rows, said once for every form.
type Column[R any] struct {
	Key  string // in JSON; "tokens.input" is input in the object tokens, and "-title" only in lines
	Name string // in CSV, where that is not the key
	Of   func(R) any
}

// List is rows, and what is told of them.
type List[R any] struct {
	Columns []Column[R]
	Rows    []R
}

// absent is the value of a member that a row does not have.
type absent struct{}

// MarshalJSON writes a list of objects.
func (l List[R]) MarshalJSON() ([]byte, error) {
	d := &stream{whole: true}
	d.open('[')
	for _, row := range l.Rows {
		addObject(d, l.Columns, row)
	}
	d.close(']')
	return d.piece, d.err
}

// object is a single row as JSON.
func object[R any](columns []Column[R], row R) json.RawMessage {
	d := &stream{whole: true}
	addObject(d, columns, row)
	return d.piece
}

func addObject[R any](d *stream, columns []Column[R], row R) {
	d.item()
	within := ""
	for _, c := range columns {
		if c.Key[0] == '-' {
			continue
		}
		object, key, ok := strings.Cut(c.Key, ".")
		if !ok {
			object, key = "", c.Key
		}
		if object != within && within != "" {
			d.close('}')
		}
		if object != within && object != "" {
			d.member(object)
			d.open('{')
		}
		within = object
		d.any(key, c.Of(row))
	}
	if within != "" {
		d.close('}')
	}
	d.close('}')
}

// Lines writes the rows as JSON Lines.
func (l List[R]) Lines(out io.Writer) error {
	for _, row := range l.Rows {
		if _, err := out.Write(append(object(l.Columns, row), '\n')); err != nil {
			return err
		}
	}
	return nil
}

// pick returns columns by their keys.
func (l List[R]) pick(keys string) []Column[R] {
	var picked []Column[R]
	for key := range strings.FieldsSeq(keys) {
		i := slices.IndexFunc(l.Columns, func(c Column[R]) bool { return strings.TrimPrefix(c.Key, "-") == key })
		picked = append(picked, l.Columns[i])
	}
	return picked
}

// Fields writes a line for each row: the columns of these keys, set apart by tabs.
func (l List[R]) Fields(out io.Writer, keys string) error {
	columns := l.pick(keys)
	var line []byte
	for _, row := range l.Rows {
		line = line[:0]
		for i, c := range columns {
			if i > 0 {
				line = append(line, '\t')
			}
			line = append(line, field(strings.TrimPrefix(c.Key, "-"), c.Of(row))...)
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// field writes a value into a line: what is true by its name.
func field(name string, value any) string {
	switch v := plain(value).(type) {
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []string:
		return terminal.Safe(strings.Join(v, ","))
	case bool:
		if v {
			return name
		}
		return ""
	default:
		return terminal.Safe(Exact(v))
	}
}

// To hands the columns of these keys to a writer of rows.
func (l List[R]) To(rows Rows, keys string) error {
	columns := l.pick(keys)
	names, values := make([]string, len(columns)), make([]any, len(columns))
	for i, c := range columns {
		names[i] = cmp.Or(c.Name, strings.TrimPrefix(c.Key, "-"))
	}
	err := rows.Begin(names)
	for _, row := range l.Rows {
		for i, c := range columns {
			values[i] = plain(c.Of(row))
		}
		if err == nil {
			err = rows.Row(values)
		}
	}
	return errors.Join(err, rows.End())
}

// plain is a value as one of few types, nil where there is none.
func plain(value any) any {
	switch v := value.(type) {
	case *string:
		if v == nil {
			return nil
		}
		return *v
	case *float64:
		if v == nil {
			return nil
		}
		return *v
	case int:
		return int64(v)
	case Time:
		if iso := v.String(); iso != "" {
			return iso
		}
		return nil
	case interface{ Value() any }:
		return v.Value()
	}
	return value
}
