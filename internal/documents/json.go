package documents

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"piarchive/internal/query"
	"piarchive/internal/terminal"
)

// Time is a moment in a document: UTC with milliseconds, or null for the zero time.
type Time time.Time

// iso is how JavaScript's toISOString writes a moment.
const (
	iso       = "2006-01-02T15:04:05.000Z"
	quotedISO = `"` + iso + `"`
)

func (t Time) MarshalJSON() ([]byte, error) {
	if time.Time(t).IsZero() {
		return []byte("null"), nil
	}
	return time.Time(t).UTC().AppendFormat(nil, quotedISO), nil
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

// String is a moment as documents have it, "" for the zero time.
func (t Time) String() string {
	if time.Time(t).IsZero() {
		return ""
	}
	return time.Time(t).UTC().Format(iso)
}

// Writer writes documents.
type Writer struct {
	Out      io.Writer
	Schema   string // the name that documents begin with, such as piarchive.list/1
	Indented bool   // for a person at a terminal; programs get it compact
}

// Write writes one document: its fields after the name of its schema.
func (w Writer) Write(doc any) error {
	d := w.begin()
	if members, ok := doc.(Object); ok {
		for _, m := range members {
			d.add(m.Name, m.Value)
		}
		return d.end()
	}
	body, err := Encode(doc)
	if err != nil {
		return err
	}
	if members := body[1 : len(body)-1]; len(members) > 0 {
		d.piece = append(append(d.piece, ','), members...)
	}
	return d.end()
}

// Answer writes a document, and what the answer is based on.
func (w Writer) Answer(ctx context.Context, a *query.Archive, doc Object) error {
	cov, err := NewCoverage(ctx, a)
	if err != nil {
		return err
	}
	return w.Write(append(doc, Member{"coverage", cov}))
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
		Kind       string   `json:"kind"`
		Message    string   `json:"message"`
		Hint       *string  `json:"hint"`
		Candidates []string `json:"candidates,omitempty"` // of an ambiguous reference
	} `json:"error"`
}

// NewError makes the document of an error; hint and candidates may be empty.
func NewError(kind, message, hint string, candidates []string) (doc Error) {
	doc.Error.Kind, doc.Error.Message, doc.Error.Hint, doc.Error.Candidates = kind, message, orNull(hint), candidates
	return doc
}
