package documents

import (
	"strings"

	"piarchive/internal/query/search"
	"piarchive/internal/terminal"
)

// Search is piarchive.search/1.
type Search struct {
	Query      string        `json:"query"`
	Rung       string        `json:"rung"`
	Total      int           `json:"total"`
	Below      int           `json:"below"` // so many at the end hold only some of the words; total does not count them
	LowerBound bool          `json:"totalIsLowerBound"`
	Copies     bool          `json:"totalIncludesCopies"`
	Hits       []Hit         `json:"hits"`
	Sessions   []SessionHits `json:"sessions,omitempty"` // with --sessions and --files, whose total counts these
	Notes      []string      `json:"notes"`
	ElapsedMs  float64       `json:"elapsedMs"`
	Coverage   Coverage      `json:"coverage"`
}

// Hit is one hit in piarchive.search/1.
type Hit struct {
	Session  SessionRef  `json:"session"`
	Entry    *EntryRef   `json:"entry"`
	Where    *string     `json:"where"`
	Snippet  string      `json:"snippet"`
	Ranges   [][2]int    `json:"ranges"`
	Score    float64     `json:"score"`
	Rung     string      `json:"rung"`
	Branch   *string     `json:"branch"`
	CopyDocs []Copy      `json:"copies"`
	Before   []Neighbour `json:"before,omitempty"` // with -C
	After    []Neighbour `json:"after,omitempty"`
}

type Neighbour struct {
	EntryRef
	Preview string `json:"preview"`
}

// SessionHits is a session in piarchive.search/1.
type SessionHits struct {
	Session SessionRef `json:"session"`
	Hits    int        `json:"hits"`
	Latest  Time       `json:"latest"`
}

type Copy struct {
	Session SessionRef `json:"session"`
	Entry   *EntryRef  `json:"entry"`
}

func NewSearch(r *search.Result, cov Coverage) Search {
	doc := Search{
		Query: r.Query, Rung: r.Rung, Total: r.Total, Below: r.Below, LowerBound: r.LowerBound, Copies: r.Copies, Hits: []Hit{}, Notes: append([]string{}, r.Notes...),
		ElapsedMs: float64(r.Elapsed.Microseconds()) / 1000, Coverage: cov,
	}
	for _, h := range r.Hits {
		doc.Hits = append(doc.Hits, NewHit(h))
	}
	for _, s := range r.Sessions {
		doc.Sessions = append(doc.Sessions, NewSessionHits(s))
	}
	return doc
}

func NewSessionHits(s search.SessionHits) SessionHits {
	return SessionHits{NewSessionRef(s.Session), s.Hits, orNever(s.Latest)}
}

func newNeighbours(neighbours []search.Neighbour) []Neighbour {
	var docs []Neighbour
	for _, n := range neighbours {
		docs = append(docs, Neighbour{*NewEntryRef(&n.EntryRef), OneLine(n.Preview)})
	}
	return docs
}

func NewHit(h search.Hit) Hit {
	doc := Hit{
		Session: NewSessionRef(h.Session), Entry: NewEntryRef(h.Entry), Where: orNull(h.Where), Snippet: h.Snippet,
		Ranges: append([][2]int{}, h.Ranges...), Score: h.Score, Rung: h.Rung, Branch: orNull(h.Branch), CopyDocs: []Copy{},
		Before: newNeighbours(h.Before), After: newNeighbours(h.After),
	}
	for _, c := range h.Copies {
		doc.CopyDocs = append(doc.CopyDocs, Copy{NewSessionRef(c.Session), NewEntryRef(c.Entry)})
	}
	return doc
}

// OneLine is the beginning of a text as one line.
func OneLine(text string) string {
	const most = 160
	return terminal.Fit(strings.Join(strings.Fields(terminal.Safe(text)), " "), most)
}
