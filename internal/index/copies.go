package index

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// dirty is what a transaction has changed of what decides which copies count: it
// is decided again at the end of the transaction.
type dirty struct {
	groups    map[int64]bool  // copy keys of the groups that lost or gained an entry, or whose order changed
	first     map[int64]int64 // by session, the lowest of its new entries
	sessions  map[int64]bool  // whose rollups are to be made anew
	paths     map[string]bool // of sessions whose tasks may be counted in a child now, or no longer
	enclosing map[string]bool // paths of sessions whose subagents came or went
	tasks     map[int64]bool  // entries that count: the same is true of their tasks and those of their copies
	ranks     map[int64]*rank // of sessions, while copies are decided
}

func newDirty() *dirty {
	return &dirty{groups: map[int64]bool{}, first: map[int64]int64{}, sessions: map[int64]bool{},
		paths: map[string]bool{}, enclosing: map[string]bool{}, tasks: map[int64]bool{}}
}

// markAdded marks an entry that is new. In a build all are.
func (ix *Index) markAdded(e *Entry) {
	if ix.building {
		return
	}
	session := SourceOf(e.ID)
	if first, ok := ix.dirty.first[session]; !ok || e.ID < first {
		ix.dirty.first[session] = e.ID
	}
}

// markCopies marks the copies of entries that are about to go, or whose session
// changes its rank among copies.
func (ix *Index) markCopies(ctx context.Context, lo, hi int64) error {
	if ix.building {
		return nil
	}
	var keys []int64
	err := ix.list(ctx, &keys, `SELECT DISTINCT e.copy_key FROM entry e WHERE e.id BETWEEN ? AND ? AND e.copy_key IS NOT NULL
 AND EXISTS (SELECT 1 FROM entry x WHERE x.copy_key = e.copy_key AND x.id <> e.id)`, lo, hi)
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

// resolveDirty decides, at the end of a transaction, which copies count, and makes
// the rollups anew that depend on it.
func (ix *Index) resolveDirty(ctx context.Context) error {
	d := ix.dirty
	for session, first := range d.first {
		_, hi := Range(session)
		if err := ix.markCopies(ctx, first, hi); err != nil {
			return err
		}
	}
	if len(d.groups) > 0 {
		keys, _ := json.Marshal(slices.Sorted(maps.Keys(d.groups))) // numbers: cannot fail
		if err := ix.countOnce(ctx, `SELECT e.copy_key, count(*) AS n FROM json_each(?) k CROSS JOIN entry e ON e.copy_key = k.value GROUP BY 1`, string(keys)); err != nil {
			return err
		}
	}
	if err := ix.resolveTasks(ctx); err != nil {
		return err
	}
	sessions := slices.Sorted(maps.Keys(d.sessions))
	for _, session := range sessions {
		if err := ix.clearRollups(ctx, session); err != nil {
			return err
		}
	}
	if len(sessions) > 0 {
		list, _ := json.Marshal(sessions) // numbers: cannot fail
		all, err := spans(ctx, ix.Query(), `WHERE id IN (SELECT value FROM json_each(?))`, string(list))
		if err != nil {
			return err
		}
		if err := ix.rollUp(ctx, all); err != nil {
			return err
		}
	}
	ix.dirty = newDirty()
	return nil
}

// resolveAll does the same for all of a build.
func (ix *Index) resolveAll(ctx context.Context) error {
	if err := ix.countOnce(ctx, `SELECT copy_key, count(*) AS n FROM entry WHERE copy_key IS NOT NULL GROUP BY copy_key HAVING n > 1`); err != nil {
		return err
	}
	if err := ix.resolveTasks(ctx); err != nil {
		return err
	}
	all, err := spans(ctx, ix.Query(), "")
	if err != nil {
		return err
	}
	ix.dirty = newDirty()
	return ix.rollUp(ctx, all)
}

// entryCopy is an entry of a group, the entries with one copy key.
type entryCopy struct {
	Key     int64  `db:"copy_key"`
	ID      int64  `db:"id"`
	Flags   int64  `db:"flags"`
	At      *int64 `db:"at"`
	DupOf   *int64 `db:"dup_of"`
	CopyOf  *int64 `db:"copy_of"`
	EntryID string `db:"entry_id"`
	Task    bool   `db:"task"`
}

// copiesAtOnce is about how many entries of groups are in memory at once: forks
// of forks make millions of copies.
const copiesAtOnce = 1 << 16

// countOnce decides, for groups, which entries count. The query gives the copy key
// of each group and the number of its entries.
func (ix *Index) countOnce(ctx context.Context, groups string, args ...any) error {
	ix.dirty.ranks = map[int64]*rank{}
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

func (ix *Index) countOnceOf(ctx context.Context, keys []int64) error {
	list, _ := json.Marshal(keys) // numbers: cannot fail
	var all []entryCopy
	err := ix.list(ctx, &all, `SELECT e.copy_key, e.id, e.flags, e.at, e.dup_of, e.copy_of, e.entry_id, e.tool IS 'task' AS task
 FROM json_each(?) k CROSS JOIN entry e ON e.copy_key = k.value ORDER BY 1`, string(list))
	if err != nil {
		return fmt.Errorf("read the copies: %w", err)
	}
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].Key == all[0].Key {
			n++
		}
		if err := ix.countOneOf(ctx, all[:n]); err != nil {
			return err
		}
		all = all[n:]
	}
	return ctx.Err()
}

