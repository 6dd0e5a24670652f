package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"piarchive/internal/terminal"
)

// document writes one JSON document piece by piece: lists of 100 000 entries
// are neither collected nor looked at by reflection.
type document struct {
	c     *call
	whole bool   // for a terminal: nothing is written before the end
	piece []byte // not yet written
	begun bool   // what comes next follows something
	err   error  // the first one
}

// newDocument begins the command's document; that of a foreign shape has no
// schema.
func (c *call) newDocument(foreign bool) *document {
	d := &document{c: c, whole: c.isTerminal(1), piece: []byte("{")}
	if !foreign {
		d.member("schema")
		d.piece = fmt.Appendf(d.piece, `"piarchive.%s/1"`, c.name)
	}
	return d
}

// member begins a member; its value has to follow.
func (d *document) member(name string) {
	if d.begun {
		d.piece = append(d.piece, ',')
	}
	d.begun = true
	d.piece = append(append(append(d.piece, '"'), name...), `":`...)
}

// value adds a member with any value.
func (d *document) value(name string, v any) {
	d.member(name)
	body, err := encodeJSON(v)
	if err != nil && d.err == nil {
		d.err = err
	}
	d.piece = append(d.piece, body...)
}

func (d *document) number(name string, n int64) {
	d.member(name)
	d.piece = strconv.AppendInt(d.piece, n, 10)
}

func (d *document) flag(name string, v bool) {
	d.member(name)
	d.piece = strconv.AppendBool(d.piece, v)
}

// text adds a text. One that needs no escapes is copied as it is.
func (d *document) text(name, s string) {
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
func (d *document) textOrNull(name, s string) {
	if s != "" {
		d.text(name, s)
		return
	}
	d.null(name)
}

func (d *document) time(name string, t *time.Time) {
	if t == nil {
		d.null(name)
		return
	}
	d.member(name)
	d.piece = append(appendISO(append(d.piece, '"'), *t), '"')
}

func (d *document) null(name string) {
	d.member(name)
	d.piece = append(d.piece, "null"...)
}

// list begins a list of objects; item begins each of them, and both end with
// their closing bracket.
func (d *document) list(name string) {
	d.member(name)
	d.open('[')
}

func (d *document) item() {
	if d.begun {
		d.piece = append(d.piece, ',')
	}
	d.open('{')
}

func (d *document) open(bracket byte) {
	d.piece = append(d.piece, bracket)
	d.begun = false
}

// close ends a list or an object and, but for a terminal, writes what there is.
func (d *document) close(bracket byte) {
	d.piece = append(d.piece, bracket)
	d.begun = true
	d.flush()
}

// raw adds an element to a list: JSON as it is, but for what a terminal obeys.
func (d *document) raw(text string) error {
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

func (d *document) flush() {
	if len(d.piece) >= 32<<10 && !d.whole {
		d.write()
	}
}

func (d *document) write() {
	_, err := d.c.stdout.Write(d.piece)
	if d.err == nil {
		d.err = err
	}
	d.piece = d.piece[:0]
}

// end finishes the document. A person at a terminal gets it indented.
func (d *document) end() error {
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
