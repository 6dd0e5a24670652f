// Package rows turns the entries of a session into rows of an archive. It is the only
// place where that is done: a change here means a new schema.Projection.
//
// A [Maker] is given the entries of one source in their order, and emits their rows. It
// reads and writes nothing; who uses it knows which entry is the parent of another.
package rows

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"piarchive/internal/index"
	"piarchive/internal/jsonl"
	"piarchive/internal/places"
	"piarchive/internal/words"
)

// longText is the length up to which the memory of a text is used again.
const longText = 8 << 20

// Maker turns the entries of one source into rows.
type Maker struct {
	Source int64
	Path   string
	Feeder *words.Feeder // nil: nobody will search
	Emit   func(row any)

	buf []byte
}

// Call names a tool call: the entry that makes it, and its place there.
type Call struct {
	Entry int64 `db:"entry"`
	N     int   `db:"n"`
}

// problemTooManyWords is a fault of an entry's text, not of its line.
const problemTooManyWords = "too-many-words"

// Entry emits the rows of an entry. A repeat of an earlier line has its row and
// its words in the session list, and nothing that would count twice.
func (m *Maker) Entry(e *jsonl.Entry, parent, dupOf *int64) {
	id := index.ID(m.Source, e.Ordinal+1)
	flags := int(e.Flags)
	if e.Synthetic {
		flags |= index.FlagSynthetic
	}
	if e.Text == (jsonl.Text{}) {
		flags |= index.FlagTextless
	}
	row := &index.Entry{
		ID: id, Parent: parent, DupOf: dupOf, Line: e.Line, Offset: e.Offset, Bytes: e.Bytes,
		Flags: flags, Images: e.Images, EntryID: e.ID, ParentID: optional(e.ParentID), Type: e.Type, Role: optional(e.Role),
		Provider: optional(e.Provider), Model: optional(e.Model), Tool: optional(e.Tool), Stop: optional(e.StopReason), Custom: optional(e.Custom),
	}
	if e.TimeOK {
		row.At = &e.Time
	}
	if dupOf == nil && m.Feeder != nil {
		row.CopyKey = copyKey(e)
	}
	m.Emit(row)
	if e.Listing.Text != "" {
		m.Emit(&index.Prose{ID: id, Text: e.Listing.Text})
	}
	if dupOf != nil {
		return
	}
	if line := errorLine(e); line != "" {
		m.Emit(&index.ErrorLine{Entry: id, Text: line})
	}
	text := e.Text
	e.Text = jsonl.Text{} // what is made of it takes memory enough
	m.text(id, text, e.Line, e.Offset)
	m.facts(id, e)
}

// excerptBytes is how much of an argument or of an error SQL gets to see.
const excerptBytes = 256

// excerpt is the beginning of a text, apart from the line that it is a part of.
func excerpt(text string) string {
	if len(text) <= excerptBytes {
		return strings.Clone(text)
	}
	n := excerptBytes - len("…")
	for !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}

// errorLine is the first line with words of what went wrong, without escape
// sequences; "" where nothing did.
func errorLine(e *jsonl.Entry) string {
	if e.Flags&jsonl.IsError == 0 {
		return ""
	}
	text := e.Text.Output
	if e.Result == nil {
		text = e.Text.Notes // of a model
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(words.Plain(line)); line != "" {
			return excerpt(line)
		}
	}
	return ""
}

// text emits the full-text row, if there is any text on the line.
func (m *Maker) text(id int64, t jsonl.Text, line int, offset int64) {
	columns := t.Columns()
	if m.Feeder == nil || columns == [6]string{} {
		return
	}
	if m.Feeder.Fit(columns[:]) {
		source := m.Source
		m.Emit(&index.Problem{Source: &source, Path: m.Path, Line: line, Offset: offset, Kind: problemTooManyWords,
			Message: fmt.Sprintf("more than %d different words; what comes behind them is found by regular expressions alone", words.MostWords)})
	}
	row := &index.Text{ID: id}
	var ends [len(columns)]int
	buf := words.TokenList(m.buf[:0])
	for i, c := range columns {
		buf = m.Feeder.Feed(buf, c)
		ends[i] = len(buf)
	}
	all, start := bytes.Clone(buf), 0
	for i, end := range ends {
		if end > start {
			row.Columns[i] = all[start:end]
		}
		start = end
	}
	if m.buf = buf; cap(buf) > longText {
		m.buf = nil
	}
	m.Emit(row)
}

// facts emits what can be counted and joined.
func (m *Maker) facts(id int64, e *jsonl.Entry) {
	for n, u := range e.Usages {
		row := tokenUse(id, n, u)
		if u.Provider == e.Provider && u.Model == e.Model {
			row.Provider, row.Model = nil, nil // the entry's own
		}
		m.Emit(row)
	}
	for n, c := range e.Calls {
		m.Emit(&index.ToolCall{Entry: id, N: n, CallID: optional(c.ID), Name: c.Name, Arguments: c.Arguments, Argument: optional(excerpt(c.Argument))})
	}
	for n, t := range e.Touches {
		m.Emit(&index.Touch{Entry: id, N: n, Op: t.Op, Path: t.Path})
	}
	if l := e.Label; l != nil {
		m.Emit(&index.Label{Entry: id, TargetID: l.TargetID, Label: optional(l.Text)})
	}
	if c := e.Compaction; c != nil {
		row := &index.Compaction{Entry: id, FirstKeptID: optional(c.FirstKeptID)}
		if c.FirstKeptOrdinal >= 0 {
			kept := index.ID(m.Source, c.FirstKeptOrdinal+1)
			row.FirstKept = &kept
		}
		if c.TokensBefore > 0 && c.TokensBefore < 1<<53 {
			tokens := int64(c.TokensBefore)
			row.TokensBefore = &tokens
		}
		m.Emit(row)
	}
}

