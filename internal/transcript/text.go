package transcript

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"piarchive/internal/jsonl"
	"piarchive/internal/query/session"
	"piarchive/internal/terminal"
)

// textPage prints a transcript for reading. What people and models say starts
// at the left margin, so that it can be copied; everything around it is
// indented or dim.
type textPage struct {
	out   io.Writer
	path  string // where a click on the title leads to; "" nowhere
	style terminal.Style
	width int // of rules and one-line pieces
	wrap  int // where prose is broken; 0 in a pipe: nowhere
	zone  *time.Location
	asked int64 // the row of the entry to mark
	plain bool  // headings have no rules
	tight bool  // the last thing printed was one line, and another may follow at once
}

// Text writes the transcript for reading.
func (t Transcript) Text(ctx context.Context, out io.Writer, options Options) error {
	b := bufio.NewWriter(out) // keeps the first error
	p := &textPage{out: b, style: options.Style, wrap: min(options.Width, 100), zone: options.Zone, asked: t.Asked, plain: options.Plain}
	p.width = cmp.Or(p.wrap, 100)
	if !t.Session.Missing {
		p.path = t.Session.Path
	}
	if reached := options.Reached; reached != nil {
		options.Reached = func(s session.Step) {
			b.Flush() // what is before it is written
			reached(s)
		}
	}
	return errors.Join(t.Print(ctx, p, options), b.Flush())
}

func (p *textPage) Title(name, project, about string) {
	name = p.style.Bold(terminal.Fit(terminal.Safe(name), p.width))
	if p.path != "" {
		name = p.style.Link(p.path, name)
	}
	fmt.Fprintln(p.out, name)
	if project != "" {
		fmt.Fprintln(p.out, p.style.Label(terminal.Safe(project)))
	}
	fmt.Fprintln(p.out, p.style.Dim(about))
}

// gap sets things apart by one empty line.
func (p *textPage) gap() {
	fmt.Fprintln(p.out)
	p.tight = false
}

func (p *textPage) Speaker(who, about string, s session.Step) {
	p.gap()
	right := fmt.Sprintf("@%d", s.Line)
	if p.plain {
		p.plainSpeaker(right, who, about, s)
		return
	}
	if s.Time != nil {
		right = s.Time.In(p.zone).Format("15:04:05") + "  " + right
	}
	left := terminal.Safe(who)
	if about != "" {
		left += "  " + terminal.Safe(about)
	}
	left = terminal.Fit(left, p.width-len(right)-6)
	rule := strings.Repeat("─", max(3, p.width-terminal.Width(left)-len(right)-5))
	head, rest := left[:min(len(terminal.Safe(who)), len(left))], left[min(len(terminal.Safe(who)), len(left)):]
	paint := p.style.Bold
	if who == "user" {
		paint = func(s string) string { return p.style.Bold(p.style.Good(s)) }
	}
	mark := p.style.Dim("─ ")
	if s.Row == p.asked {
		mark = p.style.Bold("▶ ")
	}
	fmt.Fprintln(p.out, mark+paint(head)+p.style.Dim(rest+" "+rule+" "+right))
}

// plainSpeaker is a heading for who reads no picture: "▶ @17 user 2026-01-28 14:03".
func (p *textPage) plainSpeaker(place, who, about string, s session.Step) {
	head := place + " " + terminal.Safe(who)
	if s.Row == p.asked {
		head = "▶ " + head
	}
	if about != "" {
		head += " " + terminal.Safe(about)
	}
	if s.Time != nil {
		head += " " + s.Time.In(p.zone).Format("2006-01-02 15:04")
	}
	fmt.Fprintln(p.out, head)
}

func (p *textPage) Say(text string) {
	if p.tight {
		p.gap()
	}
	fmt.Fprintln(p.out, p.prose(text, ""))
}

// prose makes a text harmless and, for a terminal, wraps its long lines at
// words. What is fenced, indented or a table keeps its lines.
func (p *textPage) prose(text, prefix string) string {
	text = strings.Trim(terminal.Readable(text), "\n")
	if p.wrap == 0 {
		return indent(text, prefix)
	}
	var out []string
	fenced := false
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		if fenced || strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "|") {
			out = append(out, prefix+line)
			continue
		}
		for _, piece := range terminal.Wrap(line, p.wrap-terminal.Width(prefix)) {
			out = append(out, prefix+piece)
		}
	}
	return strings.Join(out, "\n")
}

