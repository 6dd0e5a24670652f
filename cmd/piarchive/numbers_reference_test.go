package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// This file is a second, short count of what session files hold, for tests to
// compare the archive with. It reads the files with encoding/json alone and
// shares no code with the program: what both get wrong, both must have
// misunderstood.

// object is a JSON object.
type object map[string]any

func (o object) text(key string) string { s, _ := o[key].(string); return s }

func (o object) number(key string) (n float64, ok bool) { n, ok = o[key].(float64); return n, ok }

func (o object) sub(key string) object { m, _ := o[key].(map[string]any); return m }

func (o object) list(key string) []any { l, _ := o[key].([]any); return l }

// refFile is a session file.
type refFile struct {
	path, session, project string
	created                int64
	dated                  bool // created is known
	missing                bool // it was there once
	entries                []*refEntry
}

// refEntry is an entry of a session file.
type refEntry struct {
	file            *refFile
	line            int
	raw             string
	all             object
	kind, role      string
	id              string
	given           bool // the file says the id
	parent          string
	at              int64
	dated           bool
	repeated        bool      // another line of its id counts
	original        *refEntry // of a copy
	active          bool
	calls           []refCall
	touches         [][2]string
	usages          []refUsage
	provider, model string
	flagged, failed bool
	answers, tool   string
	exit            *int64
	truncated       bool
}

type refCall struct{ id, tool string }

// refUsage is what one model call used.
type refUsage struct {
	carrier                                             string
	input, output, cacheRead, cacheWrite, reason, total int64
	cost                                                *float64
	partial                                             bool
	tasks                                               []string // of carrier task: the sub-agents
	told                                                bool     // sub-agents' own sessions say it, too
	provider, model                                     string
}