func tokenUse(id int64, n int, u jsonl.Usage) *index.TokenUse {
	row := &index.TokenUse{
		Entry: id, N: n, Carrier: u.Carrier, Provider: optional(u.Provider), Model: optional(u.Model),
		Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite,
		Reasoning: u.Reasoning, Total: u.Total, Partial: u.Partial,
	}
	if u.Tasks != nil {
		tasks := array(u.Tasks)
		row.Tasks = &tasks
	}
	if u.HasCost {
		row.CostAll, row.CostInput, row.CostOutput = &u.Cost, &u.CostInput, &u.CostOutput
		row.CostCacheRead, row.CostCacheWrite = &u.CostCacheRead, &u.CostCacheWrite
	}
	return row
}

// Result emits the outcome of a tool, joined with the call it answers.
func (m *Maker) Result(e *jsonl.Entry, call *Call) {
	r := e.Result
	row := &index.ToolResult{
		Entry: index.ID(m.Source, e.Ordinal+1), CallID: optional(r.CallID), Name: r.Name,
		ByUser: r.ByUser, Flagged: r.Flagged, IsError: r.IsError, Truncated: r.Truncated,
	}
	if call != nil {
		row.Call, row.CallN, row.CallID = &call.Entry, &call.N, nil // the call has the id
	}
	if r.HasExit {
		row.ExitCode = &r.Exit
	}
	m.Emit(row)
}

// Header emits the full-text row of the title that stands in front of the
// entries.
func (m *Maker) Header(h *jsonl.Header, at jsonl.Line, slot *jsonl.TitleSlot) {
	title := h.Title
	if slot != nil {
		title = slot.Title
	}
	m.text(index.ID(m.Source, 0), jsonl.Text{Notes: title}, at.No, at.Offset)
}

// Session makes the row of the session itself.
func (m *Maker) Session(s *jsonl.Scanner, found places.Found) *index.Session {
	h, at := s.Header()
	sum := s.Summary()
	row := &index.Session{
		ID: m.Source, SessionID: optional(h.ID), Kind: string(places.Session), Format: h.Version, CWD: h.CWD,
		System: sum.System(h, s.Slot(), dottedName(found.Path)), Name: optional(sum.DisplayName(h, s.Slot())),
		Messages: sum.Messages, Parent: optional(h.Parent), ParentForm: optional(h.ParentForm), Enclosing: optional(found.Enclosing),
		Models: array(sum.Models), Anomalies: array(sum.Anomalies),
		HeaderLine: at.No, HeaderOffset: at.Offset, HeaderBytes: at.Bytes,
	}
	if found.Kind == places.Subagent || h.Subagent {
		row.Kind = string(places.Subagent)
	}
	if h.CreatedOK {
		row.CreatedAt = &h.Created
	}
	if ms, ok := sum.Modified(h, (found.MtimeNs+5e5)/1e6); ok { // rounded, as Node does
		row.ModifiedAt = &ms
	}
	if sum.HasFirst && sum.First != "" {
		row.FirstMessage = &sum.First
	}
	return row
}

// copyKey is what copies of an entry in other files share. Ids alone collide,
// and a fork may link its copies anew, so it is made of time, role, text and
// usage. A message without text and usage, such as the result of a silent
// command, is known by the call it answers, or by an id that the file gives.
func copyKey(e *jsonl.Entry) *int64 {
	name := ""
	if e.Text == (jsonl.Text{}) && len(e.Usages) == 0 {
		if name = nameOfSilent(e); name == "" {
			return nil
		}
	}
	sum := sha256.New()
	var at [8]byte
	binary.BigEndian.PutUint64(at[:], uint64(e.Time))
	sum.Write(at[:])
	columns := e.Text.Columns()
	for _, part := range append([]string{e.Type, e.Role + name}, columns[:]...) {
		io.WriteString(sum, part)
		sum.Write([]byte{0})
	}
	for _, u := range e.Usages {
		text := append(at[:0:0], u.Carrier+" "+u.Provider+" "+u.Model...)
		for _, n := range [...]int64{u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Total} {
			text = strconv.AppendInt(append(text, ' '), n, 10)
		}
		sum.Write(append(strconv.AppendFloat(append(text, ' '), u.Cost, 'g', -1, 64), '\n'))
	}
	key := int64(binary.BigEndian.Uint64(sum.Sum(nil)))
	return &key
}

// nameOfSilent returns what identifies a message without text and usage, "" where
// nothing does.
func nameOfSilent(e *jsonl.Entry) string {
	switch {
	case e.Type != "message" || !e.TimeOK:
	case e.Result != nil && e.Result.CallID != "":
		return e.Result.CallID
	case !e.Synthetic:
		return e.ID
	}
	return ""
}

// dottedName recognises the file names of pi_agent_rust: a dot, not a dash,
// before the milliseconds of the time.
func dottedName(path string) bool {
	name := baseName(path)
	return len(name) > 24 && name[10] == 'T' && name[19] == '.' && name[23] == 'Z' && name[24] == '_'
}

func baseName(path string) string {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' || path[i] == '\\' {
			return path[i+1:]
		}
	}
	return path
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func array(list []string) string {
	if len(list) == 0 {
		return "[]"
	}
	b, _ := json.Marshal(list)
	return string(b)
}
