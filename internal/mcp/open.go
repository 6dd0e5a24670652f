package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/query/session"
	"piarchive/internal/terminal"
	"piarchive/internal/transcript"
)

const openAbout = `Read a past session, or what stands around one of its entries.

ref: SESSION@LINE, as search_sessions gives it: that entry in full, with so many entries before and after it on its branch; tool calls come with their results.
Or SESSION, the id of a session, the beginning of one, a path, or latest: the branch it ends on, from its beginning, with the middle left out where it is long. Every entry is headed by its @LINE.`

type openInput struct {
	Ref    string `json:"ref" jsonschema:"SESSION@LINE or SESSION"`
	Around *int   `json:"around,omitempty" jsonschema:"how many entries before and after SESSION@LINE (default 3)"`
	Tokens int    `json:"max_tokens,omitempty" jsonschema:"length of the answer (default 4000)"`
}

type openAnswer struct {
	Ref     string `json:"ref"`
	Title   string `json:"title"`
	Project string `json:"project"`
	Path    string `json:"path" jsonschema:"file of the session"`
	Shown   int    `json:"shown" jsonschema:"entries of it that are here"`
	Entries int    `json:"entries" jsonschema:"entries of that branch, or part of it, in all"`
	Said    string `json:"text" jsonschema:"the transcript, quoted"`
}

// Text is the transcript.
func (o *openAnswer) Text() string { return quoted + o.Said }

func (s *Server) open(ctx context.Context, a *query.Archive, in openInput) (*openAnswer, error) {
	t, err := s.transcript(ctx, a, in)
	if err != nil {
		return nil, err
	}
	id, err := a.Abbreviate(ctx, t.Session)
	if err != nil {
		return nil, err
	}
	out := &openAnswer{
		Ref: terminal.Safe(id), Title: documents.Title(t.Session.Name, t.Session.First, 80), Project: cut(terminal.Safe(t.Session.CWD), 200),
		Path: cut(terminal.Safe(t.Session.Path), 300), Entries: len(t.Steps),
	}
	room := room(in.Tokens)
	extract := extract{ctx, t, transcript.Options{Zone: s.Now().Location(), Tools: t.Asked != 0, Thinking: t.Asked != 0, Plain: true}, room - room/8 - len(quoted)}
	if out.Said, out.Shown, err = extract.text(); err != nil {
		return nil, err
	}
	for {
		doc, err := json.Marshal(out)
		if err != nil || len(doc) <= room || len(out.Said) < 20 {
			return out, err
		}
		out.Said = cut(out.Said, len(out.Said)*room/len(doc)-len("…")) // JSON has made it longer
	}
}

// transcript is the part of a session that a reference means.
func (s *Server) transcript(ctx context.Context, a *query.Archive, in openInput) (t transcript.Transcript, err error) {
	t.Archive = a
	found, entry, err := session.FindReadable(ctx, a, strings.TrimSpace(in.Ref), s.CWD)
	if several, ok := errors.AsType[*query.Ambiguous](err); ok {
		return t, listing(ctx, a, several)
	}
	if err != nil {
		return t, err
	}
	t.Session = found
	if entry == "" {
		return t, t.Path(ctx, "leaf")
	}
	around := 3
	if in.Around != nil {
		around = min(max(*in.Around, 0), 100)
	}
	return t, t.Around(ctx, entry, around, false)
}

// listing adds to an error which sessions may be meant.
func listing(ctx context.Context, a *query.Archive, several *query.Ambiguous) error {
	found, err := session.Candidates(ctx, a, several)
	if err != nil {
		return err
	}
	text := several.Error()
	for _, s := range found {
		text += fmt.Sprintf("\n%s  %s · %s", terminal.Safe(s.Ref), cut(terminal.Safe(s.CWD), 200), documents.Title(s.Name, s.First, 80))
	}
	return errors.New(text)
}

// extract makes a transcript fit into a room of bytes.
type extract struct {
	ctx     context.Context
	t       transcript.Transcript
	options transcript.Options
	room    int
}

// piece is what a transcript says of one entry.
type piece struct {
	step session.Step
	text string
}

// errFull ends a transcript of which enough was read.
var errFull = errors.New("enough of the transcript")

// text is the transcript, and how many entries are in it: all of them, or else the
// first and the last.
func (x *extract) text() (string, int, error) {
	title, head, full, err := x.print(x.t.Steps, x.room*2)
	if err != nil {
		return "", 0, err
	}
	shares(head, x.t.Asked, x.room)
	if !full && length(head) <= x.room {
		return title + join(head), len(x.t.Steps), nil
	}
	head = first(head, x.room/3)
	tail, err := x.end(x.room-length(head)-len(title)-100, len(head))
	if err != nil {
		return "", 0, err
	}
	left := len(x.t.Steps) - len(head) - len(tail)
	between := ""
	if left > 0 {
		between = fmt.Sprintf("\n… %s left out; SESSION@LINE opens a part …\n", terminal.Counted(left, "entry"))
	}
	return title + join(head) + between + join(tail), len(head) + len(tail), nil
}

// end is the last of the transcript, but for the first entries, as far as a room goes.
func (x *extract) end(room, without int) ([]piece, error) {
	steps := x.t.Steps[min(without, len(x.t.Steps)):]
	for n := 8; ; n *= 2 {
		n = min(n, len(steps))
		_, tail, full, err := x.print(steps[len(steps)-n:], 16*room)
		if err != nil {
			return nil, err
		}
		shares(tail, 0, room)
		if full || length(tail) > room || n == len(steps) {
			return last(tail, room), nil
		}
	}
}

// print is the heading and the entries of a transcript; full means that there is more
// than the limit.
func (x *extract) print(steps []session.Step, limit int) (title string, pieces []piece, full bool, err error) {
	var b bytes.Buffer
	begin := 0
	note := func() {
		if len(pieces) == 0 {
			title = b.String()
		} else {
			pieces[len(pieces)-1].text = string(b.Bytes()[begin:])
		}
		begin = b.Len()
	}
	o, t := x.options, x.t
	t.Steps = steps
	o.Reached = func(s session.Step) {
		if b.Len() > limit {
			return // nothing more is written
		}
		note()
		pieces = append(pieces, piece{s, ""})
	}
	err = t.Text(x.ctx, limited{&b, limit}, o)
	note()
	if errors.Is(err, errFull) {
		return title, pieces, true, nil
	}
	return title, pieces, false, err
}

// limited refuses what is beyond a limit.
type limited struct {
	*bytes.Buffer
	limit int
}

func (w limited) Write(p []byte) (int, error) {
	if w.Len() > w.limit {
		return 0, errFull
	}
	return w.Buffer.Write(p)
}

// shares cuts entries that would leave no room for others: the one that was asked for
// has half of it.
func shares(pieces []piece, asked int64, room int) {
	for i := range pieces {
		most := room / 8
		if pieces[i].step.Row == asked {
			most = room / 2
		}
		if len(pieces[i].text) > most {
			pieces[i].text = cut(pieces[i].text, most) + "\n"
		}
	}
}

func length(pieces []piece) (n int) {
	for _, p := range pieces {
		n += len(p.text)
	}
	return n
}

// first are the first entries, as far as a room goes, and last are the last ones.
func first(pieces []piece, room int) []piece {
	for len(pieces) > 1 && length(pieces) > room {
		pieces = pieces[:len(pieces)-1]
	}
	return pieces
}

func last(pieces []piece, room int) []piece {
	for len(pieces) > 1 && length(pieces) > room {
		pieces = pieces[1:]
	}
	return pieces
}

func join(pieces []piece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.text)
	}
	return b.String()
}