// countOneOf decides for one group. Copies have the same id, for programs may write
// the same text at the same time by chance; but where the file gives no ids, as in
// format version 1, the rest has to do. An entry without a time is nobody's copy,
// and a line that repeats another of its file does not count anyway.
func (ix *Index) countOneOf(ctx context.Context, group []entryCopy) error {
	for _, t := range group {
		if _, err := ix.rank(ctx, SourceOf(t.ID)); err != nil {
			return err
		}
	}
	slices.SortFunc(group, func(a, b entryCopy) int {
		return cmp.Or(ix.dirty.ranks[SourceOf(a.ID)].compare(ix.dirty.ranks[SourceOf(b.ID)]), cmp.Compare(a.ID, b.ID))
	})
	var first *entryCopy
	counts := map[string]int64{} // by entry id; where the first has none, all are its copies
	for i := range group {
		t := &group[i]
		var of *int64
		to, known := counts[t.EntryID]
		switch {
		case t.DupOf != nil || t.At == nil:
		case first == nil:
			first, counts[t.EntryID] = t, t.ID
		case (first.Flags|t.Flags)&FlagSynthetic != 0:
			of = &first.ID
		case known:
			of = &to
		default:
			counts[t.EntryID] = t.ID
		}
		if t.Task && !ix.building { // its copies are others now, even where it stands as it stood
			ix.dirty.tasks[*cmp.Or(of, &t.ID)] = true
		}
		if of == t.CopyOf || of != nil && t.CopyOf != nil && *of == *t.CopyOf {
			continue
		}
		if err := ix.exec(ctx, `UPDATE entry SET copy_of = ? WHERE id = ?`, of, t.ID); err != nil {
			return err
		}
		ix.dirty.sessions[SourceOf(t.ID)] = true
	}
	return nil
}

// rank decides which session's copies count: those of a file that is there before
// those of one that is missing, then those of the older session, which is the one
// that a fork was made from.
type rank struct {
	Missing bool   `db:"missing"`
	Created *int64 `db:"created_at"`
	Path    string `db:"path"`
}

func (r *rank) compare(s *rank) int {
	class := func(r *rank) int {
		switch {
		case r.Missing:
			return 2
		case r.Created == nil:
			return 1
		}
		return 0
	}
	c := cmp.Compare(class(r), class(s))
	if c == 0 && r.Created != nil && s.Created != nil {
		c = cmp.Compare(*r.Created, *s.Created)
	}
	return cmp.Or(c, cmp.Compare(r.Path, s.Path))
}

func (ix *Index) rank(ctx context.Context, session int64) (*rank, error) {
	if r := ix.dirty.ranks[session]; r != nil {
		return r, nil
	}
	r := &rank{}
	err := ix.get(ctx, r, `SELECT f.missing_at IS NOT NULL AS missing, s.created_at, f.path FROM source f LEFT JOIN session s ON s.id = f.id WHERE f.id = ?`, session)
	if err != nil {
		return nil, fmt.Errorf("look up the session of a copy: %w", err)
	}
	ix.dirty.ranks[session] = r
	return r, nil
}
