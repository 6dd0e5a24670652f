package main

import (
	"fmt"
	"io"
	"strings"

	"piarchive/internal/jsonl"
	"piarchive/internal/query/session"
	"piarchive/internal/terminal"
)

// markdownPage prints a transcript as Markdown. What was said stays as it is but
// for what nobody sees, since most of it is Markdown; what tools got and gave is
// fenced.
type markdownPage struct {
	out io.Writer
}

func (p *markdownPage) title(name, project, about string) {
	fmt.Fprintf(p.out, "# %s\n\n", markdownLine(name))
	if project != "" {
		fmt.Fprintf(p.out, "`%s`, ", strings.ReplaceAll(terminal.Safe(project), "`", "'"))
	}
	fmt.Fprintf(p.out, "%s\n", about)
}

func (p *markdownPage) speaker(who, about string, s session.Step) {
	head := "\n## " + markdownLine(who)
	if about != "" {
		head += " · " + markdownLine(about)
	}
	if s.Time != nil {
		head += " · " + s.Time.Format("2006-01-02 15:04:05Z")
	}
	fmt.Fprintln(p.out, head)
}

func (p *markdownPage) say(text string) {
	fmt.Fprintf(p.out, "\n%s\n", strings.Trim(terminal.Readable(text), "\n"))
}

func (p *markdownPage) think(text string) {
	fmt.Fprintf(p.out, "\n%s\n", indent(strings.Trim(terminal.Readable(text), "\n"), "> "))
}

func (p *markdownPage) note(text string) {
	fmt.Fprintf(p.out, "\n*%s*\n", markdownLine(text))
}

func (p *markdownPage) divider(what, about, text string) {
	if about != "" {
		what += " · " + about
	}
	fmt.Fprintf(p.out, "\n---\n\n**%s**\n", markdownLine(what))
	if text != "" {
		p.say(text)
	}
}

func (p *markdownPage) call(c toolLine) {
	state := ""
	switch {
	case c.failed:
		state = " (failed)"
	case !c.answered:
		state = " (no result)"
	}
	fmt.Fprintf(p.out, "\n**%s**%s", markdownLine(c.name), state)
	if c.brief != "" {
		fmt.Fprintf(p.out, " `%s`", strings.ReplaceAll(terminal.Safe(c.brief), "`", "'"))
	}
	fmt.Fprintln(p.out)
	if !c.open {
		return
	}
	for _, a := range c.arguments {
		if a.Value != c.brief {
			fmt.Fprintf(p.out, "\n%s:\n", markdownLine(a.Name))
			p.fenced(a.Value)
		}
	}
	for _, b := range c.result {
		switch b.Kind {
		case "image":
			fmt.Fprintf(p.out, "\n%s\n", markdownLine(imageText(b)))
		case "text", "error", "diff":
			p.fenced(b.Text)
		}
	}
}

// fenced prints text in a fence longer than any inside it.
func (p *markdownPage) fenced(text string) {
	text = strings.Trim(terminal.Readable(text), "\n")
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	fmt.Fprintf(p.out, "\n%s\n%s\n%s\n", fence, text, fence)
}

func (p *markdownPage) end() {}

// markdownLine is a text in one line that has no marks of Markdown or HTML.
func markdownLine(s string) string {
	return strings.NewReplacer("*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", "[", `\[`, "#", `\#`).Replace(terminal.Safe(s))
}

// blockDoc is a block in a document.
type blockDoc struct {
	Kind      string            `json:"kind"`
	Text      *string           `json:"text"`
	Name      *string           `json:"name"`
	CallID    *string           `json:"callId"`
	Arguments map[string]string `json:"arguments"`
	Mime      *string           `json:"mime"`
	Size      *int              `json:"size"`
	Blob      *string           `json:"blob"`
}

func newBlockDoc(b jsonl.Block) blockDoc {
	doc := blockDoc{Kind: b.Kind, Text: orNull(b.Text), Name: orNull(b.Name), CallID: orNull(b.CallID), Mime: orNull(b.Mime), Blob: orNull(b.Blob)}
	if b.Kind == "image" && b.Blob == "" {
		doc.Size = &b.Size
	}
	if b.Kind == "call" {
		doc.Arguments = map[string]string{}
		for _, a := range b.Arguments {
			doc.Arguments[a.Name] = a.Value
		}
	}
	return doc
}
