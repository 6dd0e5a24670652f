package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"sync/atomic"

	"piarchive/internal/terminal"
)

// output is standard output as commands write it: buffered, made printable, and
// telling the command to stop once nobody reads any more. A command that goes on
// for long (a watch) calls Flush after each answer.
type output struct {
	*bufio.Writer
	text *terminal.Printable // what it goes through
	stop context.CancelFunc
	end  func() // closes the pager and waits for it; nil without one

	paged atomic.Bool // there is a pager
}

func newOutput(w io.Writer, stop context.CancelFunc) *output {
	text := &terminal.Printable{Out: stopWriter{w, stop}}
	return &output{Writer: bufio.NewWriterSize(text, 64<<10), text: text, stop: stop}
}

// to directs everything written from now on to w.
func (o *output) to(w io.Writer) {
	o.drain()
	o.text.Out = stopWriter{w, o.stop}
}

// data says that what is written from now on is no text but data, which has to
// arrive byte for byte. Only on a terminal, where it could act on the screen, is
// it made printable all the same.
func (c *call) data() {
	c.stdout.drain()
	text := c.stdout.text
	text.Colours = false // ours are in text alone
	if text.Mode = terminal.AsData; c.isTerminal(1) {
		text.Mode = terminal.DataShown
	}
}

// drain writes out what is left, the beginnings of what nothing completed as well.
func (o *output) drain() error { return errors.Join(o.Flush(), o.text.End()) }

// finish writes out what is left. It returns the first error of any write.
func (o *output) finish() error {
	err := o.drain()
	if o.end != nil {
		o.end()
	}
	return err
}

// stopWriter calls stop at the first failed write, so that a command does not
// work on for a reader that has gone.
type stopWriter struct {
	io.Writer
	stop context.CancelFunc
}

func (w stopWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if err != nil {
		w.stop()
	}
	return n, err
}
