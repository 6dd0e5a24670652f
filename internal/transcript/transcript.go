package transcript

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"piarchive/internal/jsonl"
	"piarchive/internal/query"
	"piarchive/internal/query/session"
	"piarchive/internal/terminal"
)

// Transcript is the entries of one path of a session, or all of them in the
// order of the file.
type Transcript struct {
	Archive *query.Archive
	Session query.SessionRef
	Steps   []session.Step
	Blobs   session.Blobs // nil: nobody looks for images outside of the session

	Asked          int64          // the row of the entry that was asked for, 0 if none was
	Before, Behind int            // how many entries are left out on either side
	Whole          session.Extent // of the session, where the way to its current leaf is shown
}

// Options say what of a session is shown, and how.
type Options struct {
	All      bool // what changes only settings, too, and whole system prompts
	Tools    bool // calls with all their arguments and whole results
	Thinking bool // what the model thought

	Zone  *time.Location // of the times in headings
	Width int            // of a text in cells; 0 in a pipe: prose is not broken
	Style terminal.Style // of a text
	Plain bool           // a text for models: headings without rules

	Reached func(session.Step) // unless nil, called before each entry that is printed
}

// Page is one look of a transcript. Texts come as the session has them: a page
// makes them harmless.
type Page interface {
	Title(name, project, about string)
	Speaker(who, about string, s session.Step)
	Say(text string)
	Think(text string)
	Call(c Call)
	Divider(what, about, text string)
	Note(text string)
}

// Call is a tool call with its result, if there is one.
type Call struct {
	Name, Brief string // what it was called with, in one line
	Arguments   []jsonl.Argument
	Open        bool // with everything
	Answered    bool
	Failed      bool
	Asked       bool // the result is the entry that was asked for
	Result      []jsonl.Block
}

// walk goes from entry to entry and tells the page what there is.
type walk struct {
	Transcript
	options Options
	page    Page
	results map[session.Call]session.Step // of the calls on this path
	shown   map[int64]bool                // results printed with their calls
	model   string                        // of the last answer
}

// Everything makes a transcript show every entry, in the order of the file.
func (t *Transcript) Everything(ctx context.Context) (err error) {
	t.Steps, err = session.Entries(ctx, t.Archive, t.Session.Key)
	return err
}

// Path makes a transcript show the way to an entry, named as [session.FindRow] takes it.
func (t *Transcript) Path(ctx context.Context, entry string) error {
	row, err := session.FindRow(ctx, t.Archive, t.Session, entry)
	if err != nil || row == 0 { // a session without entries has an empty path
		return err
	}
	if t.Steps, err = session.PathTo(ctx, t.Archive, row); err == nil && entry == "leaf" {
		t.Whole, err = session.ReadExtent(ctx, t.Archive, t.Session.Key)
	}
	return err
}

// Around makes a transcript show an entry, and so many before and behind it: on its
// branch, or with all in the file. Calls stay with their results.
func (t *Transcript) Around(ctx context.Context, entry string, n int, all bool) (err error) {
	if t.Asked, err = session.FindRow(ctx, t.Archive, t.Session, entry); err != nil || t.Asked == 0 {
		return err
	}
	var steps []session.Step
	if all {
		steps, err = session.Entries(ctx, t.Archive, t.Session.Key)
	} else {
		steps, err = session.BranchOf(ctx, t.Archive, t.Session.Key, t.Asked)
	}
	if err != nil {
		return err
	}
	at := max(0, slices.IndexFunc(steps, func(s session.Step) bool { return s.Row == t.Asked }))
	from, to := max(0, at-n), min(len(steps), at+1+n)
	for from > 0 && steps[from].Role == "toolResult" {
		from--
	}
	for to < len(steps) && steps[to].Role == "toolResult" {
		to++
	}
	t.Steps, t.Before, t.Behind = steps[from:to], from, len(steps)-to
	return nil
}

