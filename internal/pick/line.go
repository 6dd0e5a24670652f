package pick

import (
	"strings"
	"unicode"

	"piarchive/internal/terminal"
)

// line is a line that is typed.
type line struct {
	text []rune
	at   int // of the cursor
}

func newLine(text string) line {
	l := line{}
	l.insert(text)
	return l
}

func (l line) String() string { return string(l.text) }

// insert types text, of which only what can be seen is taken.
func (l *line) insert(text string) {
	typed := []rune(terminal.Safe(text))
	rest := append(typed, l.text[l.at:]...)
	l.text = append(l.text[:l.at:l.at], rest...)
	l.at += len(typed)
}

// left is where the character before the cursor begins, with what combines with it.
func (l *line) left() int {
	at := l.at
	for at > 0 {
		if at--; terminal.Width(string(l.text[at])) > 0 {
			break
		}
	}
	return at
}

func (l *line) right() int {
	at := l.at
	for at < len(l.text) {
		if at++; at == len(l.text) || terminal.Width(string(l.text[at])) > 0 {
			break
		}
	}
	return at
}

// wordLeft is where the word before the cursor begins.
func (l *line) wordLeft() int {
	at := l.at
	for at > 0 && unicode.IsSpace(l.text[at-1]) {
		at--
	}
	for at > 0 && !unicode.IsSpace(l.text[at-1]) {
		at--
	}
	return at
}

// cut removes what lies between the cursor and another place.
func (l *line) cut(to int) {
	from := min(l.at, to)
	l.text = append(l.text[:from:from], l.text[max(l.at, to):]...)
	l.at = from
}

// edit does what a key says, and reports whether it says something about a line.
func (l *line) edit(key string) bool {
	switch key {
	case "left", "ctrl+b":
		l.at = l.left()
	case "right", "ctrl+f":
		l.at = l.right()
	case "home", "ctrl+a":
		l.at = 0
	case "end", "ctrl+e":
		l.at = len(l.text)
	case "backspace", "ctrl+h":
		l.cut(l.left())
	case "delete", "ctrl+d":
		l.cut(l.right())
	case "ctrl+w", "alt+backspace":
		l.cut(l.wordLeft())
	case "ctrl+u":
		l.cut(0)
	case "ctrl+k":
		l.cut(len(l.text))
	default:
		return false
	}
	return true
}

// asked is the query that a typed text stands for: while its last word is typed,
// that is the beginning of one.
func asked(text string) string {
	const least = 2 // letters that say what word it may become
	text = strings.TrimLeft(text, " ")
	last := text[strings.LastIndexByte(text, ' ')+1:]
	letters := 0
	for _, r := range last {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) {
			return text // a qualifier, a sign, or a script where any part of a text is found
		}
		letters++
	}
	open := strings.Count(text, `"`)%2 == 1 || strings.HasPrefix(text, "/") || strings.Contains(text, " /") || last == "OR"
	if letters < least || open {
		return text
	}
	return text + "*"
}
