package index

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// dirty is what a transaction has changed of what decides which copies count: it
// is decided again at the end of the transaction.
type dirty struct {
	groups    map[int64]bool  // copy keys of the groups that lost or gained an entry, or whose order changed
	sessions  map[int64]bool  // whose rollups are to be made anew
	paths     map[string]bool // of sessions whose tasks may be counted in a child now, or no longer
	enclosing map[string]bool // paths of sessions whose subagents came or went
	tasks     map[int64]bool  // entries that count: the same is true of their tasks and those of their copies
}

func newDirty() *dirty {
	return &dirty{groups: map[int64]bool{}, sessions: map[int64]bool{},
		paths: map[string]bool{}, enclosing: map[string]bool{}, tasks: map[int64]bool{}}
}

// markCopies marks the copies of entries that are about to go, or whose session
// changes its rank among copies.
func (ix *Index) markCopies(ctx context.Context, lo, hi int64) error {
	if ix.building {
		return nil
	}
	var keys []int64
	err := ix.list(ctx, &keys, `SELECT DISTINCT e.copy_key FROM _entry e WHERE e.id BETWEEN ? AND ? AND e.copy_key IS NOT NULL
 AND EXISTS (SELECT 1 FROM _entry x WHERE x.copy_key = e.copy_key AND x.id <> e.id)`, lo, hi)
	if err != nil {
		return fmt.Errorf("look for copies: %w", err)
	}
	for _, k := range keys {
		ix.dirty.groups[k] = true
	}
	return nil
}

// markSession marks a session that has changed.
func (ix *Index) markSession(session int64, path string) {
	if !ix.building {
		ix.dirty.sessions[session], ix.dirty.paths[path] = true, true
	}
}

// resolve decides, at the end of a transaction or of a build, which copies count, and
// makes the rollups anew that depend on it: of what is dirty, in a build of all.
func (ix *Index) resolve(ctx context.Context) error {
	groups, where := `SELECT copy_key, count(*) AS n FROM _entry WHERE copy_key IS NOT NULL GROUP BY copy_key HAVING n > 1`, ""
	var keys, changed []any
	if !ix.building {
		groups = `SELECT e.copy_key, count(*) AS n FROM json_each(?) k CROSS JOIN _entry e ON e.copy_key = k.value
 GROUP BY 1 HAVING n > 1 OR max(e.copy_of) IS NOT NULL OR max(e.tool IS 'task')`
		keys = []any{array(slices.Sorted(maps.Keys(ix.dirty.groups)))}
	}
	if err := ix.countOnce(ctx, groups, keys...); err != nil {
		return err
	}
	if err := ix.resolveTasks(ctx); err != nil {
		return err
	}
	if !ix.building {
		sessions := slices.Sorted(maps.Keys(ix.dirty.sessions))
		for _, session := range sessions {
			if err := ix.clearRollups(ctx, session); err != nil {
				return err
			}
		}
		where, changed = `WHERE id IN (SELECT value FROM json_each(?))`, []any{array(sessions)}
	}
	all, err := spans(ctx, ix.Query(), where, changed...)
	if err != nil {
		return err
	}
	ix.dirty = newDirty()
	return ix.rollUp(ctx, all)
}

// copiesAtOnce is about how many entries of groups are decided at once: forks
// of forks make millions of copies.
const copiesAtOnce = 1 << 16

// countOnce decides, for groups, the entries with one copy key, which entries count.
// The query gives the copy key of each group and the number of its entries.
func (ix *Index) countOnce(ctx context.Context, groups string, args ...any) error {
	var all []struct {
		Key int64 `db:"copy_key"`
		N   int   `db:"n"`
	}
	if err := ix.list(ctx, &all, groups, args...); err != nil {
		return fmt.Errorf("look for copies: %w", err)
	}
	for len(all) > 0 {
		var keys []int64
		for n := 0; len(all) > 0 && n < copiesAtOnce; all = all[1:] {
			keys, n = append(keys, all[0].Key), n+all[0].N
		}
		if err := ix.countOnceOf(ctx, keys); err != nil {
			return err
		}
	}
	return nil
}

// entryCopy is an entry of a group.
type entryCopy struct {
	key, id  int64
	counts   bool // if no copy does
	nameless bool
	tasks    bool
	copyOf   *int64
	entryID  string
	place    int // of its session, as [Index.placeCopies] says
}

