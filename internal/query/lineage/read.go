package lineage

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"piarchive/internal/index"
	"piarchive/internal/query"
)

// reader gathers a family.
type reader struct {
	archive *query.Archive
	members map[int64]*member
	up      map[int64]link    // by session: what names its parent
	down    map[int64][]int64 // by parent
	orphans map[string][]int64
	holders map[int64][]int64 // by original: the entries that are copies of it, itself among them
	seen    map[int64]bool    // copy keys whose entries are in holders
	absent  map[string]int64  // by the name of its file, a parent that the archive lacks
	names   []string          // of these
}

// link is what a session says of its parent.
type link struct {
	Session int64  `db:"session"`
	Name    string `db:"name"` // as it is written: a path, in omp an id
	Parent  *int64 `db:"parent"`
	Kind    string `db:"kind"`
	By      string `db:"by"`
}

// base is the name of the parent's file, which a moved directory keeps.
func (l link) base() string { return l.Name[strings.LastIndexAny(l.Name, `/\`)+1:] }

// readLinks reads what all sessions say of their parents, each once: a subagent that
// names one lies in the folder of another.
func (r *reader) readLinks(ctx context.Context) error {
	var all []link
	err := r.archive.DB().SelectContext(ctx, &all, `SELECT n.session, n.parent_session AS name, n.parent, iif(s.kind = 'subagent', 'subagent', 'fork') AS kind, 'header' AS by FROM forks n JOIN _session s ON s.id = n.session
 UNION ALL SELECT s.id, s.enclosing, f.id, 'subagent', 'folder' FROM _session s LEFT JOIN _source f ON f.path = s.enclosing WHERE s.enclosing IS NOT NULL`)
	if err != nil {
		return fmt.Errorf("look for the parents of sessions: %w", err)
	}
	r.up, r.down, r.orphans = map[int64]link{}, map[int64][]int64{}, map[string][]int64{}
	for _, l := range all {
		r.up[l.Session] = l
	}
	for session, l := range r.up {
		if l.Parent != nil {
			r.down[*l.Parent] = append(r.down[*l.Parent], session)
		} else {
			r.orphans[l.base()] = append(r.orphans[l.base()], session)
		}
	}
	for _, sessions := range r.down {
		slices.Sort(sessions)
	}
	return nil
}

// gather adds a session and all that it leads to.
func (r *reader) gather(ctx context.Context, key int64) error {
	for wave := []int64{key}; len(wave) > 0; {
		came, err := r.add(ctx, wave)
		if err != nil {
			return err
		}
		next := map[int64]bool{}
		for _, m := range came {
			if err := r.hold(ctx, m); err != nil {
				return err
			}
			if l, ok := r.up[m.Key]; ok && l.Parent != nil {
				next[*l.Parent] = true
			} else if ok {
				for _, s := range r.orphans[l.base()] {
					next[s] = true
				}
			}
			for _, s := range r.down[m.Key] {
				next[s] = true
			}
			for original := range m.rows {
				for _, entry := range r.holders[original] {
					next[index.SourceOf(entry)] = true
				}
			}
		}
		maps.DeleteFunc(next, func(s int64, _ bool) bool { return r.members[s] != nil })
		wave = slices.Sorted(maps.Keys(next))
	}
	return nil
}

// add reads the sessions with these keys, those that may be seen.
func (r *reader) add(ctx context.Context, keys []int64) (came []*member, err error) {
	in, args := r.archive.Within("")
	err = r.archive.DB().SelectContext(ctx, &came, `SELECT `+query.SessionColumns+`, s.created_at, s.n_messages, s.n_entries, s.enclosing
 FROM json_each(?) k CROSS JOIN _session s ON s.id = k.value JOIN _source f ON f.id = s.id WHERE `+in, append([]any{query.List(keys)}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("read the sessions of a family: %w", err)
	}
	for _, m := range came {
		r.members[m.Key] = m
	}
	return came, nil
}

// hold reads which entries of a session are copies of which original, and all copies
// of these. Those of one original have one copy key, so each key is looked up once.
func (r *reader) hold(ctx context.Context, m *member) error {
	type entry struct {
		ID       int64 `db:"id"`
		Key      int64 `db:"copy_key"`
		Original int64 `db:"original"`
	}
	const columns = `SELECT e.id, e.copy_key, coalesce(e.copy_of, e.id) AS original FROM `
	lo, hi := index.Range(m.Key)
	var own, all []entry
	err := r.archive.DB().SelectContext(ctx, &own, columns+`_entry e WHERE e.id BETWEEN ? AND ? AND e.copy_key IS NOT NULL AND e.dup_of IS NULL ORDER BY e.id`, lo+1, hi)
	if err != nil {
		return fmt.Errorf("read the entries of a family: %w", err)
	}
	var keys []int64
	m.rows = make(map[int64]int64, len(own))
	for _, e := range own {
		m.rows[e.Original] = e.ID
		if !r.seen[e.Key] {
			r.seen[e.Key] = true
			keys = append(keys, e.Key)
		}
	}
	err = r.archive.DB().SelectContext(ctx, &all, columns+`json_each(?) k CROSS JOIN _entry e ON e.copy_key = k.value WHERE e.dup_of IS NULL`, query.List(keys))
	if err != nil {
		return fmt.Errorf("look for copies of entries: %w", err)
	}
	for _, e := range all {
		r.holders[e.Original] = append(r.holders[e.Original], e.ID)
	}
	return nil
}

// compare finds what each session has in common with each other.
func (r *reader) compare() {
	for key, m := range r.members {
		m.with = map[int64]*common{}
		for original, here := range m.rows {
			counted := map[int64]bool{}
			for _, there := range r.holders[original] {
				other := index.SourceOf(there)
				if other == key || r.members[other] == nil {
					continue
				}
				c := m.with[other]
				if c == nil {
					c = &common{}
					m.with[other] = c
				}
				if !counted[other] {
					counted[other] = true
					c.entries++
				}
				if here > c.here || here == c.here && there > c.there {
					c.here, c.there = here, there
				}
			}
		}
	}
}

// family puts the members in their order.
func (r *reader) family(asked int64) *Family {
	f := &Family{}
	children := map[int64][]int64{}
	var roots []int64
	for _, key := range r.sorted() {
		switch parent := r.members[key].parent; {
		case parent < 0 && len(children[parent]) == 0:
			roots = append(roots, parent)
			fallthrough
		case parent != 0:
			children[parent] = append(children[parent], key)
		default:
			roots = append(roots, key)
		}
	}
	type open struct {
		key           int64
		parent, depth int
	}
	var stack []open
	for _, key := range slices.Backward(roots) {
		stack = append(stack, open{key, -1, 0})
	}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		place := len(f.Members)
		f.Members = append(f.Members, r.finished(at.key, at.parent, at.depth))
		if at.key == asked {
			f.Asked = place
		}
		for _, key := range slices.Backward(children[at.key]) {
			stack = append(stack, open{key, place, at.depth + 1})
		}
	}
	return f
}

func (r *reader) finished(key int64, parent, depth int) Member {
	if key < 0 {
		return Member{Named: r.names[-1-key], Parent: parent, Depth: depth}
	}
	m := r.members[key]
	done := Member{Session: m.Ref(), Relation: m.relation, By: m.by, Parent: parent, Depth: depth,
		Created: query.Moment(m.CreatedAt), Messages: m.Messages, Entries: m.Entries}
	if c := m.with[m.beside]; c != nil {
		done.Shared = c.entries
	}
	return done
}

// places fills in the entries where sessions left their parents.
func (r *reader) places(ctx context.Context, f *Family) error {
	for i := range f.Members {
		m := r.members[f.Members[i].Session.Key]
		if m == nil {
			continue
		}
		lo, hi := index.Range(m.Key)
		err := r.archive.DB().GetContext(ctx, &f.Members[i].Own, `SELECT count(*) FROM _entry WHERE id > ? AND id <= ? AND dup_of IS NULL`, max(m.last, lo), hi)
		if err != nil {
			return fmt.Errorf("count what a session has of its own: %w", err)
		}
		for _, p := range []struct {
			entry int64
			to    **Place
		}{{m.left, &f.Members[i].Left}, {m.last, &f.Members[i].Last}} {
			if p.entry == 0 {
				continue
			}
			var row query.EntryRow
			if err := r.archive.DB().GetContext(ctx, &row, `SELECT `+query.EntryColumns+` FROM _entry e WHERE e.id = ?`, p.entry); err != nil {
				return fmt.Errorf("read where a session left its parent: %w", err)
			}
			*p.to = &Place{r.members[index.SourceOf(p.entry)].Ref(), *row.Ref()}
		}
	}
	return nil
}
