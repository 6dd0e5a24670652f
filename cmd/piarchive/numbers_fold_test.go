package main

import (
	"cmp"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// foldReference finds the copies among all entries, and the tasks that
// sub-agents tell of themselves.
func foldReference(files []*refFile) {
	held := map[string]*refFile{}
	groups := map[string][]*refEntry{}
	for _, f := range files {
		held[f.path] = f
		for _, e := range f.entries {
			e.original = nil
			if !e.repeated && e.dated {
				key := e.sameness()
				groups[key] = append(groups[key], e)
			}
		}
	}
	for _, group := range groups {
		slices.SortFunc(group, before)
		for i, e := range group {
			for _, first := range group[:i] {
				if first.original == nil && (first.id == e.id || !first.given || !e.given) {
					e.original = first
					break
				}
			}
		}
		for _, e := range group {
			for n := range e.usages {
				e.usages[n].told = e.usages[n].carrier == "task" && slices.ContainsFunc(group, func(x *refEntry) bool {
					return (x == e || cmp.Or(x.original, x) == cmp.Or(e.original, e)) && told(x, x.usages[n].tasks, held)
				})
			}
		}
	}
}

// sameness is all an entry says but its own name and its links.
func (e *refEntry) sameness() string {
	o := maps.Clone(e.all)
	for _, key := range []string{"id", "parentId", "firstKeptEntryId", "firstKeptEntryIndex"} {
		delete(o, key)
	}
	text, _ := json.Marshal(o)
	return string(text)
}

// before orders copies: the first one counts.
func before(a, b *refEntry) int {
	order := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	return cmp.Or(
		order(a.file.missing)-order(b.file.missing),
		order(!a.file.dated)-order(!b.file.dated),
		cmp.Compare(a.file.created, b.file.created),
		strings.Compare(a.file.path, b.file.path),
		a.line-b.line,
	)
}

// told says that there are sessions of the sub-agents whose work a task sums
// up: beside the session, or, for a sub-agent's own, beside it in its folder.
func told(e *refEntry, tasks []string, held map[string]*refFile) bool {
	folders := []string{strings.TrimSuffix(e.file.path, ".jsonl")}
	if above := filepath.Dir(e.file.path); held[above+".jsonl"] != nil {
		folders = append(folders, above)
	}
	there := map[string]bool{}
	for path := range held {
		name := strings.TrimSuffix(filepath.Base(path), ".jsonl")
		if slices.Contains(folders, filepath.Dir(path)) && path != e.file.path && !strings.HasPrefix(name, "__") {
			there[name] = true
		}
	}
	for _, name := range tasks {
		if !there[name] {
			return false
		}
	}
	return len(there) > 0
}

// why says why what an entry used does not count, "" if it does.
func (e *refEntry) why(u refUsage) string {
	switch {
	case e.original == nil && u.told:
		return "subagent"
	case e.original == nil:
		return ""
	case e.original.file == e.file:
		return "repeated"
	case e.original.file.session == e.file.session:
		return "copy"
	}
	return "fork"
}
