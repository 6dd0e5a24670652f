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
func (w Writer) begin() *stream {
	d := &stream{out: w.Out, whole: w.Indented, piece: []byte("{")}
	if w.Schema != "" {
		d.add("schema", w.Schema)
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

// add adds a member; one that is absent is left out.
func (d *stream) add(name string, value any) {
	if _, left := value.(absent); left {
		return
	}
	d.member(name)
	switch v := plain(value).(type) {
	case nil:
		d.piece = append(d.piece, "null"...)
	case string:
		d.text(v)
	case int64:
		d.piece = strconv.AppendInt(d.piece, v, 10)
	case bool:
		d.piece = strconv.AppendBool(d.piece, v)
	case Time:
		d.piece = time.Time(v).UTC().AppendFormat(d.piece, quotedISO)
	case interface{ add(*stream) }: // a part of the document
		d.begun = false
		v.add(d)
	default:
		d.encode(v)
	}
}

// text adds a text; one that needs no escapes as it is.
func (d *stream) text(s string) {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			d.encode(s)
			return
		}
	}
	d.piece = append(append(append(d.piece, '"'), s...), '"')
}

func (d *stream) encode(value any) {
	body, err := Encode(value)
	if err != nil && d.err == nil {
		d.err = err
	}
	d.piece = append(d.piece, body...)
}

// list begins a list; item begins an object in it, and both end with their closing
// bracket.
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
	d.piece = append(d.piece, terminal.EscapeHidden([]byte(text))...)
	d.flush()
	return d.err
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
