package documents

import (
	"strings"

	"piarchive/internal/query"
	"piarchive/internal/query/memory"
)

// placeColumns tell when and where something was done.
func placeColumns[R any](of func(R) memory.Place) []Column[R] {
	return []Column[R]{
		{Key: "session", Of: func(r R) any { return NewSessionRef(of(r).Session) }},
		{Key: "entry", Of: func(r R) any { at := of(r); return NewEntryRef(&at.Entry) }},
		{Key: "-when", Of: func(r R) any { return orNever(of(r).Entry.Time) }},
		{Key: "-place", Of: func(r R) any { return of(r).String() }},
	}
}

// NewCommands lists command lines; session and entry are where each ran last.
func NewCommands(found []memory.Command) List[memory.Command] {
	type command = memory.Command
	return List[command]{Rows: found, Columns: append([]Column[command]{
		{Key: "command", Of: func(c command) any { return c.Line }},
		{Key: "tool", Of: func(c command) any { return c.Tool }},
		{Key: "runs", Of: func(c command) any { return c.Runs }},
		{Key: "-cwd", Of: func(c command) any { return c.Last.Session.CWD }},
	}, placeColumns(func(c command) memory.Place { return c.Last })...)}
}

// NewWriters lists who wrote a file.
func NewWriters(found []memory.Written) List[memory.Written] {
	type written = memory.Written
	return List[written]{Rows: found, Columns: append(placeColumns(func(w written) memory.Place { return w.Place }), []Column[written]{
		{Key: "prompt", Of: func(w written) any { return orNull(w.Prompt) }},
		{Key: "tool", Of: func(w written) any { return w.Tool }},
		{Key: "operation", Of: func(w written) any { return w.Op }},
		{Key: "path", Of: func(w written) any { return w.Path }},
		{Key: "-title", Of: func(w written) any { return OneLine(w.Session.Title()) }},
		{Key: "-asked", Of: func(w written) any { return Flat(w.Prompt) }},
	}...)}
}

// NewBlame tells who wrote a file, or of it the line with this number.
func NewBlame(list memory.WriterList, writers List[memory.Written], file memory.File, line int) Object {
	var number, text any
	if line > 0 {
		number, text = line, file.Near[file.At]
	}
	return Object{{"path", file.Path}, {"line", number}, {"text", text}, {"exact", list.Exact}, {"writers", writers}, {"more", list.More}}
}

// NewCases lists errors, and what was done until they no longer came.
func NewCases(found []memory.Case) List[memory.Case] {
	type errorCase = memory.Case
	type step = memory.Step
	return List[errorCase]{Rows: found, Columns: append(placeColumns(func(c errorCase) memory.Place { return c.Place }), []Column[errorCase]{
		{Key: "error", Of: func(c errorCase) any { return c.Text }},
		{Key: "command", Of: func(c errorCase) any { return c.Command }},
		{Key: "again", Of: func(c errorCase) any { return c.Again }},
		{Key: "outcome", Of: func(c errorCase) any { return c.Outcome.String() }},
		{Key: "end", Of: func(c errorCase) any { return NewEntryRef(c.End) }},
		{Key: "steps", Of: func(c errorCase) any {
			return List[step]{Rows: c.Steps, Columns: []Column[step]{
				{Key: "what", Of: func(s step) any { return s.What }},
				{Key: "text", Of: func(s step) any { return s.Text }},
				{Key: "failed", Of: func(s step) any { return s.Failed }},
				{Key: "entry", Of: func(s step) any { return NewEntryRef(&s.Entry) }},
			}}
		}},
		{Key: "stepsLeftOut", Of: func(c errorCase) any { return c.Left }},
	}...)}
}

// NewFixed tells of the errors that were asked for.
func NewFixed(found memory.CaseList, cases List[memory.Case], question string) Object {
	return Object{{"query", question}, {"cases", cases}, {"more", found.More}, {"notes", append([]string{}, found.Notes...)}}
}

// CaseLine is what is told of an error in a line: the error itself, one of its
// steps, or how it ended.
type CaseLine struct {
	what, command, text string
	at                  string
	entry               *query.EntryRef
}

// NewCaseLines lists these.
func NewCaseLines(found []memory.Case) List[CaseLine] {
	var lines []CaseLine
	for _, c := range found {
		lines = append(lines, CaseLine{"error", c.Command, c.Text, c.String(), &c.Entry})
		for _, s := range c.Steps {
			lines = append(lines, CaseLine{s.Name(), s.Text, "", c.At(&s.Entry), &s.Entry})
		}
		lines = append(lines, CaseLine{c.Outcome.String(), "", "", c.At(c.End), c.End})
	}
	return List[CaseLine]{Rows: lines, Columns: []Column[CaseLine]{
		{Key: "-what", Of: func(l CaseLine) any { return l.what }},
		{Key: "-when", Of: func(l CaseLine) any {
			if l.entry == nil {
				return nil
			}
			return orNever(l.entry.Time)
		}},
		{Key: "-place", Of: func(l CaseLine) any { return l.at }},
		{Key: "-command", Of: func(l CaseLine) any { return l.command }},
		{Key: "-text", Of: func(l CaseLine) any { return l.text }},
	}}
}

// What lists of commands, of writers and of errors tell in a line.
const (
	CommandFields = "runs when place cwd command"
	WriterFields  = "when place operation path title asked"
	CaseFields    = "what when place command text"
)

// Flat is a text in one safe line: what a script of megabytes begins with.
func Flat(text string) string {
	const enough = 4 << 10
	if len(text) > enough {
		text = strings.ToValidUTF8(text[:enough], "") + "…"
	}
	return flat(text)
}
