package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"piarchive/internal/query"
)

const searchHelp = `Every word must occur in an entry; "quoted text" is found to the letter.

  word*              words that begin so
  -word, -"text"     entries without it
  a OR b, ( )        either; grouping
  in:user,assistant  kinds of text: user assistant thinking call output notes,
                     and tool for call and output
  role: type: tool: model: provider: system:
                     exact, or with * and ?
  project:           a part of the directory, a path, or . for this one
  session: name: label: file:
                     an id prefix; a part of the name, label or touched path
  is:                missing error aborted named labelled fork subagent
  has:               image thinking toolcall compaction
  after: before: on: until:
                     2026-09-01, 2026-09, today, yesterday, -3d, -2w
  cost: tokens:      >1, 10k..50k (of the session)
  sort: limit:       rank, new, old, cost; a number

Anything else is literal: no query is an error. In identifiers the parts are
found too: TerminalPath and terminal_path find resolveTerminalPath.

In a pipe each hit is one line of fields set apart by tabs: path, line, entry
id, kind of text, time, snippet.
`

// searchFlags are the flags of search; each qualifier has one of the same name.
type searchFlags struct {
	limit      int
	sort       string
	exact      bool
	expand     bool
	fresh      bool
	qualifiers map[string]*[]string
}

// qualifierFlags are the flags that add a qualifier to the query.
var qualifierFlags = [...]struct{ flag, qualifier, usage string }{
	{"project", "project", "only in projects like `TEXT`; . is this directory"},
	{"since", "after", "only entries from `DATE` on"},
	{"until", "until", "only entries until the end of `DATE`"},
	{"role", "role", "only messages of `ROLE`"},
	{"type", "type", "only entries of `TYPE`"},
	{"tool", "tool", "only calls and results of `TOOL`"},
	{"model", "model", "only answers of `MODEL`"},
	{"session", "session", "only in the session `ID`"},
	{"in", "in", "only in these kinds of text: `KINDS`"},
}

func bindSearch(flags *pflag.FlagSet) runner {
	f := searchFlags{qualifiers: map[string]*[]string{}}
	flags.IntVarP(&f.limit, "limit", "n", 0, "print at most `N` hits, 0 for all (default 20)")
	flags.StringVar(&f.sort, "sort", "", "order: `BY` is rank, new, old or cost")
	for _, q := range qualifierFlags {
		values := &[]string{}
		f.qualifiers[q.qualifier] = values
		flags.StringArrayVar(values, q.flag, nil, q.usage)
	}
	flags.BoolVar(&f.exact, "exact", false, "rank every hit, even of a very common word")
	flags.BoolVar(&f.expand, "expand", false, "print copies in forks as hits of their own")
	bindFresh(flags, &f.fresh)
	return func(ctx context.Context, c *call) error {
		if flags.Changed("limit") && f.limit == 0 {
			f.limit = query.All
		}
		return f.run(ctx, c)
	}
}

func (f *searchFlags) run(ctx context.Context, c *call) error {
	q, err := f.query(c.args)
	if err != nil {
		return err
	}
	a, err := openArchive(ctx, c, f.fresh)
	if err != nil {
		return err
	}
	defer a.Close()
	cwd, err := c.cwd()
	if err != nil {
		cwd = ""
	}
	layout := newHitLayout(c)
	result, err := a.Search(ctx, q, query.SearchOptions{
		Limit: f.limit, Exact: f.exact, Expand: f.expand, Now: c.now(), CWD: cwd, Snippet: layout.snippet,
	})
	if err != nil {
		return err
	}
	if err := f.print(ctx, c, a, result, layout); err != nil {
		return err
	}
	if len(result.Hits) == 0 {
		return errNothing
	}
	return nil
}

