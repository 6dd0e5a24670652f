// Package search answers questions from an archive. [Answer] is the way in;
// [Values] is what someone who types a question may want to say.
//
// # Idea
//
// A question has several readings, each a question again: as it was typed, with all
// words, repaired, with some of the words. The ladder (ladder.go) tries one after the
// other until enough is found. Each reading goes through the same stages, which
// docs/house.md lists with their files. Rows, the keys of entries, are what most of
// them take and return; text is read for the few that are shown.
//
// # Invariants
//
// Nothing comes twice. What holds all words comes before what holds some, except for
// questions of four words and more, whose hits are ranked at once. Filters hold on
// every rung, except role: and type: with a value that nothing has: where nothing is
// found, these become text. All of it sees one state of the archive, and only the
// sessions that the handle shows. An answer that stopped early says so, in its notes or
// as a lower bound. A reading that changes the question is told in the notes; hits as
// typed, or by an id, have only their rung.
package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"piarchive/internal/query"
	"piarchive/internal/query/question"
)

// All is a limit that every hit is within.
const All = 1 << 30

// Options say how a question is answered.
type Options struct {
	Limit   int  // hits to return, or All; 0 for what the question says, else 20
	Strict  bool // every word as it stands: no other reading of the question is tried
	Exact   bool // rank every hit, however many there are
	Expand  bool // copies in forks are hits of their own
	Now     time.Time
	CWD     string        // what "." means in project:.
	Snippet int           // width of a snippet in characters; 0 for 160
	Timeout time.Duration // how long regular expressions may take; 0 for 1.5 s, less than 0 for ever
	Around  int           // entries before and behind each hit to return with it
	Want    Want
}

// Want says what a question is asked for.
type Want int

const (
	WantHits     Want = iota
	WantSessions      // the sessions that hold hits; Limit counts sessions
	WantCount         // Total alone
)

// Result is the answer to a question.
type Result struct {
	Query      string
	Rung       string // how the first of the hits were found: id, phrase, and, tokens, typo or or
	Total      int    // hits there are, but for those below
	Below      int    // the last of Hits or Sessions, which hold only some of the words
	Copies     bool   // Total counts copies in forks as well
	LowerBound bool   // there are more than Total
	Hits       []Hit
	Sessions   []SessionHits // where they were asked for; Total counts these
	Notes      []string      // what a reader should know about the answer, a line each
	Elapsed    time.Duration
}

// Of more than countLimit hits, those of plain words are ranked among the newest,
// since ranking takes the length of every entry; and only so many are held
// against conditions.
const (
	countLimit   = 5000
	newestLimit  = 2000
	defaultLimit = 20
	pageSize     = 100 // candidates looked at in one go
)

// Answer finds what a question asks for.
func Answer(ctx context.Context, a *query.Archive, q question.Query, o Options) (*Result, error) {
	start := time.Now()
	l := &ladder{archive: a, options: o, limit: min(cmp.Or(o.Limit, q.Limit, defaultLimit), All), seen: map[int64]bool{},
		result: &Result{Query: q.String(), Rung: rungAnd, Notes: []string{}}}
	err := a.Steady(ctx, func() error {
		if err := l.answer(ctx, q); err != nil {
			return err
		}
		return l.finish(ctx)
	})
	if err != nil {
		return nil, err
	}
	l.result.Elapsed = time.Since(start)
	return l.result, nil
}

// search is one reading of a question being answered.
type search struct {
	archive *query.Archive
	options Options
	query   question.Query
	plan    *question.Plan
	union   bool        // of several questions, whose rows are found one after the other
	where   []condition // over e, all of which must hold
	env     environment // of them
	limit   int
	quoted  question.And      // parts with texts that are to be met to the letter
	lists   *lists            // nil before one is read
	text    *evaluation       // nil where no text is asked for
	rows    []int64           // that match the text and the conditions, ascending
	unique  bool              // of copies, one is in rows
	scores  map[int64]float64 // of the rows, where FTS5 has ranked them
	folded  int               // hits, where copies count once; 0 if not known
	result  *Result

	fewVerified bool // a page of entries shows whether quoted texts are met to the letter
}

// candidate is an entry that matches.
type candidate struct {
	ID    int64   `db:"id"`
	Score float64 `db:"score"`
}

