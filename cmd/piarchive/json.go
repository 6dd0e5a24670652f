package main

import (
	"piarchive/internal/documents"
)

// documents writes to standard output: indented for a person at a terminal.
func (c *call) documents() documents.Writer {
	return documents.Writer{Out: c.stdout, Indented: c.isTerminal(1)}
}

func (c *call) writeJSON(doc documents.Document) error { return c.documents().Write(doc) }

// writeLine prints v as one line of JSON Lines.
func (c *call) writeLine(v any) error { return c.documents().Line(v) }
