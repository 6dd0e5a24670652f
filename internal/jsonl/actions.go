package jsonl

import "strings"

// Action is what a tool call was to do, or a command that the user ran, as far as
// its arguments tell.
type Action struct {
	Tool    string
	Command string   // a command line; "" for tools that take none
	Path    string   // that was read, edited or written; "" where it stands in a patch
	Changes []Change // to files
}

// Change is what an edit puts in the place of a part of a file, or what a write
// makes of all of it.
type Change struct {
	Op, Path string // write or edit
	Old, New string // Old is "" where the tool was not told
}

// ParseActions decodes the calls of the entry on a line, in their order: the n-th
// is call n of the entry. id picks one of the entries that a line may hold.
func ParseActions(line []byte, id string) []Action {
	object, ok := parseLine(line, id)
	if !ok {
		return nil
	}
	f := object.Get("message")
	switch f.Get("role").Str() {
	case "bashExecution":
		return []Action{{Tool: "bash", Command: f.Get("command").Str()}}
	case "assistant":
	default:
		return nil
	}
	var actions []Action
	for b := range f.Get("content").Items() {
		if b.Get("type").Str() == "toolCall" {
			actions = append(actions, newAction(b.Get("name").Str(), b.Get("arguments")))
		}
	}
	return actions
}

func newAction(tool string, arguments value) Action {
	a := Action{Tool: tool}
	op := operation(tool)
	if op == "" {
		a.Command = commandLine(arguments)
		return a
	}
	a.Path = first(arguments, pathKeys[:]...)
	if op != "read" {
		a.Changes = changes(op, a.Path, arguments)
	}
	return a
}

// commandLine is the command line among arguments: a text, or a list of words, of
// which a shell gets the last as its script.
func commandLine(arguments value) string {
	for _, key := range [...]string{"command", "cmd"} {
		v := arguments.Get(key)
		if v.IsString() {
			return v.Str()
		}
		var parts []string
		for v := range v.Items() {
			parts = append(parts, v.Str())
		}
		if n := len(parts); n == 3 && strings.HasPrefix(parts[1], "-") && strings.HasSuffix(parts[1], "c") {
			return parts[2]
		}
		if len(parts) > 0 {
			return strings.Join(parts, " ")
		}
	}
	return ""
}

// changes are what the arguments of a tool that edits or writes change.
func changes(op, path string, arguments value) []Change {
	var all []Change
	change := func(f value) {
		if diff := f.Get("diff").Str(); diff != "" {
			all = append(all, patchChanges(path, diff)...)
			return
		}
		c := Change{Op: op, Path: path, New: first(f, "newText", "new_string", "new_text", "new_str", "content", "file_text", "lines"),
			Old: first(f, "oldText", "old_string", "old_text", "old_str")}
		if c.Path != "" && (c.New != "" || c.Old != "" || op == "write") {
			all = append(all, c)
		}
	}
	change(arguments)
	for edit := range arguments.Get("edits").Items() {
		change(edit)
	}
	for _, key := range [...]string{"input", "patch"} {
		all = append(all, patchChanges("", arguments.Get(key).Str())...)
	}
	return all
}

// first is the first text among some members, or of a list its texts, one a line.
func first(f value, keys ...string) string {
	for _, key := range keys {
		v := f.Get(key)
		text := v.Str()
		if v.IsArray() {
			var parts []string
			for v := range v.Items() {
				parts = append(parts, v.Str())
			}
			text = strings.Join(parts, "\n")
		}
		if text != "" {
			return text
		}
	}
	return ""
}

// patchChanges are the changes of a patch: one for each file that a header names,
// or for path until there is one. Lines that are neither added, taken away nor
// kept say where.
func patchChanges(path, patch string) []Change {
	var all []Change
	var old, new []string
	c := Change{Op: "edit", Path: path}
	end := func() {
		if c.Path != "" && len(old)+len(new) > 0 {
			c.Old, c.New = strings.Join(old, "\n"), strings.Join(new, "\n")
			all = append(all, c)
		}
		old, new = nil, nil
	}
	for line := range strings.Lines(patch) {
		line = strings.TrimRight(line, "\r\n")
		t := patchHeader(line)
		if t.Path != "" {
			end()
			c = Change{Op: t.Op, Path: t.Path}
			continue
		}
		if strings.HasPrefix(line, "+") || strings.HasPrefix(line, " ") {
			new = append(new, line[1:])
		}
		if strings.HasPrefix(line, "-") || strings.HasPrefix(line, " ") {
			old = append(old, line[1:])
		}
	}
	end()
	return all
}
