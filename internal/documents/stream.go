package documents

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"time"

	"piarchive/internal/terminal"
)

// stream writes one JSON document piece by piece: lists of 100 000 entries
// are neither collected nor looked at by reflection.
type stream struct {
	out   io.Writer
	whole bool   // for a terminal: nothing is written before the end
	piece []byte // not yet written
	begun bool   // what comes next follows something
	err   error  // the first one
}

// begin begins a document; one of a foreign shape has no schema.
func (w Writer) begin(schema string) *stream {
	d := &stream{out: w.Out, whole: w.Indented, piece: []byte("{")}
	if schema != "" {
		d.text("schema", schema)
	}
	return d
}

// member begins a member; its value has to follow.
func (d *stream) member(name string) {
	if d.begun {
		d.piece = append(d.piece, ',')
	}
	d.begun = true
	d.piece = append(append(append(d.piece, '"'), name...), `":`...)
}

// value adds a member with any value.
func (d *stream) value(name string, v any) {
	d.member(name)
	body, err := Encode(v)
	if err != nil && d.err == nil {
		d.err = err
	}
	d.piece = append(d.piece, body...)
}

// any adds a member of a list's row.
func (d *stream) any(name string, value any) {
	switch v := plain(value).(type) {
	case absent:
	case nil:
		d.null(name)
	case string:
		d.text(name, v)
	case int64:
		d.number(name, v)
	case bool:
		d.flag(name, v)
	default:
		d.value(name, v)
	}
}

func (d *stream) number(name string, n int64) {
	d.member(name)
	d.piece = strconv.AppendInt(d.piece, n, 10)
}

func (d *stream) flag(name string, v bool) {
	d.member(name)
	d.piece = strconv.AppendBool(d.piece, v)
}

// text adds a text. One that needs no escapes is copied as it is.
func (d *stream) text(name, s string) {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' || s[i] == '"' || s[i] == '\\' {
			d.value(name, s)
			return
		}
	}
	d.member(name)
	d.piece = append(append(append(d.piece, '"'), s...), '"')
}

// textOrNull is text that is absent when empty.
func (d *stream) textOrNull(name, s string) {
	if s != "" {
		d.text(name, s)
		return
	}
	d.null(name)
}

func (d *stream) time(name string, t *time.Time) {
	if t == nil {
		d.null(name)
		return
	}
	d.member(name)
	d.piece = append(AppendISO(append(d.piece, '"'), *t), '"')
}

func (d *stream) null(name string) {
	d.member(name)
	d.piece = append(d.piece, "null"...)
}

// list begins a list of objects; item begins each of them, and both end with
// their closing bracket.
func (d *stream) list(name string) {
	d.member(name)
	d.open('[')
}

func (d *stream) item() {
	if d.begun {
		d.piece = append(d.piece, ',')
	}
	d.open('{')
}

func (d *stream) open(bracket byte) {
	d.piece = append(d.piece, bracket)
	d.begun = false
}

// close ends a list or an object and, but for a terminal, writes what there is.
func (d *stream) close(bracket byte) {
	d.piece = append(d.piece, bracket)
	d.begun = true
	d.flush()
}

// raw adds an element to a list: JSON as it is, but for what a terminal obeys.
func (d *stream) raw(text string) error {
	if d.begun {
		d.piece = append(d.piece, ',')
	}
	d.begun = true
	if isPlain(text) {
		d.piece = append(d.piece, text...)
	} else {
		d.piece = append(d.piece, terminal.EscapeHidden([]byte(text))...)
	}
	d.flush()
	return d.err
}

// isPlain reports whether a text is ASCII without DEL.
func isPlain(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x7f {
			return false
		}
	}
	return true
}

func (d *stream) flush() {
	if len(d.piece) >= 32<<10 && !d.whole {
		d.write()
	}
}

func (d *stream) write() {
	_, err := d.out.Write(d.piece)
	if d.err == nil {
		d.err = err
	}
	d.piece = d.piece[:0]
}

// end finishes the document. A person at a terminal gets it indented.
func (d *stream) end() error {
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
