package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// tale is a session under construction: what a generated file says.
type tale struct {
	path    string
	header  object
	entries []object
	doubled bool // every line is there twice, as pi 0.31 to 0.55 left it
	listed  bool // some of its entries come from a list, and match those of any id
	note    string
}

// teller makes sessions up.
type teller struct {
	*rand.Rand
	t     *testing.T
	dir   string
	clock time.Time
	names int
	tales []*tale
	moved map[string]bool // paths of files that were renamed
}

func newTeller(t *testing.T, seed uint64) *teller {
	return &teller{Rand: rand.New(rand.NewPCG(seed, 7)), t: t, dir: filepath.Join(t.TempDir(), "sessions"), clock: time.Date(2026, 2, 27, 20, 0, 0, 0, time.UTC)}
}

func (r *teller) chance(p float64) bool { return r.Float64() < p }

func (r *teller) stamp() string { return r.clock.Format("2006-01-02T15:04:05.000Z") }

// tick moves the time on; often by nothing, now and then by hours.
func (r *teller) tick() {
	r.clock = r.clock.Add([]time.Duration{0, time.Millisecond, time.Second, 7 * time.Minute, 5 * time.Hour}[r.IntN(5)])
}

func (r *teller) name() string {
	r.names++
	return fmt.Sprintf("%04x%04x", r.names, r.IntN(1<<16))
}

// session begins a session in one of a few projects.
func (r *teller) session(version int) *tale {
	r.clock = r.clock.Add(time.Duration(1+r.IntN(1000)) * time.Millisecond)
	project := []string{"/w/one", "/w/two", "/w/über drei", ""}[r.IntN(4)]
	id := fmt.Sprintf("%08d-0000-7000-8000-000000000000", r.names)
	r.names++
	s := &tale{header: object{"type": "session", "id": id, "timestamp": r.stamp(), "cwd": project}}
	if version > 1 {
		s.header["version"] = version
	}
	s.path = filepath.Join(r.dir, "--p"+fmt.Sprint(len(project))+"--", fmt.Sprintf("%d_%s.jsonl", r.clock.UnixMilli(), id))
	r.tales = append(r.tales, s)
	return s
}

// tell adds n entries to a session, branch by branch.
func (r *teller) tell(s *tale, n int) {
	parent := any(nil)
	for range n {
		if k := len(s.entries); k > 0 {
			parent = s.entries[k-1]["id"]
			if r.chance(.2) {
				parent = s.entries[r.IntN(k)]["id"]
			}
		}
		r.tick()
		e := r.entry(s)
		maps.Copy(e, object{"id": r.name(), "parentId": parent, "timestamp": r.stamp()})
		s.entries = append(s.entries, e)
	}
}

// entry makes up what one entry says.
func (r *teller) entry(s *tale) object {
	message := func(m object) object { return object{"type": "message", "message": m} }
	text := fmt.Sprintf("words %d", r.IntN(1<<30))
	switch r.IntN(16) {
	case 0:
		if s.header["version"] != nil { // no words, but an id
			return message(object{"role": "user", "content": []any{object{"type": "image", "data": "AAAA", "mimeType": "image/png"}}})
		}
		return message(object{"role": "user", "content": text})
	case 1, 2:
		return message(object{"role": "user", "content": text})
	case 3, 4, 5, 6, 7:
		return message(r.assistant(text))
	case 8, 9, 10:
		return message(r.result(s, text))
	case 11:
		return message(object{"role": "bashExecution", "command": "ls " + text, "output": "", "exitCode": r.IntN(2), "cancelled": false, "truncated": r.chance(.3)})
	case 12:
		e := object{"type": "compaction", "summary": text, "firstKeptEntryId": "x", "tokensBefore": 9, "details": object{"readFiles": []string{"a.go"}, "modifiedFiles": []string{text}}}
		return r.using(e)
	case 13:
		return r.using(object{"type": "branch_summary", "fromId": "root", "summary": text})
	case 14:
		return r.using(object{"type": "usage", "kind": "cache_warm", "provider": "acme", "model": r.model()})
	}
	return r.using(object{"type": "model_usage", "purpose": "title", "provider": "acme", "model": r.model()})
}

