package documents

import (
	"context"

	"piarchive/internal/query"
)

// SessionRef names a session.
type SessionRef struct {
	Path  string  `json:"path"`
	ID    *string `json:"id"`
	CWD   string  `json:"cwd"`
	Name  *string `json:"name"`
	Title *string `json:"title"` // the name, or else the beginning of the first message
}

func NewSessionRef(s query.SessionRef) SessionRef {
	return SessionRef{Path: s.Path, ID: orNull(s.ID), CWD: s.CWD, Name: orNull(s.Name), Title: orNull(OneLine(s.Title()))}
}

// EntryRef names an entry.
type EntryRef struct {
	ID       string  `json:"id"`
	ParentID *string `json:"parentId"`
	Line     int     `json:"line"`
	Type     string  `json:"type"`
	Role     *string `json:"role"`
	Time     Time    `json:"timestamp"`
}

func NewEntryRef(e *query.EntryRef) *EntryRef {
	if e == nil {
		return nil
	}
	return &EntryRef{ID: e.ID, ParentID: orNull(e.ParentID), Line: e.Line, Type: e.Type, Role: orNull(e.Role), Time: orNever(e.Time)}
}

// Resume is piarchive.resume/1.
type Resume struct {
	Session   SessionRef `json:"session"`
	Directory *string    `json:"directory"`
	Command   []string   `json:"command"`
	Line      string     `json:"line"` // for a shell, from any directory
}

func NewResume(s query.SessionRef, command []string, line string) Resume {
	return Resume{NewSessionRef(s), orNull(s.CWD), command, line}
}

// orNull is a text that is absent when empty.
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Coverage says in every document what the answer is based on.
type Coverage struct {
	Files       int               `json:"files"`
	AllProblems int               `json:"problems"`
	Missing     int               `json:"missing"`
	IndexedAt   Time              `json:"indexedAt"`
	Pending     *query.Pending    `json:"pending"` // null if nobody looked
	Problems    []query.KindCount `json:"-"`
}

// NewCoverage reads it from an archive.
func NewCoverage(ctx context.Context, a *query.Archive) (Coverage, error) {
	cov, err := a.Coverage(ctx)
	problems, _ := byKind(cov.Problems)
	return Coverage{cov.Files, problems, cov.Missing, orNever(cov.IndexedAt), cov.Pending, cov.Problems}, err
}
