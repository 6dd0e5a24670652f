package documents

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

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

// add adds the list to a document, of which as much is written as there is.
func (l List[R]) add(d *stream) {
	d.open('[')
	for _, row := range l.Rows {
		addObject(d, l.Columns, row)
	}
	d.close(']')
}

func addObject[R any](d *stream, columns []Column[R], row R) {
	d.item()
	within := ""
	for _, c := range columns {
		if c.Key[0] == '-' {
			continue
		}
		object, key := "", c.Key
		if dot := strings.IndexByte(key, '.'); dot >= 0 {
			object, key = key[:dot], key[dot+1:]
		}
		if object != within && within != "" {
			d.close('}')
		}
		if object != within && object != "" {
			d.member(object)
			d.open('{')
		}
		within = object
		d.add(key, c.Of(row))
	}
	if within != "" {
		d.close('}')
	}
	d.close('}')
}

// record is one row as an object.
type record[R any] struct {
	columns []Column[R]
	row     R
}

func (r record[R]) add(d *stream) { addObject(d, r.columns, r.row) }

// Lines writes the rows as JSON Lines.
func (l List[R]) Lines(out io.Writer) error {
	for _, row := range l.Rows {
		if _, err := out.Write(append(l.object(row), '\n')); err != nil {
			return err
		}
	}
	return nil
}

func (l List[R]) object(row R) json.RawMessage {
	d := &stream{whole: true}
	addObject(d, l.Columns, row)
	return d.piece
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
			line = appendField(line, strings.TrimPrefix(c.Key, "-"), plain(c.Of(row)))
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// appendField writes a value into a line: what is true by its name.
func appendField(line []byte, name string, value any) []byte {
	switch v := value.(type) {
	case int64:
		return strconv.AppendInt(line, v, 10)
	case float64:
		return strconv.AppendFloat(line, v, 'f', -1, 64)
	case Time:
		return time.Time(v).UTC().AppendFormat(line, iso)
	case []string:
		return append(line, terminal.Safe(strings.Join(v, ","))...)
	case string:
		return append(line, terminal.Safe(v)...)
	case bool:
		if v {
			return append(line, name...)
		}
	}
	return line
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
	case nil, string, bool:
	case int:
		return int64(v)
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
	case Time:
		if time.Time(v).IsZero() {
			return nil
		}
	case interface{ Value() any }:
		return v.Value()
	}
	return value
}

// Object is an object with members in their order.
type Object []Member

// Member is a member of an object.
type Member struct {
	Name  string
	Value any
}

func (o Object) add(d *stream) {
	d.item()
	for _, m := range o {
		d.add(m.Name, m.Value)
	}
	d.close('}')
}
