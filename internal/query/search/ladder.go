package search

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"piarchive/internal/query"
	"piarchive/internal/query/question"
)

// The rungs of the ladder tell how hits were found. Each is a reading of the question
// that asks for less than the one before, and is tried where those found too little.
const (
	rungPhrase = "phrase" // the text as it was typed
	rungAnd    = "and"    // all words
	rungTokens = "tokens" // the words of quoted texts in a row, where none is met to the letter
	rungTypo   = "typo"   // all words, when those that occur nowhere are repaired
	rungOr     = "or"     // some of the words
)

// fewHits are as many as need no further rung.
const fewHits = 10

// ladder answers a question by its readings, one after the other.
type ladder struct {
	archive *query.Archive
	options Options
	limit   int
	lists   *lists // that have been read for one of the readings
	result  *Result
	steps   []step
	seen    map[int64]bool // rows of the hits and keys of their copies; with [WantSessions], the sessions
}

// step is a reading that found something.
type step struct {
	*search
	rung string
	hits []*Hit // that no reading before it has found
	n    int    // of these, or of sessions
}

// answer climbs the ladder, and says why nothing was found.
func (l *ladder) answer(ctx context.Context, q question.Query) error {
	for _, hint := range q.Hints {
		l.say("%s", hint)
	}
	if l.options.Strict || q.Raw != "" {
		_, err := l.step(ctx, rungAnd, q)
		return err
	}
	if err := l.named(ctx, q); err != nil {
		return err
	}
	if l.result.Total > 0 { // more is asked for by those that hold the name
		_, err := l.step(ctx, rungAnd, q)
		return err
	}
	if err := l.climb(ctx, q); err != nil || l.result.Total > 0 || l.result.LowerBound {
		return err
	}
	other, changed, err := l.asText(ctx, q)
	if err != nil {
		return err
	}
	if other.Operators() && other.Pasted() {
		l.say("nothing is found so: its quotes and signs are taken for text")
		other, changed = other.Plain(), true
	}
	if changed {
		if err := l.climb(ctx, other); err != nil || l.result.Total > 0 {
			return err
		}
	}
	if other.Expr == nil {
		return nil
	}
	return l.explain(ctx, other)
}

// climb tries one reading after the other until enough is found.
func (l *ladder) climb(ctx context.Context, q question.Query) error {
	if literal, ok := q.Literal(); ok {
		n, err := l.stepLiteral(ctx, literal, q.Operators())
		if err != nil || n >= fewHits {
			return err
		}
		if n > 0 && q.Operators() {
			q = q.Plain()
		}
	}
	if q.Flags() {
		q = q.Plain()
	}
	if out := q.LeftOut(); len(out) > 0 {
		l.say("left out: entries with %s (in quotes, -%s is text)", strings.Join(out, ", "), out[0])
	}
	q, aside := q.Content()
	if len(aside) > 0 {
		l.say("not looked for: %s (--exact asks for every word)", strings.Join(aside, ", "))
	}
	page := (q.Sort == "" || q.Sort == "rank") && l.options.Want != WantCount && l.limit < All
	if !page || !q.Sentence() {
		n, err := l.step(ctx, rungAnd, q)
		if err != nil || n >= fewHits || n > 0 && !page {
			return err
		}
	}
	if len(q.Words()) == 0 {
		return nil
	}
	return l.loosen(ctx, q, page)
}

// loosen tries the readings that do not ask for all words. A page that is not full
// is filled from them; where everything is asked for, they are for want of any other.
func (l *ladder) loosen(ctx context.Context, q question.Query, page bool) error {
	found, err := l.missing(ctx, q.Words())
	if err != nil {
		return err
	}
	before := l.result.Total
	defer func() { // by whichever of the next readings
		if before == 0 && l.result.Total > 0 {
			l.sayRepaired(q, found)
		}
	}()
	if len(found.repaired) > 0 && before == 0 && !(page && q.Sentence()) {
		n, err := l.step(ctx, rungTypo, q.Instead(found.repaired))
		if err != nil || n >= fewHits || n > 0 && !page {
			return err
		}
	}
	loose := q.Loose(found.instead())
	if len(q.Words()) < 2 && len(found.apart) == 0 { // it was asked for already
		return nil
	}
	_, err = l.step(ctx, rungOr, loose)
	return err
}

