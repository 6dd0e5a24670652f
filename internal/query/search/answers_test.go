package search

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"piarchive/internal/query/question"
)

// in says, entry by entry, in which columns a part is found: to the letter, and
// by its words.
func (w *world) in(a ask) [2][]question.ColumnSet {
	found, ok := w.memo[a.text]
	if ok {
		return found
	}
	for i, in := range []func(string) bool{a.exact, a.loose} {
		found[i] = make([]question.ColumnSet, len(w.entries))
		for k, e := range w.entries {
			for c, text := range e.columns {
				if text != "" && in(text) {
					found[i][k] |= 1 << c
				}
			}
		}
	}
	w.memo[a.text] = found
	return found
}

// answers returns the entries that answer a question: those that hold quoted
// texts to the letter or, where there are none, those that hold their words.
func (w *world) answers(q asking) (found []*known, rung string) {
	for loose, rung := range []string{"and", "tokens"} {
		for k, e := range w.entries {
			fits := func(a ask) bool {
				i := loose
				if a.negated {
					i = 0
				}
				return w.in(a)[i][k]&q.within != 0 != a.negated
			}
			out := slices.ContainsFunc(q.asks, func(a ask) bool { return !fits(a) }) ||
				slices.ContainsFunc(q.keeps, func(k keep) bool { return k.holds != nil && !k.holds(e) })
			if !out {
				found = append(found, e)
			}
		}
		if len(found) > 0 {
			return found, rung
		}
	}
	return nil, "and"
}

// fold puts copies together.
func fold(entries []*known, expand bool) [][]*known {
	var folded [][]*known
	at := map[string]int{}
	for _, e := range entries {
		i, ok := at[e.key]
		if !ok || e.key == "" || expand {
			i = len(folded)
			folded = append(folded, nil)
		}
		at[e.key] = i
		folded[i] = append(folded[i], e)
	}
	return folded
}

// moments are when some hits or sessions were said, in the order asked for; of
// each the member that comes first counts.
func (q asking) moments(groups [][]*known) []int64 {
	times := make([]int64, len(groups))
	for i, g := range groups {
		times[i] = g[0].moment()
		for _, e := range g[1:] {
			if q.sort == "old" {
				times[i] = min(times[i], e.moment())
			} else {
				times[i] = max(times[i], e.moment())
			}
		}
	}
	slices.Sort(times)
	if q.sort != "old" {
		slices.Reverse(times)
	}
	return times
}

// report holds an answer against the entries that ought to be in it, and
// returns what is wrong, "" if nothing is.
func (w *world) report(q asking, o Options, r *Result) string {
	want, rung := w.answers(q)
	if unsearchable(q, r) {
		return ""
	}
	switch {
	case r.Rung != rung:
		return fmt.Sprintf("found as %q, want %q", r.Rung, rung)
	case slices.ContainsFunc(r.Notes, func(n string) bool { return strings.HasPrefix(n, "in: says where") }):
		return "there is something to look for, and in: says that there is not"
	case o.Want == WantSessions:
		return w.reportSessions(q, o, r, want)
	}
	folded := fold(want, o.Expand)
	total := len(folded)
	switch {
	case r.Copies && (r.LowerBound || r.Total != len(want) || r.Total <= countLimit || o.Exact):
		return fmt.Sprintf("%d entries, copies included (lower bound %v), want %d", r.Total, r.LowerBound, len(want))
	case r.Copies:
	case r.LowerBound && (r.Total > total || o.Exact || o.Limit == All):
		return fmt.Sprintf("more than %d, want %d", r.Total, total)
	case !r.LowerBound && r.Total != total:
		return fmt.Sprintf("%d in all, want %d", r.Total, total)
	}
	if o.Want == WantCount {
		return ""
	}
	return w.reportHits(q, o, r, folded)
}

// unsearchable says that a question is not taken at its word, and that it is
// said: a quoted text without a word in it finds nothing by itself.
func unsearchable(q asking, r *Result) bool {
	alone := slices.ContainsFunc(q.asks, func(a ask) bool { return a.quoted && !a.words }) &&
		!slices.ContainsFunc(q.asks, func(a ask) bool { return !a.negated && (a.words || !a.quoted) })
	return alone && slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "nothing that can be searched for") })
}

