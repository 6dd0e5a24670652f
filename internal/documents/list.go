package documents

import (
	"strings"

	"piarchive/internal/query"
	"piarchive/internal/query/session"
	"piarchive/internal/terminal"
)

// NewSessions lists sessions, with all their text where that is wanted. What pi's
// own list knows comes first, under pi's names.
func NewSessions(sessions []*session.Info, text bool) List[*session.Info] {
	type info = *session.Info
	return List[info]{Rows: sessions, Columns: []Column[info]{
		{Key: "path", Of: func(s info) any { return s.Path }},
		{Key: "id", Of: func(s info) any { return orNull(s.ID) }},
		{Key: "cwd", Of: func(s info) any { return s.CWD }},
		{Key: "name", Of: func(s info) any { return orNull(s.Name) }},
		{Key: "parentSessionPath", Of: func(s info) any {
			if s.ParentForm != "parentSession" {
				return nil
			}
			return s.Parent
		}},
		{Key: "created", Of: func(s info) any { return Time(s.Created) }},
		{Key: "modified", Of: func(s info) any { return Time(s.Modified) }},
		{Key: "messageCount", Of: func(s info) any { return s.Messages }},
		{Key: "firstMessage", Of: func(s info) any { return s.First }},
		{Key: "allMessagesText", Of: func(s info) any {
			if !text {
				return absent{}
			}
			return s.Text
		}},
		{Key: "system", Of: func(s info) any { return s.System }},
		{Key: "version", Of: func(s info) any { return s.Version }},
		{Key: "kind", Of: func(s info) any { return s.Kind }},
		{Key: "root", Of: func(s info) any { return s.Root }},
		{Key: "enclosingSessionPath", Of: func(s info) any { return orNull(s.Enclosing) }},
		{Key: "entryCount", Of: func(s info) any { return s.Entries }},
		{Key: "leafCount", Of: func(s info) any { return s.Leaves }},
		{Key: "leafId", Of: func(s info) any { return orNull(s.Leaf) }},
		{Key: "bytes", Of: func(s info) any { return s.Bytes }},
		{Key: "mtime", Of: func(s info) any { return Time(s.Mtime) }},
		{Key: "missing", Of: func(s info) any { return s.Missing }},
		{Key: "labels", Of: func(s info) any { return s.Labels }},
		{Key: "models", Of: func(s info) any { return s.Models }},
		{Key: "tokens.input", Of: func(s info) any { return s.Tokens.Input }},
		{Key: "tokens.output", Of: func(s info) any { return s.Tokens.Output }},
		{Key: "tokens.cacheRead", Of: func(s info) any { return s.Tokens.CacheRead }},
		{Key: "tokens.cacheWrite", Of: func(s info) any { return s.Tokens.CacheWrite }},
		{Key: "tokens.total", Of: func(s info) any { return s.Tokens.Total }},
		{Key: "cost", Of: func(s info) any { return s.Cost }},
		{Key: "anomalies", Of: func(s info) any { return s.Anomalies }},
		{Key: "-title", Of: func(s info) any { return Title(s.Name, s.First, fieldWidth) }},
	}}
}

// SessionFields are what a list of sessions tells in a line, and what it adds
// where more is asked for.
const (
	SessionFields     = "modified id messageCount cost cwd title path missing"
	SessionFieldsLong = SessionFields + " system tokens.total bytes models labels anomalies"
)

// fieldWidth is how much of a title goes into a line of fields.
const fieldWidth = 200

// Title is what tells a session from others, in one safe line of at most width
// cells: its name, else the beginning of its first message.
func Title(name, first string, width int) string {
	title := name
	if title == "" {
		title = first
	}
	if enough := 2*width + 100; len(title) > enough { // it may be megabytes
		title = strings.ToValidUTF8(title[:enough], "") + "…"
	}
	if title = flat(title); title == "" {
		return "(blank)"
	}
	return terminal.Fit(title, width)
}

// NewLabels lists labels.
func NewLabels(found []session.LabelRef) List[session.LabelRef] {
	type label = session.LabelRef
	return List[label]{Rows: found, Columns: []Column[label]{
		{Key: "session", Of: func(l label) any { return NewSessionRef(l.Session) }},
		{Key: "entry", Of: func(l label) any { return NewEntryRef(l.Entry) }},
		{Key: "targetId", Of: func(l label) any { return l.TargetID }},
		{Key: "label", Of: func(l label) any { return l.Label }},
		{Key: "timestamp", Of: func(l label) any { return orNever(l.Time) }},
		{Key: "-path", Of: func(l label) any { return l.Session.Path }},
		{Key: "-line", Of: func(l label) any {
			if l.Entry == nil {
				return nil
			}
			return l.Entry.Line
		}},
	}}
}

// LabelFields are what a list of labels tells in a line.
const LabelFields = "path line targetId label"

// refColumns name the session of a row.
func refColumns[R any](of func(R) query.SessionRef) []Column[R] {
	return []Column[R]{
		{Key: "path", Of: func(r R) any { return of(r).Path }},
		{Key: "id", Of: func(r R) any { return orNull(of(r).ID) }},
		{Key: "cwd", Of: func(r R) any { return of(r).CWD }},
		{Key: "name", Of: func(r R) any { return orNull(of(r).Name) }},
		{Key: "title", Of: func(r R) any { return orNull(OneLine(of(r).Title())) }},
	}
}
