package documents

import (
	"piarchive/internal/query/session"
)

// List is piarchive.list/1.
type List struct {
	Sessions []Session `json:"sessions"`
	Coverage Coverage  `json:"coverage"`
}

// NewList lists sessions, with all their text where that is wanted.
func NewList(sessions []*session.Info, text bool, cov Coverage) List {
	doc := List{Sessions: make([]Session, len(sessions)), Coverage: cov}
	for i, s := range sessions {
		doc.Sessions[i] = NewSession(s, text)
	}
	return doc
}

// Session begins with what pi's own list knows, under pi's names.
type Session struct {
	Path              string  `json:"path"`
	ID                *string `json:"id"`
	CWD               string  `json:"cwd"`
	Name              *string `json:"name"`
	ParentSessionPath *string `json:"parentSessionPath"`
	Created           Time    `json:"created"`
	Modified          Time    `json:"modified"`
	MessageCount      int     `json:"messageCount"`
	FirstMessage      string  `json:"firstMessage"`
	AllMessagesText   *string `json:"allMessagesText,omitempty"`

	System     string   `json:"system"`
	Version    int      `json:"version"`
	Kind       string   `json:"kind"`
	Root       string   `json:"root"`
	Enclosing  *string  `json:"enclosingSessionPath"`
	EntryCount int      `json:"entryCount"`
	LeafCount  int      `json:"leafCount"`
	LeafID     *string  `json:"leafId"`
	Bytes      int64    `json:"bytes"`
	Mtime      Time     `json:"mtime"`
	Missing    bool     `json:"missing"`
	Labels     []string `json:"labels"`
	Models     []string `json:"models"`
	Tokens     Tokens   `json:"tokens"`
	Cost       *float64 `json:"cost"`
	Anomalies  []string `json:"anomalies"`
}

func NewSession(s *session.Info, text bool) Session {
	doc := Session{
		Path: s.Path, ID: orNull(s.ID), CWD: s.CWD, Name: orNull(s.Name), Created: Time(s.Created), Modified: Time(s.Modified),
		MessageCount: s.Messages, FirstMessage: s.First,
		System: s.System, Version: s.Version, Kind: s.Kind, Root: s.Root, Enclosing: orNull(s.Enclosing),
		EntryCount: s.Entries, LeafCount: s.Leaves, LeafID: orNull(s.Leaf), Bytes: s.Bytes, Mtime: Time(s.Mtime), Missing: s.Missing,
		Labels: s.Labels, Models: s.Models, Tokens: Tokens(s.Tokens), Cost: s.Cost, Anomalies: s.Anomalies,
	}
	if s.ParentForm == "parentSession" {
		doc.ParentSessionPath = &s.Parent
	}
	if text {
		doc.AllMessagesText = &s.Text
	}
	return doc
}

type Tokens struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"`
	Total      int64 `json:"total"`
}

// Label is one label in piarchive.labels/1.
type Label struct {
	Session  SessionRef `json:"session"`
	Entry    *EntryRef  `json:"entry"`
	TargetID string     `json:"targetId"`
	Label    string     `json:"label"`
	Time     Time       `json:"timestamp"`
}

// Labels is piarchive.labels/1.
type Labels struct {
	Labels []Label `json:"labels"`
}

// NewLabels lists labels.
func NewLabels(found []session.LabelRef) Labels {
	doc := Labels{Labels: []Label{}}
	for _, l := range found {
		doc.Labels = append(doc.Labels, NewLabel(l))
	}
	return doc
}

func NewLabel(l session.LabelRef) Label {
	return Label{NewSessionRef(l.Session), NewEntryRef(l.Entry), l.TargetID, l.Label, orNever(l.Time)}
}
