package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/terminal"
	"piarchive/internal/text"
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

// data makes what is written from now on no text but data, which has to
// arrive byte for byte. Only on a terminal, where it could act on the screen, is
// it made printable all the same.
func (c *call) data() {
	c.stdout.drain()
	text := c.stdout.text
	text.Colours, text.Links = false, false // ours are in text alone
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

// documents writes to standard output: indented for a person at a terminal.
func (c *call) documents() documents.Writer {
	return documents.Writer{Out: c.stdout, Schema: "piarchive." + c.name + "/1", Indented: c.isTerminal(1)}
}

func (c *call) writeJSON(doc any) error { return c.documents().Write(doc) }

// writeLine prints v as one line of JSON Lines.
func (c *call) writeLine(v any) error { return c.documents().Line(v) }

// text lays answers out on standard output.
func (c *call) text() text.Page {
	return text.Page{Out: c.stdout, Style: c.style, Glyphs: glyphsFor(c.env), Width: c.width(), Now: c.now(), Home: c.home}
}

// printList prints a list in the form that is asked for: a document, an object a
// line, a line of these fields for each row, or as people read it.
func printList[R any](ctx context.Context, c *call, a *query.Archive, list documents.List[R], fields string, doc func(documents.Coverage) documents.Object, people func() error) error {
	switch {
	case c.json:
		cov, err := documents.NewCoverage(ctx, a)
		if err != nil {
			return err
		}
		return c.writeJSON(doc(cov))
	case c.jsonl:
		return list.Lines(c.stdout)
	case !c.laysOut():
		return list.Fields(c.stdout, fields)
	}
	return people()
}

// chooseStyle decides whether standard output gets colours. What the flag says
// goes; then $NO_COLOR, then $CLICOLOR_FORCE, then whether it is a terminal.
func chooseStyle(e env, when string) terminal.Style {
	force := e.getenv("CLICOLOR_FORCE")
	switch {
	case when != "auto":
		return terminal.Style{On: when == "always"}
	case e.getenv("NO_COLOR") != "":
		return terminal.Style{}
	case force != "" && force != "0":
		return terminal.Style{On: true}
	}
	return terminal.Style{On: e.isTerminal(1) && e.getenv("TERM") != "dumb"}
}

// hyperlinks turns links to files on or off: without a word on it where a terminal
// is known to take what it does not understand for nothing, and so is its pager.
func (c *call) hyperlinks(when string) {
	on := when == "always"
	if when == "auto" && c.isTerminal(1) && c.getenv("NO_COLOR") == "" {
		kind, pager := c.getenv("TERM"), strings.Fields(c.getenv("PAGER"))
		on = kind != "dumb" && kind != "linux" && (kind != "" || c.getenv("WT_SESSION") != "") &&
			(len(pager) == 0 || slices.Contains([]string{"less", "cat"}, filepath.Base(pager[0])))
	}
	c.style.Links, c.stdout.text.Links = on, on
}

// glyphsFor chooses signs that the terminal can show: the locale says whether
// it takes UTF-8. Without one it does, as every terminal of today.
func glyphsFor(e env) terminal.Glyphs {
	locale := e.getenv("LC_ALL")
	for _, name := range []string{"LC_CTYPE", "LANG"} {
		if locale == "" {
			locale = e.getenv(name)
		}
	}
	locale = strings.ToLower(strings.ReplaceAll(locale, "-", ""))
	return terminal.NewGlyphs(locale == "" || strings.Contains(locale, "utf8"))
}

// laysOut reports whether an answer is laid out for people, not printed as fields.
func (c *call) laysOut() bool {
	if c.format == "" || c.format == "auto" {
		return c.isTerminal(1)
	}
	return c.format == "text"
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
	// An interrupt reaches the pager from the terminal; killing it here would
	// leave the terminal in the state the pager put it in.
	cmd := exec.CommandContext(context.WithoutCancel(ctx), pager[0], pager[1:]...)
	cmd.Stdout, cmd.Stderr = c.env.stdout, c.env.stderr
	if c.getenv("LESS") == "" {
		cmd.Env = append(os.Environ(), "LESS=FRX")
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		c.talk("start pager %s: %v", pager[0], err)
		return
	}
	if err := cmd.Start(); err != nil {
		c.talk("start pager %s: %v", pager[0], err)
		return
	}
	c.stdout.paged.Store(true)
	c.stdout.to(in)
	c.stdout.end = func() {
		in.Close()
		cmd.Wait() // the pager's own exit status says nothing about the answer
	}
}
