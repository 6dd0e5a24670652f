package text

import (
	"cmp"
	"fmt"

	"piarchive/internal/documents"
	"piarchive/internal/query/session"
	"piarchive/internal/terminal"
)

// Steps prints entries, each on a line.
func (p Page) Steps(l documents.Steps) {
	for _, s := range l.Steps {
		p.step(s, l.Labels[s.Row].Text, l.Preview(s))
	}
}

// step prints an entry in one line: place, role or type, label, beginning.
func (p Page) step(s session.Step, label, preview string) {
	const placeWidth, whatWidth = len("@12345"), 14
	place := terminal.PadLeft(fmt.Sprintf("@%d", s.Line), placeWidth)
	what := terminal.Pad(terminal.Fit(terminal.Safe(cmp.Or(s.Role, s.Type)), whatWidth), whatWidth)
	flag := ""
	if label != "" {
		flag = "⚑ " + terminal.Safe(label) + "  "
	}
	room := p.Room(placeWidth + whatWidth + 3 + terminal.Width(flag))
	p.say(p.Style.Accent(place) + "  " + what + " " + p.Style.Label(flag) + p.Style.Dim(terminal.Fit(preview, room)))
}

// Labels prints labels, each on a line.
func (p Page) Labels(found []session.LabelRef) {
	for _, l := range found {
		line, note := "", "  (no such entry)"
		if l.Entry != nil {
			line, note = fmt.Sprintf("@%d", l.Entry.Line), ""
		}
		at := ""
		if l.Time != nil {
			at = terminal.When(*l.Time, p.Now)
		}
		p.say(p.Style.Label("⚑ "+terminal.Safe(l.Label)) + "  " + terminal.Safe(ProjectName(l.Session.CWD)) + "  " + p.Style.Accent(terminal.Safe(l.Session.ID)) + " " +
			p.Style.Accent(line) + p.Style.Dim(note+"  "+at))
	}
}
