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

// markEnclosing marks the session that a subagent worked for. The subagent's own
// session is about to go, or to be found elsewhere.
func (ix *Index) markEnclosing(ctx context.Context, session int64) error {
	if ix.building {
		return nil
	}
	was, err := ix.formerSession(ctx, session)
	ix.markEnclosed(was.Enclosing)
	return err
}

// markEnclosed marks the session that a subagent worked for, where there is one.
func (ix *Index) markEnclosed(path *string) {
	if path != nil {
		ix.dirty.enclosing[*path] = true
	}
}

// resolveTasks decides, for the dirty tasks, which usage that they report the
// archive also has from the subagents' own sessions: there it counts. A task that
// names its subagents needs all of them. Where a fork repeats a task, the usage
// counts in the sessions beside the file that it was copied from.
func (ix *Index) resolveTasks(ctx context.Context) error {
	d := ix.dirty
	if len(d.paths)+len(d.enclosing)+len(d.tasks) == 0 {
		return nil
	}
	var all *subagents
	if len(d.enclosing) > 0 {
		var err error
		if all, err = ix.readSubagents(ctx); err != nil {
			return err
		}
	}
	for path := range d.enclosing {
		d.paths[path] = true
		for _, p := range all.paths[path] { // their own subagents may be among them
			d.paths[p] = true
		}
	}
	for path := range d.paths {
		var tasks []int64
		err := ix.list(ctx, &tasks, `SELECT DISTINCT coalesce(e.copy_of, e.id) FROM _source f JOIN _token_use u ON u.entry BETWEEN f.id << 24 AND (f.id << 24) + 16777215
 JOIN _entry e ON e.id = u.entry WHERE f.path = ? AND u.carrier = 'task'`, path)
		if err != nil {
			return fmt.Errorf("look for the usage of tasks: %w", err)
		}
		for _, id := range tasks {
			d.tasks[id] = true
		}
	}
	for _, id := range slices.Sorted(maps.Keys(d.tasks)) {
		if all == nil {
			var err error
			if all, err = ix.readSubagents(ctx); err != nil {
				return err
			}
		}
		if err := ix.resolveTask(ctx, id, all); err != nil {
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

// resolveTask decides for an entry that counts and for its copies.
func (ix *Index) resolveTask(ctx context.Context, id int64, all *subagents) error {
	var uses []taskUse
	err := ix.list(ctx, &uses, `SELECT u.entry, u.n, u.tasks, u.counted_in_child, f.path FROM
 (SELECT id FROM _entry WHERE id = ?1 UNION ALL SELECT x.id FROM _entry e JOIN _entry x ON x.copy_key = e.copy_key AND x.copy_of = e.id WHERE e.id = ?1) x
 JOIN _token_use u ON u.entry = x.id AND u.carrier = 'task' JOIN _source f ON f.id = x.id >> 24`, id)
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
	inChild := map[use]bool{}
	for _, u := range uses {
		if inChild[of(u)] {
			continue
		}
		if inChild[of(u)], err = all.hold(u); err != nil {
			return err
		}
	}
	for _, u := range uses {
		if u.InChild == inChild[of(u)] {
			continue
		}
		if err := ix.exec(ctx, `UPDATE _token_use SET counted_in_child = ? WHERE entry = ? AND n = ?`, inChild[of(u)], u.Entry, u.N); err != nil {
			return err
		}
		ix.dirty.sessions[SourceOf(u.Entry)] = true
	}
	return nil
}

// subagents are the sessions of subagents, by the session in whose artifact folder
// they lie. A subagent's own subagents lie in the same folder, or in one of its own.
type subagents struct {
	paths map[string][]string
	names map[string]map[string]int // how many bear a name
	of    map[string]string         // by path, the session in whose folder it lies
}

func (ix *Index) readSubagents(ctx context.Context) (*subagents, error) {
	all := &subagents{map[string][]string{}, map[string]map[string]int{}, map[string]string{}}
	var rows []struct {
		Path      string `db:"path"`
		Enclosing string `db:"enclosing"`
	}
	if err := ix.list(ctx, &rows, `SELECT f.path, s.enclosing FROM _session s JOIN _source f ON f.id = s.id WHERE s.enclosing IS NOT NULL`); err != nil {
		return nil, fmt.Errorf("look for subagents: %w", err)
	}
	for _, r := range rows {
		all.of[r.Path] = r.Enclosing
		all.paths[r.Enclosing] = append(all.paths[r.Enclosing], r.Path)
		name := subagentName(r.Path)
		if strings.HasPrefix(name, "__") { // an advisor, whose usage no task reports
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

// hold reports whether the sessions of subagents hold all of what a task reports.
func (s *subagents) hold(u taskUse) (bool, error) {
	own, beside, self := s.names[u.Path], s.names[s.of[u.Path]], subagentName(u.Path)
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
