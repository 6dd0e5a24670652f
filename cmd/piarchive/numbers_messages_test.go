package main

import (
	"slices"
)

// countMessage adds a message to the sums it belongs to.
func countMessage(e *refEntry, daily, models, projects sums) {
	if e.kind != "message" || e.original != nil {
		return
	}
	projects.at(e.file.project).add("messages", 1)
	provider, model := "", ""
	if e.role == "assistant" {
		provider, model = e.provider, e.model
	}
	s := daily.at(day(e), e.file.project, provider, model)
	s.sessions[e.file] = true
	switch e.role {
	case "user":
		s.add("users", 1)
	case "assistant":
		s.add("assistants", 1)
	}
	s.add("errors", number(e.failed).(float64))
	s.add("tools", float64(len(e.calls)))
	if e.role == "assistant" && (model != "" || len(e.usages) > 0) {
		m := models.at(provider, model)
		m.sessions[e.file] = true
		m.span(day(e))
		m.add("tools", float64(len(e.calls)))
	}
}

// joinCalls joins the calls of a session with their results.
func joinCalls(f *refFile, rows map[string]any, tools sums) {
	type call struct {
		e *refEntry
		n int
	}
	results := map[call][]*refEntry{}
	for _, e := range f.entries {
		if e.role != "toolResult" || e.repeated {
			continue
		}
		c, n := e.call()
		tools.result(e, c)
		if c != nil {
			results[call{c, n}] = append(results[call{c, n}], e)
		}
	}
	for _, e := range f.entries {
		if e.repeated {
			continue
		}
		for n, c := range e.calls {
			answers := results[call{e, n}]
			tools.call(e, c)
			if answers == nil {
				answers = []*refEntry{nil}
			}
			for _, r := range answers {
				line, row := 0, map[string]any{"tool": c.tool, "active": number(e.active), "counted": number(e.original == nil)}
				if r != nil {
					line = r.line
					row["failed"], row["flagged"], row["truncated"] = number(r.failed), number(r.flagged), number(r.truncated)
					row["active"], row["counted"] = number(r.active), number(r.original == nil)
					if r.exit != nil {
						row["exit"] = number(*r.exit)
					}
					if r.dated && e.dated {
						row["ms"] = number(r.at - e.at)
					}
				}
				rows[rowName(f.path, e.line, c.id, line)] = row
			}
		}
	}
}

// call adds a call to the sums of its tool.
func (s sums) call(e *refEntry, c refCall) {
	if e.original == nil {
		t := s.at(c.tool)
		t.sessions[e.file] = true
		t.add("calls", 1)
	}
}

// result adds a result to the sums of its tool; the call may be unknown, where a
// file holds but the end of a session.
func (s sums) result(r, caller *refEntry) {
	if r.original != nil {
		return
	}
	t := s.at(r.tool)
	t.sessions[r.file] = true
	t.add("results", 1)
	t.add("errors", number(r.failed).(float64))
	t.add("truncated", number(r.truncated).(float64))
	if caller != nil && r.dated && caller.dated {
		t.add("timed", 1)
		t.add("ms", float64(r.at-caller.at))
		t.row["mean_ms"] = t.row["ms"].(float64) / t.row["timed"].(float64)
	}
}

// call finds the call that a result answers: of those of its id the nearest on
// the way to the root, else the latest before it in the file.
func (e *refEntry) call() (caller *refEntry, n int) {
	byID := map[string]*refEntry{}
	for _, c := range e.file.entries {
		if !c.repeated {
			byID[c.id] = c
		}
	}
	if e.answers == "" {
		return nil, 0
	}
	find := func(c *refEntry) bool {
		for i := len(c.calls) - 1; i >= 0; i-- {
			if c.calls[i].id == e.answers {
				caller, n = c, i
				return true
			}
		}
		return false
	}
	seen := map[*refEntry]bool{}
	for c := byID[e.parent]; c != nil && !seen[c]; c = byID[c.parent] {
		if seen[c] = true; find(c) {
			return caller, n
		}
	}
	for _, c := range slices.Backward(e.file.entries) {
		if c.line < e.line && !c.repeated && find(c) {
			return caller, n
		}
	}
	return nil, 0
}