// run returns the hits, the best first: as many as are asked for, and maybe more.
func (s *search) run(ctx context.Context) ([]*Hit, error) {
	asked, err := s.prepare(ctx)
	if err != nil || !asked {
		return nil, err
	}
	if err := s.match(ctx); err != nil || s.result.Total == 0 {
		return nil, err
	}
	switch s.options.Want {
	case WantSessions:
		s.options.Expand = true
		return nil, s.groups(ctx)
	case WantCount:
		s.limit = All
		switch {
		case len(s.quoted) > 0:
		case s.options.Expand:
			return nil, nil
		case s.folded > 0:
			s.result.Total = s.folded
			return nil, nil
		default:
			return nil, s.countFolded(ctx)
		}
	}
	hits, err := s.find(ctx)
	if s.options.Want == WantCount {
		hits = nil
	}
	return hits, err
}

// prepare makes the plan; false says that nothing is asked for.
func (s *search) prepare(ctx context.Context) (bool, error) {
	below, notes, err := entriesBelow(ctx, s.archive, s.query.Expr)
	if err != nil {
		return false, err
	}
	s.env = environment{now: s.options.Now, cwd: s.options.CWD, below: below, id: "hit.value", byText: true}
	if question.Alternatives(s.query.Expr) != nil { // each is a question of its own
		s.union, s.plan, s.result.Notes = true, &question.Plan{}, notes
		return true, nil
	}
	s.plan = s.query.Compile()
	s.quoted = question.QuotedParts(s.query.Expr)
	s.result.Notes = slices.Concat(notes, s.plan.Notes)
	if !s.listed() {
		if s.plan.Futile || len(s.plan.Where) == 0 {
			return false, nil
		}
		s.env.id, s.env.byText = "e.id", false
	}
	s.where = s.env.conditions(s.plan.Where)
	if in, args := s.archive.Within(""); in != "1" {
		roots := ofSession(func(string, environment) condition { return condition{sql: in, args: args} })
		s.where = append(s.where, roots("", s.env))
	}
	return true, nil
}

func (s *search) note(format string, args ...any) {
	s.result.Notes = append(s.result.Notes, fmt.Sprintf(format, args...))
}

// find returns the hits, the best first: all, or a few more than are asked for.
func (s *search) find(ctx context.Context) ([]*Hit, error) {
	var hits []*Hit
	seen, folded := 0, map[int64]bool{}
	for n := s.firstPage(); ; n *= 4 {
		candidates, err := s.candidates(ctx, n)
		if err != nil {
			return nil, err
		}
		page, err := readHits(ctx, s.archive, candidates[seen:])
		if err != nil {
			return nil, err
		}
		seen = len(candidates)
		if !s.options.Expand {
			page = slices.DeleteFunc(page, func(h *Hit) bool {
				copied := folded[h.copyKey]
				folded[h.copyKey] = h.copyKey != 0
				return copied
			})
			if err := s.original(ctx, page); err != nil {
				return nil, err
			}
		}
		checked, err := s.verify(ctx, page)
		if err != nil {
			return nil, err
		}
		hits = append(hits, page[:checked]...)
		if all := seen < n && checked == len(page); all || s.enough(hits, seen) {
			if len(s.quoted) > 0 {
				return s.exactFirst(hits, all), nil
			}
			return hits, s.total(ctx, len(hits), all)
		}
	}
}

// firstPage is how many candidates are looked at first: enough for a page whose
// hits have a copy or two, or that are not all what was quoted.
func (s *search) firstPage() int {
	if len(s.quoted) > 0 {
		return max(pageSize, 3*s.limit)
	}
	return 3 * s.limit
}

// present completes the hits that are shown.
func (s *search) present(ctx context.Context, hits []*Hit) error {
	if err := readTexts(ctx, s.archive, hits); err != nil {
		return err
	}
	width := cmp.Or(s.options.Snippet, 160)
	for _, h := range hits {
		h.Where, h.Snippet, h.Ranges = snippet(h.texts, s.plan.Within, s.plan.Spans, s.plan.Quotes, width)
		if h.failed && len(h.Ranges) == 0 {
			if where, line := failure(h.texts, s.plan.Within, width); line != "" {
				h.Where, h.Snippet = where, line
			}
		}
		if h.failed && (h.Where == "notes" || h.Where == "output") {
			h.Where = "error"
		}
		if h.texts = nil; h.Rung == rungID && h.Entry == nil && h.Snippet == "" {
			h.Where, h.Snippet, _ = snippet(&[6]string{5: h.Session.Title()}, s.plan.Within, s.plan.Spans, nil, width)
		}
	}
	if err := findBranches(ctx, s.archive, hits); err != nil {
		return err
	}
	if !s.options.Expand {
		if err := findCopies(ctx, s.archive, hits); err != nil {
			return err
		}
	}
	if s.options.Around > 0 {
		if err := surround(ctx, s.archive, hits, s.options.Around); err != nil {
			return err
		}
	}
	for _, h := range hits {
		s.result.Hits = append(s.result.Hits, *h)
	}
	return nil
}
