package index

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// unsettled is what a transaction has changed that decides which copies count.
type unsettled struct {
	keys     map[int64]bool    // copy keys of groups that lost or gained an entry, or the order in which they count
	first    map[int64]int64   // by session, the lowest of its new entries
	sessions map[int64]bool    // whose sums are to be made anew
	paths    map[string]bool   // of sessions whose tasks may be told elsewhere now, or no longer
	parties  map[string]bool   // paths of sessions whose subagents came or went
	tasks    map[int64]bool    // entries that count, of whose copies the same is true
	order    map[int64]*origin // what is known of sessions; for one settling
}

func newUnsettled() *unsettled {
	return &unsettled{keys: map[int64]bool{}, first: map[int64]int64{}, sessions: map[int64]bool{},
		paths: map[string]bool{}, parties: map[string]bool{}, tasks: map[int64]bool{}}
}

// added notes an entry that is new. In a build all are.
func (ix *Index) added(e *Entry) {
	if ix.building {
		return
	}
	session := SourceOf(e.ID)
	if first, ok := ix.unsettled.first[session]; !ok || e.ID < first {
		ix.unsettled.first[session] = e.ID
	}
}

// stirred notes that entries of a session are about to go, or that its place
// among copies changes.
func (ix *Index) stirred(ctx context.Context, lo, hi int64) error {
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
		ix.unsettled.keys[k] = true
	}
	return nil
}

// unsettle notes that a session has changed.
func (ix *Index) unsettle(session int64, path string) {
	if !ix.building {
		ix.unsettled.sessions[session], ix.unsettled.paths[path] = true, true
	}
}

// settle decides, at the end of a transaction, which copies count, and makes
// the sums anew that depend on it.
func (ix *Index) settle(ctx context.Context) error {
	u := ix.unsettled
	for session, first := range u.first {
		_, hi := Range(session)
		if err := ix.stirred(ctx, first, hi); err != nil {
			return err
		}
	}
	if len(u.keys) > 0 {
		keys, _ := json.Marshal(slices.Sorted(maps.Keys(u.keys))) // numbers: cannot fail
		if err := ix.countOnce(ctx, `SELECT e.copy_key, count(*) AS n FROM json_each(?) k CROSS JOIN entry e ON e.copy_key = k.value GROUP BY 1`, string(keys)); err != nil {
			return err
		}
	}
	if err := ix.settleTasks(ctx); err != nil {
		return err
	}
	sessions := slices.Sorted(maps.Keys(u.sessions))
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
	ix.unsettled = newUnsettled()
	return nil
}

// settleAll does the same for all of a build.
func (ix *Index) settleAll(ctx context.Context) error {
	if err := ix.countOnce(ctx, `SELECT copy_key, count(*) AS n FROM entry WHERE copy_key IS NOT NULL GROUP BY copy_key HAVING n > 1`); err != nil {
		return err
	}
	var enclosing []string
	if err := ix.list(ctx, &enclosing, `SELECT DISTINCT enclosing FROM session WHERE enclosing IS NOT NULL`); err != nil {
		return fmt.Errorf("look for subagents: %w", err)
	}
	for _, path := range enclosing {
		ix.unsettled.parties[path] = true
	}
	if err := ix.settleTasks(ctx); err != nil {
		return err
	}
	all, err := spans(ctx, ix.Query(), "")
	if err != nil {
		return err
	}
	ix.unsettled = newUnsettled()
	return ix.rollUp(ctx, all)
}

// twin is an entry among those of one copy key.
type twin struct {
	Key     int64  `db:"copy_key"`
	ID      int64  `db:"id"`
	Flags   int64  `db:"flags"`
	At      *int64 `db:"at"`
	DupOf   *int64 `db:"dup_of"`
	CopyOf  *int64 `db:"copy_of"`
	EntryID string `db:"entry_id"`
	Task    bool   `db:"task"`
}

// twinsAtOnce is about how many entries of groups are in memory at once: forks
// of forks make millions of copies.
const twinsAtOnce = 1 << 16

// countOnce goes through the groups of entries whose copy keys a query gives,
// with the number of their entries, and lets one of each count.
func (ix *Index) countOnce(ctx context.Context, groups string, args ...any) error {
	ix.unsettled.order = map[int64]*origin{}
	var all []struct {
		Key int64 `db:"copy_key"`
		N   int   `db:"n"`
	}
	if err := ix.list(ctx, &all, groups, args...); err != nil {
		return fmt.Errorf("look for copies: %w", err)
	}
	for len(all) > 0 {
		var keys []int64
		for n := 0; len(all) > 0 && n < twinsAtOnce; all = all[1:] {
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
	var all []twin
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

// countOneOf decides for one group. Copies have one id: the same time and text
// can be chance where a program writes both. Where the file gives none, as in
// version 1, there is only the rest to go by. An entry without a time is nobody's
// copy, and a line that repeats another of its file does not count anyway.
func (ix *Index) countOneOf(ctx context.Context, group []twin) error {
	for _, t := range group {
		if _, err := ix.origin(ctx, SourceOf(t.ID)); err != nil {
			return err
		}
	}
	slices.SortFunc(group, func(a, b twin) int {
		return cmp.Or(ix.unsettled.order[SourceOf(a.ID)].compare(ix.unsettled.order[SourceOf(b.ID)]), cmp.Compare(a.ID, b.ID))
	})
	var first *twin
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
			ix.unsettled.tasks[*cmp.Or(of, &t.ID)] = true
		}
		if of == t.CopyOf || of != nil && t.CopyOf != nil && *of == *t.CopyOf {
			continue
		}
		if err := ix.exec(ctx, `UPDATE entry SET copy_of = ? WHERE id = ?`, of, t.ID); err != nil {
			return err
		}
		ix.unsettled.sessions[SourceOf(t.ID)] = true
	}
	return nil
}

// origin is what decides which session's copies count: those of files that are
// there before others, then the older ones, so those of the session that a fork
// was made from.
type origin struct {
	Missing bool   `db:"missing"`
	Created *int64 `db:"created_at"`
	Path    string `db:"path"`
}

func (o *origin) compare(p *origin) int {
	rank := func(o *origin) int {
		switch {
		case o.Missing:
			return 2
		case o.Created == nil:
			return 1
		}
		return 0
	}
	c := cmp.Compare(rank(o), rank(p))
	if c == 0 && o.Created != nil && p.Created != nil {
		c = cmp.Compare(*o.Created, *p.Created)
	}
	return cmp.Or(c, cmp.Compare(o.Path, p.Path))
}

func (ix *Index) origin(ctx context.Context, session int64) (*origin, error) {
	if o := ix.unsettled.order[session]; o != nil {
		return o, nil
	}
	o := &origin{}
	err := ix.get(ctx, o, `SELECT f.missing_at IS NOT NULL AS missing, s.created_at, f.path FROM source f LEFT JOIN session s ON s.id = f.id WHERE f.id = ?`, session)
	if err != nil {
		return nil, fmt.Errorf("look up the session of a copy: %w", err)
	}
	ix.unsettled.order[session] = o
	return o, nil
}
