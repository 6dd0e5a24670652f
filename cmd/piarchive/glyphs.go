package main

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// glyphs are the signs that tables and plots are drawn with.
type glyphs struct {
	ascii    bool
	none     string   // where there is nothing
	dot      string   // between the parts of a line
	ellipsis string   // where something was cut
	parts    []string // of a cell of a bar, from the first to the whole
	shades   []string // of a day: nothing, then four from little to much
	unknown  string   // of a day whose cost nobody recorded
}

// newGlyphs chooses signs that the terminal can show: the locale says whether
// it takes UTF-8. Without one it does, as every terminal of today.
func newGlyphs(e env) glyphs {
	locale := e.getenv("LC_ALL")
	for _, name := range []string{"LC_CTYPE", "LANG"} {
		if locale == "" {
			locale = e.getenv(name)
		}
	}
	locale = strings.ToLower(strings.ReplaceAll(locale, "-", ""))
	if locale == "" || strings.Contains(locale, "utf8") {
		return glyphs{
			none: noValue, dot: " · ", ellipsis: "…", unknown: "?",
			parts: []string{"▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"}, shades: []string{"·", "░", "▒", "▓", "█"},
		}
	}
	return glyphs{
		ascii: true, none: "-", dot: ", ", ellipsis: "...", unknown: "?",
		parts: []string{"#"}, shades: []string{".", ":", "+", "*", "#"},
	}
}

// fit shortens safe, unstyled text to at most width cells; 0 is no limit.
func (g glyphs) fit(s string, width int) string {
	if width <= 0 {
		return s
	}
	return cells.Truncate(s, width, g.ellipsis)
}

// fitEnd shortens it to its last cells: of a path the end tells most.
func (g glyphs) fitEnd(s string, width int) string {
	if over := cells.StringWidth(s) - width; over > 0 && width > 0 {
		return cells.TruncateLeft(s, over+runewidth.StringWidth(g.ellipsis), g.ellipsis)
	}
	return s
}

// bar draws a part, from 0 to 1, of width cells. What is not nothing shows.
func (g glyphs) bar(part float64, width int) string {
	steps := len(g.parts)
	n := int(part*float64(width*steps) + 0.5)
	if n == 0 && part > 0 {
		n = 1
	}
	n = min(n, width*steps)
	bar := strings.Repeat(g.parts[steps-1], n/steps)
	if rest := n % steps; rest > 0 {
		bar += g.parts[rest-1]
	}
	return bar
}
