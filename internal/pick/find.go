package pick

import (
	"context"
	"time"

	"piarchive/internal/query"
	"piarchive/internal/query/question"
	"piarchive/internal/query/search"
	"piarchive/internal/query/session"
	"piarchive/internal/terminal"
	"piarchive/internal/text"
)

// request is a question that is put to the archive.
type request struct {
	number int
	text   string
	scope  scope
	width  int // of a snippet in characters
	height int // of the list
	more   int // how often there was not enough
}

// answer is what came of it.
type answer struct {
	request request
	items   []item
	more    bool // there are more of them
	summary string
	err     error
}

// listed is what a line of the list tells of a session.
type listed struct {
	modified time.Time
	subagent bool
}

// found is what a line tells of a hit.
type found struct {
	where     string
	snippet   string
	ranges    [][2]int
	abandoned bool
	copies    int
}

// find answers a request.
func (d *desk) find(ctx context.Context, r request) answer {
	a := answer{request: r}
	a.err = turn(ctx, &d.searching, func() error {
		f := finder{desk: d, archive: d.options.Searched, ids: map[int64]string{}, answer: &a}
		switch {
		case r.text == "":
			return f.list(ctx)
		case r.scope == sessions:
			return f.sessions(ctx)
		}
		return f.hits(ctx)
	})
	return a
}

// finder makes the items of an answer.
type finder struct {
	*desk
	archive *query.Archive
	ids     map[int64]string // by session
	answer  *answer
}

// limit is how many of something are asked for, more each time.
func (f *finder) limit(first int) int { return min(first<<(2*f.answer.request.more), search.All) }

// list makes items of the latest sessions.
func (f *finder) list(ctx context.Context) error {
	o := session.ListOptions{Brief: true, Limit: f.limit(100)}
	if f.answer.request.scope == thisProject {
		o.Project = f.options.CWD
	}
	infos, total, err := session.List(ctx, f.archive, o)
	if err != nil {
		return err
	}
	for _, s := range infos {
		ref := query.SessionRef{Key: s.Key, Path: s.Path, ID: s.ID, CWD: s.CWD, Name: s.Name, First: s.First, Missing: s.Missing}
		err := f.add(ctx, item{Place: Place{Session: ref}, listed: &listed{s.Modified, s.Kind == "subagent"}})
		if err != nil {
			return err
		}
	}
	f.answer.more = total > len(infos)
	f.answer.summary = terminal.Counted(total, "session")
	return nil
}

// search asks the question, of this project alone where that is the scope.
func (f *finder) search(ctx context.Context, want search.Want, limit int) (*search.Result, error) {
	q := question.Parse(f.answer.request.text)
	if f.answer.request.scope == thisProject {
		q = q.With(question.Filter{Name: "project", Values: []string{"."}})
	}
	return search.Answer(ctx, f.archive, q, search.Options{
		Limit: limit, Now: f.options.Now(), CWD: f.options.CWD, Snippet: f.answer.request.width, Want: want,
	})
}

// sessions makes items of the sessions that hold hits.
func (f *finder) sessions(ctx context.Context) error {
	r, err := f.search(ctx, search.WantSessions, f.limit(100))
	if err != nil {
		return err
	}
	for _, s := range r.Sessions {
		i := item{Place: Place{Session: s.Session}, hits: s.Hits, listed: &listed{}}
		if s.Latest != nil {
			i.listed.modified = *s.Latest
		}
		if err := f.add(ctx, i); err != nil {
			return err
		}
	}
	f.answer.more = len(r.Sessions)-r.Below < r.Total
	f.summarize(r, "session")
	return nil
}

// hits makes items of hits, session by session in the order of their best one, each
// under a heading.
func (f *finder) hits(ctx context.Context) error {
	limit := f.limit(max(20, f.answer.request.height)) // each has a text to be read
	r, err := f.search(ctx, search.WantHits, limit)
	if err != nil {
		return err
	}
	for _, group := range text.BySession(r.Hits) {
		ref := group[0].Session
		if err := f.add(ctx, item{Place: Place{Session: ref}, heading: true, listed: &listed{modified: text.Latest(group)}}); err != nil {
			return err
		}
		for _, h := range group {
			hit := &found{h.Where, h.Snippet, h.Ranges, h.Branch == "abandoned", len(h.Copies)}
			if err := f.add(ctx, item{Place: Place{ref, h.Entry}, hit: hit}); err != nil {
				return err
			}
		}
	}
	f.answer.more = r.Total > len(r.Hits)-r.Below && len(r.Hits) >= limit
	f.summarize(r, "hit")
	return nil
}

// add adds an item, with the beginning of the session's id that names it.
func (f *finder) add(ctx context.Context, i item) error {
	id, ok := f.ids[i.Session.Key]
	if !ok {
		var err error
		if id, err = f.archive.Abbreviate(ctx, i.Session); err != nil {
			return err
		}
		f.ids[i.Session.Key] = id
	}
	i.id = id
	f.answer.items = append(f.answer.items, i)
	return nil
}

// summarize says how much there is, and the first of what is to be known about it.
func (f *finder) summarize(r *search.Result, noun string) {
	text := terminal.Counted(r.Total, noun)
	if r.LowerBound {
		text = "more than " + text
	}
	if r.Below > 0 {
		text += ", " + terminal.Count(int64(r.Below)) + " with some of the words"
	}
	if len(r.Notes) > 0 {
		text += "; " + r.Notes[0]
	}
	f.answer.summary = text
}
