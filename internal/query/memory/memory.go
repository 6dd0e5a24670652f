// Package memory recalls what was done with tools: which command lines ran
// ([Commands]), who wrote a file or a line of it ([Blame]), and what made an error
// go away ([Fixes]).
//
// The archive knows calls, results and touched paths as rows; what a call was to
// do stands in its arguments, so the raw lines of the calls that come into
// question are read. Each answer first narrows these down: by the full text, by
// the path, by a search. A call counts once however many forks repeat it, and
// only where a result says that it succeeded.
package memory

import (
	"context"
	"fmt"
	"time"

	"piarchive/internal/index"
	"piarchive/internal/jsonl"
	"piarchive/internal/query"
)

// Filter says which calls are looked at.
type Filter struct {
	Project      string // as [query.Archive.Within] takes it
	Since, Until time.Time
}

// Place is where something was done.
type Place struct {
	Session query.SessionRef
	Entry   query.EntryRef
	id      string // that other commands know the session by
}

// String names the entry as under: takes it: SESSION@LINE.
func (p Place) String() string { return p.At(&p.Entry) }

// At names another entry of the session; it is "" where there is none.
func (p Place) At(e *query.EntryRef) string {
	if e == nil {
		return ""
	}
	return p.id + e.Place()
}

// call is a tool call, or a command of the user, that succeeded.
type call struct {
	Entry   int64  `db:"id"`
	N       int    `db:"n"` // among the calls of the entry
	EntryID string `db:"entry_id"`
	Offset  int64  `db:"offset"`
	Bytes   int64  `db:"bytes"`
	At      int64  `db:"at"`
}

// calls returns the calls that succeeded and meet a condition on entry e, the
// newest first. Of copies only one is among them.
func calls(ctx context.Context, a *query.Archive, f Filter, condition string, args ...any) ([]call, error) {
	in, values := a.Within(f.Project)
	where := "e.dup_of IS NULL AND NOT " + query.Flagged(index.FlagAborted) + " AND " + in + " AND " + condition
	values = append(values, args...)
	for _, bound := range []struct {
		at   time.Time
		test string
	}{{f.Since, ">="}, {f.Until, "<"}} {
		if !bound.at.IsZero() {
			where += " AND coalesce(e.at, s.created_at) " + bound.test + " ?"
			values = append(values, bound.at.UnixMilli())
		}
	}
	var found []call
	err := a.DB().SelectContext(ctx, &found, `WITH done(id, n) AS MATERIALIZED (
 SELECT coalesce(call, entry), coalesce(call_n, 0) FROM _tool_result
 WHERE (call IS NOT NULL OR by_user) AND NOT is_error)
SELECT min(e.id) AS id, d.n, e.entry_id, e.offset, e.bytes, coalesce(e.at, s.created_at, 0) AS at
 FROM done d CROSS JOIN _entry e ON e.id = d.id JOIN _session s ON s.id = e.id >> 24 JOIN _source f ON f.id = s.id
 WHERE `+where+` GROUP BY ifnull(e.copy_key, -e.id), d.n ORDER BY 6 DESC, 1 DESC, 2 DESC`, values...)
	if err != nil {
		return nil, fmt.Errorf("look up tool calls: %w", err)
	}
	return found, nil
}

// readActions tells what calls were to do, each by its number among them, in any
// order and from several goroutines at once. Of a call that its line does not show
// nothing is told.
func readActions(ctx context.Context, a *query.Archive, calls []call, tell func(i int, done jsonl.Action)) error {
	lines := make([]query.Line, len(calls))
	for i, c := range calls {
		lines[i] = query.Line{Session: index.SourceOf(c.Entry), Offset: c.Offset, Bytes: c.Bytes}
	}
	err := a.EachLine(ctx, lines, func(i int, line []byte) {
		if all := jsonl.ParseActions(line, calls[i].EntryID); calls[i].N < len(all) {
			tell(i, all[calls[i].N])
		}
	})
	if err != nil {
		return fmt.Errorf("read tool calls: %w", err)
	}
	return nil
}

// places tells where entries are.
func places(ctx context.Context, a *query.Archive, entries []int64) (map[int64]Place, error) {
	var rows []struct {
		Entry int64 `db:"id"`
		query.SessionRow
		query.EntryRow
	}
	err := a.DB().SelectContext(ctx, &rows, `SELECT e.id, `+query.SessionColumns+`, `+query.EntryColumns+`
 FROM json_each(?) j JOIN _entry e ON e.id = j.value JOIN _session s ON s.id = e.id >> 24 JOIN _source f ON f.id = s.id`, query.List(entries))
	if err != nil {
		return nil, fmt.Errorf("look up sessions: %w", err)
	}
	found := make(map[int64]Place, len(rows))
	ids := map[int64]string{}
	for _, row := range rows {
		session := row.SessionRow.Ref()
		if ids[session.Key] == "" {
			if ids[session.Key], err = a.Abbreviate(ctx, session); err != nil {
				return nil, err
			}
		}
		found[row.Entry] = Place{session, *row.EntryRow.Ref(), ids[session.Key]}
	}
	return found, nil
}
