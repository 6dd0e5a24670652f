package compose

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"piarchive/internal/jsonl"
	"piarchive/internal/jsonl/syntax"
)

// Draft is an entry that is to be written: what its type has to hold is there, and
// of the right kind. It has no id, parent and time yet.
type Draft struct {
	Type   string
	Role   string // of a message
	Target string // the entry that a label or an edit is about
	Kept   string // the entry that a compaction names as the first kept; "" for none

	Parent    string // the entry that it asks to follow; valid if HasParent
	HasParent bool
	Root      bool // it asks to be a root

	system  string
	members ordered
	late    int // how many of the members stand before the id
}

// draftMember is a member of an object that is to be written: its value is JSON.
type draftMember struct{ name, text string }

// Parse reads an entry for a session of a system: a JSON object with the type
// and what belongs to it, or a message alone. Ids and times are given to it later;
// parentId says what it follows. The error names the member that is not as the
// system writes and reads it.
func Parse(text []byte, system string) (*Draft, error) {
	text = bytes.TrimSpace(text)
	if len(text) > jsonl.MaxLine {
		return nil, errors.New("longer than a line that is read again")
	}
	f, ok := parse(string(text))
	if !ok {
		return nil, errors.New("not one JSON value")
	}
	if !f.IsObject() {
		return nil, errors.New("not a JSON object")
	}
	d := &Draft{system: system, Type: f.Get("type").Str()}
	if _, typed := f.Look("type"); !typed && f.Get("role").Str() != "" {
		d.Type = "message"
		f, _ = syntax.Parse(`{"message":` + f.Raw() + "}")
	}
	if d.Type == "" {
		return nil, errors.New("neither an entry with a type nor a message with a role")
	}
	if err := d.place(f); err != nil {
		return nil, err
	}
	shape, known := shapes(system)[d.Type]
	if !known {
		return nil, fmt.Errorf("type %s is none that %s writes", strconv.Quote(d.Type), system)
	}
	if err := d.take(f, shape); err != nil {
		return nil, err
	}
	return d, nil
}

// place reads where in the tree the entry is to be.
func (d *Draft) place(f value) error {
	for _, given := range []string{"id", "timestamp"} {
		if _, ok := f.Look(given); ok {
			return fmt.Errorf("%s is given by the program that writes", given)
		}
	}
	parent, ok := f.Look("parentId")
	switch {
	case ok && parent.IsNull():
		d.Root = true
	case ok && parent.Str() == "":
		return errors.New("parentId is neither an entry id nor null")
	}
	d.Parent, d.HasParent = parent.Str(), ok
	return nil
}

// take checks the members that a shape names and puts them in its order; what it
// does not name comes behind.
func (d *Draft) take(f value, shape string) error {
	named := map[string]bool{"type": true, "parentId": true}
	for _, part := range strings.Fields(shape) {
		if part == "@" {
			d.late = len(d.members)
			continue
		}
		name, kind, _ := strings.Cut(part, ":")
		name, optional := strings.CutSuffix(name, "?")
		named[name] = true
		v, ok := f.Look(name)
		if !ok && optional {
			continue
		}
		if !ok {
			return fmt.Errorf("%s without %s", d.Type, name)
		}
		if err := check(kind, v); err != nil {
			return fmt.Errorf("%s of %s: %w", name, d.Type, err)
		}
		text := compact(v.Raw())
		switch name {
		case "message":
			var err error
			if text, err = d.message(v); err != nil {
				return err
			}
		case "targetId":
			d.Target = v.Str()
		case "firstKeptEntryId":
			d.Kept = v.Str()
		case "name":
			text = syntax.Quote(OneLine(v.Str()))
		}
		d.members = append(d.members, draftMember{name, text})
	}
	for key := range f.Members() {
		if name := key.Str(); !named[name] {
			named[name] = true
			d.members = append(d.members, draftMember{name, compact(f.Get(name).Raw())})
		}
	}
	return nil
}

// message checks a message, and gives it a time if it has none.
func (d *Draft) message(f value) (string, error) {
	d.Role = f.Get("role").Str()
	shape, ok := messageShapes(d.system)[d.Role]
	if !ok {
		return "", fmt.Errorf("role %s is none that %s keeps in a message", strconv.Quote(d.Role), d.system)
	}
	for _, part := range strings.Fields(shape) {
		name, kind, _ := strings.Cut(part, ":")
		name, optional := strings.CutSuffix(name, "?")
		member, ok := f.Look(name)
		if !ok && optional {
			continue
		}
		if !ok {
			return "", fmt.Errorf("message of role %s without %s", d.Role, name)
		}
		if err := check(kind, member); err != nil {
			return "", fmt.Errorf("%s of a message of role %s: %w", name, d.Role, err)
		}
	}
	if at, ok := f.Look("timestamp"); ok && !at.IsNumber() {
		return "", fmt.Errorf("timestamp of a message of role %s: not a number of milliseconds", d.Role)
	}
	return compact(f.Raw()), nil
}