func (r *teller) model() string { return []string{"m-1", "m-2", "org/m-3"}[r.IntN(3)] }

func (r *teller) assistant(text string) object {
	content := []any{object{"type": "text", "text": text}}
	for n := range r.IntN(3) {
		tool := []string{"read", "write", "edit", "bash", "task"}[r.IntN(5)]
		content = append(content, object{"type": "toolCall", "id": fmt.Sprint("call-", 6*n+r.IntN(6)), "name": tool, "arguments": object{"path": text + ".go"}})
	}
	m := object{"role": "assistant", "provider": []string{"acme", "zeta"}[r.IntN(2)], "model": r.model(), "content": content, "stopReason": []string{"stop", "error", "aborted"}[r.IntN(3)]}
	return r.using(m)
}

// result answers a call of the session, if there is one; it may not be the
// only answer, and the call may be on another branch.
func (r *teller) result(s *tale, text string) object {
	m := object{"role": "toolResult", "toolCallId": fmt.Sprint("call-", r.IntN(10)), "toolName": "bash", "content": []any{object{"type": "text", "text": text}}, "isError": r.chance(.2)}
	switch r.IntN(5) {
	case 2:
		m["content"] = []any{} // of a silent command
	case 0:
		m["details"] = object{"exitCode": r.IntN(3), "truncation": object{"truncated": r.chance(.5)}}
	case 3: // as OpenClaw tells of failures
		m["details"] = object{"status": []string{"completed", "error", "failed"}[r.IntN(3)], "tail": "the end of " + text}
	case 1:
		return r.using(m)
	}
	return m
}

// using gives an entry or message usage of some shape.
func (r *teller) using(o object) object {
	tokens := func() int { return r.IntN(5000) }
	usage := object{"input": tokens(), "output": tokens(), "cacheRead": tokens(), "cacheWrite": tokens(), "cost": object{"input": .001, "total": float64(r.IntN(1e6)) / 1e5}}
	switch r.IntN(10) {
	case 0:
		delete(usage, "cost")
	case 1:
		delete(usage, "cacheWrite")
	case 2:
		usage["output"] = "12"
	case 3:
		usage["cost"] = object{"total": 0}
	case 4:
		usage["reasoning"] = 5
	case 5:
		o["usage"] = []any{nil, "none", []int{1}, object{}}[r.IntN(4)]
		return o
	case 6:
		return o
	default:
		usage["totalTokens"] = tokens()
	}
	o["usage"] = usage
	return o
}

// retold begins a session that another one was made into.
func (r *teller) retold(from *tale, note string) *tale {
	s := r.session(3)
	s.note, s.listed = note, from.listed
	s.header["parentSession"] = from.path
	return s
}

// branch is a fork of one way through a session, as createBranchedSession
// makes it; the newest versions link it anew.
func (r *teller) branch(from *tale) *tale {
	s := r.retold(from, "branch")
	if len(from.entries) == 0 {
		return s
	}
	byID := map[any]object{}
	for _, e := range from.entries {
		byID[e["id"]] = e
	}
	for e := from.entries[r.IntN(len(from.entries))]; e != nil; e = byID[e["parentId"]] {
		s.entries = append(s.entries, maps.Clone(e))
	}
	slices.Reverse(s.entries)
	r.tell(s, r.IntN(5))
	return s
}

// whole is a fork of a whole session, as forkFrom makes it: of a list without
// ids it makes a tree without ids.
func (r *teller) whole(from *tale) *tale {
	s := r.retold(from, "whole")
	s.entries = append(s.entries, from.entries...)
	s.entries = slices.Clone(s.entries)
	r.tell(s, r.IntN(4))
	return s
}

// export is one way through a session under the session's own id.
func (r *teller) export(from *tale) *tale {
	s := r.branch(from)
	s.note = "export"
	s.header["id"], s.header["cwd"] = from.header["id"], from.header["cwd"]
	delete(s.header, "parentSession")
	s.path = filepath.Join(r.dir, "exports", filepath.Base(s.path))
	return s
}

