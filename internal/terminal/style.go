package terminal

import (
	"strconv"
	"strings"
)

// Style colours text for a terminal, or leaves it alone. Its few colours are
// those of the basic eight that can be read on dark and on light backgrounds:
// red, green, cyan and magenta; never yellow, white or blue.
type Style struct {
	On    bool
	Links bool // texts may lead to files
}

func (s Style) Plain(text string) string  { return text }
func (s Style) Bold(text string) string   { return s.paint("1", text) }    // headings, the name of a thing
func (s Style) Dim(text string) string    { return s.paint("2", text) }    // what can be skipped: times, counts
func (s Style) Match(text string) string  { return s.paint("1;31", text) } // the words searched for, as grep shows them
func (s Style) Good(text string) string   { return s.paint("32", text) }
func (s Style) Bad(text string) string    { return s.paint("31", text) }
func (s Style) Accent(text string) string { return s.paint("36", text) } // ids
func (s Style) Label(text string) string  { return s.paint("35", text) } // labels and projects

// paint colours line by line, so that a pager that shows a part of the text
// never shows the wrong colour.
func (s Style) paint(code, text string) string {
	if !s.On || text == "" {
		return text
	}
	on, off := "\x1b["+code+"m", "\x1b[0m"
	return on + strings.ReplaceAll(text, "\n", off+"\n"+on) + off
}

// sequences are all that paint writes around texts; [Printable] lets no other pass.
var sequences = [...]string{"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[1;31m", "\x1b[31m", "\x1b[32m", "\x1b[35m", "\x1b[36m"}

// StyleFor decides whether an output gets colours. What is asked for goes; then
// $NO_COLOR, then $CLICOLOR_FORCE, then whether it is a terminal.
func StyleFor(when string, isTerminal bool, getenv func(string) string) Style {
	force := getenv("CLICOLOR_FORCE")
	switch {
	case when != "auto":
		return Style{On: when == "always"}
	case getenv("NO_COLOR") != "":
		return Style{}
	case force != "" && force != "0":
		return Style{On: true}
	}
	return Style{On: isTerminal && getenv("TERM") != "dumb"}
}

// GlyphsFor chooses signs that the terminal can show: the locale says whether it
// takes UTF-8. Without one it does, as every terminal of today.
func GlyphsFor(getenv func(string) string) Glyphs {
	locale := getenv("LC_ALL")
	for _, name := range []string{"LC_CTYPE", "LANG"} {
		if locale == "" {
			locale = getenv(name)
		}
	}
	locale = strings.ToLower(strings.ReplaceAll(locale, "-", ""))
	return NewGlyphs(locale == "" || strings.Contains(locale, "utf8"))
}

// Columns is how wide a terminal is. It gives $COLUMNS the first word, as git does, so that a person
// can ask for narrower output than the window; 80 is the last resort.
func Columns(getenv func(string) string, size func() (int, error)) int {
	if n, err := strconv.Atoi(getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if n, err := size(); err == nil && n > 0 {
		return n
	}
	return 80
}
