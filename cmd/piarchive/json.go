package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"piarchive/internal/terminal"
)

// jsonTime is a moment in a document: UTC with milliseconds, as JavaScript's
// toISOString writes it, or null for the zero time.
type jsonTime time.Time

func (t jsonTime) MarshalJSON() ([]byte, error) {
	if time.Time(t).IsZero() {
		return []byte("null"), nil
	}
	return append(appendISO([]byte{'"'}, time.Time(t)), '"'), nil
}

// appendISO writes a moment as JavaScript's toISOString does; without a layout,
// for lists may be long.
func appendISO(b []byte, t time.Time) []byte {
	t = t.UTC()
	year, month, day := t.Date()
	if year < 0 || year > 9999 {
		return t.AppendFormat(b, "2006-01-02T15:04:05.000Z")
	}
	hour, minute, second := t.Clock()
	at := len(b)
	b = append(b, "0000-00-00T00:00:00.000Z"...)
	digits := func(from, to, n int) {
		for i := to - 1; i >= from; i-- {
			b[at+i] += byte(n % 10)
			n /= 10
		}
	}
	digits(0, 4, year)
	digits(5, 7, int(month))
	digits(8, 10, day)
	digits(11, 13, hour)
	digits(14, 16, minute)
	digits(17, 19, second)
	digits(20, 23, t.Nanosecond()/1e6)
	return b
}

// writeJSON prints the command's document: the fields of doc, a struct or a
// map, after the name of its schema.
func (c *call) writeJSON(doc any) error {
	body, err := encodeJSON(doc)
	if err != nil {
		return err
	}
	if body[0] != '{' {
		return fmt.Errorf("encode json: a document is an object, not a %T", doc)
	}
	head := fmt.Appendf(nil, `{"schema":"piarchive.%s/1"`, c.name)
	if body[1] != '}' {
		head = append(head, ',')
	}
	return c.printJSON(append(head, body[1:]...))
}

// printJSON indents for a person at a terminal and stays compact for programs.
func (c *call) printJSON(body []byte) error {
	if c.isTerminal(1) {
		var indented bytes.Buffer
		if err := json.Indent(&indented, body, "", "  "); err != nil {
			return err
		}
		body = indented.Bytes()
	}
	_, err := c.stdout.Write(append(body, '\n'))
	return err
}

// writeLine prints v as one line of JSON Lines.
func (c *call) writeLine(v any) error {
	body, err := encodeJSON(v)
	if err != nil {
		return err
	}
	_, err = c.stdout.Write(append(body, '\n'))
	return err
}

// encodeJSON is json.Marshal with < > & left readable and everything a
// terminal might obey escaped.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode json: %w", err)
	}
	return terminal.EscapeHidden(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}
