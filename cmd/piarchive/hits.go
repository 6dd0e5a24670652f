package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/mattn/go-runewidth"

	"piarchive/internal/query"
)

// hitLayout is how hits are laid out on a terminal: a heading for each session,
// and under it a line for each hit, with the place to paste into other
// commands.
//
//	orbit · ISS elements with CRLF                          3h ago  01a01eb1
//	  user      @3  Two-line elements of the ISS do not parse since this …
type hitLayout struct {
	width   int // of the terminal; 0 is unlimited
	snippet int // characters to ask for
}

const (
	whereWidth = 9 // "assistant"
	placeWidth = 6 // "@12345"
	hitIndent  = 2 + whereWidth + 1 + placeWidth + 2
)

func newHitLayout(c *call) hitLayout {
	l := hitLayout{width: c.width()}
	if l.width > 0 && c.isTerminal(1) && !c.json && !c.jsonl {
		l.snippet = max(20, l.width-hitIndent)
	}
	return l
}

// print prints the hits of a result, session by session in the order of their
// best hit, and what is to be known about them.
func (l hitLayout) print(ctx context.Context, c *call, a *query.Archive, r *query.Result) error {
	groups, order := map[int64][]query.Hit{}, []int64{}
	for _, h := range r.Hits {
		if groups[h.Session.Key] == nil {
			order = append(order, h.Session.Key)
		}
		groups[h.Session.Key] = append(groups[h.Session.Key], h)
	}
	for i, key := range order {
		if i > 0 {
			fmt.Fprintln(c.stdout)
		}
		if err := l.heading(ctx, c, a, groups[key]); err != nil {
			return err
		}
		for _, h := range groups[key] {
			l.hit(c, h)
		}
	}
	for _, n := range r.Notes {
		fmt.Fprintln(c.stdout, c.style.dim(fit(safe(n), l.room(0))))
	}
	if len(r.Hits) > 0 {
		fmt.Fprintln(c.stdout, "\n"+c.style.dim(total(r)))
	}
	return nil
}

// total says how many hits there are beyond those printed.
func total(r *query.Result) string {
	shown, all := count(int64(len(r.Hits))), count(int64(r.Total))
	switch {
	case r.LowerBound:
		return shown + " of more than " + all + " hits"
	case r.Total > len(r.Hits):
		return shown + " of " + all + " hits (-n N shows more)"
	case r.Total == 1:
		return "1 hit"
	}
	return all + " hits"
}

func (l hitLayout) heading(ctx context.Context, c *call, a *query.Archive, hits []query.Hit) error {
	s := hits[0].Session
	id, err := a.Abbreviate(ctx, s)
	if err != nil {
		return err
	}
	title := safe(projectName(s.CWD))
	if s.Name != "" {
		title += " · " + safe(s.Name)
	}
	tail := ""
	if t := latestOf(hits); !t.IsZero() {
		tail = when(t, c.now())
	}
	if s.Missing {
		tail += " (file gone)"
	}
	room := l.room(runewidth.StringWidth(tail) + runewidth.StringWidth(id) + 4)
	title = fit(title, room)
	gap := "  "
	if l.width > 0 {
		gap = strings.Repeat(" ", max(2, l.width-runewidth.StringWidth(title)-runewidth.StringWidth(tail)-runewidth.StringWidth(id)-2))
	}
	_, err = fmt.Fprintln(c.stdout, c.style.bold(title)+gap+c.style.dim(tail)+"  "+c.style.accent(safe(id)))
	return err
}

// room is what is left of a line when n cells of it are taken.
func (l hitLayout) room(n int) int {
	if l.width == 0 {
		return 1 << 20
	}
	return max(10, l.width-n)
}

func (l hitLayout) hit(c *call, h query.Hit) {
	place := ""
	if h.Entry != nil {
		place = fmt.Sprintf("@%d", h.Entry.Line)
	}
	where := h.Where
	if h.Branch == "abandoned" {
		where += "~" // off the way to the current leaf
	}
	more := ""
	if n := len(h.Copies); n > 0 {
		more = fmt.Sprintf(" (+%d)", n)
	}
	room := l.room(hitIndent + len(more))
	fmt.Fprintln(c.stdout, "  "+c.style.dim(pad(fit(where, whereWidth), whereWidth))+" "+c.style.accent(padLeft(place, placeWidth))+"  "+
		highlight(c.style, h.Snippet, h.Ranges, room)+c.style.dim(more))
}

// highlight marks ranges of a line that is cut to a width.
func highlight(s style, line string, ranges [][2]int, width int) string {
	shown := fit(line, width)
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
		b.WriteString(safe(line[at:from]))
		b.WriteString(s.match(safe(line[from:to])))
		at = to
	}
	b.WriteString(safe(shown[at:]))
	return b.String()
}

// projectName is the last part of a project's directory, of whatever system.
func projectName(cwd string) string {
	name := filepath.Base(strings.ReplaceAll(cwd, `\`, "/"))
	if cwd == "" || name == "." {
		return "(no project)"
	}
	return name
}
