package index

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// parted notes that a subagent's session is about to go, or to be found
// elsewhere.
func (ix *Index) parted(ctx context.Context, session int64) error {
	if ix.building {
		return nil
	}
	var enclosing []string
	if err := ix.list(ctx, &enclosing, `SELECT enclosing FROM session WHERE id = ? AND enclosing IS NOT NULL`, session); err != nil {
		return fmt.Errorf("look for the session of a subagent: %w", err)
	}
	for _, path := range enclosing {
		ix.unsettled.parties[path] = true
	}
	return nil
}

// joined notes that a subagent's session is there; one that has only grown was
// there before.
func (ix *Index) joined(ctx context.Context, s *Session, known bool) error {
	if ix.building {
		return nil
	}
	if known {
		var same bool
		if err := ix.get(ctx, &same, `SELECT enclosing IS ? FROM session WHERE id = ?`, s.Enclosing, s.ID); err != nil {
			return fmt.Errorf("look for the session of a subagent: %w", err)
		}
		if same {
			return nil
		}
		if err := ix.parted(ctx, s.ID); err != nil {
			return err
		}
	}
	if s.Enclosing != nil {
		ix.unsettled.parties[*s.Enclosing] = true
	}
	return nil
}

// settleTasks decides, for the tasks that are noted, which of the usage that
// they report the archive also has from the subagents' own sessions: there it
// counts. A task that names its subagents needs all of them. What a fork repeats
// of a task is told by the sessions beside the file that it was copied from.
func (ix *Index) settleTasks(ctx context.Context) error {
	u := ix.unsettled
	if len(u.paths)+len(u.parties)+len(u.tasks) == 0 {
		return nil
	}
	var all *parties
	if len(u.parties) > 0 {
		var err error
		if all, err = ix.readParties(ctx); err != nil {
			return err
		}
	}
	for path := range u.parties {
		u.paths[path] = true
		for _, p := range all.paths[path] { // their own subagents may be among them
			u.paths[p] = true
		}
	}
	for path := range u.paths {
		var tasks []int64
		err := ix.list(ctx, &tasks, `SELECT DISTINCT coalesce(e.copy_of, e.id) FROM source f JOIN token_use u ON u.entry BETWEEN f.id << 24 AND (f.id << 24) + 16777215
 JOIN entry e ON e.id = u.entry WHERE f.path = ? AND u.carrier = 'task'`, path)
		if err != nil {
			return fmt.Errorf("look for the usage of tasks: %w", err)
		}
		for _, id := range tasks {
			u.tasks[id] = true
		}
	}
	for _, id := range slices.Sorted(maps.Keys(u.tasks)) {
		if all == nil {
			var err error
			if all, err = ix.readParties(ctx); err != nil {
				return err
			}
		}
		if err := ix.settleTask(ctx, id, all); err != nil {
			return err
		}
	}
	return nil
}

// taskUse is usage that a task reports of its subagents.
type taskUse struct {
	Entry   int64   `db:"entry"`
	N       int     `db:"n"`
	Tasks   *string `db:"tasks"`
	InChild bool    `db:"counted_in_child"`
	Path    string  `db:"path"`
}

// settleTask decides for an entry that counts and for its copies.
func (ix *Index) settleTask(ctx context.Context, id int64, all *parties) error {
	var uses []taskUse
	err := ix.list(ctx, &uses, `SELECT u.entry, u.n, u.tasks, u.counted_in_child, f.path FROM
 (SELECT id FROM entry WHERE id = ?1 UNION ALL SELECT x.id FROM entry e JOIN entry x ON x.copy_key = e.copy_key AND x.copy_of = e.id WHERE e.id = ?1) x
 JOIN token_use u ON u.entry = x.id AND u.carrier = 'task' JOIN source f ON f.id = x.id >> 24`, id)
	if err != nil {
		return fmt.Errorf("read the usage of tasks: %w", err)
	}
	type use struct { // the same in copies
		n     int
		tasks string // "": none are named
	}
	of := func(u taskUse) use {
		if u.Tasks == nil {
			return use{u.N, ""}
		}
		return use{u.N, *u.Tasks}
	}
	told := map[use]bool{}
	for _, u := range uses {
		if told[of(u)] {
			continue
		}
		if told[of(u)], err = all.tell(u); err != nil {
			return err
		}
	}
	for _, u := range uses {
		if u.InChild == told[of(u)] {
			continue
		}
		if err := ix.exec(ctx, `UPDATE token_use SET counted_in_child = ? WHERE entry = ? AND n = ?`, told[of(u)], u.Entry, u.N); err != nil {
			return err
		}
		ix.unsettled.sessions[SourceOf(u.Entry)] = true
	}
	return nil
}

// parties are the sessions of subagents by the session in whose artifact folder
// they lie. The folder may be shared: a subagent's own subagents lie there or in
// a folder of its own, so theirs are among them.
type parties struct {
	paths map[string][]string
	names map[string]map[string]int // how many bear a name
	of    map[string]string         // by path, the session in whose folder it lies
}

func (ix *Index) readParties(ctx context.Context) (*parties, error) {
	all := &parties{map[string][]string{}, map[string]map[string]int{}, map[string]string{}}
	var rows []struct {
		Path      string `db:"path"`
		Enclosing string `db:"enclosing"`
	}
	if err := ix.list(ctx, &rows, `SELECT f.path, s.enclosing FROM session s JOIN source f ON f.id = s.id WHERE s.enclosing IS NOT NULL`); err != nil {
		return nil, fmt.Errorf("look for subagents: %w", err)
	}
	for _, r := range rows {
		all.of[r.Path] = r.Enclosing
		all.paths[r.Enclosing] = append(all.paths[r.Enclosing], r.Path)
		name := subagentName(r.Path)
		if strings.HasPrefix(name, "__") { // an advisor, whom no task ever tells of
			continue
		}
		if all.names[r.Enclosing] == nil {
			all.names[r.Enclosing] = map[string]int{}
		}
		all.names[r.Enclosing][name]++
	}
	return all, nil
}

func subagentName(path string) string {
	return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
}

// tell says whether the sessions of subagents tell all of what a task reports.
func (p *parties) tell(u taskUse) (bool, error) {
	own, beside, self := p.names[u.Path], p.names[p.of[u.Path]], subagentName(u.Path)
	has := func(id string) bool {
		n := beside[id]
		if id == self { // which is there itself
			n--
		}
		return own[id] > 0 || n > 0
	}
	if u.Tasks == nil {
		return len(own) > 0 || len(beside) > 1 || len(beside) == 1 && beside[self] != 1, nil
	}
	var ids []string
	if err := json.Unmarshal([]byte(*u.Tasks), &ids); err != nil {
		return false, fmt.Errorf("read the names of subagents: %w", err)
	}
	for _, id := range ids {
		if !has(id) {
			return false, nil
		}
	}
	return true, nil
}
