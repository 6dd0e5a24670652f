package query

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// All is a limit that every hit is within.
const All = 1 << 30

// SearchOptions say how a question is answered.
type SearchOptions struct {
	Limit   int  // hits to return, or All; 0 for what the question says, else 20
	Exact   bool // rank every hit, however many there are
	Expand  bool // copies in forks are hits of their own
	Now     time.Time
	CWD     string // what "." means in project:.
	Snippet int    // width of a snippet in characters; 0 for 160
}

// Result is the answer to a question.
type Result struct {
	Query      string
	Rung       string // how the hits were found: "and"; "tokens" when no quoted text was met to the letter
	Total      int    // hits there are; beyond countLimit, entries, copies included
	LowerBound bool   // there are more than Total
	Hits       []Hit
	Notes      []string // what a reader should know about the answer, a line each
	Elapsed    time.Duration
}

// A question with at most countLimit hits is ranked exactly. Beyond that only
// the newest of them are, since ranking costs a seek for every hit.
const (
	countLimit    = 5000
	newestLimit   = 2000
	defaultLimit  = 20
	pageSize      = 100 // candidates looked at in one go
	sqliteNoLimit = -1
)

// ranking is bm25 with a weight for each column, in their order: what people
// say counts more than what tools print.
const ranking = "bm25(fts, 0.8, 1.0, 1.5, 0.7, 2.0, 1.2)"

// Search answers a question:
//
//  1. Count the entries that match, up to a limit.
//  2. Rank them, or the newest of them where there are very many.
//  3. Fold copies that forks made, and check quoted texts to the letter; go
//     back for more where that leaves too few.
//  4. Read the text of those that are left, and cut snippets.
func (a *Archive) Search(ctx context.Context, q Query, o SearchOptions) (*Result, error) {
	start := time.Now()
	s := &search{archive: a, options: o, query: q, plan: q.compile(environment{now: o.Now, cwd: o.CWD}),
		quoted: quotedParts(q.Expr), result: &Result{Query: q.String(), Rung: "and"}}
	s.result.Notes = append(append([]string{}, q.Hints...), s.plan.notes...)
	s.limit = min(cmp.Or(o.Limit, q.Limit, defaultLimit), All)
	if s.plan.match == "" && (s.plan.futile || len(s.plan.where) == 0) {
		return s.result, nil // nothing is asked for
	}
	if in, args := a.rootFilter("f.path"); in != "1" {
		roots := ofSession(func(string, environment) condition { return condition{in, args} })
		s.plan.where = append(s.plan.where, roots("", s.plan.env))
	}
	if err := a.steady(ctx, func() error { return s.run(ctx) }); err != nil {
		return nil, err
	}
	s.result.Elapsed = time.Since(start)
	return s.result, nil
}

// search is one question being answered.
type search struct {
	archive *Archive
	options SearchOptions
	query   Query
	plan    *plan
	limit   int
	quoted  And   // parts with texts that are to be met to the letter
	folded  int   // hits, where copies count once; 0 if not known
	newest  int64 // where only the newest are ranked, the oldest of them
	result  *Result
}

// candidate is an entry that matches.
type candidate struct {
	ID    int64   `db:"id"`
	Score float64 `db:"score"`
}

func (s *search) run(ctx context.Context) error {
	if err := s.count(ctx); err != nil || s.result.Total == 0 {
		return err
	}
	hits, err := s.find(ctx)
	if err != nil {
		return err
	}
	return s.present(ctx, hits[:min(len(hits), s.limit)])
}

func (s *search) note(format string, args ...any) {
	s.result.Notes = append(s.result.Notes, fmt.Sprintf(format, args...))
}

// from is the FROM and WHERE of the question. SQLite leaves the join out where
// nothing of e is asked for.
func (s *search) from() (string, []any) {
	from := `FROM fts LEFT JOIN entry e ON e.id = fts.rowid WHERE fts MATCH ?`
	args := []any{s.plan.match}
	switch {
	case s.plan.match == "" && s.plan.titles:
		from, args = `FROM (SELECT id, dup_of, at, flags, copy_key, type, role, provider, model, tool FROM entry
 UNION ALL SELECT fts.rowid, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL FROM session t JOIN fts ON fts.rowid = t.id << 24) e WHERE e.dup_of IS NULL`, nil
	case s.plan.match == "":
		from, args = `FROM entry e WHERE e.dup_of IS NULL`, nil
	}
	for _, c := range s.plan.where {
		from += " AND " + c.sql
		args = append(args, c.args...)
	}
	if s.newest > 0 {
		from += " AND fts.rowid >= ?"
		args = append(args, s.newest)
	}
	return from, args
}

