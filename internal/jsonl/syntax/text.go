package syntax

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// unescape is what a string says, of which text is between the quotation marks.
func unescape(text string) string {
	i := strings.IndexByte(text, '\\')
	if i < 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for ; i >= 0; i = strings.IndexByte(text, '\\') {
		b.WriteString(text[:i])
		c := text[i+1]
		text = text[i+2:]
		switch c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			r, _ := unit(text)
			text = text[4:]
			if next, ok := strings.CutPrefix(text, `\u`); ok {
				second, _ := unit(next)
				if pair := utf16.DecodeRune(r, second); pair != utf8.RuneError {
					r, text = pair, next[4:]
				}
			}
			b.WriteRune(r) // of a surrogate that stands alone, U+FFFD
			continue
		}
		b.WriteByte(c)
	}
	b.WriteString(text)
	return b.String()
}

// unit reads the four digits behind \u.
func unit(text string) (r rune, ok bool) {
	if len(text) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(text[:4], 16, 16)
	return rune(n), err == nil
}

// Valid returns s as valid UTF-8, with one U+FFFD for each maximal ill-formed
// sequence, the way browsers and Node decode bytes.
func Valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			n = illFormed(s)
			b.WriteString("\uFFFD")
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// illFormed returns the length of the maximal prefix of s that begins a
// character and is cut short, at least 1.
func illFormed(s string) int {
	want, lo, hi := 0, byte(0x80), byte(0xBF)
	switch c := s[0]; {
	case c >= 0xC2 && c <= 0xDF:
		want = 1
	case c >= 0xE0 && c <= 0xEF:
		want = 2
		if c == 0xE0 {
			lo = 0xA0
		} else if c == 0xED {
			hi = 0x9F
		}
	case c >= 0xF0 && c <= 0xF4:
		want = 3
		if c == 0xF0 {
			lo = 0x90
		} else if c == 0xF4 {
			hi = 0x8F
		}
	}
	n := 1
	for n <= want && n < len(s) && s[n] >= lo && s[n] <= hi {
		lo, hi = 0x80, 0xBF
		n++
	}
	return n
}

// Quote writes a string as JavaScript does: nothing is escaped that need not be.
func Quote(s string) string {
	const hex = "0123456789abcdef"
	b := make([]byte, 0, len(s)+2)
	b = append(b, '"')
	for _, c := range []byte(Valid(s)) {
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\r':
			b = append(b, `\r`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c == '\b':
			b = append(b, `\b`...)
		case c == '\f':
			b = append(b, `\f`...)
		case c < 0x20:
			b = append(b, `\u00`...)
			b = append(b, hex[c>>4], hex[c&15])
		default:
			b = append(b, c)
		}
	}
	return string(append(b, '"'))
}

// Object is the text of an object that is put together.
type Object struct{ text strings.Builder }

// Add adds a member: its key as it is written, and its value, "" for none.
func (o *Object) Add(key, value string) {
	if value == "" {
		return
	}
	between := ","
	if o.text.Len() == 0 {
		between = "{"
	}
	o.text.WriteString(between + key + ":" + value)
}

// End is the object, which has a member.
func (o *Object) End() string { return o.text.String() + "}" }
