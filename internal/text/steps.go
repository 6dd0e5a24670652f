package text

import (
	"cmp"
	"context"
	"fmt"

	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/query/session"
	"piarchive/internal/terminal"
)

// Steps prints entries, each on a line.
func (p Page) Steps(l documents.Steps) {
	widest := 0
	for _, s := range l.Steps {
		widest = max(widest, terminal.Width(terminal.Safe(cmp.Or(s.Role, s.Type))))
	}
	if p.Width > 0 {
		widest = min(widest, max(len("branch_summary"), p.Width/3))
	}
	for _, s := range l.Steps {
		p.step(s, widest, l.Labels[s.Row].Text, l.Preview(s))
	}
}

// step prints an entry in one line: place, role or type, label, beginning.
func (p Page) step(s session.Step, whatWidth int, label, preview string) {
	place := terminal.PadLeft(fmt.Sprintf("@%d", s.Line), placeWidth)
	what := terminal.Pad(p.Glyphs.Fit(terminal.Safe(cmp.Or(s.Role, s.Type)), whatWidth), whatWidth)
	flag := ""
	if label != "" {
		flag = p.Glyphs.Flag + " " + terminal.Safe(label) + "  "
	}
	room := p.Room(placeWidth + whatWidth + 3 + terminal.Width(flag))
	p.say(p.Style.Accent(place) + "  " + what + " " + p.Style.Label(flag) + p.Style.Dim(p.Glyphs.Fit(preview, room)))
}

// Labels prints labels, each on a line. The id of a session is as short as the
// archive allows.
func (p Page) Labels(ctx context.Context, a *query.Archive, found []session.LabelRef) error {
	ids := map[int64]string{}
	for _, l := range found {
		if _, known := ids[l.Session.Key]; !known {
			id, err := shortID(ctx, a, l.Session)
			if err != nil {
				return err
			}
			ids[l.Session.Key] = id
		}
	}
	return printRows(p, []column[session.LabelRef]{
		{terminal.Column{Shrink: 1, Least: 12, Paint: p.Style.Label}, func(l session.LabelRef) string {
			label := p.Glyphs.Flag + " " + terminal.Safe(l.Label)
			if l.Entry == nil {
				label += " (no such entry)"
			}
			return label
		}},
		{terminal.Column{Shrink: 2, Least: 6}, func(l session.LabelRef) string { return terminal.Safe(ProjectName(l.Session.CWD)) }},
		{terminal.Column{Paint: p.Style.Accent}, func(l session.LabelRef) string {
			if l.Entry == nil {
				return ids[l.Session.Key]
			}
			return ids[l.Session.Key] + l.Entry.Place()
		}},
		{terminal.Column{Paint: p.Style.Dim}, func(l session.LabelRef) string {
			if l.Time == nil {
				return ""
			}
			return terminal.When(*l.Time, p.Now)
		}},
	}, found, terminal.AllColumns, nil)
}
