package memory

import (
	"context"
	"fmt"
	"slices"

	"piarchive/internal/index"
	"piarchive/internal/jsonl"
	"piarchive/internal/query"
	"piarchive/internal/query/search"
	"piarchive/internal/query/shell"
)

// session is one session in which errors are followed.
type session struct {
	archive  *query.Archive
	errors   map[int64]search.Hit // by row of the result
	attempts map[int64]*attempt   // by the same
	children map[int64][]child
	active   []int64        // rows on the way to the current leaf, from the first error on
	covered  map[int64]bool // errors that came again in a case
	looked   int            // errors of what only looks
}

// child is what follows an entry.
type child struct {
	row    int64
	active bool
}

// attempt is a result with the call that it answers, or both of a command of the
// user.
type attempt struct {
	Row     int64  `db:"id"`
	CopyKey *int64 `db:"copy_key"`
	query.EntryRow
	Failed bool         `db:"failed"`
	Call   call         `db:"call"`
	done   jsonl.Action // what the call was to do, from the first error on
}

// follow follows the errors of a session, and counts those of what only looks.
func follow(ctx context.Context, a *query.Archive, key int64, hits []search.Hit) (cases []*Case, looked int, err error) {
	s := session{archive: a, errors: map[int64]search.Hit{}, attempts: map[int64]*attempt{}, children: map[int64][]child{}, covered: map[int64]bool{}}
	rows, err := s.readAttempts(ctx, key, hits)
	if err != nil || len(rows) == 0 {
		return nil, 0, err
	}
	if err := s.readTree(ctx, rows[0]); err != nil {
		return nil, 0, err
	}
	for _, row := range rows {
		if s.covered[row] {
			continue
		}
		if c := s.toEnd(s.attempts[row]); c != nil {
			cases = append(cases, c)
		}
	}
	return cases, s.looked, nil
}

