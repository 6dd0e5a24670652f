package pick

import (
	"bytes"
	"context"
	"io"

	"piarchive/internal/query"
	"piarchive/internal/query/session"
	"piarchive/internal/transcript"
)

// Read writes a session as text to what start opens, a pager that can begin at a line:
// that of the place.
func Read(ctx context.Context, a *query.Archive, place Place, o transcript.Options, start func(line int) (end func(), out io.Writer, err error)) error {
	return a.Steady(ctx, func() error {
		steps, row, err := stepsThrough(ctx, a, place)
		if err != nil {
			return err
		}
		p := &pagedFrom{row: row, start: start}
		o.Reached = p.reached
		t := transcript.Transcript{Archive: a, Session: place.Session, Steps: steps}
		err = t.Text(ctx, p, o)
		if p.end == nil && err == nil {
			err = p.open()
		}
		if p.end != nil {
			p.end()
		}
		return err
	})
}

// stepsThrough is the way to the current leaf, or another through the entry where
// it lies on none to that.
func stepsThrough(ctx context.Context, a *query.Archive, place Place) (steps []session.Step, row int64, err error) {
	if place.Entry != nil {
		step, err := session.FindEntry(ctx, a, place.Session, place.Entry.Place())
		if err != nil {
			return nil, 0, err
		}
		row = step.Row
	}
	steps, err = session.BranchOf(ctx, a, place.Session.Key, row)
	return steps, row, err
}

// pagedFrom holds a text back until it is known at which line a pager is to begin.
type pagedFrom struct {
	row   int64 // of the entry to begin with
	start func(line int) (end func(), out io.Writer, err error)

	held  bytes.Buffer
	lines int // written
	line  int // where the entry begins
	out   io.Writer
	end   func()
	err   error
}

func (p *pagedFrom) Write(text []byte) (int, error) {
	p.lines += bytes.Count(text, []byte("\n"))
	switch {
	case p.err != nil:
		return 0, p.err
	case p.out != nil:
		return p.out.Write(text)
	}
	return p.held.Write(text)
}

func (p *pagedFrom) reached(s session.Step) {
	switch {
	case s.Row <= p.row:
		p.line = p.lines + 1
	case p.out == nil && p.err == nil:
		p.err = p.open()
	}
}

func (p *pagedFrom) open() error {
	end, out, err := p.start(p.line)
	if err != nil {
		return err
	}
	p.end, p.out = end, out
	_, err = p.held.WriteTo(out)
	return err
}
