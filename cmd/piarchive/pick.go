package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"piarchive/internal/pick"
	"piarchive/internal/query"
	"piarchive/internal/terminal"
	"piarchive/internal/transcript"
)

const pickHelp = `Shows the latest sessions and, as you type a query, what it finds, with what
stands around it. The query is that of search; its last word, while you type it,
is the beginning of one.

  Up, Down, PgUp, PgDn, Ctrl-P, Ctrl-N   move
  Tab          look everywhere, in the project of this directory, for sessions
  Enter        read the session from there in $PAGER, or in less
  Ctrl-Y       copy the reference SESSION@LINE, where the terminal allows it
  Ctrl-R       print the command that resumes the session, and leave
  Ctrl-/       show or hide what stands around
  Esc          hide it; a second time, leave
  Ctrl-C       leave, with exit status 130
`

func bindPick(*pflag.FlagSet) runner { return runPick }

func runPick(ctx context.Context, c *call) error {
	switch {
	case c.json || c.jsonl:
		return withHint(usageErrorf("pick has no JSON to print"), "search and list answer programs")
	case !c.isTerminal(0) || !c.isTerminal(1):
		return withHint(errors.New("pick needs a terminal, to type and to show"), "search and list answer in a pipe")
	case c.getenv("TERM") == "dumb":
		return withHint(errors.New("pick needs a terminal that can move its cursor, and TERM is dumb"), "search and list print lines")
	}
	searched, err := openArchive(ctx, c)
	if err != nil {
		return err
	}
	defer searched.Close()
	read, err := query.Open(ctx, c.db, c.roots)
	if err != nil {
		return err
	}
	defer read.Close()
	cwd, err := c.cwd()
	if err != nil {
		cwd = "" // nothing is of this project, then
	}
	resume, err := pick.Run(ctx, pick.Options{
		Searched: searched, Read: read, Query: strings.Join(c.args, " "),
		CWD: cwd, Home: c.home, Now: c.now, Style: c.style, Glyphs: terminal.GlyphsFor(c.getenv),
		In: c.stdin, Out: c.env.stdout, Environ: os.Environ(), Show: c.showAt,
	})
	switch {
	case errors.Is(err, pick.ErrInterrupted):
		return errInterrupted
	case err == nil && resume != nil:
		return new(resumeFlags).resume(ctx, c, read, *resume, "")
	}
	return err
}

// showAt lets a person read a session in a pager, from a place on.
func (c *call) showAt(ctx context.Context, a *query.Archive, place pick.Place) error {
	err := pick.Read(ctx, a, place, transcript.Options{Zone: c.now().Location(), Width: c.width(), Style: c.style},
		func(line int) (func(), io.Writer, error) { return c.openPager(ctx, line) })
	if isBrokenPipe(err) {
		return nil // it was left before the end
	}
	return err
}

// openPager starts $PAGER, or less, at a line if it is less. Unlike the pager of
// other commands it stays where all fits, for the picker comes back behind it.
func (c *call) openPager(ctx context.Context, line int) (end func(), out io.Writer, err error) {
	pager := strings.Fields(c.getenv("PAGER"))
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
	text := &terminal.Printable{Out: in, Colours: c.style.On}
	return func() {
		text.End()
		in.Close()
		cmd.Wait() // the pager's own exit status says nothing
		c.stdout.paged.Store(false)
	}, text, nil
}
