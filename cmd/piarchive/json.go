package main

import "piarchive/internal/documents"

// documents writes to standard output: indented for a person at a terminal.
func (c *call) documents() documents.Writer {
	return documents.Writer{Out: c.stdout, Indented: c.isTerminal(1)}
}

// writeJSON prints the command's document.
func (c *call) writeJSON(doc any) error { return c.documents().Write("piarchive."+c.name+"/1", doc) }

// writeLine prints v as one line of JSON Lines.
func (c *call) writeLine(v any) error { return documents.Writer{Out: c.stdout}.Line(v) }

// newDocument begins the command's document.
func (c *call) newDocument() *documents.Stream {
	return c.documents().Begin("piarchive." + c.name + "/1")
}