// sayRepaired tells what was looked for in the place of words that occur nowhere.
func (l *ladder) sayRepaired(q question.Query, found missing) {
	for _, w := range q.Words() {
		if n := found.repaired[w]; n != nil {
			l.say("%q occurs nowhere: looked for %s", w.Text, n)
		} else if found.apart[w] != nil {
			l.say("%q occurs nowhere: looked for its parts", w.Text)
		}
	}
}

// step answers one reading, and returns how many hits it has.
func (l *ladder) step(ctx context.Context, rung string, q question.Query) (int, error) {
	s := l.reading(rung, q)
	hits, err := s.run(ctx)
	if l.lists = s.lists; err != nil {
		return 0, err
	}
	for _, n := range s.result.Notes {
		l.say("%s", n)
	}
	return s.result.Total, l.take(s, rung, hits)
}

// stepLiteral looks for the text as it was typed. Where the grammar reads something
// else in it, only a hit to the letter shows that this was not meant.
func (l *ladder) stepLiteral(ctx context.Context, q question.Query, letter bool) (int, error) {
	s := l.reading(rungPhrase, q)
	s.fewVerified = letter
	hits, err := s.run(ctx)
	if l.lists = s.lists; err != nil || letter && s.result.Rung == rungTokens {
		return 0, err
	}
	return s.result.Total, l.take(s, rungPhrase, hits)
}

// reading is the search for one reading.
func (l *ladder) reading(rung string, q question.Query) *search {
	s := &search{archive: l.archive, options: l.options, query: q, limit: l.limit, lists: l.lists, result: &Result{Rung: rung}}
	if s.options.Want != WantHits || s.limit == All { // what is counted is looked at whole
		s.options.Exact = true
	}
	return s
}

// take adds what a reading has found to the result. Hits with some of the words are
// counted only where there are none with all.
func (l *ladder) take(s *search, rung string, hits []*Hit) error {
	r, found := l.result, s.result
	if found.Total == 0 {
		r.LowerBound = r.LowerBound || found.LowerBound && r.Total == 0
		return nil
	}
	loose := rung == rungOr && r.Total > 0
	if r.Total == 0 {
		r.Rung = found.Rung
	}
	if !loose && found.Total >= r.Total {
		r.Total, r.Copies, r.LowerBound = found.Total, found.Copies, found.LowerBound
	}
	st := step{search: s, rung: found.Rung}
	room := l.limit
	for _, before := range l.steps {
		room -= before.n
	}
	if loose {
		room = min(room, max(0, room-l.limit+fewHits))
	}
	for _, h := range hits {
		if st.n == room || l.seen[h.row] || h.copyKey != 0 && !l.options.Expand && l.seen[h.copyKey] {
			continue
		}
		l.seen[h.row], l.seen[h.copyKey] = true, true
		h.Rung = found.Rung
		st.hits = append(st.hits, h)
		st.n++
	}
	for _, h := range found.Sessions {
		if st.n < room && !l.seen[h.Session.Key] {
			l.seen[h.Session.Key] = true
			r.Sessions = append(r.Sessions, h)
			st.n++
		}
	}
	if loose {
		r.Below = st.n
	}
	l.steps = append(l.steps, st)
	return nil
}

// finish completes the hits that are shown, and says how they were found.
func (l *ladder) finish(ctx context.Context) error {
	var parts []string
	said := map[string]string{rungID: "%d named", rungPhrase: "%d as typed", rungAnd: "%d with all words", rungTypo: "%d with all words, repaired"}
	for _, st := range l.steps {
		if len(st.hits) > 0 {
			if err := st.present(ctx, st.hits); err != nil {
				return err
			}
			l.result.Hits = append(l.result.Hits, st.result.Hits...)
		}
		if st.n > 0 && said[st.rung] != "" {
			parts = append(parts, fmt.Sprintf(said[st.rung], st.n))
		}
	}
	if l.lists != nil && l.lists.reader.IsIndirect() {
		l.say(unknownFormat)
	}
	switch {
	case len(parts) > 1:
		l.say("shown: %s", strings.Join(parts, ", "))
	case l.result.Rung == rungOr:
		l.say("a hit need not hold all words: those that hold most come first")
	}
	return nil
}

// say adds a note once.
func (l *ladder) say(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(l.result.Notes, text) {
		l.result.Notes = append(l.result.Notes, text)
	}
}
