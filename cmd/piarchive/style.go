package main

import "strings"

// style colours text for a terminal, or leaves it alone. Its few colours are
// those of the basic eight that can be read on dark and on light backgrounds:
// red, green, cyan and magenta; never yellow, white or blue.
type style struct{ on bool }

func (s style) plain(text string) string  { return text }
func (s style) bold(text string) string   { return s.paint("1", text) }    // headings, the name of a thing
func (s style) dim(text string) string    { return s.paint("2", text) }    // what can be skipped: times, counts
func (s style) match(text string) string  { return s.paint("1;31", text) } // the words searched for, as grep shows them
func (s style) good(text string) string   { return s.paint("32", text) }
func (s style) bad(text string) string    { return s.paint("31", text) }
func (s style) accent(text string) string { return s.paint("36", text) } // ids
func (s style) label(text string) string  { return s.paint("35", text) } // labels and projects

// paint colours line by line, so that a pager that shows a part of the text
// never shows the wrong colour.
func (s style) paint(code, text string) string {
	if !s.on || text == "" {
		return text
	}
	on, off := "\x1b["+code+"m", "\x1b[0m"
	return on + strings.ReplaceAll(text, "\n", off+"\n"+on) + off
}

// sequences are all that paint writes around texts; [printable] lets no other pass.
var sequences = [...]string{"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[1;31m", "\x1b[31m", "\x1b[32m", "\x1b[35m", "\x1b[36m"}

// chooseStyle decides whether standard output gets colours. What the flag says
// goes; then $NO_COLOR, then $CLICOLOR_FORCE, then whether it is a terminal.
func chooseStyle(e env, when string) (style, error) {
	switch when {
	case "always":
		return style{on: true}, nil
	case "never":
		return style{}, nil
	case "auto":
	default:
		return style{}, usageErrorf("--color is auto, always or never, not %q", when)
	}
	force := e.getenv("CLICOLOR_FORCE")
	switch {
	case e.getenv("NO_COLOR") != "":
		return style{}, nil
	case force != "" && force != "0":
		return style{on: true}, nil
	}
	return style{on: e.isTerminal(1) && e.getenv("TERM") != "dumb"}, nil
}