// query parses the arguments and adds what the flags say.
func (f *searchFlags) query(args []string) (query.Query, error) {
	q := query.Parse(strings.Join(args, " "))
	for _, name := range qualifierFlags {
		any := query.Filter{Name: name.qualifier} // given twice, either will do
		for _, v := range *f.qualifiers[name.qualifier] {
			any.Values = append(any.Values, query.NewFilter(name.qualifier, v).Values...)
		}
		if why := any.Refuse(); why != "" {
			return q, usageErrorf("--%s %s", name.flag, why)
		}
		if any.Values != nil {
			q = q.With(any)
		}
	}
	switch f.sort {
	case "":
	case "rank", "new", "old", "cost":
		q.Sort = f.sort
	default:
		return q, usageErrorf("--sort is rank, new, old or cost, not %q", f.sort)
	}
	if f.limit < 0 && f.limit != query.All {
		return q, usageErrorf("--limit is a number of hits, not %d", f.limit)
	}
	return q, nil
}

func (f *searchFlags) print(ctx context.Context, c *call, a *query.Archive, result *query.Result, layout hitLayout) error {
	switch {
	case c.json:
		cov, err := coverage(ctx, c, a)
		if err != nil {
			return err
		}
		return c.writeJSON(newSearchDoc(result, cov))
	case c.jsonl:
		for _, h := range result.Hits {
			if err := c.writeLine(newHitDoc(h)); err != nil {
				return err
			}
		}
		talkNotes(c, result)
		return nil
	case !c.isTerminal(1):
		for _, h := range result.Hits {
			printHitFields(c, h)
		}
		talkNotes(c, result)
		return nil
	}
	c.page(ctx)
	if err := layout.print(ctx, a, result); err != nil {
		return err
	}
	cov, err := coverage(ctx, c, a)
	if err != nil {
		return err
	}
	return printCoverage(c, cov)
}

// talkNotes says beside data what is to be known about it.
func talkNotes(c *call, result *query.Result) {
	for _, n := range result.Notes {
		c.talk("%s", n)
	}
}

// printHitFields prints a hit for programs that read lines.
func printHitFields(c *call, h query.Hit) {
	line, id, at := "", "", ""
	if h.Entry != nil {
		line, id = fmt.Sprint(h.Entry.Line), h.Entry.ID
		if h.Entry.Time != nil {
			at = h.Entry.Time.Format("2006-01-02T15:04:05.000Z")
		}
	}
	fmt.Fprintf(c.stdout, "%s\t%s\t%s\t%s\t%s\t%s\n", safe(h.Session.Path), line, safe(id), h.Where, at, safe(h.Snippet))
}

// searchDoc is piarchive.search/1.
type searchDoc struct {
	Query      string      `json:"query"`
	Rung       string      `json:"rung"`
	Total      int         `json:"total"`
	LowerBound bool        `json:"totalIsLowerBound"`
	Hits       []hitDoc    `json:"hits"`
	Suggestion *string     `json:"suggestion"`
	Notes      []string    `json:"notes"`
	ElapsedMs  float64     `json:"elapsedMs"`
	Coverage   coverageDoc `json:"coverage"`
}

type hitDoc struct {
	Session  sessionRefDoc `json:"session"`
	Entry    *entryRefDoc  `json:"entry"`
	Where    *string       `json:"where"`
	Snippet  string        `json:"snippet"`
	Ranges   [][2]int      `json:"ranges"`
	Score    float64       `json:"score"`
	Branch   *string       `json:"branch"`
	CopyDocs []copyDoc     `json:"copies"`
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

func newSearchDoc(r *query.Result, cov coverageDoc) searchDoc {
	doc := searchDoc{
		Query: r.Query, Rung: r.Rung, Total: r.Total, LowerBound: r.LowerBound, Hits: []hitDoc{}, Notes: append([]string{}, r.Notes...),
		ElapsedMs: float64(r.Elapsed.Microseconds()) / 1000, Coverage: cov,
	}
	for _, h := range r.Hits {
		doc.Hits = append(doc.Hits, newHitDoc(h))
	}
	return doc
}

func newHitDoc(h query.Hit) hitDoc {
	doc := hitDoc{
		Session: newSessionRefDoc(h.Session), Entry: newEntryRefDoc(h.Entry), Where: orNull(h.Where), Snippet: h.Snippet,
		Ranges: append([][2]int{}, h.Ranges...), Score: h.Score, Branch: orNull(h.Branch), CopyDocs: []copyDoc{},
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
