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
	"encoding/json"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
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
	where := "e.dup_of IS NULL AND e.flags & 16 = 0 AND " + in + " AND " + condition // 16: cut off by the user
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
 SELECT coalesce(call, entry), coalesce(call_n, 0) FROM tool_result
 WHERE (call IS NOT NULL OR by_user) AND NOT is_error AND coalesce(exit_code, 0) = 0)
SELECT min(e.id) AS id, d.n, e.entry_id, e.offset, e.bytes, coalesce(e.at, s.created_at, 0) AS at
 FROM done d CROSS JOIN entry e ON e.id = d.id JOIN session s ON s.id = e.id >> 24 JOIN source f ON f.id = s.id
 WHERE `+where+` GROUP BY ifnull(e.copy_key, -e.id), d.n ORDER BY 6 DESC, 1 DESC, 2 DESC`, values...)
	if err != nil {
		return nil, fmt.Errorf("look up tool calls: %w", err)
	}
	return found, nil
}

// reader reads what calls were to do.
type reader struct {
	archive *query.Archive
	entry   int64 // that was read last: its calls often follow each other
	actions []jsonl.Action
}

// action returns what a call was to do; it is the zero Action where the line does
// not tell.
func (r *reader) action(ctx context.Context, c call) (jsonl.Action, error) {
	if r.entry != c.Entry {
		line, err := r.archive.Raw().Read(ctx, nil, index.SourceOf(c.Entry), c.Offset, c.Bytes)
		if err != nil {
			return jsonl.Action{}, err
		}
		r.entry, r.actions = c.Entry, jsonl.ParseActions(line, c.EntryID)
	}
	if c.N >= len(r.actions) {
		return jsonl.Action{}, nil
	}
	return r.actions[c.N], nil
}

// readActions tells what calls were to do, each by its number among them, in any
// order and from several goroutines at once. To unpack a block takes most of the
// time, so while one is being read, others are unpacked.
func readActions(ctx context.Context, a *query.Archive, calls []call, tell func(i int, done jsonl.Action)) error {
	byBlock := map[int64][]int{}
	var others []int // whose lines lie in several blocks
	for i, c := range calls {
		first, last := c.Offset/index.BlockSize, (c.Offset+c.Bytes-1)/index.BlockSize
		if first != last {
			others = append(others, i)
			continue
		}
		id := index.ID(index.SourceOf(c.Entry), int(first))
		byBlock[id] = append(byBlock[id], i)
	}
	type packed struct {
		id   int64
		data []byte
	}
	blocks := make(chan packed, 8)
	failed := make(chan error, len(byBlock)+1)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(byBlock)) {
		workers.Go(func() {
			var block []byte
			for b := range blocks {
				var err error
				if block, err = index.Unpack(block[:0], b.data); err != nil {
					failed <- err
					continue
				}
				for _, i := range byBlock[b.id] {
					c := calls[i]
					from := min(c.Offset%index.BlockSize, int64(len(block)))
					if all := jsonl.ParseActions(block[from:min(from+c.Bytes, int64(len(block)))], c.EntryID); c.N < len(all) {
						tell(i, all[c.N])
					}
				}
			}
		})
	}
	list, _ := json.Marshal(slices.Sorted(maps.Keys(byBlock))) // numbers always encode
	err := index.PackedBlocks(ctx, a.DB(), string(list), func(id int64, data []byte) { blocks <- packed{id, slices.Clone(data)} })
	close(blocks)
	workers.Wait()
	if close(failed); err == nil {
		err = <-failed
	}
	r := reader{archive: a}
	for _, i := range others {
		if err == nil {
			var done jsonl.Action
			done, err = r.action(ctx, calls[i])
			tell(i, done)
		}
	}
	if err != nil {
		return fmt.Errorf("read tool calls: %w", err)
	}
	return nil
}

// places tells where entries are.
func places(ctx context.Context, a *query.Archive, entries []int64) (map[int64]Place, error) {
	list, _ := json.Marshal(entries) // numbers always encode
	var rows []struct {
		Entry int64 `db:"id"`
		query.SessionRow
		query.EntryRow
	}
	err := a.DB().SelectContext(ctx, &rows, `SELECT e.id, `+query.SessionColumns+`, `+query.EntryColumns+`
 FROM json_each(?) j JOIN entry e ON e.id = j.value JOIN session s ON s.id = e.id >> 24 JOIN source f ON f.id = s.id`, string(list))
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
