package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/query/history"
	"piarchive/internal/query/session"
	"piarchive/internal/terminal"
)

const vanishedHelp = `Sessions of which the archive has more than the disk: their file is gone, or it
was cut short or written anew, and lines that were in it are only here. All of
it is kept until it is forgotten.

  piarchive vanished
  piarchive vanished 4a369254            its earlier states, numbered
  piarchive show 4a369254 --version 2    one of them
  piarchive restore 4a369254             the file, where it was

What has gone since the last run is found with --fresh. A file counts as gone
only if the directory it was found under could be read.

In a pipe each session is one line of fields set apart by tabs: when it was
found, missing or rewritten, id, lines and bytes that only the archive has,
project, title, path. With SESSION each earlier state is one: its number, when
it was replaced, lines, bytes, lines that the next state lacks, SHA-256, path.

With --json: {"schema","sessions":[{"path","id","cwd","name","firstMessage",
"modified","missing","missingAt","bytes","lines","dropped":{"lines","bytes",
"rewrites","at"},"versions":[{"version","replacedAt","mtime","bytes","lines",
"dropped","titleOnly","sha256"}]}],"coverage"}. bytes and lines are those of the
file as it was read last, dropped those that rewrites took away before; null
without. versions are its earlier states, the oldest first.
`

// vanishedFlags are the flags of vanished.
type vanishedFlags struct{ missing, rewritten, fresh bool }

func bindVanished(flags *pflag.FlagSet) runner {
	var f vanishedFlags
	flags.BoolVar(&f.missing, "missing", false, "only sessions whose file is gone")
	flags.BoolVar(&f.rewritten, "rewritten", false, "only sessions that lines were dropped from")
	bindFresh(flags, &f.fresh)
	return f.run
}

func (f *vanishedFlags) run(ctx context.Context, c *call) error {
	a, err := openArchive(ctx, c, f.fresh)
	if err != nil {
		return err
	}
	defer a.Close()
	var all []*history.Kept
	if len(c.args) > 0 {
		all, err = keptVersions(ctx, c, a)
	} else {
		all, err = history.Vanished(ctx, a)
	}
	if err != nil {
		return err
	}
	list := all[:0]
	for _, v := range all {
		if (!f.missing || v.Session.Missing) && (!f.rewritten || v.Dropped > 0) {
			list = append(list, v)
		}
	}
	if err := f.print(ctx, c, a, list); err != nil {
		return err
	}
	if len(list) == 0 || len(c.args) > 0 && !slices.ContainsFunc(list, func(v *history.Kept) bool { return len(v.Versions) > 0 }) {
		return errNothing
	}
	return nil
}

func (f *vanishedFlags) print(ctx context.Context, c *call, a *query.Archive, list []*history.Kept) error {
	switch {
	case c.json:
		cov, err := documents.NewCoverage(ctx, a)
		if err != nil {
			return err
		}
		return c.writeJSON(documents.NewVanished(list, cov))
	case c.jsonl:
		for _, v := range list {
			if err := c.writeLine(documents.NewVanishedSession(v)); err != nil {
				return err
			}
		}
		return nil
	case len(c.args) > 0:
		return printVersions(c, list)
	case !c.isTerminal(1):
		return printVanishedFields(c, list)
	case len(list) == 0:
		c.talk("nothing has vanished")
		return nil
	}
	c.page(ctx)
	return printVanished(ctx, c, a, list)
}

// lost counts what only the archive has.
func lost(v *history.Kept) (lines int, bytes int64) {
	lines, bytes = v.Dropped, v.DroppedSize
	if v.Session.Missing {
		lines, bytes = lines+v.Lines, bytes+v.Bytes
	}
	return lines, bytes
}

func printVanishedFields(c *call, list []*history.Kept) error {
	for _, v := range list {
		what := "rewritten"
		if v.Session.Missing {
			what = "missing"
		}
		lines, bytes := lost(v)
		fields := []string{documents.ISO(v.At()), what, terminal.Safe(v.Session.ID), strconv.Itoa(lines), strconv.FormatInt(bytes, 10),
			terminal.Safe(v.Session.CWD), vanishedTitle(v, 200), terminal.Safe(v.Session.Path)}
		if _, err := fmt.Fprintln(c.stdout, strings.Join(fields, "\t")); err != nil {
			return err
		}
	}
	return nil
}

// vanishedTitle is the title of a session, and the name of a file that is none.
func vanishedTitle(v *history.Kept, width int) string {
	if v.Kind == "" {
		return terminal.Fit(terminal.Safe(baseName(v.Session.Path)), width)
	}
	return sessionTitle(&session.Info{Name: v.Session.Name, First: v.First}, width)
}

func baseName(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

// printVanished draws a table for a terminal:
//
//	GONE      TITLE                     PROJECT     LINES    SIZE  ID
//	2h ago    Sixel in one frame        nightterm     122   91 kB  01a130a3
//	Mon 9:12  [rewritten] Rust port …   tagsmith        3  1.2 kB  019e5393
func printVanished(ctx context.Context, c *call, a *query.Archive, list []*history.Kept) error {
	t := keptTable(c, "GONE", "LINES")
	for _, v := range list {
		mark := ""
		if !v.Session.Missing {
			mark = "[rewritten] "
		}
		id, err := shortID(ctx, a, &session.Info{Key: v.Session.Key, Path: v.Session.Path, ID: v.Session.ID})
		if err != nil {
			return err
		}
		lines, bytes := lost(v)
		t.Row(terminal.When(v.At(), c.now()), mark+vanishedTitle(v, c.width()), terminal.Safe(terminal.ProjectName(v.Session.CWD)),
			terminal.Count(int64(lines)), terminal.Size(bytes), id)
	}
	return t.End()
}

// keptTable makes a table of sessions, with a time and a number that the headings
// name. What the window has no room for is taken from the project, then from the
// title.
func keptTable(c *call, at, number string) *terminal.Table {
	s := c.style
	return newTable(c,
		terminal.Column{Head: at, Paint: s.Dim},
		terminal.Column{Head: "TITLE", Shrink: 2, Least: 10},
		terminal.Column{Head: "PROJECT", Shrink: 1, Least: 10, Paint: s.Label},
		terminal.Column{Head: number, Right: true, Paint: s.Dim},
		terminal.Column{Head: "SIZE", Right: true, Paint: s.Dim},
		terminal.Column{Head: "ID", Paint: s.Accent})
}
