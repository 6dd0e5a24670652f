package text

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/query/search"
	"piarchive/internal/terminal"
)

// hitList lays hits out: a heading for each session, and under it a line for each
// hit, with the word to paste into other commands.
//
//	orbit · ISS elements with CRLF                                   3h ago
//	  user       01a01eb1@3  Two-line elements of the ISS do not parse …
//	~ assistant 01a01eb1@17  The checksum counts the CR … (+2)
//
// Where that leaves too little of the texts, lines have the place in the session,
// and the heading has its id.
type hitList struct {
	Page
	ids     map[int64]string // beginnings of ids by session; "" where only the path tells it from others
	whole   bool             // places are with the id
	place   int              // cells of the widest place
	printed map[int]bool     // lines of the session that are
}

const (
	whereWidth   = len("assistant")
	placeWidth   = len("@12345") // what to reckon with before the places are known
	idWidth      = 8
	snippetLeast = 50 // cells that a text keeps beside a whole place
)

// SnippetWidth is how many characters of a hit have room, if the page has an end.
func (p Page) SnippetWidth() int {
	if p.Width == 0 {
		return 0
	}
	l := hitList{Page: p, place: idWidth + placeWidth}
	if p.Room(l.indent()) < snippetLeast {
		l.place = placeWidth
	}
	return max(20, p.Room(l.indent()))
}

// indent is where the snippets begin.
func (l hitList) indent() int { return 2 + whereWidth + 1 + l.place + 2 }

// Found prints a result, its hits or the sessions that hold them, and what it is
// based on.
func (p Page) Found(ctx context.Context, a *query.Archive, r *search.Result, sessions bool) error {
	show := p.Hits
	if sessions {
		show = p.SessionHits
	}
	if err := show(ctx, a, r); err != nil {
		return err
	}
	cov, err := documents.NewCoverage(ctx, a)
	if err == nil {
		p.sayCoverage(cov)
	}
	return err
}

// Hits prints the hits of a result, and what is to be known about them.
func (p Page) Hits(ctx context.Context, a *query.Archive, r *search.Result) error {
	l := hitList{Page: p, ids: map[int64]string{}, whole: true}
	if err := l.measure(ctx, a, r.Hits); err != nil {
		return err
	}
	full := len(r.Hits) - r.Below
	l.sessions(r.Hits[:full])
	if r.Below > 0 {
		l.say()
		l.sayDim("with some of the words:")
		l.sessions(r.Hits[full:])
	}
	if len(r.Hits) > 0 {
		l.say()
	}
	l.summary(hitCount(r), r.Notes)
	return nil
}

// measure finds out how the sessions are called, and how much room places take.
func (l *hitList) measure(ctx context.Context, a *query.Archive, hits []search.Hit) error {
	for _, h := range hits {
		if _, known := l.ids[h.Session.Key]; known {
			continue
		}
		id, err := a.Abbreviate(ctx, h.Session)
		if err != nil {
			return err
		}
		if id == h.Session.Path {
			id = ""
		}
		l.ids[h.Session.Key] = terminal.Safe(id)
	}
	widest := func() (width int) {
		for _, h := range hits {
			width = max(width, terminal.Width(l.named(h, h.Entry)))
			for _, n := range slices.Concat(h.Before, h.After) {
				width = max(width, terminal.Width(l.named(h, &n.EntryRef)))
			}
		}
		return width
	}
	if l.place = widest(); l.Room(l.indent()) < snippetLeast {
		l.whole = false
		l.place = widest()
	}
	return nil
}

// named is the word that names an entry of the session of a hit.
func (l hitList) named(h search.Hit, e *query.EntryRef) string {
	if l.whole {
		return l.ids[h.Session.Key] + e.Place()
	}
	return e.Place()
}

// put is that word as it is printed.
func (l hitList) put(h search.Hit, e *query.EntryRef, paint func(string) string) string {
	word := l.named(h, e)
	return terminal.Blanks(word, l.place) + l.link(h.Session, paint(word))
}

// link makes a text lead to the file of a session, if it is there.
func (p Page) link(s query.SessionRef, text string) string {
	if s.Missing {
		return text
	}
	return p.Style.Link(s.Path, text)
}

// sessions prints hits session by session, in the order of their best hit.
func (l hitList) sessions(hits []search.Hit) {
	for i, group := range BySession(hits) {
		if i > 0 {
			l.say()
		}
		l.heading(group)
		l.printed = map[int]bool{}
		for _, h := range group {
			if h.Entry != nil {
				l.printed[h.Entry.Line] = true // as hits, not as neighbours
			}
		}
		for i, h := range foldEqual(group) {
			if i > 0 && len(h.Before)+len(h.After) > 0 {
				l.say()
			}
			l.around(h.Hit, h.Before)
			l.hit(h.Hit, h.times)
			l.around(h.Hit, h.After)
		}
	}
}

// BySession puts the hits of each session together, in the order of the best ones.
func BySession(hits []search.Hit) [][]search.Hit {
	var groups [][]search.Hit
	at := map[int64]int{}
	for _, h := range hits {
		i, known := at[h.Session.Key]
		if !known {
			i = len(groups)
			at[h.Session.Key], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], h)
	}
	return groups
}

