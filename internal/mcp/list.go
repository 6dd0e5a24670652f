package mcp

import (
	"context"
	"fmt"
	"strings"
	"time"

	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/query/question"
	"piarchive/internal/query/session"
	"piarchive/internal/terminal"
)

const listAbout = `List past sessions, the latest first, by project and time; with a query those whose name, messages or project have all its words, the best match first. Use it for what was done lately, or in a project or a week; search_sessions finds the place within a session, open reads one.`

type listInput struct {
	Query string `json:"query,omitempty" jsonschema:"words, \"a phrase\", or re:PATTERN"`
	span
	Limit  int `json:"limit,omitempty" jsonschema:"at most so many sessions (default 20)"`
	Tokens int `json:"max_tokens,omitempty" jsonschema:"length of the answer (default 4000)"`
}

// span is where and when.
type span struct {
	Project string `json:"project,omitempty" jsonschema:"only projects whose directory is or contains this; . is the current one"`
	Since   string `json:"since,omitempty" jsonschema:"only from this date on: 2026-09-01, 2026-09, yesterday, -3d, -2w"`
	Until   string `json:"until,omitempty" jsonschema:"only until the end of this date"`
}

func refOf(i *session.Info) query.SessionRef {
	return query.SessionRef{Key: i.Key, Path: i.Path, ID: i.ID}
}

// project is the project as other rooms take it.
func (s *Server) project(in span) string {
	if in.Project == "." && s.CWD != "" {
		return s.CWD
	}
	return in.Project
}

// times are the first moment and the one behind the last.
func (in span) times(now time.Time) (since, until time.Time, err error) {
	if in.Since != "" {
		if since, _, err = question.ParseDate(in.Since, now); err != nil {
			return since, until, fmt.Errorf("since: %w", err)
		}
	}
	if in.Until != "" {
		if _, until, err = question.ParseDate(in.Until, now); err != nil {
			return since, until, fmt.Errorf("until: %w", err)
		}
	}
	return since, until, nil
}

type listed struct {
	Ref      string   `json:"ref" jsonschema:"SESSION, for open"`
	Title    string   `json:"title"`
	Project  string   `json:"project"`
	Modified string   `json:"modified" jsonschema:"latest activity"`
	Messages int      `json:"messages"`
	Cost     *float64 `json:"cost,omitempty" jsonschema:"US dollars, where they were recorded"`
	Path     string   `json:"path"`
	Missing  bool     `json:"missing,omitempty" jsonschema:"the file is gone, the archive has it"`
}

type listAnswer struct {
	Sessions []listed `json:"sessions"`
	Total    int      `json:"total"`
	Coverage string   `json:"coverage" jsonschema:"what was looked at and what was not"`
}

func (s *Server) list(ctx context.Context, a *query.Archive, in listInput) (*listAnswer, error) {
	o := session.ListOptions{Project: s.project(in.span), Brief: true, Limit: bounded(in.Limit, 20, 500)}
	var err error
	if o.Since, o.Until, err = in.times(s.Now()); err != nil {
		return nil, err
	}
	if o.Query, err = session.ParsePicker(in.Query); err != nil {
		return nil, fmt.Errorf("query: %w", err)
	}
	found, total, err := session.List(ctx, a, o)
	if err != nil {
		return nil, err
	}
	out := &listAnswer{Total: total}
	if out.Coverage, err = s.coverage(ctx, a); err != nil {
		return nil, err
	}
	var rows []listed
	for _, i := range found {
		id, err := a.Abbreviate(ctx, refOf(i))
		if err != nil {
			return nil, err
		}
		rows = append(rows, listed{
			Ref: terminal.Safe(id), Title: documents.Title(i.Name, i.First, 100), Project: cut(terminal.Safe(i.CWD), 300), Modified: moment(i.Modified, s.Now()),
			Messages: i.Messages, Cost: i.Cost, Path: cut(terminal.Safe(i.Path), 500), Missing: i.Missing,
		})
	}
	return fit(len(rows), room(in.Tokens), func(n int) *listAnswer {
		with := *out
		with.Sessions = append([]listed{}, rows[:n]...)
		return &with
	}, func(bytes int) {
		for i := range rows[:min(1, len(rows))] {
			r := &rows[i]
			r.Title, r.Project, r.Path = cut(r.Title, bytes/4), cut(r.Project, bytes/4), cut(r.Path, bytes/4)
		}
	}), nil
}

// Text is a line for each session.
func (r *listAnswer) Text() string {
	var b strings.Builder
	b.WriteString(left(len(r.Sessions), r.Total, false, "session", "narrow it, or raise limit and max_tokens, for more"))
	if len(r.Sessions) > 0 {
		b.WriteString(quoted)
	}
	for _, s := range r.Sessions {
		fmt.Fprintf(&b, "%s  %s  %s · %s  (%s", s.Ref, s.Modified, s.Project, s.Title, terminal.Counted(s.Messages, "message"))
		if s.Cost != nil {
			b.WriteString(", " + terminal.Money(s.Cost))
		}
		b.WriteString(")\n")
	}
	return b.String() + "\nLooked at: " + r.Coverage + "\n"
}