func (p *textPage) Think(text string) {
	fmt.Fprintln(p.out, p.style.Dim(p.prose(text, "│ ")))
}

func (p *textPage) Note(text string) {
	if !p.tight {
		fmt.Fprintln(p.out)
	}
	fmt.Fprintln(p.out, p.style.Dim(terminal.Fit("  "+terminal.Safe(text), p.width)))
	p.tight = true
}

func (p *textPage) Divider(what, about, text string) {
	p.gap()
	head := "══ " + what + " "
	if about != "" {
		head += "· " + about + " "
	}
	fmt.Fprintln(p.out, p.style.Bold(head+strings.Repeat("═", max(3, p.width-terminal.Width(head)))))
	if text != "" {
		fmt.Fprintln(p.out, p.prose(text, "  "))
	}
}

func (p *textPage) Call(c Call) {
	mark, state := "▸", ""
	switch {
	case c.Failed:
		mark = "✗"
	case !c.Answered:
		state = "  (no result)"
	}
	head := "  "
	if c.Asked {
		head = "▶ "
	}
	head += mark + " " + terminal.Safe(c.Name)
	if c.Brief != "" {
		head += "  " + terminal.Safe(c.Brief)
	}
	head = terminal.Fit(head, p.width-len(state))
	if c.Failed {
		fmt.Fprintln(p.out, p.style.Bad(head)+p.style.Dim(state))
	} else {
		fmt.Fprintln(p.out, p.style.Accent(head)+p.style.Dim(state))
	}
	p.tight = true
	if c.Open {
		p.opened(c)
		return
	}
	if text := foldResult(c.Result); text != "" {
		fmt.Fprintln(p.out, p.style.Dim(terminal.Fit("    "+text, p.width)))
	}
}

// opened prints a call with all its arguments and its whole result.
func (p *textPage) opened(c Call) {
	for _, a := range c.Arguments {
		value := strings.Trim(terminal.Readable(a.Value), "\n")
		switch {
		case a.Name == "oldText" || a.Name == "old_string":
			fmt.Fprintln(p.out, p.style.Bad(indent(value, "    - ")))
		case a.Name == "newText" || a.Name == "new_string":
			fmt.Fprintln(p.out, p.style.Good(indent(value, "    + ")))
		case strings.Contains(value, "\n"):
			fmt.Fprintln(p.out, p.style.Dim("    "+terminal.Safe(a.Name)+":"))
			fmt.Fprintln(p.out, indent(value, "    "))
		case value != terminal.Safe(c.Brief):
			fmt.Fprintln(p.out, p.style.Dim("    "+terminal.Safe(a.Name)+": ")+value)
		}
	}
	for _, b := range c.Result {
		switch b.Kind {
		case "text", "error", "details":
			if text := strings.Trim(terminal.Readable(b.Text), "\n"); text != "" {
				fmt.Fprintln(p.out, p.style.Dim(indent(text, "    │ ")))
			}
		case "image":
			fmt.Fprintln(p.out, p.style.Dim("    "+terminal.Safe(imageText(b))))
		case "diff":
			p.diff(b.Text)
		}
	}
}

// diff prints the changed lines of an edit in their colours.
func (p *textPage) diff(text string) {
	for line := range strings.SplitSeq(strings.Trim(terminal.Readable(text), "\n"), "\n") {
		switch {
		case strings.HasPrefix(line, "+"):
			line = p.style.Good("    " + line)
		case strings.HasPrefix(line, "-"):
			line = p.style.Bad("    " + line)
		default:
			line = p.style.Dim("    " + line)
		}
		fmt.Fprintln(p.out, line)
	}
}

// foldResult is a result in one line: how much there is, and the first line that holds
// a word.
func foldResult(blocks []jsonl.Block) string {
	text := strings.TrimSpace(plainText(blocks))
	if text == "" {
		return ""
	}
	line, _, more := strings.Cut(text, "\n")
	if !more {
		return terminal.Safe(line)
	}
	for l := range strings.Lines(text) {
		if strings.ContainsFunc(l, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			line = l
			break
		}
	}
	return fmt.Sprintf("%s lines: %s", terminal.Count(int64(strings.Count(text, "\n")+1)), terminal.Safe(strings.TrimSpace(line)))
}

func indent(text, prefix string) string {
	return prefix + strings.ReplaceAll(text, "\n", "\n"+prefix)
}
