// Package completion answers a shell that asks, while someone types, what the
// last word of a command line may become.
//
// A script of the shell hands over the line and shows the answer; the scripts
// know nothing of commands and flags. [Request.Words] is the line as the command
// would get it, whose flags the command line's own parser reads. [Source] has
// values of sessions, entries and questions, from the archive. [Request.Answer]
// prints what fits, for the one who asks.
//
// Much of what is offered comes from session files, which must not become part
// of a command line other than as text. Nothing with a control character, or one
// that hides or reorders text, is offered; zsh and fish quote all else when they
// insert it, and the script of PowerShell does. Bash inserts what it is given, so it
// gets plain words only.
//
// A key was pressed, no more: nothing is made or brought up to date, and what
// fails offers nothing.
package completion

import (
	"embed"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"piarchive/internal/terminal"
)

//go:embed scripts
var scripts embed.FS

// Script returns the script of a shell, "" if there is none.
func Script(shell string) string {
	script, err := scripts.ReadFile("scripts/" + shell)
	if err != nil {
		return ""
	}
	return string(script)
}

// Offer is what a word may become.
type Offer struct {
	Value string
	About string // for the eye
}

const files, dirs = "files", "dirs"

// Files and Dirs ask the shell for its own completion of paths instead.
func Files() []Offer { return []Offer{{About: files}} }
func Dirs() []Offer  { return []Offer{{About: dirs}} }

// Words offers words that need no explanation.
func Words(words []string) []Offer {
	var offers []Offer
	for _, word := range words {
		offers = append(offers, Offer{Value: word})
	}
	return offers
}

// Behind puts the head of the word being typed in front of what the rest of it
// may become.
func Behind(head string, offers []Offer) []Offer {
	offers = slices.Clone(offers)
	for i := range offers {
		if !offers[i].forPaths() {
			offers[i].Value = head + offers[i].Value
		}
	}
	return offers
}

func (o Offer) forPaths() bool { return o.Value == "" && (o.About == files || o.About == dirs) }

func (o Offer) line() string {
	if o.About == "" {
		return o.Value
	}
	return o.Value + "\t" + o.About
}

// Request is what a script asks.
type Request struct {
	Shell   string // bash, zsh, fish or powershell
	Line    string // the command line up to the cursor
	Breaks  string // bash: $COMP_WORDBREAKS
	Type    string // bash: $COMP_TYPE
	Columns int    // bash: the width of the terminal
}

// Words are those of the line, the last one, perhaps empty, being typed.
func (r Request) Words() []string {
	var texts []string
	for _, w := range split(r.Line, r.Breaks) {
		texts = append(texts, w.text)
	}
	return texts
}

// Answer returns the lines for the script: of all offers those that continue the
// word.
func (r Request) Answer(offers []Offer) []string {
	words := split(r.Line, r.Breaks)
	typed := words[len(words)-1]
	var fit []Offer
	seen := map[string]bool{}
	for _, o := range offers {
		if o.forPaths() {
			return []string{o.line()}
		}
		if o.Value == "" || seen[o.Value] || !strings.HasPrefix(o.Value, typed.text) || terminal.Safe(o.Value) != o.Value {
			continue
		}
		seen[o.Value] = true
		fit = append(fit, Offer{o.Value, terminal.Safe(o.About)})
	}
	if r.Shell == "bash" {
		return r.forBash(typed, fit)
	}
	var lines []string
	for _, o := range fit {
		lines = append(lines, o.line())
	}
	return lines
}

// forBash returns what bash is to insert in place of the part of the word that
// it knows. Descriptions are for a list only; bash inserts no more than what all
// lines of it begin with.
func (r Request) forBash(typed word, offers []Offer) []string {
	if typed.odd {
		return nil
	}
	var lines []string
	var abouts []string
	width := 0
	for _, o := range offers {
		rest := o.Value[typed.bare:]
		plain := rest
		if typed.open != 0 {
			plain = strings.ReplaceAll(plain, " ", "")
		}
		if isPlainWord(plain) {
			lines, abouts = append(lines, rest), append(abouts, inert(o.About))
			width = max(width, terminal.Width(rest))
		}
	}
	const normal, listing = "9", "63" // of $COMP_TYPE; others insert whole lines
	if len(lines) < 2 || r.Type != normal && r.Type != listing {
		return lines
	}
	for i, about := range abouts {
		if about != "" {
			lines[i] = terminal.Fit(terminal.Pad(lines[i], width)+"  "+about, max(r.Columns-1, width))
		}
	}
	return lines
}

// isPlainWord reports whether a shell takes s for one word as it stands.
func isPlainWord(s string) bool {
	const others = "._:/@+,%-"
	for _, r := range s {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(others, r)) {
			return false
		}
	}
	return s != ""
}

// inert is a text without what a shell acts on: should a description ever get
// into a command line, it is words.
func inert(s string) string {
	keep := func(r rune) rune {
		switch {
		case r == ' ' || r == '·' || r == '…' || r >= utf8.RuneSelf && unicode.IsLetter(r) || isPlainWord(string(r)):
			return r
		}
		return ' '
	}
	return strings.Join(strings.Fields(strings.Map(keep, s)), " ")
}