// countOnceOf decides for some groups. Copies have the same id, for programs may write
// the same text at the same time by chance; but where the file gives no ids, as in
// format version 1, the rest has to do. An entry without a time is nobody's copy,
// and a line that repeats another of its file does not count anyway.
func (ix *Index) countOnceOf(ctx context.Context, keys []int64) error {
	var all []entryCopy
	err := each(ctx, ix.Query(), "read the copies", func(rows *sql.Rows) error {
		var t entryCopy
		if err := rows.Scan(&t.key, &t.id, &t.counts, &t.nameless, &t.tasks, &t.copyOf, &t.entryID); err != nil {
			return err
		}
		all = append(all, t)
		return nil
	}, copiesQuery, array(keys))
	if err != nil {
		return err
	}
	if err := ix.placeCopies(ctx, all); err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b entryCopy) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.place, b.place), cmp.Compare(a.id, b.id))
	})
	var changed []entryCopy
	var first *entryCopy         // of the group
	counts := map[string]int64{} // by entry id; where the first has none, all are its copies
	for i := range all {
		t := &all[i]
		if i == 0 || t.key != all[i-1].key {
			first = nil
			clear(counts)
		}
		var of *int64
		to, known := counts[t.entryID]
		switch {
		case !t.counts:
		case first == nil:
			first, counts[t.entryID] = t, t.id
		case first.nameless || t.nameless:
			of = &first.id
		case known:
			of = &to
		default:
			counts[t.entryID] = t.id
		}
		if t.tasks && !ix.building { // its copies are others now, even where it stands as it stood
			ix.dirty.tasks[*cmp.Or(of, &t.id)] = true
		}
		if !same(of, t.copyOf) {
			t.copyOf = of
			changed = append(changed, *t)
		}
	}
	return ix.writeCopies(ctx, changed)
}

var copiesQuery = fmt.Sprintf(`SELECT e.copy_key, e.id, e.at IS NOT NULL AND e.dup_of IS NULL, e.flags & %d <> 0, e.tool IS 'task', e.copy_of, e.entry_id
 FROM json_each(?) k CROSS JOIN _entry e ON e.copy_key = k.value`, FlagSynthetic)

// placeCopies finds the order in which copies count: those of a file that is there
// before those of one that is missing, then those of the older session, which is the
// one that a fork was made from.
func (ix *Index) placeCopies(ctx context.Context, all []entryCopy) error {
	place := map[int64]int{} // by session
	for _, t := range all {
		place[SourceOf(t.id)] = 0
	}
	var sorted []int64
	err := ix.list(ctx, &sorted, `SELECT f.id FROM json_each(?) k CROSS JOIN _source f ON f.id = k.value LEFT JOIN _session s ON s.id = f.id
 ORDER BY f.missing_at IS NOT NULL, s.created_at IS NULL, s.created_at, f.path`, array(slices.Collect(maps.Keys(place))))
	if err != nil {
		return fmt.Errorf("look up the sessions of copies: %w", err)
	}
	for i, session := range sorted {
		place[session] = i
	}
	for i := range all {
		all[i].place = place[SourceOf(all[i].id)]
	}
	return nil
}

// writeCopies writes of which entries these are copies now. Forks copy many entries in
// a row: one statement writes all that are as far from those they are copies of.
func (ix *Index) writeCopies(ctx context.Context, changed []entryCopy) error {
	slices.SortFunc(changed, func(a, b entryCopy) int { return cmp.Compare(a.id, b.id) })
	distance := func(t entryCopy) any {
		if t.copyOf == nil {
			return nil
		}
		return t.id - *t.copyOf
	}
	for len(changed) > 0 {
		first, n := changed[0], 1
		for n < len(changed) && changed[n].id == first.id+int64(n) && distance(changed[n]) == distance(first) {
			n++
		}
		if err := ix.exec(ctx, `UPDATE OR FAIL _entry SET copy_of = id - ? WHERE id BETWEEN ? AND ?`, distance(first), first.id, changed[n-1].id); err != nil {
			return err
		}
		ix.dirty.sessions[SourceOf(first.id)] = true
		changed = changed[n:]
	}
	return ctx.Err()
}

// array is numbers, or runs of them, as JSON.
func array[T int64 | [2]int64 | Run](numbers []T) string {
	text, _ := json.Marshal(numbers) // cannot fail
	return string(text)
}
