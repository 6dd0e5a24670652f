package memory

import (
	"context"
	"fmt"
	"slices"
	"time"

	"piarchive/internal/query"
	"piarchive/internal/query/question"
	"piarchive/internal/query/search"
)

// How a case ends.
const (
	Passed  Outcome = iota // the same command succeeded
	Gone                   // the same command no longer met it, though it failed or a pipe hides how it ended
	Unfixed                // neither was seen before the branch ended
)

// Outcome is how a case ends, the better the smaller.
type Outcome int

func (o Outcome) String() string { return [...]string{"passed", "gone", "unfixed"}[o] }

// Case is an error that occurred, and what was done until it no longer came.
type Case struct {
	Place          // of the failing result
	Text    string // of the error, as search shows it
	Command string // that failed: a command line, or a tool and its file
	Again   int    // how often the error came again on the way
	Outcome Outcome
	End     *query.EntryRef // the result that shows the outcome; nil where none does
	Steps   []Step          // done on the way, in order
	Left    int             // steps that are left out: the last of an error that stays, else the first

	row     int64
	copyKey int64 // 0 where none is known
	at      time.Time
}

// Step is a command that ran, or a file that was changed.
type Step struct {
	What   string // run, edit or write
	Text   string // the command line, or the path
	Failed bool
	Entry  query.EntryRef // the result
}

// Name is what was done, and whether it failed.
func (s Step) Name() string {
	if s.Failed {
		return s.What + " failed"
	}
	return s.What
}

// CaseList is the answer of [Fixes].
type CaseList struct {
	Cases []Case // the latest first
	More  bool   // there are more
	Notes []string
}

const (
	mostHits   = 300 // of the latest that are looked at
	lastSteps  = 40  // before an error was gone, that are told
	firstSteps = 10  // behind one that stayed
)

// Fixes finds errors as a search does, but among what tools put out, and follows
// the branch of each from there down to where the same command no longer meets
// it. Output that was not flagged as an error counts only where a pipe hides how
// the command ended. Errors that come again on the way, and copies in forks, are one
// case. The archive is held from here on.
func Fixes(ctx context.Context, a *query.Archive, q question.Query, o search.Options, most int) (CaseList, error) {
	q = q.With(question.NewFilter("in", "output")).With(question.NewFilter("role", "toolResult,bashExecution"))
	q.Sort = "new"
	o.Limit, o.Expand = mostHits, true
	if err := a.Hold(ctx); err != nil {
		return CaseList{}, err
	}
	result, err := search.Answer(ctx, a, q, o)
	if err != nil {
		return CaseList{}, err
	}
	list := CaseList{Notes: result.Notes}
	hits := slices.DeleteFunc(result.Hits, func(h search.Hit) bool { return h.Entry == nil || h.Rung == "or" }) // only some of the words
	slices.SortStableFunc(hits, func(x, y search.Hit) int { return moment(y).Compare(moment(x)) })
	if len(hits) == mostHits {
		list.Notes = append(list.Notes, fmt.Sprintf("only the latest %d places with this error were looked at", mostHits))
	}
	bySession := map[int64][]search.Hit{}
	var sessions []int64
	for _, h := range hits {
		if bySession[h.Session.Key] == nil {
			sessions = append(sessions, h.Session.Key)
		}
		bySession[h.Session.Key] = append(bySession[h.Session.Key], h)
	}
	var found []*Case
	byCopy := map[int64]*Case{}
	looked := 0
	for _, key := range sessions {
		hits := bySession[key]
		if len(found) > most && found[most].at.After(moment(hits[0])) {
			break // the others are older
		}
		cases, some, err := follow(ctx, a, key, hits)
		if err != nil {
			return list, err
		}
		looked += some
		for _, c := range cases {
			other := byCopy[c.copyKey]
			switch {
			case other == nil || c.copyKey == 0:
				byCopy[c.copyKey] = c
				found = append(found, c)
			case c.Outcome < other.Outcome, c.Outcome == other.Outcome && c.row < other.row: // the fork went on, or it is the fork
				*other = *c
			}
		}
		slices.SortStableFunc(found, func(x, y *Case) int { return y.at.Compare(x.at) })
	}
	if looked > 0 {
		list.Notes = append(list.Notes, fmt.Sprintf("left out: %d times only looking at something failed, such as cat or grep", looked))
	}
	list.More = len(found) > most
	return list, list.tell(ctx, a, found[:min(len(found), most)])
}

// tell fills in where the errors are.
func (l *CaseList) tell(ctx context.Context, a *query.Archive, found []*Case) error {
	var entries []int64
	for _, c := range found {
		entries = append(entries, c.row)
	}
	where, err := places(ctx, a, entries)
	for _, c := range found {
		c.Place = where[c.row]
		l.Cases = append(l.Cases, *c)
	}
	return err
}

func moment(h search.Hit) time.Time {
	if h.Entry.Time == nil {
		return time.Time{}
	}
	return *h.Entry.Time
}