// double is the same file elsewhere, or twice in one.
func (r *teller) double(from *tale) *tale {
	s := &tale{path: filepath.Join(r.dir, "backup", filepath.Base(from.path)), header: from.header, entries: slices.Clone(from.entries), doubled: r.chance(.5), listed: from.listed, note: "double"}
	r.tales = append(r.tales, s)
	return s
}

// list is a session of version 1.
func (r *teller) list(n int) *tale {
	s := r.session(1)
	s.note, s.listed = "version 1", true
	r.tell(s, n)
	for _, e := range s.entries {
		delete(e, "id")
		delete(e, "parentId")
	}
	return s
}

// migrate is what pi makes of a copy of a list when it opens it.
func (r *teller) migrate(from *tale) *tale {
	s := r.session(3)
	s.note, s.listed = "migrated", from.listed
	s.header = maps.Clone(from.header)
	s.header["version"] = 3
	parent := any(nil)
	for _, e := range from.entries {
		e = maps.Clone(e)
		e["id"], e["parentId"] = r.name(), parent
		parent = e["id"]
		s.entries = append(s.entries, e)
	}
	return s
}

// alike is another session that says the same at the same times, under other
// ids: not a copy.
func (r *teller) alike(from *tale) *tale {
	s := r.migrate(from)
	s.note = "alike"
	return s
}

// tasks is a session of omp with sub-agents, whose usage its tasks sum up.
func (r *teller) tasks() *tale {
	s := r.session(3)
	s.note = "tasks"
	s.header["title"] = "with tasks"
	r.tell(s, 4)
	folder := strings.TrimSuffix(s.path, ".jsonl")
	for range r.IntN(3) {
		var results []any
		for range r.IntN(3) {
			id := "Agent" + r.name()
			result := object{"id": id, "agent": "task", "resolvedModel": "acme/m-1"}
			if r.chance(.5) {
				r.using(result)
			}
			results = append(results, result)
			if r.chance(.7) {
				sub := r.session(3)
				sub.note = "sub-agent"
				sub.path = filepath.Join(folder, id+".jsonl")
				r.tell(sub, 3)
			}
		}
		r.tick()
		m := object{"role": "toolResult", "toolCallId": "call-1", "toolName": "task", "content": []any{object{"type": "text", "text": r.name()}}, "details": r.using(object{"results": results})}
		s.entries = append(s.entries, object{"type": "message", "id": r.name(), "parentId": s.entries[len(s.entries)-1]["id"], "timestamp": r.stamp(), "message": m})
	}
	return s
}

// world makes up a root of sessions, a third of them made from others.
func (r *teller) world(n int) {
	for range n {
		var origin *tale
		if k := len(r.tales); k > 0 {
			origin = r.tales[r.IntN(k)]
		}
		switch kind := r.IntN(24); {
		case kind == 0:
			r.migrate(r.list(r.IntN(8)))
		case kind == 1:
			r.tasks()
		case kind < 15 || origin == nil || strings.HasPrefix(origin.note, "sub"):
			r.tell(r.session(2+r.IntN(2)), r.IntN(25))
		default:
			r.offspring(origin, kind)
		}
	}
}

func (r *teller) offspring(origin *tale, kind int) {
	ids := len(origin.entries) > 0 && origin.entries[0]["id"] != nil
	switch {
	case kind < 17 || !ids || origin.note == "gone": // a double of what is gone would be the file, moved
		r.whole(origin)
	case kind < 20:
		r.branch(origin)
	case kind < 21:
		r.export(origin)
	case kind < 22 && !origin.listed:
		r.alike(origin)
	default:
		r.double(origin)
	}
}

// write writes a session as a file.
func (r *teller) write(s *tale) {
	r.t.Helper()
	var text strings.Builder
	for range 2 {
		for _, o := range append([]object{s.header}, s.entries...) {
			line, err := json.Marshal(o)
			if err != nil {
				r.t.Fatal(err)
			}
			text.Write(line)
			text.WriteByte('\n')
		}
		if !s.doubled {
			break
		}
	}
	if err := os.MkdirAll(filepath.Dir(s.path), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(s.path, []byte(text.String()), 0o644); err != nil {
		r.t.Fatal(err)
	}
}
