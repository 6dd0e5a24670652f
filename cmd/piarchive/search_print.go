package main

import (
	"context"
	"fmt"
	"strings"

	"piarchive/internal/query"
)

// print prints a result the way that was asked for.
func (f *searchFlags) print(ctx context.Context, c *call, a *query.Archive, result *query.Result, layout hitLayout) error {
	switch {
	case c.json:
		cov, err := coverage(ctx, a)
		if err != nil {
			return err
		}
		return c.writeJSON(newSearchDoc(result, cov))
	case f.count:
		fmt.Fprintln(c.stdout, result.Total)
		talkNotes(c, result)
		return nil
	case f.want() == query.WantSessions:
		return f.printSessions(ctx, c, a, result)
	case f.entries && !c.jsonl:
		return printEntries(ctx, c, a, result)
	case c.jsonl:
		for _, h := range result.Hits {
			if err := c.writeLine(newHitDoc(h)); err != nil {
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
	cov, err := coverage(ctx, a)
	if err != nil {
		return err
	}
	return printCoverage(c, cov)
}

// talkNotes says beside data what is to be known about it.
func talkNotes(c *call, result *query.Result) {
	for _, n := range result.Notes {
		c.talk("%s", n)
	}
}

// printHitFields prints a hit, and what stands around it, for programs that
// read lines.
func printHitFields(c *call, h query.Hit) {
	fields := func(e *query.EntryRef, where, text string) {
		line, id, at := "", "", ""
		if e != nil {
			line, id = fmt.Sprint(e.Line), e.ID
			if e.Time != nil {
				at = isoTime(*e.Time)
			}
		}
		fmt.Fprintf(c.stdout, "%s\t%s\t%s\t%s\t%s\t%s\n", safe(h.Session.Path), line, safe(id), where, at, safe(text))
	}
	for _, n := range h.Before {
		fields(&n.EntryRef, "before", oneLine(n.Preview))
	}
	fields(h.Entry, h.Where, h.Snippet)
	for _, n := range h.After {
		fields(&n.EntryRef, "after", oneLine(n.Preview))
	}
}

// oneLine is the beginning of a text as one line.
func oneLine(text string) string {
	const most = 160
	return fit(strings.Join(strings.Fields(safe(text)), " "), most)
}

// printEntries prints what names each hit on the command line.
func printEntries(ctx context.Context, c *call, a *query.Archive, r *query.Result) error {
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
		fmt.Fprintf(c.stdout, "%s\t%s\n", safe(ref), at)
	}
	talkNotes(c, r)
	return nil
}

// printSessions prints the sessions that hold hits, or with --files their paths.
func (f *searchFlags) printSessions(ctx context.Context, c *call, a *query.Archive, r *query.Result) error {
	terminal := c.isTerminal(1) && !c.jsonl && !f.files
	if terminal {
		c.page(ctx)
	}
	width := len(count(int64(mostHits(r.Sessions))))
	for _, s := range r.Sessions {
		switch {
		case c.jsonl:
			if err := c.writeLine(newSessionHitsDoc(s)); err != nil {
				return err
			}
		case f.files:
			fmt.Fprintln(c.stdout, safe(s.Session.Path))
		case !terminal:
			latest := ""
			if s.Latest != nil {
				latest = isoTime(*s.Latest)
			}
			fmt.Fprintf(c.stdout, "%s\t%s\t%d\t%s\t%s\t%s\n", safe(s.Session.Path), safe(s.Session.ID), s.Hits, latest, safe(s.Session.CWD), safe(s.Session.Name))
		default:
			if err := printSessionHits(ctx, c, a, s, width); err != nil {
				return err
			}
		}
	}
	if !terminal {
		talkNotes(c, r)
		return nil
	}
	l := newHitLayout(c)
	text := counted(r.Total, "session")
	if len(r.Sessions) < r.Total {
		text = count(int64(len(r.Sessions))) + " of " + text + " (-n N shows more)"
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
	cov, err := coverage(ctx, a)
	if err != nil {
		return err
	}
	return printCoverage(c, cov)
}

func mostHits(sessions []query.SessionHits) int {
	most := 0
	for _, s := range sessions {
		most = max(most, s.Hits)
	}
	return most
}

// printSessionHits prints a session on a terminal: how many hits it holds, what
// it is, when, and its id.
func printSessionHits(ctx context.Context, c *call, a *query.Archive, s query.SessionHits, width int) error {
	id, err := a.Abbreviate(ctx, s.Session)
	if err != nil {
		return err
	}
	l := newHitLayout(c)
	hits := padLeft(count(int64(s.Hits)), width)
	tail := ""
	if s.Latest != nil {
		tail = when(*s.Latest, c.now())
	}
	if s.Session.Missing {
		tail += " (file gone)"
	}
	if id = safe(id); id == safe(s.Session.Path) {
		id = fitEnd(id, max(20, l.room(0)/2))
	}
	room := l.room(2 + cells.StringWidth(hits+"  "+tail+"  "+id))
	project, name := fit(safe(projectName(s.Session.CWD)), room), ""
	if s.Session.Name != "" {
		name = fit(" · "+safe(s.Session.Name), max(1, room-cells.StringWidth(project)))
	}
	gap := "  "
	if l.cells > 0 {
		gap = blanks(hits+"  "+project+name+tail+"  "+id, l.cells)
	}
	fmt.Fprintln(c.stdout, c.style.bold(hits)+"  "+c.style.label(project)+name+gap+c.style.dim(tail)+"  "+c.style.accent(id))
	return nil
}
