package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/query/memory"
	"piarchive/internal/query/question"
	"piarchive/internal/query/search"
	"piarchive/internal/terminal"
)

// memoryFlags are the flags of how and blame.
type memoryFlags struct {
	project, since, until, zone string
	limit                       int
	fresh                       bool
}

// usualMemory is how many answers are given unless told.
const usualMemory = 20

func (f *memoryFlags) bind(flags *pflag.FlagSet) {
	flags.IntVarP(&f.limit, "limit", "n", usualMemory, "print at most `N` answers, 0 for all")
	flags.StringVar(&f.project, "project", "", "only projects like `TEXT`: a part, a glob, or a directory and all below")
	flags.StringVar(&f.since, "since", "", "only what was done at `DATE` or later")
	flags.StringVar(&f.until, "until", "", "only what was done at `DATE` or earlier")
	flags.StringVar(&f.zone, "tz", "", "time zone of dates: `ZONE` such as Europe/Berlin or UTC")
	bindFresh(flags, &f.fresh)
}

// filter reads the flags; most is how many answers are asked for.
func (f *memoryFlags) filter(c *call) (o memory.Filter, most int, err error) {
	if f.limit < 0 {
		return o, 0, usageErrorf("-n is a number of answers, not %d", f.limit)
	}
	if most = f.limit; most == 0 {
		most = search.All
	}
	now, err := inZone(c.now(), f.zone)
	if err != nil {
		return o, 0, err
	}
	if f.since != "" {
		if o.Since, _, err = question.ParseDate(f.since, now); err != nil {
			return o, 0, usageErrorf("--since: %w", err)
		}
	}
	if f.until != "" {
		if _, o.Until, err = question.ParseDate(f.until, now); err != nil {
			return o, 0, usageErrorf("--until: %w", err)
		}
	}
	o.Project, err = c.projectPath(f.project)
	return o, most, err
}

// printEach prints an answer: as a document, or item by item.
func printEach[T any](ctx context.Context, c *call, a *query.Archive, found []T, document func(documents.Coverage) any, line func(T) any, text func(T) error) error {
	if c.json {
		cov, err := documents.NewCoverage(ctx, a)
		if err != nil {
			return err
		}
		if err := c.writeJSON(document(cov)); err != nil {
			return err
		}
	} else {
		c.page(ctx)
		for _, item := range found {
			var err error
			if c.jsonl {
				err = c.writeLine(line(item))
			} else {
				err = text(item)
			}
			if err != nil {
				return err
			}
		}
	}
	if len(found) == 0 {
		return errNothing
	}
	return nil
}

// reference names an entry as under: takes it: SESSION@LINE. Of a path, which is
// what it takes where copies share an id, a terminal gets the end.
func (c *call) reference(ctx context.Context, a *query.Archive, s query.SessionRef, e *query.EntryRef) (string, error) {
	id, err := a.Abbreviate(ctx, s)
	return terminal.FitEnd(fmt.Sprintf("%s@%d", terminal.Safe(id), e.Line), c.width()/2), err
}

// fields prints a line for programs that read lines.
func (c *call) fields(fields ...string) error {
	for i, field := range fields {
		fields[i] = terminal.Safe(field)
	}
	_, err := fmt.Fprintln(c.stdout, strings.Join(fields, "\t"))
	return err
}

// when is a time for a person, or in a pipe for a program.
func (c *call) when(e *query.EntryRef) string {
	switch {
	case e.Time == nil:
		return ""
	case c.laysOut():
		return terminal.When(*e.Time, c.now())
	}
	return documents.Time(*e.Time).String()
}

// oneLine is a text in one line that fits behind so many cells.
func (c *call) oneLine(text string, taken int) string {
	room := 0
	if c.width() > 0 {
		room = max(10, c.width()-taken)
	}
	const enough = 4 << 10 // a script may be megabytes
	if len(text) > enough {
		text = strings.ToValidUTF8(text[:enough], "") + "…"
	}
	return terminal.Fit(strings.Join(strings.Fields(terminal.Safe(text)), " "), room)
}