func (w *world) reportHits(q asking, o Options, r *Result, folded [][]*known) string {
	wanted := map[*known]int{}
	for i, g := range folded {
		for _, e := range g {
			wanted[e] = i
		}
	}
	var found [][]*known
	seen := map[int]*known{}
	for _, h := range r.Hits {
		e := w.of(h)
		i, ok := wanted[e]
		switch copies := w.copies[e.key] - 1; {
		case !ok:
			return fmt.Sprintf("is no answer: %s", e)
		case seen[i] != nil:
			return fmt.Sprintf("twice: %s, %s", seen[i], e)
		case (h.Branch == "active") != e.active:
			return fmt.Sprintf("is on an %s branch: %s", h.Branch, e)
		case !o.Expand && e.key != "" && len(h.Copies) != copies:
			return fmt.Sprintf("%d copies, want %d: %s", len(h.Copies), copies, e)
		}
		seen[i] = e
		found = append(found, []*known{e})
	}
	limit := min(cmp.Or(o.Limit, defaultLimit), len(folded))
	newest := slices.ContainsFunc(r.Notes, func(n string) bool { return strings.HasPrefix(n, "very common words") })
	if newest && (!q.ranked() || o.Exact) {
		return "is not asked to rank, and says that it ranks the newest"
	}
	if len(found) != limit && (!newest || len(found) < min(limit, 1000)) {
		for i, g := range folded {
			if seen[i] == nil {
				return fmt.Sprintf("%d hits, want %d; one that lacks: %s", len(found), limit, g[0])
			}
		}
	}
	if q.ranked() {
		return ""
	}
	var times []int64
	for _, g := range found {
		times = append(times, g[0].moment())
	}
	return compareTimes(times, q.moments(folded))
}

// compareTimes holds the order of an answer against the one that was asked for.
func compareTimes(got, want []int64) string {
	for i, at := range got {
		if want[i] != at {
			return fmt.Sprintf("place %d is of %s, want %s", i+1, time.UnixMilli(at).UTC(), time.UnixMilli(want[i]).UTC())
		}
	}
	return ""
}

func (w *world) reportSessions(q asking, o Options, r *Result, want []*known) string {
	bySession := map[string][]*known{}
	for _, e := range want {
		bySession[e.session.id] = append(bySession[e.session.id], e)
	}
	if limit := min(cmp.Or(o.Limit, defaultLimit), len(bySession)); r.Total != len(bySession) || r.LowerBound || len(r.Sessions) != limit {
		return fmt.Sprintf("%d of %d sessions (lower bound %v), want %d of %d", len(r.Sessions), r.Total, r.LowerBound, limit, len(bySession))
	}
	var found [][]*known
	for _, s := range r.Sessions {
		entries := bySession[s.Session.ID]
		latest := int64(0)
		for _, e := range entries {
			latest = max(latest, e.at)
		}
		switch {
		case s.Hits != len(entries) || s.Hits == 0:
			return fmt.Sprintf("%d hits in session %s, want %d", s.Hits, s.Session.ID, len(entries))
		case (s.Latest == nil) != (latest == 0) || latest != 0 && s.Latest.UnixMilli() != latest:
			return fmt.Sprintf("the latest of session %s is of %v, want %s", s.Session.ID, s.Latest, time.UnixMilli(latest).UTC())
		}
		delete(bySession, s.Session.ID) // twice has no hits
		found = append(found, entries)
	}
	if q.ranked() {
		return ""
	}
	var times []int64
	for _, entries := range found {
		times = append(times, q.moments([][]*known{entries})[0])
	}
	return compareTimes(times, q.moments(slices.Concat(found, slices.Collect(maps.Values(bySession)))))
}

// askedHow are the ways in which a question is asked.
var askedHow = []Options{{Limit: All}, {}, {Limit: 1}, {Limit: 3}, {Limit: All, Exact: true}, {Limit: All, Expand: true}, {Limit: 2, Expand: true},
	{Want: WantSessions, Limit: 2}, {Want: WantSessions, Limit: All}, {Want: WantCount}, {Want: WantCount, Expand: true}}

