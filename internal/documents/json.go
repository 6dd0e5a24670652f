package documents

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"piarchive/internal/terminal"
)

// Time is a moment in a document: UTC with milliseconds, as JavaScript's
// toISOString writes it, or null for the zero time.
type Time time.Time

func (t Time) MarshalJSON() ([]byte, error) {
	if time.Time(t).IsZero() {
		return []byte("null"), nil
	}
	return append(AppendISO([]byte{'"'}, time.Time(t)), '"'), nil
}

// orNever is the time that t points to, if any.
func orNever(t *time.Time) Time {
	if t == nil {
		return Time{}
	}
	return Time(*t)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (t *Time) UnmarshalJSON(b []byte) error { return (*time.Time)(t).UnmarshalJSON(b) }

// AppendISO writes a moment as JavaScript's toISOString does; without a layout,
// for lists may be long.
func AppendISO(b []byte, t time.Time) []byte {
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

// String is a moment as documents have it, "" for the zero time.
func (t Time) String() string {
	if time.Time(t).IsZero() {
		return ""
	}
	return string(AppendISO(nil, time.Time(t)))
}

// ISO is a moment as documents have it, for fields of lines; "" for the zero time.
func ISO(t time.Time) string { return Time(t).String() }

// Writer writes documents.
type Writer struct {
	Out      io.Writer
	Indented bool // for a person at a terminal; programs get it compact
}

// Write writes one document: its fields after the name of its schema.
func (w Writer) Write(doc Document) error {
	body, err := Encode(doc)
	if err != nil {
		return err
	}
	d := w.begin(doc.Schema())
	if members := body[1 : len(body)-1]; len(members) > 0 {
		d.piece = append(append(d.piece, ','), members...)
	}
	return d.end()
}

// Line writes v as one line of JSON Lines.
func (w Writer) Line(v any) error {
	body, err := Encode(v)
	if err != nil {
		return err
	}
	_, err = w.Out.Write(append(body, '\n'))
	return err
}

// Encode is json.Marshal with < > & left readable and everything a
// terminal might obey escaped.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode json: %w", err)
	}
	return terminal.EscapeHidden(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// Error says in one line why a command failed.
type Error struct {
	Error struct {
		Kind    string  `json:"kind"`
		Message string  `json:"message"`
		Hint    *string `json:"hint"`
	} `json:"error"`
}

// NewError makes the document of an error; hint may be empty.
func NewError(kind, message, hint string) (doc Error) {
	doc.Error.Kind, doc.Error.Message, doc.Error.Hint = kind, message, orNull(hint)
	return doc
}
