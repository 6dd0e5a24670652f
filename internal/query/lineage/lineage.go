// Package lineage tells how sessions come from each other: which were forked from
// which, which worked for which as a subagent, and which repeat another ([Read]).
//
// A fork names its parent in its header, as does a subagent whose header tells that it
// is one; else a subagent lies in the folder of the session that it worked for. All may
// have moved, and parents may be deleted, so what sessions have in common is looked for
// as well: copies of one entry have the same original in the archive, whatever the files
// are called.
//
// A [Family] is whatever these lead to, from one session on. Each session is in it
// once and has one parent; headers that name each other in a circle are cut open.
package lineage

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"piarchive/internal/index"
	"piarchive/internal/query"
)

// Family is sessions that come from each other.
type Family struct {
	Members []Member // depth first, children by the time of their header
	Asked   int      // position of the session that was asked for
}

// Member is one session of a family.
type Member struct {
	Session  query.SessionRef // zero for a parent that the archive lacks
	Named    string           // what headers name such a parent
	Relation string           // to the parent: fork, subagent or copy; "" where there is no parent
	By       string           // what tells of it: header, folder or entries
	Parent   int              // position, -1 where there is none
	Depth    int
	Created  *time.Time // of the header
	Messages int
	Entries  int
	Shared   int    // entries that the parent has as well; of a parent that the archive lacks, another child of it
	Own      int    // entries behind the last of these
	Left     *Place // the last of these there, or what started a subagent
	Last     *Place // the last of these in this session
}

// Path is where the file is, or was: what headers name, where the archive lacks it.
func (m Member) Path() string { return cmp.Or(m.Named, m.Session.Path) }

// Place is an entry of a session.
type Place struct {
	Session query.SessionRef
	Entry   query.EntryRef
}

// member is a session while its family is put together.
type member struct {
	query.SessionRow
	CreatedAt *int64  `db:"created_at"`
	Messages  int     `db:"n_messages"`
	Entries   int     `db:"n_entries"`
	Enclosing *string `db:"enclosing"`

	rows     map[int64]int64 // by original: the last entry that has it
	with     map[int64]*common
	parent   int64 // key; below 0 one that the archive lacks
	beside   int64 // key of the session that it left: the parent, or of a parent that is lacking another child
	relation string
	by       string
	left     int64 // entry
	last     int64 // entry
}

// common is what two sessions share: how much, and the last of it in each.
type common struct {
	entries     int
	here, there int64
}

// Read puts the family of a session together.
func Read(ctx context.Context, a *query.Archive, session query.SessionRef) (*Family, error) {
	r := &reader{archive: a, members: map[int64]*member{}, holders: map[int64][]int64{}, seen: map[int64]bool{}, absent: map[string]int64{}}
	if err := r.readLinks(ctx); err != nil {
		return nil, err
	}
	if err := r.gather(ctx, session.Key); err != nil {
		return nil, err
	}
	if r.members[session.Key] == nil {
		return nil, &query.NotFound{What: "session", Ref: session.Path}
	}
	r.compare()
	all := r.sorted()
	for _, key := range all {
		if err := r.attach(ctx, key, r.members[key]); err != nil {
			return nil, err
		}
	}
	for _, key := range all {
		r.cut(key)
	}
	f := r.family(session.Key)
	return f, r.places(ctx, f)
}

// compareAge puts the session first that was begun first, those without a date last. Of
// copies, which were begun at once, it is the one that others come from.
func (r *reader) compareAge(x, y *member) int {
	date := func(m *member) int64 {
		if m.CreatedAt == nil {
			return math.MaxInt64
		}
		return *m.CreatedAt
	}
	return cmp.Or(cmp.Compare(date(x), date(y)), cmp.Compare(len(r.down[y.Key]), len(r.down[x.Key])), cmp.Compare(x.Path, y.Path))
}

func (r *reader) older(x, y *member) bool { return r.compareAge(x, y) < 0 }

// sorted is the members by age.
func (r *reader) sorted() []int64 {
	keys := slices.Collect(maps.Keys(r.members))
	slices.SortFunc(keys, func(x, y int64) int { return r.compareAge(r.members[x], r.members[y]) })
	return keys
}

