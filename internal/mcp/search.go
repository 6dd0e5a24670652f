package mcp

import (
	"context"
	"fmt"
	"strings"
	"time"

	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/query/question"
	"piarchive/internal/query/search"
	"piarchive/internal/terminal"
)

const searchAbout = `Full-text search over all past sessions of coding agents on this machine, every project and every branch. Use it when the user refers to earlier work, when an error or a task may have come up before, or to learn why something was done. The best evidence comes first, with the words around it and what was said before and after; often that is the answer.

query: the words to look for, as few and as rare as possible (error texts, names, commands), or a question. Entries with all words come first, then those with some.
  "exact text"   -without   a OR b   word*   /regex/   identifiers match by parts (TerminalPath finds resolveTerminalPath)
  in:user,assistant,call,output,thinking   kinds of text      is:error   tool:bash   role:user   model:NAME   file:PATH   label:TEXT
  project:TEXT (. is the current directory)   after:2026-09-01 before:today on:-3d   session:ID   under:SESSION@LINE   sort:new

Each hit has a ref, SESSION@LINE, which open takes to read more. Nothing found? Use fewer or other words before you conclude that there is nothing.`

type searchInput struct {
	Query string `json:"query" jsonschema:"words, a question, or the grammar above"`
	span
	In     string `json:"in,omitempty" jsonschema:"only these kinds of text, separated by commas: user, assistant, thinking, call, output, notes, tool, error"`
	Sort   string `json:"sort,omitempty" jsonschema:"rank (default), new, old or cost"`
	Limit  int    `json:"limit,omitempty" jsonschema:"at most so many hits (default 10)"`
	Tokens int    `json:"max_tokens,omitempty" jsonschema:"length of the answer (default 4000)"`
}

// hit is one piece of evidence.
type hit struct {
	Ref     string    `json:"ref" jsonschema:"SESSION@LINE, for open"`
	Title   string    `json:"title" jsonschema:"of the session"`
	Project string    `json:"project" jsonschema:"directory of the session"`
	Time    string    `json:"time,omitempty"`
	Where   string    `json:"where" jsonschema:"kind of text: user, assistant, thinking, call, output, notes, name, error"`
	Branch  string    `json:"branch,omitempty" jsonschema:"active, or abandoned: the conversation went on elsewhere"`
	Text    string    `json:"text" jsonschema:"the words around what matched"`
	Before  []excerpt `json:"before,omitempty"`
	After   []excerpt `json:"after,omitempty"`
	Copies  int       `json:"copies,omitempty" jsonschema:"other sessions, mostly forks, that hold the same entry"`
}

type excerpt struct {
	Ref  string `json:"ref"`
	Who  string `json:"who"`
	Text string `json:"text" jsonschema:"how it begins"`
}

type searchAnswer struct {
	Hits     []hit    `json:"hits"`
	Total    int      `json:"total" jsonschema:"hits there are"`
	AtLeast  bool     `json:"at_least,omitempty" jsonschema:"there are more than total"`
	Notes    []string `json:"notes,omitempty" jsonschema:"how the query was understood"`
	Coverage string   `json:"coverage" jsonschema:"what was searched and what was not"`
}

func (s *Server) search(ctx context.Context, a *query.Archive, in searchInput) (*searchAnswer, error) {
	q, err := in.question()
	if err != nil {
		return nil, err
	}
	const around, best = 3, 4 // the best hits come with so many entries on either side, the others with one
	room := room(in.Tokens)
	const few = 10
	limit := bounded(in.Limit, few, 100)
	r, err := search.Answer(ctx, a, q, search.Options{
		Limit: limit, Now: s.Now(), CWD: s.CWD, Around: around, Timeout: regexTime,
		Snippet: min(max(room/min(limit, few)/3, 120), 1200),
	})
	if err != nil {
		return nil, err
	}
	out := &searchAnswer{Total: r.Total + r.Below, AtLeast: r.LowerBound}
	for _, n := range r.Notes {
		out.Notes = append(out.Notes, cut(terminal.Safe(n), 200))
	}
	if out.Coverage, err = s.coverage(ctx, a); err != nil {
		return nil, err
	}
	var hits []hit
	for i, h := range r.Hits {
		if i >= best && len(h.Before) > 0 {
			h.Before = h.Before[len(h.Before)-1:]
		}
		if i >= best && len(h.After) > 0 {
			h.After = h.After[:1]
		}
		found, err := s.hit(ctx, a, h, room/40)
		if err != nil {
			return nil, err
		}
		hits = append(hits, found)
	}
	return fit(len(hits), room, func(n int) *searchAnswer {
		with := *out
		with.Hits = append([]hit{}, hits[:n]...)
		return &with
	}, func(bytes int) {
		out.Notes = nil
		for i := range hits[:min(1, len(hits))] {
			h := &hits[i]
			h.Before, h.After = nil, nil
			h.Text, h.Title, h.Project = cut(h.Text, bytes), cut(h.Title, bytes/4), cut(h.Project, bytes/4)
		}
	}), nil
}

