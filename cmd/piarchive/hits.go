package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"piarchive/internal/query"
	"piarchive/internal/query/search"
	"piarchive/internal/terminal"
	"piarchive/internal/text"
)

// hitLayout is how hits are laid out on a terminal: a heading for each session,
// and under it a line for each hit, with the place to paste into other
// commands.
//
//	orbit · ISS elements with CRLF                          3h ago  01a01eb1
//	  user       @3  Two-line elements of the ISS do not parse since this …
//	~ assistant @17  The checksum counts the CR … (+2)
type hitLayout struct {
	*call
	cells   int          // of the terminal; 0 is unlimited
	snippet int          // characters to ask for
	place   int          // cells of the widest place
	printed map[int]bool // lines of the session that are
}

const (
	whereWidth = len("assistant")
	placeWidth = len("@12345") // what to reckon with before the places are known
)

func newHitLayout(c *call) hitLayout {
	l := hitLayout{call: c, cells: c.width(), place: placeWidth}
	if l.cells > 0 && c.isTerminal(1) && !c.json && !c.jsonl {
		l.snippet = max(20, l.cells-l.indent())
	}
	return l
}

// indent is where the snippets begin.
func (l hitLayout) indent() int { return 2 + whereWidth + 1 + l.place + 2 }

// print prints the hits of a result, and what is to be known about them.
func (l hitLayout) print(ctx context.Context, a *query.Archive, r *search.Result) error {
	l.place = 0
	for _, h := range r.Hits {
		l.place = max(l.place, len(place(h)))
		for _, n := range slices.Concat(h.Before, h.After) {
			l.place = max(l.place, len("@"+strconv.Itoa(n.Line)))
		}
	}
	full := len(r.Hits) - r.Below
	if err := l.sessions(ctx, a, r.Hits[:full]); err != nil {
		return err
	}
	if r.Below > 0 {
		fmt.Fprintln(l.stdout)
		l.remark("with some of the words:")
		if err := l.sessions(ctx, a, r.Hits[full:]); err != nil {
			return err
		}
	}
	if len(r.Hits) > 0 {
		fmt.Fprintln(l.stdout)
	}
	l.remark(summary(r))
	for _, n := range r.Notes {
		l.remark(n)
	}
	return nil
}

// sessions prints hits session by session, in the order of their best hit.
func (l hitLayout) sessions(ctx context.Context, a *query.Archive, hits []search.Hit) error {
	groups, order := map[int64][]search.Hit{}, []int64{}
	for _, h := range hits {
		if groups[h.Session.Key] == nil {
			order = append(order, h.Session.Key)
		}
		groups[h.Session.Key] = append(groups[h.Session.Key], h)
	}
	for i, key := range order {
		if i > 0 {
			fmt.Fprintln(l.stdout)
		}
		if err := l.heading(ctx, a, groups[key]); err != nil {
			return err
		}
		l.printed = map[int]bool{}
		for _, h := range groups[key] {
			if h.Entry != nil {
				l.printed[h.Entry.Line] = true // as hits, not as neighbours
			}
		}
		for i, h := range foldEqual(groups[key]) {
			if i > 0 && len(h.Before)+len(h.After) > 0 {
				fmt.Fprintln(l.stdout)
			}
			l.around(h.Before)
			l.hit(h.Hit, h.times)
			l.around(h.After)
		}
	}
	return nil
}

// heading prints what tells a session from others. Where not even the whole id
// does, its path follows on a line of its own.
func (l hitLayout) heading(ctx context.Context, a *query.Archive, hits []search.Hit) error {
	s := hits[0].Session
	id, err := a.Abbreviate(ctx, s)
	if err != nil {
		return err
	}
	path := ""
	if id == s.Path {
		id, path = "", terminal.Safe(s.Path)
	}
	tail := ""
	if t := latestOf(hits); !t.IsZero() {
		tail = terminal.When(t, l.now())
	}
	if s.Missing {
		tail += " (file gone)"
	}
	if id = terminal.Safe(id); id != "" {
		id = "  " + id
	}
	room := l.room(2 + terminal.Width(tail+id))
	project, name := text.Headline(s, room)
	gap := "  "
	if l.cells > 0 {
		gap = terminal.Blanks(project+name+tail+id, l.cells)
	}
	fmt.Fprintln(l.stdout, l.style.Label(project)+l.style.Bold(name)+gap+l.style.Dim(tail)+l.style.Accent(id))
	if path != "" {
		fmt.Fprintln(l.stdout, "  "+l.style.Accent(terminal.FitEnd(path, l.room(2))))
	}
	return nil
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
func (l hitLayout) hit(h search.Hit, times int) {
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
	fmt.Fprintln(l.stdout, mark+l.style.Dim(terminal.Pad(h.Where, whereWidth))+" "+l.style.Accent(terminal.PadLeft(place(h), l.place))+"  "+
		highlight(l.style, h.Snippet, h.Ranges, l.room(l.indent()+len(more)))+l.style.Dim(more))
}

// around prints entries that stand before or behind a hit.
func (l hitLayout) around(neighbours []search.Neighbour) {
	for _, n := range neighbours {
		if l.printed[n.Line] {
			continue
		}
		l.printed[n.Line] = true
		who := n.Role
		if who == "" || who == "toolResult" {
			who = map[string]string{"toolResult": "output", "": "notes"}[n.Role]
		}
		fmt.Fprintln(l.stdout, l.style.Dim("  "+terminal.Pad(terminal.Fit(terminal.Safe(who), whereWidth), whereWidth)+" "+terminal.PadLeft("@"+strconv.Itoa(n.Line), l.place)+"  "+
			terminal.Fit(strings.Join(strings.Fields(terminal.Safe(n.Preview)), " "), l.room(l.indent()))))
	}
}

// remark prints a line about the hits, on as many lines as it takes.
func (l hitLayout) remark(text string) {
	for _, line := range terminal.Wrap(terminal.Safe(text), l.cells) {
		fmt.Fprintln(l.stdout, l.style.Dim(terminal.Fit(line, l.cells)))
	}
}

// room is what is left of a line when n cells of it are taken.
func (l hitLayout) room(n int) int {
	if l.cells == 0 {
		return 1 << 20
	}
	return max(10, l.cells-n)
}

// place is how other commands name the line of a hit.
func place(h search.Hit) string {
	if h.Entry == nil {
		return ""
	}
	return "@" + strconv.Itoa(h.Entry.Line)
}

// summary says how many hits there are beyond those printed, and what the marks
// on their lines mean.
func summary(r *search.Result) string {
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

// highlight marks ranges of a line that is cut to a width.
func highlight(s terminal.Style, line string, ranges [][2]int, width int) string {
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

// latestOf is the newest time among the hits of a session, for its heading.
func latestOf(hits []search.Hit) time.Time {
	var t time.Time
	for _, h := range hits {
		if h.Entry != nil && h.Entry.Time != nil && h.Entry.Time.After(t) {
			t = *h.Entry.Time
		}
	}
	return t
}