// readReference reads the sessions below a root.
func readReference(t *testing.T, root string) []*refFile {
	t.Helper()
	var files []*refFile
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(path) == ".jsonl" {
			if f := readReferenceFile(t, path); f != nil {
				files = append(files, f)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// readReferenceFile reads a file, nil if it is no session of the versions 1 to 3.
func readReferenceFile(t *testing.T, path string) *refFile {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f := &refFile{path: path}
	var header object
	line := 0
	for text := range bytes.Lines(data) {
		line++
		var o object
		if json.Unmarshal(text, &o) != nil || o == nil {
			continue
		}
		switch {
		case line == 1 && o.text("type") == "title" && o["pad"] != nil:
		case o.text("type") != "session":
			e := &refEntry{file: f, line: line, raw: strings.TrimRight(string(text), "\r\n"), all: o}
			e.kind, e.role = o.text("type"), o.sub("message").text("role")
			e.at, e.dated = refTime(o["timestamp"])
			f.entries = append(f.entries, e)
		case header == nil:
			header = o
		}
	}
	if header == nil {
		return nil
	}
	f.session, f.project = header.text("id"), header.text("cwd")
	f.created, f.dated = refTime(header["timestamp"])
	version, versioned := header.number("version")
	f.identify(version, versioned)
	for _, e := range f.entries {
		e.decode(version)
	}
	f.activate()
	return f
}

func refTime(v any) (int64, bool) {
	switch v := v.(type) {
	case string:
		at, err := time.Parse(time.RFC3339Nano, v)
		return at.UnixMilli(), err == nil
	case float64:
		return int64(v), true
	}
	return 0, false
}

// identify gives each entry its id and parent, and finds repeated lines.
func (f *refFile) identify(version float64, versioned bool) {
	tree := version >= 2 || !versioned && !slices.ContainsFunc(f.entries, func(e *refEntry) bool {
		_, linked := e.all["parentId"]
		return e.all.text("id") == "" || !linked
	})
	counts := map[string]*refEntry{}
	for n, e := range f.entries {
		e.id, e.parent = e.all.text("id"), e.all.text("parentId")
		e.given = tree && e.id != ""
		if !tree && n > 0 {
			e.parent = f.entries[n-1].id
		}
		if !e.given {
			e.id = "~" + string(rune(0xF0000+n))
		}
		switch earlier := counts[e.id]; {
		case earlier == nil:
			counts[e.id] = e
		case earlier.raw == e.raw:
			e.repeated = true
		default:
			earlier.repeated = true
			counts[e.id] = e
		}
	}
}

// activate marks the way from the last entry to its root.
func (f *refFile) activate() {
	counts := map[string]*refEntry{}
	for _, e := range f.entries {
		if !e.repeated {
			counts[e.id] = e
		}
	}
	if n := len(f.entries); n > 0 {
		for e := counts[f.entries[n-1].id]; e != nil && !e.active; e = counts[e.parent] {
			e.active = true
		}
	}
}

// decode finds what counts.
func (e *refEntry) decode(version float64) {
	message := e.all.sub("message")
	switch e.kind {
	case "message":
		e.provider, e.model = message.text("provider"), message.text("model")
		e.message(message)
	case "compaction", "branch_summary":
		e.use(e.kind, e.all["usage"])
		for _, list := range [][2]string{{"readFiles", "read"}, {"modifiedFiles", "edit"}} {
			for _, path := range e.all.sub("details").list(list[0]) {
				e.touch(list[1], path)
			}
		}
	case "usage", "model_usage":
		e.provider, e.model = e.all.text("provider"), e.all.text("model")
		e.use(e.kind, e.all["usage"])
	}
	if e.role == "hookMessage" && version < 3 {
		e.role = "custom"
		message["role"] = "custom"
	}
}

func (e *refEntry) message(m object) {
	details := m.sub("details")
	switch e.role {
	case "assistant":
		e.failed = m.text("stopReason") == "error"
		for _, b := range m.list("content") {
			block, _ := b.(map[string]any)
			if b := object(block); b.text("type") == "toolCall" {
				e.calls = append(e.calls, refCall{b.text("id"), b.text("name")})
				e.reach(b.text("name"), b.sub("arguments"))
			}
		}
		e.use("assistant", m["usage"])
	case "toolResult":
		e.answers, e.tool = m.text("toolCallId"), m.text("toolName")
		e.truncated = details["truncated"] == true || details.sub("truncation")["truncated"] == true
		e.left(details)
		e.flagged = m["isError"] == true
		e.failed = e.flagged || e.exit != nil && *e.exit != 0 || details["status"] == "error" || details["status"] == "failed"
		e.use("toolResult", m["usage"])
		if e.tool == "task" {
			e.useTasks(details)
		}
	case "bashExecution", "pythonExecution":
		e.left(m)
		e.failed = e.exit != nil && *e.exit != 0
	case "fileMention":
		for _, f := range m.list("files") {
			file, _ := f.(map[string]any)
			e.touch("mention", file["path"])
		}
	}
}

func (e *refEntry) left(o object) {
	if n, ok := o.number("exitCode"); ok {
		exit := int64(n)
		e.exit = &exit
	}
}

// reach takes the file from the arguments of a tool that has one.
func (e *refEntry) reach(tool string, arguments object) {
	if op := map[string]string{"read": "read", "write": "write", "edit": "edit"}[strings.ToLower(tool)]; op != "" {
		e.touch(op, arguments["path"])
		e.touch(op, arguments["file_path"])
	}
}

func (e *refEntry) touch(op string, path any) {
	if s, _ := path.(string); s != "" {
		e.touches = append(e.touches, [2]string{op, s})
	}
}

// useTasks takes the usage of each sub-agent, or where it is not told, of all.
func (e *refEntry) useTasks(details object) {
	var names []string
	alone := false
	for _, r := range details.list("results") {
		result, _ := r.(map[string]any)
		name := object(result).text("id")
		if name != "" {
			names = append(names, name)
		}
		if e.use("task", result["usage"]) {
			alone = true
			u := &e.usages[len(e.usages)-1]
			if u.provider, u.model = e.provider, e.model; name != "" {
				u.tasks = []string{name}
				provider, model, _ := strings.Cut(object(result).text("resolvedModel"), "/")
				u.provider, u.model = provider, model
			}
		}
	}
	if !alone && e.use("task", details["usage"]) {
		e.usages[len(e.usages)-1].tasks = names
	}
}

func (e *refEntry) use(carrier string, v any) bool {
	usage, ok := v.(map[string]any)
	if !ok {
		return false
	}
	o, u := object(usage), refUsage{carrier: carrier, provider: e.provider, model: e.model}
	for key, n := range map[string]*int64{"input": &u.input, "output": &u.output, "cacheRead": &u.cacheRead, "cacheWrite": &u.cacheWrite} {
		v, ok := o.number(key)
		*n = int64(v)
		u.partial = u.partial || !ok
	}
	for _, key := range []string{"reasoning", "reasoningTokens"} {
		v, _ := o.number(key)
		u.reason += int64(v)
	}
	u.total = u.input + u.output + u.cacheRead + u.cacheWrite
	if v, ok := o.number("totalTokens"); ok {
		u.total = int64(v)
	}
	if v, ok := o.sub("cost").number("total"); ok {
		u.cost = &v
	}
	e.usages = append(e.usages, u)
	return true
}