// Print hands the entries to a page, which knows how they look.
func (t Transcript) Print(ctx context.Context, page Page, options Options) error {
	w := &walk{Transcript: t, options: options, page: page}
	if err := w.pair(ctx); err != nil {
		return err
	}
	labels, err := session.Labels(ctx, t.Archive, t.Session.Key)
	if err != nil {
		return err
	}
	w.head()
	w.omitted(w.Before, "before")
	for _, s := range t.Steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if w.shown[s.Row] {
			continue
		}
		if options.Reached != nil {
			options.Reached(s)
		}
		p, err := session.ReadPart(ctx, t.Archive, s, t.Blobs)
		if err != nil {
			return err
		}
		p.Label = labels[s.Row].Text
		if err := w.part(ctx, p); err != nil {
			return err
		}
	}
	w.omitted(w.Behind, "behind")
	return nil
}

// omitted tells of entries that are left out.
func (w *walk) omitted(n int, where string) {
	if n > 0 {
		w.page.Note("… " + terminal.Counted(n, "entry") + " " + where)
	}
}

// Raw writes the original lines. Those of a path are the header and its
// entries, which makes a session of their own; a line without LF gets one.
func (t Transcript) Raw(ctx context.Context, out io.Writer) error {
	header, err := session.HeaderLine(ctx, t.Archive, t.Session)
	if err != nil {
		return err
	}
	write := func(line []byte) error {
		if !bytes.HasSuffix(line, []byte("\n")) {
			line = append(line, '\n')
		}
		_, err := out.Write(line)
		return err
	}
	if len(header) > 0 {
		if err := write(header); err != nil {
			return err
		}
	}
	for i, s := range t.Steps {
		if i > 0 && t.Steps[i-1].Offset == s.Offset {
			continue // a version 4 line may hold several entries
		}
		line, err := session.StepLine(ctx, t.Archive, s)
		if err != nil {
			return err
		}
		if err := write(line); err != nil {
			return err
		}
	}
	return nil
}

// pair finds the result of every call that has one on this path.
func (w *walk) pair(ctx context.Context) error {
	onPath := make(map[int64]session.Step, len(w.Steps))
	var lo, hi int64
	for i, s := range w.Steps {
		onPath[s.Row] = s
		if i == 0 || s.Row < lo {
			lo = s.Row
		}
		hi = max(hi, s.Row)
	}
	results, err := session.Results(ctx, w.Archive, lo, hi)
	if err != nil {
		return err
	}
	w.results, w.shown = map[session.Call]session.Step{}, map[int64]bool{}
	for call, rows := range results {
		if _, ok := onPath[call.Entry]; !ok {
			continue
		}
		for _, row := range rows {
			if s, ok := onPath[row]; ok {
				w.results[call] = s
				w.shown[row] = true
			}
		}
	}
	return nil
}

// head prints what the session is.
func (w *walk) head() {
	name := w.Session.Name
	if name == "" {
		name = w.Session.ID
	}
	messages := 0
	var first, last *time.Time
	for _, s := range w.Steps {
		if s.Type == "message" {
			messages++
		}
		if s.Time != nil {
			if first == nil {
				first = s.Time
			}
			last = s.Time
		}
	}
	about := []string{terminal.Counted(messages, "message")}
	if first != nil {
		local := func(at *time.Time) string { return at.In(w.options.Zone).Format("2006-01-02 15:04") }
		about = append(about, local(first)+" to "+local(last))
	}
	if w.Session.Missing {
		about = append(about, "missing")
	}
	w.page.Title(name, w.Session.CWD, strings.Join(about, " · "))
	if others := w.Whole.Branches - 1; others > 0 && messages < w.Whole.Messages {
		branches := "1 other branch"
		if others > 1 {
			branches = terminal.Count(int64(others)) + " other branches"
		}
		w.page.Note(fmt.Sprintf("%s of %s on this branch; %s (--all, tree)",
			terminal.Count(int64(messages)), terminal.Counted(w.Whole.Messages, "message"), branches))
	}
}
