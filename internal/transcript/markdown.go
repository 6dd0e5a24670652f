package transcript

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"piarchive/internal/query/session"
	"piarchive/internal/terminal"
)

// markdownPage prints a transcript as Markdown. What was said stays as it is but
// for what nobody sees, since most of it is Markdown; what tools got and gave is
// fenced.
type markdownPage struct {
	out io.Writer
}

// Markdown writes the transcript as Markdown.
func (t Transcript) Markdown(ctx context.Context, out io.Writer, options Options) error {
	b := bufio.NewWriter(out) // keeps the first error
	return errors.Join(t.Print(ctx, &markdownPage{b}, options), b.Flush())
}

// mostName is how many cells of a session's name are shown.
const mostName = 200

func (p *markdownPage) Title(name, project, about string) {
	fmt.Fprintf(p.out, "# %s\n\n", markdownLine(terminal.Fit(terminal.Safe(name), mostName)))
	if project != "" {
		fmt.Fprintf(p.out, "`%s`, ", strings.ReplaceAll(terminal.Safe(project), "`", "'"))
	}
	fmt.Fprintf(p.out, "%s\n", about)
}

func (p *markdownPage) Speaker(who, about string, s session.Step) {
	head := "\n## " + markdownLine(who)
	if about != "" {
		head += " · " + markdownLine(about)
	}
	if s.Time != nil {
		head += " · " + s.Time.Format("2006-01-02 15:04:05Z")
	}
	fmt.Fprintln(p.out, head)
}

func (p *markdownPage) Say(text string) {
	fmt.Fprintf(p.out, "\n%s\n", strings.Trim(terminal.Readable(text), "\n"))
}

func (p *markdownPage) Think(text string) {
	fmt.Fprintf(p.out, "\n%s\n", indent(strings.Trim(terminal.Readable(text), "\n"), "> "))
}

func (p *markdownPage) Note(text string) {
	fmt.Fprintf(p.out, "\n*%s*\n", markdownLine(text))
}

func (p *markdownPage) Divider(what, about, text string) {
	if about != "" {
		what += " · " + about
	}
	fmt.Fprintf(p.out, "\n---\n\n**%s**\n", markdownLine(what))
	if text != "" {
		p.Say(text)
	}
}

func (p *markdownPage) Call(c Call) {
	state := ""
	switch {
	case c.Failed:
		state = " (failed)"
	case !c.Answered:
		state = " (no result)"
	}
	fmt.Fprintf(p.out, "\n**%s**%s", markdownLine(c.Name), state)
	if c.Brief != "" {
		fmt.Fprintf(p.out, " `%s`", strings.ReplaceAll(terminal.Safe(c.Brief), "`", "'"))
	}
	fmt.Fprintln(p.out)
	if !c.Open {
		return
	}
	for _, a := range c.Arguments {
		if a.Value != c.Brief {
			fmt.Fprintf(p.out, "\n%s:\n", markdownLine(a.Name))
			p.fenced(a.Value)
		}
	}
	for _, b := range c.Result {
		switch b.Kind {
		case "image":
			fmt.Fprintf(p.out, "\n%s\n", markdownLine(imageText(b)))
		case "text", "error", "details", "diff":
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

// markdownLine is a text in one line that has no marks of Markdown or HTML.
func markdownLine(s string) string {
	return strings.NewReplacer("*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", "[", `\[`, "#", `\#`).Replace(terminal.Safe(s))
}
