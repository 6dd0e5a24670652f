package main

import (
	"strings"

	"piarchive/internal/terminal"
)

// chooseStyle decides whether standard output gets colours. What the flag says
// goes; then $NO_COLOR, then $CLICOLOR_FORCE, then whether it is a terminal.
func chooseStyle(e env, when string) terminal.Style {
	force := e.getenv("CLICOLOR_FORCE")
	switch {
	case when != "auto":
		return terminal.Style{On: when == "always"}
	case e.getenv("NO_COLOR") != "":
		return terminal.Style{}
	case force != "" && force != "0":
		return terminal.Style{On: true}
	}
	return terminal.Style{On: e.isTerminal(1) && e.getenv("TERM") != "dumb"}
}

// glyphsFor chooses signs that the terminal can show: the locale says whether
// it takes UTF-8. Without one it does, as every terminal of today.
func glyphsFor(e env) terminal.Glyphs {
	locale := e.getenv("LC_ALL")
	for _, name := range []string{"LC_CTYPE", "LANG"} {
		if locale == "" {
			locale = e.getenv(name)
		}
	}
	locale = strings.ToLower(strings.ReplaceAll(locale, "-", ""))
	return terminal.NewGlyphs(locale == "" || strings.Contains(locale, "utf8"))
}

// newTable makes a table for standard output.
func newTable(c *call, columns ...terminal.Column) *terminal.Table {
	return &terminal.Table{Out: c.stdout, Style: c.style, Glyphs: glyphsFor(c.env), Width: c.width(), Columns: columns}
}
