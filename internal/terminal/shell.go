package terminal

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// ShellLine writes a command as people type it.
func ShellLine(command []string, powerShell bool) string {
	words := make([]string, len(command))
	for i, word := range command {
		words[i] = ShellWord(word, powerShell)
	}
	return strings.Join(words, " ")
}

// ShellWord writes a text so that a shell takes it for one word, whatever it
// holds: sh, bash, zsh and fish, or PowerShell. Quotes and backslashes never stand
// in single quotes, where fish reads them otherwise than the rest do.
func ShellWord(s string, powerShell bool) string {
	switch {
	case s == "":
		return "''"
	case strings.IndexFunc(s, isSpecial) < 0:
		return s
	case powerShell: // which takes curly quotes for straight ones
		return "'" + strings.NewReplacer("'", "''", "‘", "‘‘", "’", "’’", "‚", "‚‚", "‛", "‛‛").Replace(s) + "'"
	case !utf8.ValidString(s) || Safe(s) != s:
		return octalWord(s)
	}
	var b strings.Builder
	for s != "" {
		n := strings.IndexAny(s, `'\`)
		switch {
		case n < 0:
			return b.String() + "'" + s + "'"
		case n > 0:
			b.WriteString("'" + s[:n] + "'")
		}
		b.WriteString(map[byte]string{'\'': `"'"`, '\\': `"\\"`}[s[n]])
		s = s[n+1:]
	}
	return b.String()
}

// octalWord writes what a terminal would not show as it is. A shell that does not
// know $'…' takes it for another text, and nothing worse: no quote is in it.
func octalWord(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if isSpecial(rune(s[i])) {
			fmt.Fprintf(&b, `\%03o`, s[i])
		} else {
			b.WriteByte(s[i])
		}
	}
	return "$'" + b.String() + "'"
}

// isSpecial reports whether a shell may take a character for more than itself.
func isSpecial(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_./:@+,-", r))
}
