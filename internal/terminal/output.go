package terminal

import (
	"bufio"
	"context"
	"errors"
	"io"
)

// Output is where a command writes: buffered, made printable, and telling the
// command to stop once nobody reads any more.
type Output struct {
	*bufio.Writer
	text *Printable
	stop context.CancelFunc
}

// NewOutput makes an output that goes to w. The first write that fails calls stop,
// so that nobody works on for a reader that has gone.
func NewOutput(w io.Writer, stop context.CancelFunc) *Output {
	text := &Printable{Out: stopWriter{w, stop}}
	return &Output{bufio.NewWriterSize(text, 64<<10), text, stop}
}

// To directs everything written from now on to w.
func (o *Output) To(w io.Writer) {
	o.Drain()
	o.text.Out = stopWriter{w, o.stop}
}

// Colours lets styles of ours through, or not.
func (o *Output) Colours(on bool) { o.text.Colours = on }

// ASCII writes other signs as ones that every terminal has, or not.
func (o *Output) ASCII(on bool) {
	o.Flush() // what was written before
	o.text.ASCII = on
}

// Links lets links to files through, or not.
func (o *Output) Links(on bool) { o.text.Links = on }

// Data makes what is written from now on no text but data, which has to arrive
// byte for byte. Only where it is shown on a terminal, and could act on the screen,
// is it made printable all the same.
func (o *Output) Data(shown bool) {
	o.Drain()
	o.text.Colours, o.text.Links = false, false // ours are in text alone
	if o.text.Mode = AsData; shown {
		o.text.Mode = DataShown
	}
}

// Drain writes out what is left, the beginnings of what nothing completed as well.
func (o *Output) Drain() error { return errors.Join(o.Flush(), o.text.End()) }

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
