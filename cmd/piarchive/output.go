package main

import (
	"bufio"
	"context"
	"io"
	"sync/atomic"
)

// output is standard output as commands write it: buffered, and telling the
// command to stop once nobody reads any more. A command that goes on for long
// (a watch) calls Flush after each answer.
type output struct {
	*bufio.Writer
	stop context.CancelFunc
	end  func() // closes the pager and waits for it; nil without one

	paged atomic.Bool // there is a pager
}

func newOutput(w io.Writer, stop context.CancelFunc) *output {
	o := &output{stop: stop}
	o.to(w)
	return o
}

// to directs everything written from now on to w.
func (o *output) to(w io.Writer) {
	o.Writer = bufio.NewWriterSize(stopWriter{w, o.stop}, 64<<10)
}

// finish writes out what is left. It returns the first error of any write.
func (o *output) finish() error {
	err := o.Flush()
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
