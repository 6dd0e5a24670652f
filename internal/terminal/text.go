package terminal

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"piarchive/internal/words"
)

// Safe makes text from a session file fit for one line of a terminal. Nothing
// in the result can move the cursor, change colours, reorder the line or hide:
// control characters become visible pictures (␛), line ends and tabs become
// spaces, invalid bytes become �, and invisible or reordering characters go.
func Safe(s string) string { return clean(s, false) }

// safeLines is safe for text of several lines: line ends and tabs stay.
func safeLines(s string) string { return clean(s, true) }

// Readable is safeLines for what is read at length: what programs print is full
// of colours, and their escape sequences go without a trace.
func Readable(s string) string {
	if !strings.ContainsAny(s, "\x1b\u009b") {
		return safeLines(s)
	}
	var b strings.Builder
	for s != "" {
		n := words.Escape(s)
		if n == 0 {
			next := strings.IndexAny(s[1:], "\x1b\u009b") + 1
			if next == 0 {
				next = len(s)
			}
			b.WriteString(s[:next])
			n = next
		}
		s = s[n:]
	}
	return safeLines(b.String())
}

func clean(s string, keepLines bool) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	last := rune(0) // written
	for s != "" {
		n := 0 // bytes that stay as they are
		for n < len(s) && (s[n] >= ' ' && s[n] <= '~' || keepLines && (s[n] == '\n' || s[n] == '\t')) {
			n++
		}
		if n > 0 {
			b.WriteString(s[:n])
			last = rune(s[n-1])
			s = s[n:]
			continue
		}
		r, n := utf8.DecodeRuneInString(s)
		s = s[n:]
		switch {
		case r == '\r' && strings.HasPrefix(s, "\n"):
			continue // the line end that follows stands for both
		case r == '\n' || r == '\t':
			r = ' '
		default:
			if r = shown(r, last); r == 0 {
				continue
			}
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

// shown is what people get to see for a rune behind another one; 0 is nothing.
func shown(r, last rune) rune {
	switch {
	case r < ' ':
		return r + '\u2400'
	case r < 0x7f:
		return r
	case r == 0x7f:
		return '\u2421'
	case r < 0xa0:
		return utf8.RuneError // as is a byte that is not UTF-8
	case r == '\u2028' || r == '\u2029':
		return ' '
	case isHidden(r) && !(isJoiner(r) && last > unicode.MaxASCII):
		return 0
	}
	return r
}

// isPlain reports whether s is printable ASCII only, which most fields are.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// isHidden reports whether r shows nothing itself, so that two different
// texts could look alike or one line read in another order: format characters
// (direction marks, zero-width spaces, tags) and blank fillers. The Arabic
// number signs are format characters that do show.
func isHidden(r rune) bool {
	if r < 0xad || r > 0x206f && r < 0xfeff && r != '\u3164' {
		return false // most text; looking it up would cost more than all the rest
	}
	return (unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)) &&
		!unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// isJoiner reports whether r shapes its neighbours in scripts and emoji that
// need it. Between ASCII letters it could only deceive.
func isJoiner(r rune) bool { return r == '\u200c' || r == '\u200d' }

// cells measures text without asking the locale how wide an ambiguous
// character is, so that the same archive looks the same everywhere.
var cells = &runewidth.Condition{StrictEmojiNeutral: true}

// Width is how many cells safe, unstyled text takes.
func Width(s string) int { return cells.StringWidth(s) }

// Fit shortens safe, unstyled text to at most width cells, marking a cut with
// an ellipsis; a width of 0 or less means no limit, as in a pipe.
func Fit(s string, width int) string { return Glyphs{Ellipsis: "…"}.Fit(s, width) }

// FitEnd shortens safe, unstyled text to its last width cells: of a path the
// End tells most.
func FitEnd(s string, width int) string { return Glyphs{Ellipsis: "…"}.FitEnd(s, width) }

// Pad fills safe, unstyled text up with spaces on the right to width cells.
func Pad(s string, width int) string { return s + Blanks(s, width) }

// PadLeft is pad for numbers: the spaces come first.
func PadLeft(s string, width int) string { return Blanks(s, width) + s }

// Blanks are the spaces that s lacks.
func Blanks(s string, width int) string {
	return strings.Repeat(" ", max(0, width-Width(s)))
}

// Wrap breaks a line at words so that no piece is wider than width cells; the
// pieces after the first begin below the first word of it. A word that is wider
// alone stays whole, for it may be a path or an address to copy; text without
// spaces is broken where it must be.
func Wrap(line string, width int) []string {
	if width < 20 || Width(line) <= width {
		return []string{line}
	}
	hang := line[:len(line)-len(strings.TrimLeft(line, " -*•>"))]
	hang = strings.Repeat(" ", min(Width(hang), width/2))
	var pieces []string
	piece := ""
	for word := range strings.SplitAfterSeq(line, " ") {
		for Width(piece)+Width(strings.TrimRight(word, " ")) > width {
			if strings.TrimSpace(piece) != "" {
				pieces = append(pieces, strings.TrimRight(piece, " "))
				piece = hang
				continue
			}
			cut := cells.Truncate(word, width-Width(hang), "")
			if len(cut) == len(word) || len(cut) == 0 || isPlain(word) {
				break
			}
			pieces = append(pieces, piece+cut)
			piece, word = hang, word[len(cut):]
		}
		piece += word
	}
	return append(pieces, strings.TrimRight(piece, " "))
}