// ask asks a question in every way and returns what is wrong with the answers.
func (w *world) ask(t *testing.T, q asking) (wrong []string) {
	t.Helper()
	var all *Result
	for _, o := range askedHow {
		o.Strict, o.Now, o.CWD, o.Timeout = true, time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC), "/home/u/proj", -1
		r, err := Answer(t.Context(), w.archive, question.Parse(q.String()), o)
		if err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		if o.Limit < All {
			checkResult(t, q.String(), r)
		}
		why := w.report(q, o, r)
		if all == nil {
			all = r
		}
		quoted := slices.ContainsFunc(q.asks, func(a ask) bool { return a.quoted })
		for i, h := range r.Hits { // fewer are the best of all
			if why == "" && q.ranked() && !quoted && !o.Expand && !o.Exact && i < len(all.Hits) && h.row != all.Hits[i].row {
				why = fmt.Sprintf("place %d of all is %s, now %s", i+1, w.of(all.Hits[i]), w.of(h))
			}
		}
		if why != "" {
			ways := map[Want]string{WantHits: "hits", WantSessions: "sessions", WantCount: "count"}
			wrong = append(wrong, fmt.Sprintf("%s, limit %d, expand %v, exact %v: %s (%q)", ways[o.Want], o.Limit, o.Expand, o.Exact, why, r.Notes))
		}
	}
	return wrong
}

// smallest leaves out parts of a question as long as its answers stay wrong.
func (w *world) smallest(t *testing.T, q asking, wrong []string) (asking, []string) {
	t.Helper()
	n := len(q.asks)
	for i := range n + len(q.keeps) {
		less := q
		if i < n {
			less.asks = slices.Delete(slices.Clone(q.asks), i, i+1)
		} else if less.keeps = slices.Delete(slices.Clone(q.keeps), i-n, i-n+1); q.keeps[i-n].holds == nil {
			less.within = question.AllColumns
		}
		if len(less.asks) == 0 && (len(less.keeps) == 0 || less.within != question.AllColumns) {
			continue
		}
		if still := w.ask(t, less); len(still) > 0 {
			return w.smallest(t, less, still)
		}
	}
	return q, wrong
}

// TestAnswers: whatever is asked, and however, the answer is what a look at
// every entry finds. PIARCHIVE_ROUNDS asks for more archives.
func TestAnswers(t *testing.T) {
	t.Parallel()
	archives, questions := 2, 30
	if n, err := strconv.Atoi(os.Getenv("PIARCHIVE_ROUNDS")); err == nil {
		archives, questions = max(archives, n/250), 150
	}
	for seed := range uint64(archives) {
		checkAnswers(t, seed, 0, questions)
	}
}

// TestAnswersOfMany: also where there are more hits than are ranked or counted.
func TestAnswersOfMany(t *testing.T) {
	t.Parallel()
	questions := 6
	if n, err := strconv.Atoi(os.Getenv("PIARCHIVE_ROUNDS")); err == nil {
		questions = max(questions, n/50)
	}
	checkAnswers(t, 1000, countLimit+500, questions)
}

// checkAnswers asks an archive random questions, until it has been wrong about
// ten of them.
func checkAnswers(t *testing.T, seed uint64, many, questions int) {
	t.Helper()
	w := newWorld(t, seed, many)
	r := rand.New(rand.NewPCG(seed, 18))
	answered, failed := 0, 0
	for range questions {
		q := w.aQuestion(r)
		if found, _ := w.answers(q); len(found) > 0 {
			answered++
		}
		if wrong := w.ask(t, q); len(wrong) > 0 {
			q, wrong = w.smallest(t, q, wrong)
			t.Errorf("seed %d: %s\n    %s", seed, q, strings.Join(wrong, "\n    "))
			if failed++; failed == 10 {
				break
			}
		}
	}
	if answered < questions/3 && failed < 10 {
		t.Errorf("seed %d: only %d of %d questions have an answer", seed, answered, questions)
	}
}
