package main

import (
	"cmp"
	"context"
	"fmt"

	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/query/memory"
	"piarchive/internal/query/question"
	"piarchive/internal/query/search"
	"piarchive/internal/terminal"
	"piarchive/internal/text"
)

// usualCases is how many errors are told of unless told.
const usualCases = 10

// printFixed answers search --fixed: what was done after an error until it no
// longer came.
func printFixed(ctx context.Context, c *call, a *query.Archive, q question.Query, o search.Options) error {
	if o.Snippet > 0 {
		o.Snippet = c.width()
	}
	list, err := memory.Fixes(ctx, a, q, o, cmp.Or(o.Limit, q.Limit, usualCases))
	if err != nil {
		return searchError(err)
	}
	c.name = "fixed" // its documents are its own
	err = printEach(ctx, c, a, list.Cases,
		func(cov documents.Coverage) any { return documents.NewFixed(list, q.String(), cov) },
		func(found memory.Case) any { return documents.NewCase(found) },
		func(found memory.Case) error { return printCase(ctx, c, a, found) })
	if !c.json {
		for _, n := range list.Notes {
			c.talk("%s", n)
		}
	}
	if err == nil && list.More {
		c.talk("there are earlier ones; -n N shows more")
	}
	return err
}

// printCase prints a case:
//
//	nightterm · links when a line wraps                  2026-01-28  4a369254@14
//	  npm test -- links
//	  FAIL test/links.test.ts > opens the file of the right package
//	    edit    @16  src/links/path.ts
//	    failed  @18  npm test
//	  passed @22
func printCase(ctx context.Context, c *call, a *query.Archive, found memory.Case) error {
	at, err := c.reference(ctx, a, found.Session, &found.Entry)
	if err != nil {
		return err
	}
	if !c.laysOut() {
		return printCaseFields(ctx, c, a, found, at)
	}
	tail := c.when(&found.Entry) + "  "
	title := c.oneLine(text.ProjectName(found.Session.CWD)+" · "+found.Session.Title(), terminal.Width(tail+at)+2)
	fmt.Fprintln(c.stdout, c.style.Bold(title)+terminal.Blanks(title+tail+at, c.width())+c.style.Dim(tail)+c.style.Accent(at))
	fmt.Fprintln(c.stdout, "  "+c.oneLine(found.Command, 2))
	fmt.Fprintln(c.stdout, "  "+c.style.Bad(c.oneLine(found.Text, 2)))
	if found.Left > 0 && found.Outcome != memory.Unfixed {
		fmt.Fprintln(c.stdout, c.style.Dim("    … "+terminal.Counted(found.Left, "step")+" before"))
	}
	const placeWidth = len("@12345")
	for _, s := range found.Steps {
		what := c.style.Plain
		if s.Failed {
			what = c.style.Bad
		}
		place := fmt.Sprintf("@%d", s.Entry.Line)
		fmt.Fprintln(c.stdout, "    "+what(terminal.Pad(stepName(s), len("edit failed")))+"  "+c.style.Accent(terminal.PadLeft(place, placeWidth))+"  "+c.oneLine(s.Text, 4+11+2+placeWidth+2))
	}
	if found.Left > 0 && found.Outcome == memory.Unfixed {
		fmt.Fprintln(c.stdout, c.style.Dim("    … "+terminal.Counted(found.Left, "step")+" more"))
	}
	end := c.style.Bad("never seen fixed")
	switch found.Outcome {
	case memory.Passed:
		end = c.style.Good(fmt.Sprintf("passed @%d", found.End.Line))
	case memory.Gone:
		end = c.style.Good(fmt.Sprintf("no longer came @%d", found.End.Line))
	}
	_, err = fmt.Fprintln(c.stdout, "  "+end+"\n")
	return err
}

func stepName(s memory.Step) string {
	if s.Failed {
		return s.What + " failed"
	}
	return s.What
}

// printCaseFields prints a case for programs that read lines: the error, its
// steps, and how it ended.
func printCaseFields(ctx context.Context, c *call, a *query.Archive, found memory.Case, at string) error {
	if err := c.fields("error", c.when(&found.Entry), at, found.Command, found.Text); err != nil {
		return err
	}
	for _, s := range found.Steps {
		at, err := c.reference(ctx, a, found.Session, &s.Entry)
		if err != nil {
			return err
		}
		if err := c.fields(stepName(s), c.when(&s.Entry), at, s.Text, ""); err != nil {
			return err
		}
	}
	if found.End == nil {
		return c.fields(found.Outcome.String(), "", "", "", "")
	}
	at, err := c.reference(ctx, a, found.Session, found.End)
	if err != nil {
		return err
	}
	return c.fields(found.Outcome.String(), c.when(found.End), at, "", "")
}
