package jsonl

import "strings"

// ToolCall is one call in an assistant message.
type ToolCall struct {
	ID        string
	Name      string
	Arguments int    // length of the arguments in bytes
	Argument  string // the one that tells most: a command line, a path, a pattern; a part of the line
}

// ToolResult is the outcome of a call, or of a command the user ran.
type ToolResult struct {
	CallID    string
	Name      string
	ByUser    bool // a bash or python command typed by the user: it has no call
	Flagged   bool // isError, as it was recorded
	IsError   bool // flagged, or its details tell of a failure
	Exit      int64
	HasExit   bool
	Truncated bool
}

// Touch is a file that a tool read, wrote or edited, or that a compaction or
// branch summary lists, or that was mentioned.
type Touch struct {
	Op   string // read, write, edit, mention
	Path string
}

func newToolCall(b value) ToolCall {
	arguments := b.Get("arguments")
	return ToolCall{ID: b.Get("id").Str(), Name: b.Get("name").Str(), Arguments: len(arguments.Raw()), Argument: telling(arguments)}
}

// telling is the argument that says best what a call was to do, else the first
// text among them.
func telling(arguments value) string {
	if arguments.IsString() {
		return arguments.Str()
	}
	if line := commandLine(arguments); line != "" {
		return line
	}
	if text := first(arguments, "pattern", "query", "url", "path", "file_path", "filePath", "file", "code", "task", "prompt"); text != "" {
		return text
	}
	for _, name := range [...]string{"input", "patch"} {
		for line := range strings.Lines(arguments.Get(name).Str()) {
			if t := patchHeader(strings.TrimRight(line, "\r\n")); t.Path != "" {
				return t.Path
			}
		}
	}
	for _, v := range arguments.Members() {
		if text := v.Str(); text != "" {
			return text
		}
	}
	return ""
}

// decodeDetails takes the exit code, a failure and truncation from the details of a
// result, where the tools of the family put them. OpenClaw flags few of its errors.
func (r *ToolResult) decodeDetails(details value) {
	r.exit(details.Get("exitCode"))
	status := details.Get("status").Str()
	r.IsError = r.Flagged || r.Exit != 0 || status == "error" || status == "failed"
	t := details.Get("truncation")
	if t.IsObject() {
		r.Truncated = t.Get("truncated").IsTrue()
	}
	r.Truncated = r.Truncated || details.Get("truncated").IsTrue()
}

func (r *ToolResult) exit(code value) {
	if code.IsNumber() {
		r.Exit, r.HasExit = whole(code), true
	}
}

// detailKeys are the details of a result that are text: what an edit changed, and what
// may be output, which is why a tool failed, what it printed, the end of that.
var detailKeys = []string{changeKey, "error", "aggregated", "output", "stdout", "stderr", "tail"}

const changeKey = "diff"

// detailText is the text in some details of a result, and in what was kept of cut
// output, that its content, shown, does not have. Each line of it counts once.
func detailText(details value, keys []string, shown string) string {
	var texts []string
	add := func(text string) {
		if text != "" && !strings.Contains(shown, text) {
			texts = append(texts, text)
		}
	}
	for _, key := range keys {
		add(details.Get(key).Str())
	}
	add(details.Get("truncation").Get("content").Str())
	if len(texts) == 0 {
		return "" // as nearly always: what cut an output repeats what it left
	}
	told := make(map[string]bool, strings.Count(shown, "\n")+2)
	told[""] = true
	tell := func(text string) {
		for line := range strings.Lines(text) {
			told[strings.TrimSpace(line)] = true
		}
	}
	tell(shown)
	var kept []string
	for _, text := range texts {
		for line := range strings.Lines(text) {
			if !told[strings.TrimSpace(line)] {
				kept = append(kept, strings.TrimRight(line, "\r\n"))
			}
		}
		tell(text)
	}
	return strings.Join(kept, "\n")
}

// operation is what a known tool does to the files it names; "" for other tools.
func operation(tool string) string {
	switch tool {
	case "read", "Read", "read_file", "view":
		return "read"
	case "write", "Write", "write_file", "create":
		return "write"
	case "edit", "Edit", "multi_edit", "multiedit", "MultiEdit", "edit_file", "str_replace", "ast_edit", "patch", "apply_patch", "notebook":
		return "edit"
	}
	return ""
}

// pathKeys are the names under which tools are given a path.
var pathKeys = [...]string{"path", "file_path", "filePath", "file"}

// touchCall records the file that a call of a known tool names.
func (e *Entry) touchCall(tool string, arguments value) {
	op := operation(tool)
	if op == "" {
		return
	}
	for _, key := range pathKeys {
		e.touch(op, arguments.Get(key).Str())
	}
	if op == "edit" {
		e.touchPatch(arguments.Get("input").Str())
		e.touchPatch(arguments.Get("patch").Str())
	}
}

// touchPatch records the files that a patch names: behind the words of
// apply_patch, or in the section headers of omp's edits, [path#hash] and, in
// older versions, ¶path#hash. What stands below a header of omp's begins with
// other signs.
func (e *Entry) touchPatch(patch string) {
	named := map[Touch]bool{}
	for line := range strings.Lines(patch) {
		line = strings.TrimRight(line, "\r\n")
		if t := patchHeader(line); t.Path != "" && !named[t] {
			named[t] = true
			e.touch(t.Op, t.Path)
		}
	}
}

func patchHeader(line string) Touch {
	for _, h := range [...]struct{ prefix, op string }{
		{"*** Update File: ", "edit"}, {"*** Delete File: ", "edit"}, {"*** Move to: ", "edit"}, {"*** Add File: ", "write"},
	} {
		if path, ok := strings.CutPrefix(line, h.prefix); ok {
			return Touch{h.op, strings.TrimSpace(path)}
		}
	}
	section, ok := strings.CutPrefix(line, "¶")
	if !ok {
		if section, ok = strings.CutPrefix(line, "["); ok {
			section, ok = strings.CutSuffix(strings.TrimSpace(section), "]")
		}
	}
	at := strings.LastIndexByte(section, '#')
	if !ok || at < 0 || !isHash(section[at+1:]) {
		return Touch{}
	}
	return Touch{"edit", section[:at]}
}

// isHash tells the short hash of a file's content from other words.
func isHash(s string) bool {
	return len(s) >= 2 && len(s) <= 8 && strings.Trim(s, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") == ""
}

// touchDetails records the files that a compaction or summary lists.
func (e *Entry) touchDetails(details value) {
	for path := range details.Get("readFiles").Items() {
		e.touch("read", path.Str())
	}
	for path := range details.Get("modifiedFiles").Items() {
		e.touch("edit", path.Str())
	}
}

func (e *Entry) touch(op, path string) {
	if path != "" {
		e.Touches = append(e.Touches, Touch{Op: op, Path: path})
	}
}
