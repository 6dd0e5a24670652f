package main

import (
	"piarchive/internal/query"
	"piarchive/internal/query/search"
)

// searchDoc is piarchive.search/1.
type searchDoc struct {
	Query      string           `json:"query"`
	Rung       string           `json:"rung"`
	Total      int              `json:"total"`
	LowerBound bool             `json:"totalIsLowerBound"`
	Copies     bool             `json:"totalIncludesCopies"`
	Hits       []hitDoc         `json:"hits"`
	Sessions   []sessionHitsDoc `json:"sessions,omitempty"` // with --sessions and --files, whose total counts these
	Notes      []string         `json:"notes"`
	ElapsedMs  float64          `json:"elapsedMs"`
	Coverage   coverageDoc      `json:"coverage"`
}

type hitDoc struct {
	Session  sessionRefDoc  `json:"session"`
	Entry    *entryRefDoc   `json:"entry"`
	Where    *string        `json:"where"`
	Snippet  string         `json:"snippet"`
	Ranges   [][2]int       `json:"ranges"`
	Score    float64        `json:"score"`
	Branch   *string        `json:"branch"`
	CopyDocs []copyDoc      `json:"copies"`
	Before   []neighbourDoc `json:"before,omitempty"` // with -C
	After    []neighbourDoc `json:"after,omitempty"`
}

type neighbourDoc struct {
	entryRefDoc
	Preview string `json:"preview"`
}

type sessionHitsDoc struct {
	Session sessionRefDoc `json:"session"`
	Hits    int           `json:"hits"`
	Latest  jsonTime      `json:"latest"`
}

type sessionRefDoc struct {
	Path string  `json:"path"`
	ID   *string `json:"id"`
	CWD  string  `json:"cwd"`
	Name *string `json:"name"`
}

type entryRefDoc struct {
	ID       string   `json:"id"`
	ParentID *string  `json:"parentId"`
	Line     int      `json:"line"`
	Type     string   `json:"type"`
	Role     *string  `json:"role"`
	Time     jsonTime `json:"timestamp"`
}

type copyDoc struct {
	Session sessionRefDoc `json:"session"`
	Entry   *entryRefDoc  `json:"entry"`
}

func newSearchDoc(r *search.Result, cov coverageDoc) searchDoc {
	doc := searchDoc{
		Query: r.Query, Rung: r.Rung, Total: r.Total, LowerBound: r.LowerBound, Copies: r.Copies, Hits: []hitDoc{}, Notes: append([]string{}, r.Notes...),
		ElapsedMs: float64(r.Elapsed.Microseconds()) / 1000, Coverage: cov,
	}
	for _, h := range r.Hits {
		doc.Hits = append(doc.Hits, newHitDoc(h))
	}
	for _, s := range r.Sessions {
		doc.Sessions = append(doc.Sessions, newSessionHitsDoc(s))
	}
	return doc
}

func newSessionHitsDoc(s search.SessionHits) sessionHitsDoc {
	doc := sessionHitsDoc{Session: newSessionRefDoc(s.Session), Hits: s.Hits}
	if s.Latest != nil {
		doc.Latest = jsonTime(*s.Latest)
	}
	return doc
}

func newNeighbourDocs(neighbours []search.Neighbour) []neighbourDoc {
	var docs []neighbourDoc
	for _, n := range neighbours {
		docs = append(docs, neighbourDoc{*newEntryRefDoc(&n.EntryRef), oneLine(n.Preview)})
	}
	return docs
}

func newHitDoc(h search.Hit) hitDoc {
	doc := hitDoc{
		Session: newSessionRefDoc(h.Session), Entry: newEntryRefDoc(h.Entry), Where: orNull(h.Where), Snippet: h.Snippet,
		Ranges: append([][2]int{}, h.Ranges...), Score: h.Score, Branch: orNull(h.Branch), CopyDocs: []copyDoc{},
		Before: newNeighbourDocs(h.Before), After: newNeighbourDocs(h.After),
	}
	for _, c := range h.Copies {
		doc.CopyDocs = append(doc.CopyDocs, copyDoc{newSessionRefDoc(c.Session), newEntryRefDoc(c.Entry)})
	}
	return doc
}

func newSessionRefDoc(s query.SessionRef) sessionRefDoc {
	return sessionRefDoc{Path: s.Path, ID: orNull(s.ID), CWD: s.CWD, Name: orNull(s.Name)}
}

func newEntryRefDoc(e *query.EntryRef) *entryRefDoc {
	if e == nil {
		return nil
	}
	doc := &entryRefDoc{ID: e.ID, ParentID: orNull(e.ParentID), Line: e.Line, Type: e.Type, Role: orNull(e.Role)}
	if e.Time != nil {
		doc.Time = jsonTime(*e.Time)
	}
	return doc
}

// orNull is a text that is absent when empty.
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
