package documents

import (
	"piarchive/internal/query/memory"
)

// How is piarchive.how/1.
type How struct {
	Commands []Command `json:"commands"`
	Total    int       `json:"total"`
	Coverage Coverage  `json:"coverage"`
}

// Command is one command line in piarchive.how/1; session and entry are where it
// ran last.
type Command struct {
	Command string     `json:"command"`
	Tool    string     `json:"tool"`
	Runs    int        `json:"runs"`
	Session SessionRef `json:"session"`
	Entry   *EntryRef  `json:"entry"`
}

func NewHow(list memory.CommandList, cov Coverage) How {
	doc := How{Commands: []Command{}, Total: list.Total, Coverage: cov}
	for _, c := range list.Commands {
		doc.Commands = append(doc.Commands, NewCommand(c))
	}
	return doc
}

func NewCommand(c memory.Command) Command {
	return Command{c.Line, c.Tool, c.Runs, NewSessionRef(c.Last.Session), NewEntryRef(&c.Last.Entry)}
}

// Blame is piarchive.blame/1.
type Blame struct {
	Path     string    `json:"path"` // absolute
	Line     *int      `json:"line"`
	Text     *string   `json:"text"`  // of that line
	Exact    bool      `json:"exact"` // false: the writers wrote files whose paths end so
	Writers  []Written `json:"writers"`
	More     bool      `json:"more"`
	Coverage Coverage  `json:"coverage"`
}

// Written is one call in piarchive.blame/1.
type Written struct {
	Session SessionRef `json:"session"`
	Entry   *EntryRef  `json:"entry"`
	Prompt  *string    `json:"prompt"`
	Tool    string     `json:"tool"`
	Op      string     `json:"operation"`
	Path    string     `json:"path"` // as the tool was given it
}

// NewBlame tells who wrote a file, or of it the line with this number.
func NewBlame(list memory.WriterList, file memory.File, line int, cov Coverage) Blame {
	doc := Blame{Path: file.Path, Exact: list.Exact, Writers: []Written{}, More: list.More, Coverage: cov}
	if line > 0 {
		doc.Line, doc.Text = &line, &file.Near[file.At]
	}
	for _, w := range list.Writers {
		doc.Writers = append(doc.Writers, NewWritten(w))
	}
	return doc
}

func NewWritten(w memory.Written) Written {
	return Written{NewSessionRef(w.Session), NewEntryRef(&w.Entry), orNull(w.Prompt), w.Tool, w.Op, w.Path}
}

// Fixed is piarchive.fixed/1.
type Fixed struct {
	Query    string   `json:"query"`
	Cases    []Case   `json:"cases"`
	More     bool     `json:"more"`
	Notes    []string `json:"notes"`
	Coverage Coverage `json:"coverage"`
}

// Case is one error in piarchive.fixed/1.
type Case struct {
	Session SessionRef `json:"session"`
	Entry   *EntryRef  `json:"entry"` // the result with the error
	Error   string     `json:"error"`
	Command string     `json:"command"`
	Again   int        `json:"again"`
	Outcome string     `json:"outcome"`
	End     *EntryRef  `json:"end"`
	Steps   []FixStep  `json:"steps"`
	Left    int        `json:"stepsLeftOut"`
}

// FixStep is one step of a case.
type FixStep struct {
	What   string    `json:"what"`
	Text   string    `json:"text"`
	Failed bool      `json:"failed"`
	Entry  *EntryRef `json:"entry"`
}

func NewFixed(list memory.CaseList, question string, cov Coverage) Fixed {
	doc := Fixed{Query: question, Cases: []Case{}, More: list.More, Notes: append([]string{}, list.Notes...), Coverage: cov}
	for _, c := range list.Cases {
		doc.Cases = append(doc.Cases, NewCase(c))
	}
	return doc
}

func NewCase(c memory.Case) Case {
	doc := Case{
		Session: NewSessionRef(c.Session), Entry: NewEntryRef(&c.Entry), Error: c.Text, Command: c.Command,
		Again: c.Again, Outcome: c.Outcome.String(), End: NewEntryRef(c.End), Steps: []FixStep{}, Left: c.Left,
	}
	for _, s := range c.Steps {
		doc.Steps = append(doc.Steps, FixStep{s.What, s.Text, s.Failed, NewEntryRef(&s.Entry)})
	}
	return doc
}
