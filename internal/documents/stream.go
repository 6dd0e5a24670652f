package documents

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"time"

	"piarchive/internal/terminal"
)

// Stream writes one JSON document piece by piece: lists of 100 000 entries
// are neither collected nor looked at by reflection.
type Stream struct {
	out   io.Writer
	whole bool   // for a terminal: nothing is written before the end
	piece []byte // not yet written
	begun bool   // what comes next follows something
	err   error  // the first one
}

// Begin begins a document; one of a foreign shape has no schema.
func (w Writer) Begin(schema string) *Stream {
	d := &Stream{out: w.Out, whole: w.Indented, piece: []byte("{")}
	if schema != "" {
		d.Text("schema", schema)
	}
	return d
}

// member begins a member; its value has to follow.
func (d *Stream) member(name string) {
	if d.begun {
		d.piece = append(d.piece, ',')
	}
	d.begun = true
	d.piece = append(append(append(d.piece, '"'), name...), `":`...)
}

// Value adds a member with any value.
func (d *Stream) Value(name string, v any) {
	d.member(name)
	body, err := Encode(v)
	if err != nil && d.err == nil {
		d.err = err
	}
	d.piece = append(d.piece, body...)
}

func (d *Stream) Number(name string, n int64) {
	d.member(name)
	d.piece = strconv.AppendInt(d.piece, n, 10)
}

func (d *Stream) Flag(name string, v bool) {
	d.member(name)
	d.piece = strconv.AppendBool(d.piece, v)
}

// Text adds a text. One that needs no escapes is copied as it is.
func (d *Stream) Text(name, s string) {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' || s[i] == '"' || s[i] == '\\' {
			d.Value(name, s)
			return
		}
	}
	d.member(name)
	d.piece = append(append(append(d.piece, '"'), s...), '"')
}

// TextOrNull is text that is absent when empty.
func (d *Stream) TextOrNull(name, s string) {
	if s != "" {
		d.Text(name, s)
		return
	}
	d.Null(name)
}

func (d *Stream) Time(name string, t *time.Time) {
	if t == nil {
		d.Null(name)
		return
	}
	d.member(name)
	d.piece = append(AppendISO(append(d.piece, '"'), *t), '"')
}

func (d *Stream) Null(name string) {
	d.member(name)
	d.piece = append(d.piece, "null"...)
}

// List begins a list of objects; item begins each of them, and both end with
// their closing bracket.
func (d *Stream) List(name string) {
	d.member(name)
	d.open('[')
}

func (d *Stream) Item() {
	if d.begun {
		d.piece = append(d.piece, ',')
	}
	d.open('{')
}

func (d *Stream) open(bracket byte) {
	d.piece = append(d.piece, bracket)
	d.begun = false
}

// Close ends a list or an object and, but for a terminal, writes what there is.
func (d *Stream) Close(bracket byte) {
	d.piece = append(d.piece, bracket)
	d.begun = true
	d.flush()
}

// Raw adds an element to a list: JSON as it is, but for what a terminal obeys.
func (d *Stream) Raw(text string) error {
	if d.begun {
		d.piece = append(d.piece, ',')
	}
	d.begun = true
	if plain(text) {
		d.piece = append(d.piece, text...)
	} else {
		d.piece = append(d.piece, terminal.EscapeHidden([]byte(text))...)
	}
	d.flush()
	return d.err
}

// plain says that a text is ASCII without DEL.
func plain(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x7f {
			return false
		}
	}
	return true
}

func (d *Stream) flush() {
	if len(d.piece) >= 32<<10 && !d.whole {
		d.write()
	}
}

func (d *Stream) write() {
	_, err := d.out.Write(d.piece)
	if d.err == nil {
		d.err = err
	}
	d.piece = d.piece[:0]
}

// End finishes the document. A person at a terminal gets it indented.
func (d *Stream) End() error {
	d.piece = append(d.piece, '}')
	if d.whole && d.err == nil {
		var indented bytes.Buffer
		if json.Indent(&indented, d.piece, "", "  ") == nil { // which refuses what is nested too deep
			d.piece = indented.Bytes()
		}
	}
	d.piece = append(d.piece, '\n')
	d.write()
	return d.err
}
