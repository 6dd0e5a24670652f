package text

import (
	"context"
	"fmt"

	"piarchive/internal/query"
	"piarchive/internal/query/search"
	"piarchive/internal/terminal"
)

// SessionHits prints sessions that hold hits: how many, what it is, when, and its
// id.
func (p Page) SessionHits(ctx context.Context, a *query.Archive, r *search.Result) error {
	most := 0
	for _, s := range r.Sessions {
		most = max(most, s.Hits)
	}
	width := len(terminal.Count(int64(most)))
	for _, s := range r.Sessions {
		if err := p.sessionHits(ctx, a, s, width); err != nil {
			return err
		}
	}
	count := terminal.Counted(r.Total, "session")
	if shown := len(r.Sessions) - r.Below; shown < r.Total {
		count = terminal.Count(int64(shown)) + " of " + count + " (-n N shows more)"
	}
	if r.Below > 0 {
		count += fmt.Sprintf(" · %d more with some of the words", r.Below)
	}
	if r.Total == 0 {
		count = "no hits"
	} else {
		p.say()
	}
	p.summary(count, r.Notes)
	return nil
}

func (p Page) sessionHits(ctx context.Context, a *query.Archive, s search.SessionHits, width int) error {
	id, err := a.Abbreviate(ctx, s.Session)
	if err != nil {
		return err
	}
	hits := terminal.PadLeft(terminal.Count(int64(s.Hits)), width)
	tail := ""
	if s.Latest != nil {
		tail = terminal.When(*s.Latest, p.Now)
	}
	if s.Session.Missing {
		tail += " [missing]"
	}
	if id = terminal.Safe(id); id == terminal.Safe(s.Session.Path) {
		id = p.Glyphs.FitEnd(id, max(20, p.Room(0)/2))
	}
	room := p.Room(2 + terminal.Width(hits+"  "+tail+"  "+id))
	project, name := Headline(s.Session, room)
	gap := "  "
	if p.Width > 0 {
		gap = terminal.Blanks(hits+"  "+project+name+tail+"  "+id, p.Width)
	}
	p.say(p.Style.Bold(hits) + "  " + p.Style.Label(project) + name + gap + p.Style.Dim(tail) + "  " + p.link(s.Session, p.Style.Accent(id)))
	return nil
}
