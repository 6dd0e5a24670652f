package compose

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"piarchive/internal/jsonl"
	"piarchive/internal/jsonl/syntax"
)

// Header is what the first lines of a new session say.
type Header struct {
	System  string // whose: "pi", "omp" or "rust"
	ID, CWD string
	At      time.Time
	Parent  string // path of the session it was made from; "" for none
	Title   string // omp: its name
	Named   string // omp: who gave it the name, "auto" or "user"
}

// Lines are the header, in omp behind its title slot.
func (h Header) Lines() []byte {
	var o objectText
	o.add("type", `"session"`)
	o.add("version", "3")
	o.add("id", syntax.Quote(h.ID))
	o.add("timestamp", syntax.Quote(Timestamp(h.At)))
	o.add("cwd", syntax.Quote(h.CWD))
	if h.Title != "" {
		o.add("title", syntax.Quote(h.Title))
		if h.Named != "" {
			o.add("titleSource", syntax.Quote(h.Named))
		}
	}
	if h.Parent != "" {
		name := "parentSession"
		if h.System == "rust" {
			name = "branchedFrom"
		}
		o.add(name, syntax.Quote(h.Parent))
	}
	line := append([]byte(o.End()), '\n')
	if h.System == "omp" {
		return append(TitleSlot(h.Title, h.Named, h.At), line...)
	}
	return line
}

// slotBytes is the size of omp's title slot with its LF.
const slotBytes = 256

// TitleSlot is omp's title slot. What of the title does not fit is cut off, at a
// character.
func TitleSlot(title, named string, at time.Time) []byte {
	line := func(title, pad string) string {
		var o objectText
		o.add("type", `"title"`)
		o.add("v", "1")
		o.add("title", syntax.Quote(title))
		if named != "" {
			o.add("source", syntax.Quote(named))
		}
		o.add("updatedAt", syntax.Quote(Timestamp(at)))
		o.add("pad", syntax.Quote(pad))
		return o.End() + "\n"
	}
	characters := []rune(syntax.Valid(title))
	for len(line(string(characters), "")) > slotBytes {
		characters = characters[:len(characters)-1]
	}
	title = string(characters)
	return []byte(line(title, strings.Repeat(" ", slotBytes-len(line(title, "")))))
}

// TitleSource is who gave the title that a header or a title slot has.
func TitleSource(line []byte) string {
	f, _ := parse(string(bytes.TrimSpace(line)))
	if f.Get("type").Str() == "title" {
		return f.Get("source").Str()
	}
	return f.Get("titleSource").Str()
}

// Links are what ties an entry to others of its file. Nil leaves one as it is.
type Links struct {
	ID        *string
	Parent    *string // "" for a root
	FirstKept *string // of a compaction; "" for none
	Renamed   bool    // hookMessage becomes custom, as from version 3 on
}

// Relink is the line of an entry with other links, as it is otherwise, with LF. What
// is not there is added behind the rest, as in a file that pi has migrated.
func Relink(line []byte, links Links) []byte {
	line = bytes.TrimPrefix(bytes.TrimRight(line, "\r\n"), []byte("\xEF\xBB\xBF"))
	object, _ := syntax.Parse(string(line))
	changed := map[string]string{}
	set := func(name string, to *string, none string) {
		if to == nil {
			return
		}
		changed[name] = none
		if *to != "" {
			changed[name] = syntax.Quote(*to)
		}
	}
	set("id", links.ID, "")
	set("parentId", links.Parent, "null")
	set("firstKeptEntryId", links.FirstKept, "")
	if links.FirstKept != nil {
		changed["firstKeptEntryIndex"] = ""
	}
	if message := object.Get("message"); links.Renamed && message.Get("role").Str() == "hookMessage" {
		changed["message"] = jsonl.Rewrite(message, map[string]string{"role": `"custom"`})
	}
	if len(changed) == 0 {
		return append(bytes.Clone(line), '\n')
	}
	return append([]byte(jsonl.Rewrite(object, changed, "id", "parentId", "firstKeptEntryId")), '\n')
}

// System is the system message that stands for all system messages of a
// context, with another time, as pi keeps it in a compaction; "" where there is none.
// Their texts are joined, sections and tools are those in force after the last.
func System(messages []string, at time.Time) string {
	var content []string
	var sections, tools ordered
	found := false
	for _, text := range messages {
		f, _ := parse(text)
		if f.Get("role").Str() != "system" {
			continue
		}
		found = true
		if text := systemText(f.Get("content")); text != "" {
			content = append(content, text)
		}
		for name, section := range f.Get("sections").Members() {
			if section.IsNull() {
				sections.remove(name.Str())
			} else {
				sections.set(name.Str(), compact(section.Raw()))
			}
		}
		for tool := range f.Get("toolsRemoved").Items() {
			tools.remove(tool.Get("name").Str())
		}
		for tool := range f.Get("toolsAdded").Items() {
			tools.set(tool.Get("name").Str(), compact(tool.Raw()))
		}
	}
	if !found {
		return ""
	}
	var o objectText
	o.add("role", `"system"`)
	o.add("content", syntax.Quote(strings.Join(content, "\n\n")))
	if len(sections) > 0 {
		var inner objectText
		for _, m := range sections {
			inner.add(m.name, m.text)
		}
		o.add("sections", inner.End())
	}
	if len(tools) > 0 {
		var list []string
		for _, m := range tools {
			list = append(list, m.text)
		}
		o.add("toolsAdded", "["+strings.Join(list, ",")+"]")
	}
	o.add("timestamp", strconv.FormatInt(at.UnixMilli(), 10))
	return o.End()
}

// systemText is the text of a system message: a string, or the lines of its blocks.
func systemText(content value) string {
	if text := content.Str(); text != "" {
		return text
	}
	var lines []string
	for block := range content.Items() {
		if block.Get("type").Str() == "text" {
			lines = append(lines, block.Get("text").Str())
		}
	}
	return strings.Join(lines, "\n")
}