// attach gives a session its parent: the one it repeats under its own id, that of its
// folder, of its header, or else the older session that has most of its entries.
func (r *reader) attach(ctx context.Context, key int64, m *member) error {
	link, linked := r.up[key]
	known := linked && link.Parent != nil && r.members[*link.Parent] != nil
	copied := r.nearest(m, func(o *member) bool { return r.older(o, m) && same(o.SessionID, m.SessionID) })
	switch {
	case copied != 0:
		m.relation, m.by, m.parent = "copy", "entries", copied
	case known:
		m.relation, m.by, m.parent = link.Kind, link.By, *link.Parent
	case linked && link.Name != "":
		m.relation, m.by, m.parent = link.Kind, link.By, r.lacking(link)
		m.beside = r.nearest(m, func(*member) bool { return true })
	default:
		if m.parent = r.nearest(m, func(o *member) bool { return r.older(o, m) }); m.parent != 0 {
			m.relation, m.by = "fork", "entries"
		}
	}
	m.beside = cmp.Or(m.beside, m.parent)
	if c := m.with[m.beside]; c != nil {
		m.left, m.last = c.there, c.here
	}
	if m.relation == "subagent" && known {
		return r.start(ctx, key, m)
	}
	return nil
}

// nearest is, of the sessions that will do, the one with most of a session's entries,
// the oldest of several; 0 where none has any.
func (r *reader) nearest(m *member, will func(*member) bool) (nearest int64) {
	for other, c := range m.with {
		o, best := r.members[other], m.with[nearest]
		if will(o) && (best == nil || c.entries > best.entries || c.entries == best.entries && r.older(o, r.members[nearest])) {
			nearest = other
		}
	}
	return nearest
}

func same(x, y *string) bool { return x != nil && y != nil && *x == *y }

// lacking is the key of a parent that the archive lacks, below 0.
func (r *reader) lacking(link link) int64 {
	key, known := r.absent[link.base()]
	if !known {
		key = int64(-1 - len(r.absent))
		r.absent[link.base()] = key
		r.names = append(r.names, link.Name)
	}
	return key
}

// start finds the entry that started a subagent: the call whose result names it, of the
// session it lies beside, or of another subagent there; else the last call before it began.
func (r *reader) start(ctx context.Context, key int64, m *member) error {
	name := m.Path[strings.LastIndexAny(m.Path, `/\`)+1:]
	name = name[:max(strings.LastIndexByte(name, '.'), 0)]
	from := []int64{m.parent}
	for _, other := range r.down[m.parent] {
		if other != key && r.members[other] != nil {
			from = append(from, other)
		}
	}
	for _, session := range from {
		lo, hi := index.Range(session)
		entry, err := r.entry(ctx, `SELECT coalesce(t.call, u.entry) FROM _token_use u JOIN json_each(u.tasks) j ON j.value = ?
 LEFT JOIN _tool_result t ON t.entry = u.entry WHERE u.entry BETWEEN ? AND ? AND u.carrier = 'task' LIMIT 1`, name, lo, hi)
		if err != nil {
			return err
		}
		if entry != 0 {
			m.parent, m.left, m.last = session, entry, 0
			return nil
		}
	}
	lo, hi := index.Range(m.parent)
	var err error
	m.left, err = r.entry(ctx, `SELECT c.entry FROM _tool_call c JOIN _entry e ON e.id = c.entry
 WHERE c.entry BETWEEN ? AND ? AND c.name = 'task' AND e.at <= ? AND e.dup_of IS NULL ORDER BY e.at DESC, e.id DESC LIMIT 1`, lo, hi, m.CreatedAt)
	return err
}

// entry is the row that a query finds, 0 where there is none.
func (r *reader) entry(ctx context.Context, sql string, args ...any) (int64, error) {
	var rows []int64
	if err := r.archive.DB().SelectContext(ctx, &rows, sql, args...); err != nil {
		return 0, fmt.Errorf("look for what started a subagent: %w", err)
	}
	return append(rows, 0)[0], nil
}

// cut takes the parent from a session whose way up comes back to it.
func (r *reader) cut(key int64) {
	walked := map[int64]bool{}
	for at := r.members[key]; at != nil && at.parent != 0; at = r.members[at.parent] {
		if walked[at.Key] {
			return // another circle, to be cut by its own members
		}
		walked[at.Key] = true
		if at.parent == key {
			m := r.members[key]
			m.parent, m.beside, m.relation, m.by, m.left, m.last = 0, 0, "", "", 0, 0
			return
		}
	}
}