// count counts the entries that match. Of very many words' hits only the newest
// are looked at from here on.
func (s *search) count(ctx context.Context) error {
	from, args := s.from()
	stop := countLimit + 1
	if s.options.Exact || s.plan.match == "" {
		stop = sqliteNoLimit
	}
	r := s.result
	counts := "count(*), 0"
	if len(s.plan.where) > 0 { // the entries are at hand
		counts = "count(*), count(DISTINCT coalesce(copy_key, id))"
	}
	err := s.archive.db.QueryRowContext(ctx, `SELECT `+counts+` FROM (SELECT `+s.plan.env.id+` AS id, e.copy_key `+from+` LIMIT ?)`, append(args, stop)...).
		Scan(&r.Total, &s.folded)
	if err != nil {
		return fmt.Errorf("count the hits: %w", err)
	}
	if r.Total <= countLimit || stop == sqliteNoLimit {
		return nil
	}
	r.Total, r.LowerBound = countLimit, true
	if !s.plan.simple || s.order() != "rank" {
		return nil
	}
	err = s.archive.db.GetContext(ctx, &s.newest, `SELECT `+s.plan.env.id+` `+from+` ORDER BY `+s.plan.env.id+` DESC LIMIT 1 OFFSET ?`, append(args, newestLimit-1)...)
	if err != nil {
		return fmt.Errorf("find the newest hits: %w", err)
	}
	s.note("more than %d hits: ranked among the newest %d (--exact ranks all)", countLimit, newestLimit)
	return nil
}

// order is the sort that applies: without text there is nothing to rank by.
func (s *search) order() string {
	if s.query.Sort == "" || s.query.Sort == "rank" {
		if s.plan.match == "" {
			return "new"
		}
		return "rank"
	}
	return s.query.Sort
}

// candidates returns the first n entries that match, the best first.
func (s *search) candidates(ctx context.Context, n int) ([]candidate, error) {
	id, score := s.plan.env.id, "0.0"
	var by string
	switch s.order() {
	case "new":
		by = s.plan.env.moment() + " DESC, id DESC"
	case "old":
		by = s.plan.env.moment() + ", id"
	case "cost":
		by = "(SELECT cost FROM session WHERE id = " + id + " >> 24) DESC, id DESC"
	default:
		score, by = ranking, "score, id DESC"
	}
	from, args := s.from()
	var found []candidate
	err := s.archive.db.SelectContext(ctx, &found, `SELECT `+id+` AS id, `+score+` AS score `+from+` ORDER BY `+by+` LIMIT ?`, append(args, n)...)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	return found, nil
}

// find returns the hits, the best first: all, or a few more than are asked for.
func (s *search) find(ctx context.Context) ([]*Hit, error) {
	var hits []*Hit
	seen, folded := 0, map[int64]bool{}
	for n := max(pageSize, 3*s.limit); ; n *= 4 {
		candidates, err := s.candidates(ctx, n)
		if err != nil {
			return nil, err
		}
		page, err := s.archive.hits(ctx, candidates[seen:])
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
		}
		checked, err := s.verify(ctx, page)
		if err != nil {
			return nil, err
		}
		hits = append(hits, page[:checked]...)
		if all := seen < n && checked == len(page); all || s.enough(hits, seen) {
			return s.settle(ctx, hits, all)
		}
	}
}

// present completes the hits that are shown.
func (s *search) present(ctx context.Context, hits []*Hit) error {
	var quotes []string
	for _, q := range s.plan.quotes {
		quotes = append(quotes, q.Text)
	}
	for _, h := range inFileOrder(hits) {
		text, err := s.archive.text(ctx, h)
		if err != nil {
			return err
		}
		h.texts = nil
		h.Where, h.Snippet, h.Ranges = snippet(text, s.plan.within, s.plan.patterns, quotes, cmp.Or(s.options.Snippet, 160))
	}
	if err := s.archive.branches(ctx, hits); err != nil {
		return err
	}
	if !s.options.Expand {
		if err := s.archive.copies(ctx, hits); err != nil {
			return err
		}
	}
	for _, h := range hits {
		s.result.Hits = append(s.result.Hits, *h)
	}
	return nil
}

// String describes a plan for tests: the full-text expression and conditions.
func (p *plan) String() string {
	parts := []string{}
	if p.match != "" {
		parts = append(parts, "MATCH "+p.match)
	}
	for _, c := range p.where {
		parts = append(parts, fmt.Sprint(c.sql, " ", c.args))
	}
	return strings.Join(parts, " AND ")
}
