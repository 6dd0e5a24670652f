package find

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"piarchive/internal/cli"
	"piarchive/internal/cli/read"
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

// Pick is the command pick.
func Pick() cli.Command {
	return cli.Command{
		Name: "pick", Args: "[QUERY…]", Summary: "search while you type, then read or resume", Access: cli.Reads, AnyText: true,
		Help: pickHelp, Bind: bindPick,
	}
}

func bindPick(*pflag.FlagSet) cli.Runner { return runPick }

func runPick(ctx context.Context, c *cli.Call) error {
	switch {
	case c.JSON || c.JSONL:
		return cli.WithHint(cli.UsageErrorf("pick has no JSON to print"), "search and list answer programs")
	case !c.IsTerminal(0) || !c.IsTerminal(1):
		return cli.WithHint(errors.New("pick needs a terminal, to type and to show"), "search and list answer in a pipe")
	case c.Getenv("TERM") == "dumb":
		return cli.WithHint(errors.New("pick needs a terminal that can move its cursor, and TERM is dumb"), "search and list print lines")
	}
	searched, err := cli.OpenArchive(ctx, c)
	if err != nil {
		return err
	}
	defer searched.Close()
	reader, err := query.Open(ctx, c.DB, c.Roots)
	if err != nil {
		return err
	}
	defer reader.Close()
	cwd, _ := c.CWD() // unknown: nothing is of this project
	resume, err := pick.Run(ctx, pick.Options{
		Searched: searched, Read: reader, Query: strings.Join(c.Args, " "),
		CWD: cwd, Home: c.Home, Now: c.Now, Style: c.Style, Glyphs: terminal.GlyphsFor(c.Getenv),
		In: c.Stdin, Out: c.Env.Stdout, Environ: os.Environ(), Getenv: c.Getenv, Show: func(ctx context.Context, a *query.Archive, place pick.Place) error { return showAt(ctx, c, a, place) },
	})
	switch {
	case errors.Is(err, pick.ErrInterrupted):
		return cli.ErrInterrupted
	case err == nil && resume != nil:
		return read.GoOn(ctx, c, reader, *resume)
	}
	return err
}

// showAt lets a person read a session in a pager, from a place on.
func showAt(ctx context.Context, c *cli.Call, a *query.Archive, place pick.Place) error {
	err := pick.Read(ctx, a, place, transcript.Options{Zone: c.Now().Location(), Width: c.Width(), Style: c.Style},
		func(line int) (func(), io.Writer, error) { return c.OpenPager(ctx, line) })
	if cli.IsBrokenPipe(err) {
		return nil // it was left before the end
	}
	return err
}
