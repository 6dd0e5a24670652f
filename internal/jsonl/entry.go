package jsonl

import (
	"slices"
	"strings"

	"piarchive/internal/jsonl/date"
)

// Text is what an entry says, by kind of text. Each field may be empty; blocks
// of one kind are separated by line feeds. All of it is valid UTF-8.
type Text struct {
	Output    string // tool results, command output, mentioned files
	Call      string // tool names and arguments, commands
	Assistant string
	Thinking  string
	User      string
	Notes     string // summaries, custom messages, names, labels, system prompts, unknown entries
}

// Columns returns the kinds of text in the order of the fields.
func (t Text) Columns() [6]string {
	return [6]string{t.Output, t.Call, t.Assistant, t.Thinking, t.User, t.Notes}
}

// Flag marks what an entry holds.
type Flag int

// The flags of an entry.
const (
	HasImage Flag = 1 << iota
	HasThinking
	HasToolCall
	IsError     // an error of the model or the tool
	IsAborted   // cut off by the user
	ByExtension // written by an extension (fromHook, fromExtension)
	HidesInPi   // pi drops the whole session from its list because of this entry
)

// Entry is one entry of a session: the facts that are derived from its line.
type Entry struct {
	Line    int   // 1-based physical line
	Offset  int64 // of that line
	Bytes   int64 // of that line, with its LF
	Ordinal int   // 0-based among the entries of the file

	Type      string
	Role      string // of a message
	ID        string
	Synthetic bool   // the file gives no id; see [Scanner]
	ParentID  string // "" for roots
	NoParent  bool   // the key parentId is absent

	Timestamp string // as written
	Time      int64  // in Unix milliseconds; valid if TimeOK
	TimeOK    bool

	Text   Text
	Flags  Flag
	Images int64 // bytes of the line that are images

	Provider   string // of an assistant message, a model change, a usage entry
	Model      string
	StopReason string
	Tool       string // name of the tool that a result belongs to

	Listing    Listing
	Usages     []Usage
	Calls      []ToolCall
	Result     *ToolResult
	Touches    []Touch
	Label      *Label
	Name       *Name
	Compaction *Compaction
	Custom     string // customType
	omp        bool   // of a type or role only omp writes
}

// Listing is what a message contributes to the session list.
type Listing struct {
	Counts   bool    // it is a message, of whatever role
	Talk     bool    // role user or assistant with a content key
	Text     string  // of Talk: the string content, or its text blocks joined by one space
	Activity float64 // of Talk: when, in Unix milliseconds; valid if Active
	Active   bool
}

// Label sets or, when Text is "", clears the label of an entry.
type Label struct{ TargetID, Text string }

// Name sets or, when Text is "", clears the name of the session.
type Name struct{ Text string }

// Compaction says from where on the context keeps the entries before it.
type Compaction struct {
	FirstKeptID      string
	FirstKeptOrdinal int // v1: the entry the index points at; -1 if none
	keptIndex        int // v1: position among all parsed lines, header included; -1 if none
	TokensBefore     float64
}

// decodeEntry reads an entry from its object.
func decodeEntry(f value) *Entry {
	parent, parented := f.Look("parentId")
	e := &Entry{Type: scalar(f.Get("type")), ID: scalar(f.Get("id")), ParentID: parentID(parent), NoParent: !parented}
	e.setTime(f.Get("timestamp"))
	e.decodeType(f)
	return e
}

// parentID is the parent as text. Only null and "" mean a root; anything else
// names a parent, if only one that no entry can be.
func parentID(v value) string {
	if s := scalar(v); s != "" || v.IsString() || v.IsNull() {
		return s
	}
	return v.Raw()
}

func (e *Entry) setTime(v value) {
	switch {
	case v.IsString():
		e.Timestamp = v.Str()
		e.Time, e.TimeOK = date.Parse(e.Timestamp)
	case v.IsNumber():
		e.Timestamp = v.Raw()
		e.Time, e.TimeOK = date.FromNumber(v.Num())
	}
}

// decodeType fills in what the entry type says.
func (e *Entry) decodeType(f value) {
	if f.Get("fromHook").IsTrue() || f.Get("fromExtension").IsTrue() {
		e.Flags |= ByExtension
	}
	e.Custom = f.Get("customType").Str()
	switch e.Type {
	case "message":
		e.Listing.Counts = true
		e.decodeMessage(f.Get("message"))
	case "compaction":
		e.decodeCompaction(f)
	case "branch_summary":
		e.Text.Notes = f.Get("summary").Str()
		e.usage("branch_summary", f.Get("usage"))
		e.touchDetails(f.Get("details"))
	case "custom_message":
		e.Text.Notes = e.contentText(f.Get("content"))
	case "label":
		e.Label = &Label{TargetID: scalar(f.Get("targetId")), Text: labelText(f.Get("label"))}
		e.Text.Notes = e.Label.Text
	case "session_info":
		e.decodeName(f.Get("name"))
	case "model_change":
		e.decodeModelChange(f)
	case "usage", "model_usage":
		e.Provider, e.Model = f.Get("provider").Str(), f.Get("model").Str()
		e.omp = e.Type == "model_usage"
		e.usage(e.Type, f.Get("usage"))
		e.Text.Notes = f.Get("note").Str()
	case "title_change":
		e.omp = true
		e.Text.Notes = f.Get("title").Str()
	case "session_init":
		e.omp = true
		e.Text.Notes = lines(f.Get("task").Str(), f.Get("systemPrompt").Str())
	case "ttsr_injection", "mode_change", "service_tier_change", "mcp_tool_selection", "credential_pin", "reset_boundary":
		e.omp = true
	case "thinking_level_change", "context_edit", "custom", "leaf", "active_tools_change":
		// settings and private data: kept raw; only what replaces a content is searched
		if e.Type == "context_edit" {
			e.Text.Notes = e.contentText(f.Get("replacement").Get("content"))
		}
	default:
		e.Text.Notes = unknownText(f)
	}
}

func (e *Entry) decodeCompaction(f value) {
	c := &Compaction{FirstKeptID: f.Get("firstKeptEntryId").Str(), FirstKeptOrdinal: -1, keptIndex: -1, TokensBefore: f.Get("tokensBefore").Num()}
	if k := f.Get("firstKeptEntryIndex"); k.IsNumber() && float64(whole(k)) == k.Num() {
		c.keptIndex = int(whole(k))
	}
	e.Compaction = c
	e.Text.Notes = lines(f.Get("summary").Str(), f.Get("shortSummary").Str())
	e.usage("compaction", f.Get("usage"))
	e.touchDetails(f.Get("details"))
}

// decodeName reads the name of a session. A name that is no string makes pi
// drop the session from its list; here it changes nothing.
func (e *Entry) decodeName(name value) {
	if !name.IsString() && !name.IsNull() {
		e.Flags |= HidesInPi
		return
	}
	e.Name = &Name{Text: Trim(name.Str())}
	e.Text.Notes = e.Name.Text
}

func (e *Entry) decodeModelChange(f value) {
	e.Provider, e.Model = f.Get("provider").Str(), f.Get("modelId").Str()
	if m := f.Get("model").Str(); m != "" && e.Model == "" {
		e.Provider, e.Model = splitModel(m)
		e.omp = true
	}
}

// labelText is the label as text; falsy values clear it.
func labelText(v value) string {
	switch {
	case !truthy(v):
		return ""
	case v.IsObject() || v.IsArray():
		return v.Raw()
	}
	return scalar(v)
}

// lines joins the non-empty parts by line feeds. It takes the others out of parts.
func lines(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "\n")
}
