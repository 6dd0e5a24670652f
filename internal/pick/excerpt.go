package pick

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"piarchive/internal/query"
	"piarchive/internal/query/question"
	"piarchive/internal/query/search"
	"piarchive/internal/query/session"
	"piarchive/internal/terminal"
	"piarchive/internal/transcript"
	"piarchive/internal/words"
)

// wanted is an excerpt that is asked for.
type wanted struct {
	number        int
	of            item
	text          string // the query
	width, height int
}

// excerpt is what stands around an item.
type excerpt struct {
	number int
	of     item
	entry  *query.EntryRef // of a session that holds hits, the best of them
	lines  []shownLine
	at     int // the line to look at
	err    error
}

// shownLine is a line of an excerpt.
type shownLine struct {
	text  string // safe
	look  look
	marks [][2]int
	merit int // how well it shows why the entry was found
}

// look is how a line is painted.
type look int

const (
	plain look = iota
	dim
	speaker
	failed
)

// What is read at most: entries before and behind, bytes of a line, bytes of a text
// in which something is marked.
const (
	entriesBefore  = 4
	entriesBehind  = 12
	entriesAtEnd   = 16
	longestLine    = 4 << 20
	longestText    = 32 << 10
	linesAroundHit = 2
)

// read reads what stands around an item.
func (d *desk) read(ctx context.Context, w wanted) excerpt {
	e := excerpt{number: w.number, of: w.of}
	q := question.Parse(w.text)
	e.err = turn(ctx, &d.reading, func() (err error) {
		place := w.of.Place
		if place.Entry == nil && w.text != "" {
			if e.entry, err = d.bestHit(ctx, q, place.Session); err != nil {
				return err
			}
			place.Entry = e.entry
		}
		p := &page{width: w.width, height: w.height, plan: q.Compile(), stop: func() {}}
		err = d.options.Read.Steady(ctx, func() error { return p.read(ctx, d.options.Read, place, d.options) })
		e.lines, e.at = p.lines, p.at()
		return err
	})
	if errors.Is(e.err, context.Canceled) {
		e.number = 0 // nobody waits for it
	}
	return e
}

// bestHit returns where a session answers a question best, nil for nowhere.
func (d *desk) bestHit(ctx context.Context, q question.Query, s query.SessionRef) (*query.EntryRef, error) {
	if s.ID == "" {
		return nil, nil
	}
	q = q.With(question.Filter{Name: "session", Values: []string{s.ID}})
	r, err := search.Answer(ctx, d.options.Read, q, search.Options{Limit: 1, Now: d.options.Now(), CWD: d.options.CWD, Expand: true})
	if err != nil || len(r.Hits) == 0 || r.Hits[0].Session.Key != s.Key {
		return nil, err
	}
	return r.Hits[0].Entry, nil
}

// page is a transcript as lines of so many cells, in which the words of a question
// are marked. It ends when there is enough.
type page struct {
	plan          *question.Plan
	width, height int
	row           int64 // of the entry to look at
	stop          func()

	lines []shownLine
	begin int // the line where the entry begins, or that which shows it
	end   int // the line where it ends; 0 before that is known
}

// read reads the entries around a place.
func (p *page) read(ctx context.Context, a *query.Archive, place Place, o Options) error {
	var steps []session.Step
	if place.Entry != nil {
		step, err := session.FindEntry(ctx, a, place.Session, place.Entry.Place())
		if err != nil {
			return err
		}
		p.row = step.Row
		steps, err = session.Around(ctx, a, p.row, entriesBefore, entriesBehind)
		if err != nil {
			return err
		}
	} else {
		leaf, err := session.Leaf(ctx, a, place.Session.Key)
		if err != nil || leaf == 0 {
			return err
		}
		if steps, err = session.Around(ctx, a, leaf, entriesAtEnd, 0); err != nil {
			return err
		}
	}
	readable, tooLong := steps[:0], ""
	for _, s := range steps {
		switch {
		case s.Bytes <= longestLine && tooLong == "":
			readable = append(readable, s)
		case s.Row == p.row:
			tooLong = fmt.Sprintf("> %s has %s, too much to look into", s.Place(), terminal.Size(s.Bytes))
		}
	}
	enough, stop := context.WithCancel(ctx)
	defer stop()
	p.stop = stop
	t := transcript.Transcript{Archive: a, Session: place.Session, Steps: readable}
	err := t.Print(enough, p, transcript.Options{Thinking: true, Zone: o.Now().Location()})
	if enough.Err() != nil && ctx.Err() == nil {
		err = nil
	}
	if tooLong != "" {
		p.begin, p.end = len(p.lines), 0
		p.addLine(speaker, tooLong)
	}
	return err
}