// readTree reads what follows what, from an entry on.
func (s *session) readTree(ctx context.Context, from int64) error {
	_, hi := index.Range(index.SourceOf(from))
	rows, err := s.archive.DB().QueryContext(ctx, `SELECT id, parent, flags & ? = 0 FROM _entry
 WHERE id > ? AND id <= ? AND parent IS NOT NULL AND dup_of IS NULL ORDER BY id`, index.FlagAbandoned, from, hi)
	if err != nil {
		return fmt.Errorf("read what follows an error: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var c child
		var parent int64
		if err := rows.Scan(&c.row, &parent, &c.active); err != nil {
			return fmt.Errorf("read what follows an error: %w", err)
		}
		s.children[parent] = append(s.children[parent], c)
		if c.active {
			s.active = append(s.active, c.row)
		}
	}
	return rows.Err()
}

// down returns the rows from one to the end of its branch: at a fork the way is
// that to the current leaf, else that of the latest. Where the branch was left, it
// goes on with what came later on the way to that leaf.
func (s *session) down(row int64) []int64 {
	path := []int64{row}
	for next := s.children[row]; len(next) > 0; next = s.children[row] {
		at := slices.IndexFunc(next, func(c child) bool { return c.active })
		if at < 0 {
			at = len(next) - 1
		}
		if next[at].row <= row {
			break // as only a damaged file has it
		}
		row = next[at].row
		path = append(path, row)
	}
	later, _ := slices.BinarySearch(s.active, row+1)
	return append(path, s.active[later:]...)
}

// readAttempts reads the results of a session, and returns the rows of those that
// are hits.
func (s *session) readAttempts(ctx context.Context, key int64, hits []search.Hit) ([]int64, error) {
	byID := map[string]search.Hit{}
	for _, h := range hits {
		byID[h.Entry.ID] = h
	}
	lo, hi := index.Range(key)
	var found []attempt
	err := s.archive.DB().SelectContext(ctx, &found, `SELECT e.id, e.copy_key, `+query.EntryColumns+`, r.is_error AS failed,
 c.id AS "call.id", coalesce(r.call_n, 0) AS "call.n", c.entry_id AS "call.entry_id", c.offset AS "call.offset", c.bytes AS "call.bytes"
 FROM _tool_result r JOIN _entry e ON e.id = r.entry JOIN _entry c ON c.id = iif(r.by_user, e.id, r.call) WHERE r.entry BETWEEN ? AND ? ORDER BY r.entry`, lo, hi)
	if err != nil {
		return nil, fmt.Errorf("read the results behind an error: %w", err)
	}
	var rows []int64
	var calls []call
	var behind []*attempt
	for i := range found {
		t := &found[i]
		s.attempts[t.Row] = t
		if h, ok := byID[*t.EntryID]; ok {
			s.errors[t.Row] = h
			rows = append(rows, t.Row)
		}
		if len(rows) > 0 {
			calls, behind = append(calls, t.Call), append(behind, t)
		}
	}
	return rows, readActions(ctx, s.archive, calls, func(i int, done jsonl.Action) { behind[i].done = done })
}

// isError reports whether a result meets the error: it has its text, and it failed,
// or the last command of a pipe told nothing of how the first one ended.
func (s *session) isError(t *attempt) bool {
	_, found := s.errors[t.Row]
	return found && (t.Failed || shell.HidesFailure(t.done.Command))
}

// enough attempts in a row that do not meet an error show that it is gone: one
// alone may have failed before it came to it, or its output be cut.
const enough = 2

// toEnd makes the case of an error; nil if it is none.
func (s *session) toEnd(first *attempt) *Case {
	failed := first.done
	if !s.isError(first) {
		return nil
	}
	if onlyLooks(failed) {
		s.looked++
		return nil
	}
	hit := s.errors[first.Row]
	c := &Case{Text: hit.Snippet, Command: doing(failed), Outcome: Unfixed, row: first.Row, at: moment(hit)}
	if first.CopyKey != nil {
		c.copyKey = *first.CopyKey
	}
	missing, before := 0, 0 // attempts in a row that did not meet the error, and the steps before them
	var others []int64      // in which other commands met it before
	for _, row := range s.down(first.Row)[1:] {
		t := s.attempts[row]
		if t == nil {
			continue
		}
		done := t.done
		again, same := s.isError(t), triesAgain(done, failed)
		switch {
		case again && same:
			c.Again++
			s.covered[t.Row] = true
			c.Outcome, c.End, missing = Unfixed, nil, 0
		case again && c.Outcome == Unfixed:
			others = append(others, t.Row)
		case !same:
		case !t.Failed && !shell.HidesFailure(done.Command):
			c.Outcome, c.End, missing, before = Passed, t.Ref(), enough, len(c.Steps)
		default:
			missing++
			shown := !t.Failed && done.Command == failed.Command // the same part of what it puts out
			if shown || c.Outcome == Unfixed {
				c.Outcome, c.End, before = Gone, t.Ref(), len(c.Steps)
			}
			if shown {
				missing = enough
			}
		}
		if missing == enough {
			break
		}
		c.Steps = append(c.Steps, steps(done, t.Failed || again, *t.Ref())...)
	}
	if c.Outcome != Unfixed {
		c.Steps = c.Steps[:before]
		for _, row := range others {
			s.covered[row] = true
		}
	}
	if c.Outcome == Unfixed {
		c.Left = max(0, len(c.Steps)-firstSteps)
		c.Steps = c.Steps[:len(c.Steps)-c.Left]
	} else {
		c.Left = max(0, len(c.Steps)-lastSteps)
		c.Steps = c.Steps[c.Left:]
	}
	return c
}

// triesAgain reports whether a call is to do what another one failed to: of a
// command line the last command that does more than look.
func triesAgain(done, failed jsonl.Action) bool {
	if goals := shell.Goals(failed.Command); len(goals) > 0 {
		return slices.Contains(shell.Goals(done.Command), goals[len(goals)-1])
	}
	return doing(done) == doing(failed)
}

// onlyLooks reports whether a call changes nothing and checks nothing.
func onlyLooks(done jsonl.Action) bool {
	if done.Command != "" {
		return shell.OnlyLooks(done.Command)
	}
	return done.Path != "" && len(done.Changes) == 0 || done.Tool == "grep" || done.Tool == "find" || done.Tool == "ls"
}

// doing says what a call does.
func doing(done jsonl.Action) string {
	switch {
	case done.Command != "":
		return done.Command
	case done.Path != "":
		return done.Tool + " " + done.Path
	case len(done.Changes) > 0:
		return done.Tool + " " + done.Changes[0].Path
	}
	return done.Tool
}

// steps are what a call did to make an error go away: looking is none.
func steps(done jsonl.Action, failed bool, result query.EntryRef) []Step {
	if done.Command != "" && !onlyLooks(done) {
		return []Step{{"run", done.Command, failed, result}}
	}
	var all []Step
	for i, change := range done.Changes {
		if i == 0 || change.Path != done.Changes[i-1].Path {
			all = append(all, Step{change.Op, change.Path, failed, result})
		}
	}
	return all
}