// heading prints what tells a session from others. Where not even the whole id
// does, its path follows on a line of its own.
func (l hitList) heading(hits []search.Hit) {
	s := hits[0].Session
	id := l.ids[s.Key]
	path := id == ""
	if l.whole {
		id = "" // it is on every line
	}
	tail := ""
	if t := Latest(hits); !t.IsZero() {
		tail = terminal.When(t, l.Now)
	}
	if s.Missing {
		tail += " [missing]"
	}
	if id != "" {
		id = "  " + id
	}
	room := l.Room(2 + terminal.Width(tail+id))
	project, name := Headline(s, room)
	gap := "  "
	if l.Width > 0 {
		gap = terminal.Blanks(project+name+tail+id, l.Width)
	}
	if tail+id == "" {
		gap = ""
	}
	l.say(l.Style.Label(project) + l.Style.Bold(name) + gap + l.Style.Dim(tail) + l.Style.Accent(id))
	if path {
		l.say("  " + l.link(s, l.Style.Accent(l.Glyphs.FitEnd(terminal.Safe(s.Path), l.Room(2)))))
	}
}

// foldedHit is a hit, and how many of its session show the same line.
type foldedHit struct {
	search.Hit
	times int
}

// foldEqual puts hits of a session together that show the same line, as what is said
// again and again does. What stands around a hit is its own.
func foldEqual(hits []search.Hit) []foldedHit {
	var folded []foldedHit
	for _, h := range hits {
		same := slices.IndexFunc(folded, func(f foldedHit) bool {
			return f.Where == h.Where && f.Snippet == h.Snippet && len(h.Before)+len(h.After)+len(f.Before)+len(f.After) == 0
		})
		if same < 0 {
			folded = append(folded, foldedHit{h, 1})
		} else {
			folded[same].times++
		}
	}
	return folded
}

// hit prints the line of one hit, which stands for several that read the same.
func (l hitList) hit(h search.Hit, times int) {
	mark := "  "
	switch around := len(h.Before)+len(h.After) > 0; {
	case h.Branch == "abandoned" && around:
		mark = "~>"
	case h.Branch == "abandoned":
		mark = "~ "
	case around: // which of the lines is the hit
		mark = "> "
	}
	more := ""
	if times > 1 {
		more = fmt.Sprintf(" ×%d", times)
	}
	if n := len(h.Copies); n > 0 {
		more += fmt.Sprintf(" (+%d)", n)
	}
	l.say(mark + l.Style.Dim(terminal.Pad(h.Where, whereWidth)) + " " + l.put(h, h.Entry, l.Style.Accent) + "  " +
		Highlight(l.Style, h.Snippet, h.Ranges, l.Room(l.indent()+len(more))) + l.Style.Dim(more))
}

// around prints entries that stand before or behind a hit.
func (l hitList) around(h search.Hit, neighbours []search.Neighbour) {
	for _, n := range neighbours {
		if l.printed[n.Line] {
			continue
		}
		l.printed[n.Line] = true
		who := n.Role
		if who == "" || who == "toolResult" {
			who = map[string]string{"toolResult": "output", "": "notes"}[n.Role]
		}
		l.say(l.Style.Dim("  "+terminal.Pad(l.Glyphs.Fit(terminal.Safe(who), whereWidth), whereWidth)+" ") + l.put(h, &n.EntryRef, l.Style.Dim) + l.Style.Dim("  "+
			l.Glyphs.Fit(strings.Join(strings.Fields(terminal.Safe(n.Preview)), " "), l.Room(l.indent()))))
	}
}

// summary prints what there is, and what is to be known about it.
func (p Page) summary(what string, notes []string) {
	for _, line := range append([]string{what}, notes...) {
		p.sayDim("%s", terminal.Safe(line))
	}
}

// hitCount says how many hits there are beyond those printed, and what the marks
// on their lines mean.
func hitCount(r *search.Result) string {
	shown, all := terminal.Count(int64(len(r.Hits)-r.Below)), terminal.Count(int64(r.Total))
	var text string
	switch beyond := r.Total > len(r.Hits)-r.Below; {
	case r.Total == 0:
		text = "no hits"
	case r.LowerBound:
		text = shown + " of more than " + all + " hits (-n N shows more)"
	case r.Copies && beyond:
		text = shown + " of " + all + " entries (-n N shows more)"
	case beyond:
		text = shown + " of " + all + " hits (-n N shows more)"
	default:
		text = terminal.Counted(r.Total, "hit")
	}
	if r.Below > 0 {
		text += fmt.Sprintf(" · %d more with some of the words", r.Below)
	}
	copied, abandoned := false, false
	for _, h := range r.Hits {
		copied = copied || len(h.Copies) > 0
		abandoned = abandoned || h.Branch == "abandoned"
	}
	if abandoned {
		text += " · ~ not on the current branch"
	}
	if copied {
		text += " · (+N) copies in other sessions"
	}
	return text
}

// Highlight marks ranges of a line that is cut to a width.
func Highlight(s terminal.Style, line string, ranges [][2]int, width int) string {
	shown := terminal.Fit(line, width)
	kept := len(shown)
	if shown != line {
		kept -= len("…")
	}
	var b strings.Builder
	at := 0
	for _, r := range ranges {
		from, to := min(r[0], kept), min(r[1], kept)
		if from >= to || from < at {
			continue
		}
		b.WriteString(terminal.Safe(line[at:from]))
		b.WriteString(s.Match(terminal.Safe(line[from:to])))
		at = to
	}
	b.WriteString(terminal.Safe(shown[at:]))
	return b.String()
}

// Latest is the newest time among the hits of a session, for its heading.
func Latest(hits []search.Hit) time.Time {
	var t time.Time
	for _, h := range hits {
		if h.Entry != nil && h.Entry.Time != nil && h.Entry.Time.After(t) {
			t = *h.Entry.Time
		}
	}
	return t
}