// at is the line to look at: that of the entry which shows best why it was found,
// else its first; without an entry the last.
func (p *page) at() int {
	if p.row == 0 {
		return max(0, len(p.lines)-1)
	}
	end := p.end
	if end == 0 {
		end = len(p.lines)
	}
	best := p.begin
	for i := p.begin; i < end; i++ {
		if p.lines[i].merit > p.lines[best].merit {
			best = i
		}
	}
	return best
}

// add adds text that is read at length, wrapped.
func (p *page) add(look look, prefix, text string) {
	text = strings.ReplaceAll(strings.Trim(terminal.Readable(text), "\n"), "\t", "    ")
	for line := range strings.SplitSeq(text, "\n") {
		for _, piece := range terminal.Wrap(line, max(20, p.width-len(prefix))) {
			p.addLine(look, prefix+piece)
		}
	}
}

// addLine adds one line of safe text.
func (p *page) addLine(look look, text string) {
	l := shownLine{text: text, look: look}
	if look != speaker {
		spans, patterns := p.plan.Spans(text), map[int]bool{}
		for _, s := range spans {
			patterns[s.Pattern] = true
		}
		for _, s := range words.Merge(spans) {
			l.marks = append(l.marks, [2]int{s.Start, s.End})
		}
		if l.merit = 2 * len(patterns); l.merit > 0 && look == plain {
			l.merit++ // what was said tells more than what was thought, or came out
		}
	}
	p.lines = append(p.lines, l)
	if p.row != 0 && p.end > 0 && len(p.lines) > p.end+p.height {
		p.stop()
	}
}

// around returns the part of a text that its marked places show best: lines before
// and behind each. It is empty where nothing is marked.
func (p *page) around(text string) string {
	spans := p.plan.Spans(text)
	if len(spans) == 0 {
		return ""
	}
	from, to := spans[0].Start, spans[0].End
	for range linesAroundHit + 1 {
		if i := strings.LastIndexByte(text[:from], '\n'); i >= 0 {
			from = i
		} else {
			from = 0
		}
		if i := strings.IndexByte(text[to:], '\n'); i >= 0 {
			to += i + 1
		} else {
			to = len(text)
		}
	}
	return short(text[from:to])
}

// short cuts a text that is longer than what can be shown.
func short(text string) string {
	if len(text) > longestText {
		return strings.ToValidUTF8(text[:longestText], "") + "\n…"
	}
	return text
}

func (p *page) Title(string, string, string) {}

func (p *page) Speaker(who, about string, s session.Step) {
	if len(p.lines) > 0 {
		p.addLine(plain, "")
	}
	switch {
	case s.Row <= p.row:
		p.begin = len(p.lines)
	case p.end == 0:
		p.end = len(p.lines)
	}
	head := terminal.Safe(who)
	if s.Row == p.row {
		head = "> " + head
	}
	if about != "" {
		head += "  " + terminal.Safe(about)
	}
	p.addLine(speaker, head+"  "+s.Place())
}

func (p *page) Say(text string) {
	if len(text) > longestText {
		if around := p.around(text); around != "" {
			text = around
		}
	}
	p.add(plain, "", short(text))
}

func (p *page) Think(text string) {
	if around := p.around(text); around != "" {
		p.add(dim, "  ", around)
	}
}

func (p *page) Call(c transcript.Call) {
	look, head := dim, "  ▸ "+terminal.Safe(c.Name)
	if c.Failed {
		look = failed
	}
	p.addLine(look, terminal.Fit(head+"  "+terminal.Safe(c.Brief), 4*max(p.width, 20)))
	for _, a := range c.Arguments {
		if around := p.around(a.Value); around != "" && terminal.Safe(a.Value) != terminal.Safe(c.Brief) {
			p.add(dim, "    ", around)
		}
	}
	for _, b := range c.Result {
		text := strings.TrimSpace(b.Text)
		around := p.around(text)
		if around == "" {
			around, _, _ = strings.Cut(text, "\n")
			around = terminal.Fit(terminal.Safe(around), p.width)
		}
		if around != "" {
			p.add(dim, "    ", around)
		}
	}
}

func (p *page) Divider(what, about, text string) {
	p.addLine(plain, "")
	p.addLine(speaker, strings.TrimSpace(terminal.Safe(what+"  "+about)))
	p.add(dim, "  ", short(text))
}

func (p *page) Note(text string) { p.addLine(dim, "  "+terminal.Safe(text)) }
