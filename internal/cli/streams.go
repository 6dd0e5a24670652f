package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"

	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/terminal"
	"piarchive/internal/text"
)

// Output is standard output as commands write it. A command that goes on for long
// (a watch) calls Flush after each answer.
type Output struct {
	*terminal.Output
	end   func()      // closes the pager and waits for it; nil without one
	Paged atomic.Bool // there is a pager
}

// finish writes out what is left. It returns the first error of any write.
func (o *Output) finish() error {
	err := o.Drain()
	if o.end != nil {
		o.end()
	}
	return err
}

// Data makes what is written from now on no text but data.
func (c *Call) Data() { c.Stdout.Data(c.IsTerminal(1)) }

// Documents writes to standard output: indented for a person at a terminal.
func (c *Call) Documents() documents.Writer {
	return documents.Writer{Out: c.Stdout, Schema: "piarchive." + c.Name + "/1", Indented: c.IsTerminal(1)}
}

func (c *Call) WriteJSON(doc any) error { return c.Documents().Write(doc) }

// WriteLine prints v as one line of JSON Lines.
func (c *Call) WriteLine(v any) error { return c.Documents().Line(v) }

// Glyphs are the signs of the locale. From now on standard output has no others: what
// is laid out for people asks for them, what programs read is everywhere the same.
func (c *Call) Glyphs() terminal.Glyphs {
	g := terminal.GlyphsFor(c.Getenv)
	c.Stdout.ASCII(g.ASCII)
	return g
}

// Text lays answers out on standard output.
func (c *Call) Text() text.Page {
	return text.Page{Out: c.Stdout, Style: c.Style, Glyphs: c.Glyphs(), Width: c.Width(), Now: c.Now(), Home: c.Home}
}

// PrintList prints a list in the form that is asked for: a document, an object a
// line, a line of these fields for each row, or as people read it. It returns
// ErrNothing for an empty list.
func PrintList[R any](ctx context.Context, c *Call, a *query.Archive, list documents.List[R], fields string, doc documents.Object, people func() error) error {
	var err error
	switch {
	case c.JSON:
		err = c.Documents().Answer(ctx, a, doc)
	case c.JSONL:
		err = list.Lines(c.Stdout)
	case !c.LaysOut():
		err = list.Fields(c.Stdout, fields)
	default:
		err = people()
	}
	if err == nil && len(list.Rows) == 0 {
		return ErrNothing
	}
	return err
}

// Paged makes of what prints for people what does through the pager.
func (c *Call) Paged(ctx context.Context, people func()) func() error {
	return func() error {
		c.Page(ctx)
		people()
		return nil
	}
}

// LaysOut reports whether an answer is laid out for people, not printed as JSON or fields.
func (c *Call) LaysOut() bool {
	if c.JSON || c.JSONL {
		return false
	}
	if c.Format == "" || c.Format == "auto" {
		return c.IsTerminal(1)
	}
	return c.Format == "text"
}

// Screenful is how many lines of a list fit a common window, with the line that
// tells of more.
const Screenful = 30

// Hyperlinks turns links to files on or off.
func (c *Call) Hyperlinks(when string) {
	c.Style.Links = terminal.LinksFor(when, c.IsTerminal(1), c.Getenv)
	c.Stdout.Links(c.Style.Links)
}

// Page sends the rest of standard output through $PAGER, or less if there is one,
// where a person is looking. The command goes on writing to c.stdout; leaving the
// pager early ends it as a closed pipe does.
func (c *Call) Page(ctx context.Context) {
	pager := strings.Fields(c.Getenv("PAGER"))
	if len(pager) == 0 && c.Getenv("TERM") != "dumb" {
		if path, err := exec.LookPath("less"); err == nil {
			pager = []string{path, "-FRX"} // leave at once if all fits, show colours, keep the screen
		}
	}
	if len(pager) == 0 || pager[0] == "cat" || !c.IsTerminal(1) || c.unpaged || c.JSON || c.JSONL {
		return
	}
	cmd, in, err := c.startPager(ctx, pager)
	if err != nil {
		c.Talk("%v", err)
		return
	}
	c.Stdout.To(in)
	c.Stdout.end = func() {
		in.Close()
		cmd.Wait() // the pager's own exit status says nothing about the answer
	}
}

// startPager starts a pager, and returns where it reads.
func (c *Call) startPager(ctx context.Context, pager []string) (*exec.Cmd, io.WriteCloser, error) {
	// An interrupt reaches the pager from the terminal; killing it here would
	// leave the terminal in the state the pager put it in.
	cmd := exec.CommandContext(context.WithoutCancel(ctx), pager[0], pager[1:]...)
	cmd.Stdout, cmd.Stderr = c.Env.Stdout, c.Env.Stderr
	if c.Getenv("LESS") == "" {
		cmd.Env = append(os.Environ(), "LESS=FRX")
	}
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("start pager %s: %w", pager[0], err)
	}
	c.Stdout.Paged.Store(true)
	return cmd, in, nil
}

// OpenPager starts $PAGER, or less, at a line if it is less. Unlike the pager of
// other commands it stays where all fits, for the picker comes back behind it.
func (c *Call) OpenPager(ctx context.Context, line int) (end func(), out io.Writer, err error) {
	pager := strings.Fields(c.Getenv("PAGER"))
	if len(pager) == 0 || pager[0] == "cat" {
		pager = []string{"less"}
	}
	if filepath.Base(pager[0]) == "less" {
		pager = append(pager, "-+F", "-+X", "+"+strconv.Itoa(cmp.Or(line, 1)))
	}
	cmd, in, err := c.startPager(ctx, pager)
	if err != nil {
		return nil, nil, err
	}
	text := &terminal.Printable{Out: in, Colours: c.Style.On}
	return func() {
		text.End()
		in.Close()
		cmd.Wait() // the pager's own exit status says nothing
		c.Stdout.Paged.Store(false)
	}, text, nil
}

// ReadText reads a file that the user names, or standard input for "". It may be
// a pipe, as <(…) of a shell is; more than limit bytes are an error.
func (c *Call) ReadText(ctx context.Context, file string, limit int64) (string, error) {
	return terminal.Awaited(ctx, func() (string, error) {
		in, name := c.Stdin, "standard input"
		if file != "" {
			path, err := c.Abs(file)
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
