package text

import (
	"strconv"
	"strings"

	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/query/memory"
	"piarchive/internal/terminal"
)

// Commands prints command lines, each with how often it ran, and when and where
// last, of total:
//
//	12×  2h ago  4a369254@14  npm test -- links
func (p Page) Commands(found []memory.Command, total int) {
	s := p.Style
	printRows(p, []column[memory.Command]{
		{terminal.Column{Right: true, Paint: s.Bold}, func(c memory.Command) string { return strconv.Itoa(c.Runs) + "×" }},
		{terminal.Column{Paint: s.Dim}, func(c memory.Command) string { return p.ago(&c.Last.Entry) }},
		{terminal.Column{Paint: s.Accent, Shrink: 2, Least: 12}, func(c memory.Command) string { return p.place(c.Last) }},
		{terminal.Column{Shrink: 1, Least: 20}, func(c memory.Command) string { return p.oneLine(behindCD(c.Line), 0) }},
	}, found, 0, nil)
	p.more(total - len(found))
}

// behindCD leaves out the cd in front of a command line: there is no room for it, and
// the session tells where it ran.
func behindCD(line string) string {
	if rest, ok := strings.CutPrefix(line, "cd "); ok {
		if _, then, ok := strings.Cut(rest, " && "); ok {
			return then
		}
	}
	return line
}

// Writers prints who wrote a file, and whether there are more:
//
//	2h ago  4a369254@14  links when a line wraps
//	    edited src/links/path.ts
//	    > The link is cut where the line wraps
func (p Page) Writers(found []memory.Written, more bool) {
	for _, w := range found {
		at, head := p.place(w.Place), p.ago(&w.Entry)+"  "
		title := p.oneLine(documents.OneLine(w.Session.Title()), terminal.Width(head+at)+2)
		p.say(p.Style.Dim(head) + p.Style.Accent(at) + "  " + p.Style.Bold(title))
		what := map[string]string{"edit": "edited", "write": "wrote"}[w.Op]
		p.say("    " + what + " " + p.oneLine(w.Path, 4+len(what)+1))
		if w.Prompt != "" { // of an image alone nothing can be said
			p.say("    > " + p.oneLine(w.Prompt, 6))
		}
	}
	if more {
		p.say(p.Style.Dim("… there are more (-n 0 shows all)"))
	}
}

// Cases prints errors, and what was done until they no longer came:
//
//	nightterm · links when a line wraps                  2026-01-28  4a369254@14
//	  npm test -- links
//	  FAIL test/links.test.ts > opens the file of the right package
//	    edit    @16  src/links/path.ts
//	    failed  @18  npm test
//	  passed @22
func (p Page) Cases(found []memory.Case) {
	for _, c := range found {
		at, tail := p.place(c.Place), p.ago(&c.Entry)+"  "
		title := p.oneLine(ProjectName(c.Session.CWD)+" · "+documents.OneLine(c.Session.Title()), terminal.Width(tail+at)+2)
		p.say(p.Style.Bold(title) + terminal.Blanks(title+tail+at, p.Width) + p.Style.Dim(tail) + p.Style.Accent(at))
		p.say("  " + p.oneLine(c.Command, 2))
		p.say("  " + p.Style.Bad(p.oneLine(c.Text, 2)))
		if c.Left > 0 && c.Outcome != memory.Unfixed {
			p.say(p.Style.Dim("    … " + terminal.Counted(c.Left, "step") + " before"))
		}
		for _, s := range c.Steps {
			p.fixStep(s)
		}
		if c.Left > 0 && c.Outcome == memory.Unfixed {
			p.say(p.Style.Dim("    … " + terminal.Counted(c.Left, "step") + " more"))
		}
		end := p.Style.Bad("never seen fixed")
		switch c.Outcome {
		case memory.Passed:
			end = p.Style.Good("passed " + c.End.Place())
		case memory.Gone:
			end = p.Style.Good("no longer came " + c.End.Place())
		}
		p.say("  " + end + "\n")
	}
}

func (p Page) fixStep(s memory.Step) {
	const nameWidth = len("edit failed")
	what := p.Style.Plain
	if s.Failed {
		what = p.Style.Bad
	}
	name, place := terminal.Pad(s.Name(), nameWidth), terminal.PadLeft(s.Entry.Place(), placeWidth)
	p.say("    " + what(name) + "  " + p.Style.Accent(place) + "  " + p.oneLine(s.Text, 4+nameWidth+2+placeWidth+2))
}

// place names an entry as other commands take it. Of a path, which is what they
// take where copies share an id, there is the end.
func (p Page) place(at memory.Place) string {
	return terminal.FitEnd(terminal.Safe(at.String()), p.Width/2)
}

// ago is when an entry was written.
func (p Page) ago(e *query.EntryRef) string {
	if e.Time == nil {
		return ""
	}
	return terminal.When(*e.Time, p.Now)
}

// oneLine is a text in one line that fits behind so many cells.
func (p Page) oneLine(text string, taken int) string {
	return terminal.Fit(documents.Flat(text), p.Room(taken))
}
