package terminal

import "strings"

// Glyphs are the signs that tables and plots are drawn with.
type Glyphs struct {
	ASCII    bool
	None     string   // where there is nothing
	Dot      string   // between the parts of a line
	Ellipsis string   // where something was cut
	Flag     string   // before a label
	Times    string   // behind a number of times
	parts    []string // of a cell of a bar, from the first to the whole
	Shades   []string // of a day: nothing, then four from little to much
	Unknown  string   // of a day whose cost nobody recorded
}

// NewGlyphs chooses signs that the terminal can show, which takes UTF-8 or ASCII
// alone. The latter are those that [Printable] puts in the place of the others.
func NewGlyphs(utf8 bool) Glyphs {
	if utf8 {
		return Glyphs{
			None: NoValue, Dot: " · ", Ellipsis: "…", Flag: "⚑", Times: "×", Unknown: "?",
			parts: []string{"▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"}, Shades: []string{"·", "░", "▒", "▓", "█"},
		}
	}
	return Glyphs{
		ASCII: true, None: "-", Dot: " - ", Ellipsis: "~", Flag: "*", Times: "x", Unknown: "?",
		parts: []string{"#"}, Shades: []string{".", ":", "+", "*", "#"},
	}
}

// Fit shortens safe, unstyled text to at most width cells; 0 is no limit.
func (g Glyphs) Fit(s string, width int) string {
	if width <= 0 {
		return s
	}
	return cells.Truncate(s, width, g.Ellipsis)
}

// FitEnd shortens it to its last cells: of a path the end tells most.
func (g Glyphs) FitEnd(s string, width int) string {
	if over := Width(s) - width; over > 0 && width > 0 {
		return cells.TruncateLeft(s, over+Width(g.Ellipsis), g.Ellipsis)
	}
	return s
}

// Bar draws a part, from 0 to 1, of width cells. What is not nothing shows.
func (g Glyphs) Bar(part float64, width int) string {
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

// Share draws a part of all as a bar with room for width cells. Unlike bar it
// is empty where there is next to nothing.
func (g Glyphs) Share(part float64, width int) string {
	if part*float64(width*len(g.parts)) < 0.5 {
		return strings.Repeat(" ", width)
	}
	return Pad(g.Bar(part, width), width)
}
