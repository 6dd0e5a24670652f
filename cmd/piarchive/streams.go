package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"

	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/terminal"
	"piarchive/internal/text"
)

// output is standard output as commands write it. A command that goes on for long
// (a watch) calls Flush after each answer.
type output struct {
	*terminal.Output
	end   func()      // closes the pager and waits for it; nil without one
	paged atomic.Bool // there is a pager
}

// finish writes out what is left. It returns the first error of any write.
func (o *output) finish() error {
	err := o.Drain()
	if o.end != nil {
		o.end()
	}
	return err
}

// data makes what is written from now on no text but data.
func (c *call) data() { c.stdout.Data(c.isTerminal(1)) }

// documents writes to standard output: indented for a person at a terminal.
func (c *call) documents() documents.Writer {
	return documents.Writer{Out: c.stdout, Schema: "piarchive." + c.name + "/1", Indented: c.isTerminal(1)}
}

func (c *call) writeJSON(doc any) error { return c.documents().Write(doc) }

// writeLine prints v as one line of JSON Lines.
func (c *call) writeLine(v any) error { return c.documents().Line(v) }

// text lays answers out on standard output.
func (c *call) text() text.Page {
	return text.Page{Out: c.stdout, Style: c.style, Glyphs: terminal.GlyphsFor(c.getenv), Width: c.width(), Now: c.now(), Home: c.home}
}

// printList prints a list in the form that is asked for: a document, an object a
// line, a line of these fields for each row, or as people read it. It returns
// errNothing for an empty list.
func printList[R any](ctx context.Context, c *call, a *query.Archive, list documents.List[R], fields string, doc documents.Object, people func() error) error {
	var err error
	switch {
	case c.json:
		err = c.documents().Answer(ctx, a, doc)
	case c.jsonl:
		err = list.Lines(c.stdout)
	case !c.laysOut():
		err = list.Fields(c.stdout, fields)
	default:
		err = people()
	}
	if err == nil && len(list.Rows) == 0 {
		return errNothing
	}
	return err
}

// paged makes of what prints for people what does through the pager.
func (c *call) paged(ctx context.Context, people func()) func() error {
	return func() error {
		c.page(ctx)
		people()
		return nil
	}
}

// laysOut reports whether an answer is laid out for people, not printed as fields.
func (c *call) laysOut() bool {
	if c.format == "" || c.format == "auto" {
		return c.isTerminal(1)
	}
	return c.format == "text"
}

// hyperlinks turns links to files on or off.
func (c *call) hyperlinks(when string) {
	c.style.Links = terminal.LinksFor(when, c.isTerminal(1), c.getenv)
	c.stdout.Links(c.style.Links)
}

// page sends the rest of standard output through $PAGER, or less if there is one,
// where a person is looking. The command goes on writing to c.stdout; leaving the
// pager early ends it as a closed pipe does.
func (c *call) page(ctx context.Context) {
	pager := strings.Fields(c.getenv("PAGER"))
	if len(pager) == 0 && c.getenv("TERM") != "dumb" {
		if path, err := exec.LookPath("less"); err == nil {
			pager = []string{path, "-FRX"} // leave at once if all fits, show colours, keep the screen
		}
	}
	if len(pager) == 0 || pager[0] == "cat" || !c.isTerminal(1) || c.unpaged || c.json || c.jsonl {
		return
	}
	cmd, in, err := c.startPager(ctx, pager)
	if err != nil {
		c.talk("%v", err)
		return
	}
	c.stdout.To(in)
	c.stdout.end = func() {
		in.Close()
		cmd.Wait() // the pager's own exit status says nothing about the answer
	}
}

// startPager starts a pager, and returns where it reads.
func (c *call) startPager(ctx context.Context, pager []string) (*exec.Cmd, io.WriteCloser, error) {
	// An interrupt reaches the pager from the terminal; killing it here would
	// leave the terminal in the state the pager put it in.
	cmd := exec.CommandContext(context.WithoutCancel(ctx), pager[0], pager[1:]...)
	cmd.Stdout, cmd.Stderr = c.env.stdout, c.env.stderr
	if c.getenv("LESS") == "" {
		cmd.Env = append(os.Environ(), "LESS=FRX")
	}
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("start pager %s: %w", pager[0], err)
	}
	c.stdout.paged.Store(true)
	return cmd, in, nil
}

// readText reads a file that the user names, or standard input for "". It may be
// a pipe, as <(…) of a shell is; more than limit bytes are an error.
func (c *call) readText(ctx context.Context, file string, limit int64) (string, error) {
	return terminal.Awaited(ctx, func() (string, error) {
		in, name := c.stdin, "standard input"
		if file != "" {
			path, err := c.abs(file)
			if err != nil {
				return "", err
			}
			f, err := os.Open(path)
			if err != nil {
				return "", err
			}
			defer f.Close()
			in, name = f, path
		}
		text, err := io.ReadAll(io.LimitReader(in, limit+1))
		switch {
		case err != nil && file == "":
			err = fmt.Errorf("read %s: %w", name, err)
		case err == nil && int64(len(text)) > limit:
			err = fmt.Errorf("read %s: it has more than %s", name, terminal.Size(limit))
		}
		return string(text), err
	})
}
