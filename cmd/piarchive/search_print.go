package main

import (
	"context"
	"fmt"

	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/query/search"
	"piarchive/internal/terminal"
	"piarchive/internal/text"
)

// print prints a result the way that was asked for.
func (f *searchFlags) print(ctx context.Context, c *call, a *query.Archive, result *search.Result, layout hitLayout) error {
	switch {
	case c.json:
		cov, err := documents.NewCoverage(ctx, a)
		if err != nil {
			return err
		}
		return c.writeJSON(documents.NewSearch(result, cov))
	case f.count:
		fmt.Fprintln(c.stdout, result.Total)
		talkNotes(c, result)
		return nil
	case f.want() == search.WantSessions:
		return f.printSessions(ctx, c, a, result)
	case f.entries && !c.jsonl:
		return printEntries(ctx, c, a, result)
	case c.jsonl:
		for _, h := range result.Hits {
			if err := c.writeLine(documents.NewHit(h)); err != nil {
				return err
			}
		}
		talkNotes(c, result)
		return nil
	case !c.isTerminal(1):
		for _, h := range result.Hits {
			printHitFields(c, h)
		}
		talkNotes(c, result)
		return nil
	}
	c.page(ctx)
	if err := layout.print(ctx, a, result); err != nil {
		return err
	}
	cov, err := documents.NewCoverage(ctx, a)
	if err != nil {
		return err
	}
	c.text().SayCoverage(cov)
	return nil
}

// talkNotes says beside data what is to be known about it.
func talkNotes(c *call, result *search.Result) {
	for _, n := range result.Notes {
		c.talk("%s", n)
	}
}

// printHitFields prints a hit, and what stands around it, for programs that
// read lines.
func printHitFields(c *call, h search.Hit) {
	fields := func(e *query.EntryRef, where, text string) {
		line, id, at := "", "", ""
		if e != nil {
			line, id = fmt.Sprint(e.Line), e.ID
			if e.Time != nil {
				at = documents.Time(*e.Time).String()
			}
		}
		fmt.Fprintf(c.stdout, "%s\t%s\t%s\t%s\t%s\t%s\n", terminal.Safe(h.Session.Path), line, terminal.Safe(id), where, at, terminal.Safe(text))
	}
	for _, n := range h.Before {
		fields(&n.EntryRef, "before", documents.OneLine(n.Preview))
	}
	fields(h.Entry, h.Where, h.Snippet)
	for _, n := range h.After {
		fields(&n.EntryRef, "after", documents.OneLine(n.Preview))
	}
}

// printEntries prints what names each hit on the command line.
func printEntries(ctx context.Context, c *call, a *query.Archive, r *search.Result) error {
	refs := map[int64]string{}
	for _, h := range r.Hits {
		ref, ok := refs[h.Session.Key]
		if !ok {
			var err error
			if ref, err = a.Abbreviate(ctx, h.Session); err != nil {
				return err
			}
			refs[h.Session.Key] = ref
		}
		at := "@1" // of a title
		if h.Entry != nil {
			at = place(h)
		}
		fmt.Fprintf(c.stdout, "%s\t%s\n", terminal.Safe(ref), at)
	}
	talkNotes(c, r)
	return nil
}

// printSessions prints the sessions that hold hits, or with --files their paths.
func (f *searchFlags) printSessions(ctx context.Context, c *call, a *query.Archive, r *search.Result) error {
	person := c.isTerminal(1) && !c.jsonl && !f.files
	if person {
		c.page(ctx)
	}
	width := len(terminal.Count(int64(mostHits(r.Sessions))))
	for _, s := range r.Sessions {
		switch {
		case c.jsonl:
			if err := c.writeLine(documents.NewSessionHits(s)); err != nil {
				return err
			}
		case f.files:
			fmt.Fprintln(c.stdout, terminal.Safe(s.Session.Path))
		case !person:
			latest := ""
			if s.Latest != nil {
				latest = documents.Time(*s.Latest).String()
			}
			fmt.Fprintf(c.stdout, "%s\t%s\t%d\t%s\t%s\t%s\n", terminal.Safe(s.Session.Path), terminal.Safe(s.Session.ID), s.Hits, latest, terminal.Safe(s.Session.CWD), terminal.Safe(s.Session.Name))
		default:
			if err := printSessionHits(ctx, c, a, s, width); err != nil {
				return err
			}
		}
	}
	if !person {
		talkNotes(c, r)
		return nil
	}
	l := newHitLayout(c)
	text := terminal.Counted(r.Total, "session")
	if shown := len(r.Sessions) - r.Below; shown < r.Total {
		text = terminal.Count(int64(shown)) + " of " + text + " (-n N shows more)"
	}
	if r.Below > 0 {
		text += fmt.Sprintf(" · %d more with some of the words", r.Below)
	}
	if r.Total == 0 {
		text = "no hits"
	} else {
		fmt.Fprintln(c.stdout)
	}
	l.remark(text)
	for _, n := range r.Notes {
		l.remark(n)
	}
	cov, err := documents.NewCoverage(ctx, a)
	if err != nil {
		return err
	}
	c.text().SayCoverage(cov)
	return nil
}

func mostHits(sessions []search.SessionHits) int {
	most := 0
	for _, s := range sessions {
		most = max(most, s.Hits)
	}
	return most
}

// printSessionHits prints a session on a terminal: how many hits it holds, what
// it is, when, and its id.
func printSessionHits(ctx context.Context, c *call, a *query.Archive, s search.SessionHits, width int) error {
	id, err := a.Abbreviate(ctx, s.Session)
	if err != nil {
		return err
	}
	l := newHitLayout(c)
	hits := terminal.PadLeft(terminal.Count(int64(s.Hits)), width)
	tail := ""
	if s.Latest != nil {
		tail = terminal.When(*s.Latest, c.now())
	}
	if s.Session.Missing {
		tail += " (file gone)"
	}
	if id = terminal.Safe(id); id == terminal.Safe(s.Session.Path) {
		id = terminal.FitEnd(id, max(20, l.room(0)/2))
	}
	room := l.room(2 + terminal.Width(hits+"  "+tail+"  "+id))
	project, name := text.Headline(s.Session, room)
	gap := "  "
	if l.cells > 0 {
		gap = terminal.Blanks(hits+"  "+project+name+tail+"  "+id, l.cells)
	}
	fmt.Fprintln(c.stdout, c.style.Bold(hits)+"  "+c.style.Label(project)+name+gap+c.style.Dim(tail)+"  "+c.style.Accent(id))
	return nil
}