// question is what the arguments ask.
func (in *searchInput) question() (question.Query, error) {
	q := question.Parse(in.Query)
	for _, f := range []struct{ name, value string }{{"project", in.Project}, {"after", in.Since}, {"until", in.Until}, {"in", in.In}} {
		if f.value == "" {
			continue
		}
		filter := question.NewFilter(f.name, f.value)
		if f.name == "in" {
			filter.Values = strings.FieldsFunc(f.value, func(r rune) bool { return r == ',' || r == ' ' })
		}
		if why := filter.Refuse(); why != "" {
			return q, fmt.Errorf("%s: %s", f.name, why)
		}
		q = q.With(filter)
	}
	if q.Expr == nil {
		return q, fmt.Errorf("the query is empty; list_sessions lists sessions without one")
	}
	if in.Sort != "" {
		q.Sort = in.Sort
	}
	return q, nil
}

func (s *Server) hit(ctx context.Context, a *query.Archive, h search.Hit, around int) (hit, error) {
	id, err := a.Abbreviate(ctx, h.Session)
	found := hit{
		Ref: terminal.Safe(id), Title: documents.Title(h.Session.Name, h.Session.First, 80), Project: terminal.Safe(h.Session.CWD),
		Where: h.Where, Branch: h.Branch, Text: terminal.Safe(h.Snippet), Copies: len(h.Copies),
	}
	if h.Entry == nil {
		return found, err
	}
	found.Ref = refTo(id, h.Entry)
	if h.Entry.Time != nil {
		found.Time = moment(*h.Entry.Time, s.Now())
	}
	excerpts := func(list []search.Neighbour) (out []excerpt) {
		for _, n := range list {
			if text := strings.Join(strings.Fields(terminal.Safe(n.Preview)), " "); text != "" {
				out = append(out, excerpt{refTo(id, &n.EntryRef), who(&n.EntryRef), cut(text, around)})
			}
		}
		return out
	}
	found.Before, found.After = excerpts(h.Before), excerpts(h.After)
	return found, err
}

// refTo names an entry of a session.
func refTo(id string, e *query.EntryRef) string { return terminal.Safe(id) + terminal.Safe(e.Place()) }

// who is whose entry it is, or what it is.
func who(e *query.EntryRef) string {
	if e.Role != "" {
		return terminal.Safe(e.Role)
	}
	return terminal.Safe(e.Type)
}

func moment(t, now time.Time) string { return t.In(now.Location()).Format("2006-01-02 15:04") }

// Text tells the hits one below the other.
func (r *searchAnswer) Text() string {
	var b strings.Builder
	b.WriteString(left(len(r.Hits), r.Total, r.AtLeast, "hit", "narrow the query, or raise limit and max_tokens, for more"))
	for _, n := range r.Notes {
		b.WriteString("Note: " + n + "\n")
	}
	if len(r.Hits) > 0 {
		b.WriteString(quoted)
	}
	for i, h := range r.Hits {
		fmt.Fprintf(&b, "\n%d. %s  %s · %s", i+1, h.Ref, h.Project, h.Title)
		if h.Branch == "abandoned" {
			b.WriteString("  (abandoned branch)")
		}
		b.WriteString("\n")
		for _, e := range h.Before {
			b.WriteString(quote(e.Who+": "+e.Text, "   "))
		}
		b.WriteString(quote(strings.TrimSpace(h.Time+" "+h.Where)+": "+h.Text, "   > "))
		for _, e := range h.After {
			b.WriteString(quote(e.Who+": "+e.Text, "   "))
		}
	}
	if r.Coverage != "" {
		b.WriteString("\nSearched: " + r.Coverage + "\n")
	}
	return b.String()
}
