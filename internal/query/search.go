package query

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"piarchive/internal/words"
)

// SearchOptions say how a question is answered.
type SearchOptions struct {
	Limit   int  // hits to return; 0 for 20, or what the question says
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
	Total      int    // entries that match
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
	verifyLimit   = 100
	defaultLimit  = 20
	sqliteNoLimit = -1
)

// ranking is bm25 with a weight for each column, in their order: what people
// say counts more than what tools print.
const ranking = "bm25(fts, 0.8, 1.0, 1.5, 0.7, 2.0, 1.2)"

// Search answers a question:
//
//  1. Count the hits, up to a limit.
//  2. Rank them, or the newest of them where there are very many.
//  3. Fold copies that forks made, and check quoted texts to the letter.
//  4. Read the text of those that are left, and cut snippets.
func (a *Archive) Search(ctx context.Context, q Query, o SearchOptions) (*Result, error) {
	start := time.Now()
	s := &search{archive: a, options: o, query: q, plan: q.compile(environment{now: o.Now, cwd: o.CWD}),
		result: &Result{Query: q.String(), Rung: "and", Notes: q.Hints}}
	s.limit = o.Limit
	if s.limit == 0 {
		s.limit = q.Limit
	}
	if s.limit == 0 {
		s.limit = defaultLimit
	}
	if where, args := a.rootFilter("f.path"); where != "1" {
		s.plan.where = append(s.plan.where, condition{where, args})
	}
	if err := s.run(ctx); err != nil {
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
	result  *Result
}

// candidate is an entry that matches.
type candidate struct {
	ID    int64   `db:"id"`
	Score float64 `db:"score"`
}

func (s *search) run(ctx context.Context) error {
	for _, w := range s.plan.empty {
		s.note("%q holds nothing that can be searched for as a word", w)
	}
	if s.plan.match == "" && (len(s.plan.empty) > 0 || s.query.Expr == nil) {
		return nil
	}
	candidates, err := s.candidates(ctx)
	if err != nil {
		return err
	}
	return s.hits(ctx, candidates)
}

func (s *search) note(format string, args ...any) {
	s.result.Notes = append(s.result.Notes, fmt.Sprintf(format, args...))
}

// candidates returns the best entries, best first, and counts all of them.
func (s *search) candidates(ctx context.Context) ([]candidate, error) {
	from, args := s.from()
	total := &s.result.Total
	stop := countLimit + 1
	if s.options.Exact || s.plan.match == "" {
		stop = sqliteNoLimit
	}
	if err := s.archive.db.GetContext(ctx, total, `SELECT count(*) FROM (SELECT 1 `+from+` LIMIT ?)`, append(args[:len(args):len(args)], stop)...); err != nil {
		return nil, fmt.Errorf("count the hits: %w", err)
	}
	var sortBy string
	switch s.order() {
	case "new":
		sortBy = "coalesce(e.at, s.created_at) DESC, id DESC"
	case "old":
		sortBy = "coalesce(e.at, s.created_at), id"
	case "cost":
		sortBy = "s.cost DESC, id DESC"
	default:
		return s.ranked(ctx, from, args)
	}
	from, args = s.joined()
	return s.load(ctx, `SELECT `+s.id()+` AS id, 0.0 AS score `+from+` ORDER BY `+sortBy+` LIMIT ?`, append(args, s.fetch())...)
}

// ranked returns the best by bm25; of very many, the best of the newest.
func (s *search) ranked(ctx context.Context, from string, args []any) ([]candidate, error) {
	if s.result.Total > countLimit && !s.options.Exact {
		s.result.Total, s.result.LowerBound = countLimit, true
		if s.plan.simple {
			var oldest int64
			err := s.archive.db.GetContext(ctx, &oldest, `SELECT rowid `+from+` ORDER BY rowid DESC LIMIT 1 OFFSET ?`, append(args[:len(args):len(args)], newestLimit-1)...)
			if err != nil {
				return nil, fmt.Errorf("find the newest hits: %w", err)
			}
			from += " AND fts.rowid >= ?"
			args = append(args, oldest)
			s.note("more than %d hits: ranked among the newest %d (--exact ranks all)", countLimit, newestLimit)
		}
	}
	return s.load(ctx, `SELECT fts.rowid AS id, `+ranking+` AS score `+from+` ORDER BY score, id DESC LIMIT ?`, append(args, s.fetch())...)
}

func (s *search) load(ctx context.Context, query string, args ...any) ([]candidate, error) {
	var found []candidate
	if err := s.archive.db.SelectContext(ctx, &found, query, args...); err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	return found, nil
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

// fetch is how many candidates are looked at, so that enough are left when
// copies are folded.
func (s *search) fetch() int { return max(verifyLimit, 3*s.limit) }

func (s *search) id() string {
	if s.plan.match == "" {
		return "e.id"
	}
	return "fts.rowid"
}

// from is the FROM and WHERE of the question; without filters, the full-text
// table alone.
func (s *search) from() (string, []any) {
	if s.plan.match != "" && len(s.plan.where) == 0 {
		return `FROM fts WHERE fts MATCH ?`, []any{s.plan.match}
	}
	return s.joined()
}

// joined is from with entry e, session s and source f at hand.
func (s *search) joined() (string, []any) {
	from := `FROM entry e JOIN session s ON s.id = e.id >> 24 JOIN source f ON f.id = s.id WHERE e.dup_of IS NULL AND e.id & 16777215 > 0`
	var args []any
	if s.plan.match != "" {
		from = `FROM fts LEFT JOIN entry e ON e.id = fts.rowid CROSS JOIN session s ON s.id = fts.rowid >> 24 CROSS JOIN source f ON f.id = s.id WHERE fts MATCH ?`
		args = append(args, s.plan.match)
	}
	for _, c := range s.plan.where {
		from += " AND " + c.sql
		args = append(args, c.args...)
	}
	return from, args
}

// hits makes hits of candidates: copies folded, quoted texts checked, the best
// of them with snippets.
func (s *search) hits(ctx context.Context, candidates []candidate) error {
	var hits []*Hit
	byCopy := map[int64]*Hit{}
	for _, c := range candidates {
		if len(s.plan.quotes) == 0 && len(hits) >= s.limit {
			break
		}
		h, err := s.archive.hit(ctx, c)
		if err != nil {
			return err
		}
		if first := byCopy[h.copyKey]; first != nil && h.copyKey != 0 && !s.options.Expand {
			first.Copies = append(first.Copies, Copy{Session: h.Session, Entry: h.Entry})
			continue
		}
		if h.copyKey != 0 {
			byCopy[h.copyKey] = h
		}
		hits = append(hits, h)
	}
	if err := s.verify(ctx, &hits); err != nil {
		return err
	}
	if len(hits) > s.limit {
		hits = hits[:s.limit]
	}
	for _, h := range hits {
		if err := s.present(ctx, h, byCopy); err != nil {
			return err
		}
		s.result.Hits = append(s.result.Hits, *h)
	}
	return nil
}

// verify tells how exactly quoted texts were met, puts the exact ones first
// and, where there are any, leaves out those that only share the words.
func (s *search) verify(ctx context.Context, hits *[]*Hit) error {
	if len(s.plan.quotes) == 0 {
		return nil
	}
	best := words.None
	for _, h := range *hits {
		text, err := s.archive.text(ctx, h)
		if err != nil {
			return err
		}
		h.exact = words.Verbatim
		for _, quote := range s.plan.quotes {
			closest := words.None
			for _, column := range text {
				if column != "" && closest < words.Verbatim {
					closest = max(closest, words.Contains(column, quote))
				}
			}
			h.exact = min(h.exact, closest)
		}
		best = max(best, h.exact)
	}
	slices.SortStableFunc(*hits, func(a, b *Hit) int { return int(b.exact) - int(a.exact) })
	if best < words.Folded {
		if len(*hits) > 0 {
			s.result.Rung = "tokens"
			s.note("nothing holds the quoted text to the letter; these hold its words in a row")
		}
		return nil
	}
	before := len(*hits)
	*hits = slices.DeleteFunc(*hits, func(h *Hit) bool { return h.exact < words.Folded })
	if left := before - len(*hits); left > 0 {
		s.result.Total -= left
		s.note("%d more hold the words of the quoted text with other punctuation between them", left)
	}
	return nil
}

// present completes a hit that will be shown.
func (s *search) present(ctx context.Context, h *Hit, byCopy map[int64]*Hit) error {
	text, err := s.archive.text(ctx, h)
	if err != nil {
		return err
	}
	width := s.options.Snippet
	if width == 0 {
		width = 160
	}
	h.Where, h.Snippet, h.Ranges = snippet(text, s.plan.patterns, s.plan.quotes, width)
	h.text = nil
	if err := s.archive.branch(ctx, h); err != nil {
		return err
	}
	if h.copyKey != 0 && !s.options.Expand {
		return s.archive.copies(ctx, h)
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