// Complete adds what the program adds that writes the entry: to a message its time,
// to a compaction what it keeps, to the summary of a branch the leaf that was left, and
// to the content of an edit the form that its target takes.
func (d *Draft) Complete(id, leaf, targetRole string, now time.Time) {
	switch d.Type {
	case "message":
		message := d.get("message")
		if object, _ := parse(message); !object.Get("timestamp").Exists() {
			d.members.set("message", strings.TrimSuffix(message, "}")+`,"timestamp":`+strconv.FormatInt(now.UnixMilli(), 10)+"}")
		}
	case "compaction":
		if d.Kept == "" {
			d.insert("firstKeptEntryId", syntax.Quote(id), "summary", "shortSummary")
		}
	case "branch_summary":
		if d.get("fromId") == "" {
			if leaf == "" {
				leaf = "root"
			}
			d.insert("fromId", syntax.Quote(leaf))
		}
	case "context_edit":
		replacement, _ := parse(d.get("replacement"))
		if content := replacement.Get("content"); content.IsString() {
			d.members.set("replacement", jsonl.Rewrite(replacement, map[string]string{"content": jsonl.EditedContent(targetRole, content)}))
		}
	}
}

func (d *Draft) get(name string) string {
	for _, m := range d.members {
		if m.name == name {
			return m.text
		}
	}
	return ""
}

// insert adds a member behind the last of some, or in front of all.
func (d *Draft) insert(name, text string, behind ...string) {
	at := 0
	for i, m := range d.members {
		for _, b := range behind {
			if m.name == b {
				at = i + 1
			}
		}
	}
	d.members = append(d.members[:at:at], append([]draftMember{{name, text}}, d.members[at:]...)...)
}

// Line is the entry as its system writes it, with LF. An empty parent means a root.
func (d *Draft) Line(id, parent, timestamp string) []byte {
	var o objectText
	o.add("type", syntax.Quote(d.Type))
	for _, m := range d.members[:d.late] {
		o.add(m.name, m.text)
	}
	o.add("id", syntax.Quote(id))
	switch {
	case parent != "":
		o.add("parentId", syntax.Quote(parent))
	case d.system != "rust":
		o.add("parentId", "null")
	}
	o.add("timestamp", syntax.Quote(timestamp))
	for _, m := range d.members[d.late:] {
		o.add(m.name, m.text)
	}
	return append([]byte(o.End()), '\n')
}

// Title is the title that an entry of omp's gives the session, and who gave it; ""
// for none.
func (d *Draft) Title() (title, source string) {
	if d.Type != "title_change" {
		return "", ""
	}
	given := func(name string) string {
		v, _ := parse(d.get(name))
		return v.Str()
	}
	return given("title"), given("source")
}

// KeepSystem gives a compaction the system message that stays in force; it has none
// with "".
func (d *Draft) KeepSystem(message string) {
	if message != "" && d.get("systemMessage") == "" {
		d.members.set("systemMessage", message)
	}
}

// Label is an entry of a system that sets the label of another or, with an empty text,
// clears it.
func Label(system, target, text string) (*Draft, error) {
	var o objectText
	o.add("type", `"label"`)
	o.add("targetId", syntax.Quote(target))
	if text != "" {
		o.add("label", syntax.Quote(text))
	}
	return Parse([]byte(o.End()), system)
}

// BranchSummary is an entry that tells what was left where a branch begins.
func BranchSummary(system, text string) (*Draft, error) {
	var o objectText
	o.add("type", `"branch_summary"`)
	o.add("summary", syntax.Quote(text))
	return Parse([]byte(o.End()), system)
}

// Name is an entry that gives a session a name; was is the one it had.
func Name(system, name, was string) (*Draft, error) {
	var o objectText
	if system != "omp" {
		o.add("type", `"session_info"`)
		o.add("name", syntax.Quote(name))
		return Parse([]byte(o.End()), system)
	}
	o.add("type", `"title_change"`)
	o.add("title", syntax.Quote(name))
	o.add("source", `"user"`)
	if was != "" {
		o.add("previousTitle", syntax.Quote(was))
	}
	return Parse([]byte(o.End()), system)
}
