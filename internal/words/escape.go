package words

import "strings"

// Output of programs holds what colours it in a terminal: ESC [ 32 m ok. Nobody sees
// more than ok, so an escape sequence is no text: it separates tokens, and where a text
// is compared by its characters it is not there.
//
// These are known, each with ESC or, where that is said, one character in front:
//
//	ESC [, U+009B   parameters, intermediates and a final character: colours, the cursor.
//	                U+009B only before a parameter: without one it is mostly part of
//	                badly decoded text
//	ESC ( B …       character sets and the like: one or two of # $ % ( ) * + and one more
//	ESC 7 …         those of two characters that programs use. Among them are those that
//	                begin and end a string, such as a title or the address of a link:
//	                the string itself is text, for somebody may look for it
//
// What is not complete is none: its ESC stands alone and separates, all the rest is text
// as it is. So is a sequence that has lost its ESC.
const (
	esc       = '\x1b'
	csi       = '\u009b' // ESC [ in one
	maxEscape = 256      // more parameters than any program writes
)

// introducer is what asciiFold has for ESC: less than any token character.
const introducer = 1

// Escape returns the length of the escape sequence that text begins with, or 0.
func Escape(text string) int {
	text = text[:min(len(text), maxEscape)]
	switch {
	case strings.HasPrefix(text, string(csi)):
		if len(text) > 2 && isParameter(text[2]) {
			return controlEnd(text, 2)
		}
		return 0
	case len(text) < 2 || text[0] != esc:
		return 0
	}
	switch c := text[1]; {
	case c == '[':
		return controlEnd(text, 2)
	case strings.IndexByte("6789<=>DEHMZ\\c]^_", c) >= 0:
		return 2
	case isDesignator(c):
		i := 2
		if i < len(text) && isDesignator(text[i]) {
			i++
		}
		if i < len(text) && '0' <= text[i] && text[i] <= '~' {
			return i + 1
		}
	}
	return 0
}

// controlEnd returns the end of a control sequence whose parameters begin at i, or 0.
func controlEnd(text string, i int) int {
	for i < len(text) && isParameter(text[i]) {
		i++
	}
	for i < len(text) && isIntermediate(text[i]) {
		i++
	}
	if i < len(text) && '@' <= text[i] && text[i] <= '~' {
		return i + 1
	}
	return 0
}

func isParameter(c byte) bool    { return '0' <= c && c <= '?' }
func isIntermediate(c byte) bool { return ' ' <= c && c <= '/' }
func isDesignator(c byte) bool   { return '#' <= c && c <= '%' || '(' <= c && c <= '+' }

// Plain returns text without its escape sequences.
func Plain(text string) string {
	left, _ := plain(text)
	return left
}

// plain returns text without its escape sequences, and the places in what is left where
// they were, in order. A text without any is returned as it is.
func plain(text string) (string, []int) {
	if strings.IndexByte(text, esc) < 0 && !strings.ContainsRune(text, csi) {
		return text, nil
	}
	var left []byte
	var cuts []int
	copied := 0
	for i := 0; i < len(text); {
		n := Escape(text[i:])
		if n == 0 {
			i++
			continue
		}
		left = append(left, text[copied:i]...)
		cuts = append(cuts, len(left))
		i += n
		copied = i
	}
	if cuts == nil {
		return text, nil
	}
	return string(append(left, text[copied:]...)), cuts
}
