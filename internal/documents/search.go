package documents

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"piarchive/internal/query"
	"piarchive/internal/query/search"
	"piarchive/internal/terminal"
)

// Search is piarchive.search/1.
type Search struct {
	Query      string            `json:"query"`
	Rung       string            `json:"rung"`
	Total      int               `json:"total"`
	Below      int               `json:"below"` // so many at the end hold only some of the words; total does not count them
	LowerBound bool              `json:"totalIsLowerBound"`
	Copies     bool              `json:"totalIncludesCopies"`
	Hits       []Hit             `json:"hits"`
	Sessions   []json.RawMessage `json:"sessions,omitempty"` // with --sessions and --files, whose total counts these
	Notes      []string          `json:"notes"`
	ElapsedMs  float64           `json:"elapsedMs"`
	Coverage   Coverage          `json:"coverage"`
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
	sessions := NewSessionHits(r.Sessions)
	for _, s := range r.Sessions {
		doc.Sessions = append(doc.Sessions, sessions.object(s))
	}
	return doc
}

// NewSessionHits lists sessions that hold hits.
func NewSessionHits(sessions []search.SessionHits) List[search.SessionHits] {
	type hits = search.SessionHits
	return List[hits]{Rows: sessions, Columns: []Column[hits]{
		{Key: "session", Of: func(s hits) any { return NewSessionRef(s.Session) }},
		{Key: "hits", Of: func(s hits) any { return s.Hits }},
		{Key: "latest", Of: func(s hits) any { return orNever(s.Latest) }},
		{Key: "-path", Of: func(s hits) any { return s.Session.Path }},
		{Key: "-id", Of: func(s hits) any { return s.Session.ID }},
		{Key: "-cwd", Of: func(s hits) any { return s.Session.CWD }},
		{Key: "-name", Of: func(s hits) any { return OneLine(s.Session.Name) }},
	}}
}

// SessionHitFields are what is told of such a session in a line.
const SessionHitFields = "path id hits latest cwd name"

// HitLines writes a line of fields for each hit, and for what stands around it.
func HitLines(out io.Writer, hits []search.Hit) error {
	var err error
	line := func(h search.Hit, e *query.EntryRef, where, text string) {
		number, id, at := "", "", ""
		if e != nil {
			number, id, at = strconv.Itoa(e.Line), e.ID, orNever(e.Time).String()
		}
		if err == nil {
			_, err = fmt.Fprintln(out, strings.Join([]string{terminal.Safe(h.Session.Path), number, terminal.Safe(id), where, at, terminal.Safe(text)}, "\t"))
		}
	}
	for _, h := range hits {
		for _, n := range h.Before {
			line(h, &n.EntryRef, "before", OneLine(n.Preview))
		}
		line(h, h.Entry, h.Where, h.Snippet)
		for _, n := range h.After {
			line(h, &n.EntryRef, "after", OneLine(n.Preview))
		}
	}
	return err
}

// HitRefs writes session and entry of each hit as other commands take them.
func HitRefs(ctx context.Context, out io.Writer, a *query.Archive, hits []search.Hit) error {
	refs := map[int64]string{}
	for _, h := range hits {
		ref, err := refs[h.Session.Key], error(nil)
		if ref == "" {
			ref, err = a.Abbreviate(ctx, h.Session)
			refs[h.Session.Key] = ref
		}
		if err == nil {
			_, err = fmt.Fprintf(out, "%s\t%s\n", terminal.Safe(ref), cmp.Or(h.Entry.Place(), "@1")) // where a title stands
		}
		if err != nil {
			return err
		}
	}
	return nil
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
	return terminal.Fit(flat(text), most)
}

// flat is a text as one safe line.
func flat(text string) string { return strings.Join(strings.Fields(terminal.Safe(text)), " ") }
