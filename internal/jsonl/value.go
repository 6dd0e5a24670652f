package jsonl

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// maxDepth bounds the nesting of a line that is parsed: far beyond anything a
// program writes, and small enough for the validator's recursion.
const maxDepth = 100_000

// value is one JSON value inside a line. Keys are compared case-sensitively,
// and of doubled keys the last wins, as in the programs that write the files.
type value = gjson.Result

// parse validates the whole text strictly (one JSON value, no trailing bytes).
func parse(text string) (value, bool) {
	if !gjson.Valid(text) {
		return value{}, false
	}
	return gjson.Parse(text), true
}

// tooDeep reports nesting beyond maxDepth. Counting brackets first makes the
// check free for nearly every line.
func tooDeep(text []byte) bool {
	if bytes.Count(text, []byte{'{'})+bytes.Count(text, []byte{'['}) <= maxDepth {
		return false
	}
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// each calls yield for every member of an object, in order; keys are unescaped.
func each(object value, yield func(key string, v value)) {
	if !object.IsObject() {
		return
	}
	object.ForEach(func(k, v gjson.Result) bool {
		yield(k.Str, v)
		return true
	})
}

// member returns the last value of a key; ok is false if the key is absent.
func member(object value, name string) (found value, ok bool) {
	each(object, func(key string, v value) {
		if key == name {
			found, ok = v, true
		}
	})
	return found, ok
}

// items calls yield for every element of an array.
func items(array value, yield func(v value)) {
	if !array.IsArray() {
		return
	}
	array.ForEach(func(_, v gjson.Result) bool {
		yield(v)
		return true
	})
}

// str returns the string of v, or "" if v is not a string. The text is valid
// UTF-8: bad bytes and lone surrogates become U+FFFD, as they do when the
// programs that write these files encode them.
func str(v value) string {
	if v.Type != gjson.String {
		return ""
	}
	escaped := len(v.Str) != len(v.Raw)-2
	if escaped && (strings.Contains(v.Raw, `\ud`) || strings.Contains(v.Raw, `\uD`)) {
		// gjson swallows the escape behind a lone surrogate; encoding/json does not.
		var s string
		if json.Unmarshal([]byte(Valid(v.Raw)), &s) == nil {
			return s
		}
	}
	return Valid(v.Str)
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

// scalar returns a string, number or boolean as text; "" for anything else.
func scalar(v value) string {
	switch v.Type {
	case gjson.String:
		return str(v)
	case gjson.Number, gjson.True, gjson.False:
		return v.Raw
	}
	return ""
}

func isString(v value) bool { return v.Type == gjson.String }
func isNumber(v value) bool { return v.Type == gjson.Number }
func isTrue(v value) bool   { return v.Type == gjson.True }
func isNull(v value) bool   { return v.Type == gjson.Null }

// truthy is JavaScript's notion, which decides about labels and names.
func truthy(v value) bool {
	switch v.Type {
	case gjson.String:
		return v.Str != ""
	case gjson.Number:
		return v.Num != 0
	case gjson.True, gjson.JSON:
		return true
	}
	return false
}

// eachString calls yield with every string below raw that is a value, not a
// key, together with the nearest key before it. One flat pass: deep nesting
// costs nothing extra.
func eachString(raw string, yield func(key, text string)) {
	key := ""
	for i := 0; i < len(raw); i++ {
		if raw[i] != '"' {
			continue
		}
		end := i + 1
		for end < len(raw) && raw[end] != '"' {
			if raw[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(raw) {
			return
		}
		token := raw[i : end+1]
		i = end
		next := strings.TrimLeft(raw[end+1:], " \t\r\n")
		if strings.HasPrefix(next, ":") {
			key = token[1 : len(token)-1]
			continue
		}
		yield(key, str(gjson.Parse(token)))
	}
}

// unmarked cuts the byte order mark that some editors put in front of a file.
func unmarked(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF")) }

// blank is JavaScript's trim() == "": besides ASCII white space it takes the
// byte order mark, the no-break space, the line separators and every Zs.
func blank(text []byte) bool {
	return len(bytes.TrimFunc(text, jsSpace)) == 0
}

func jsSpace(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', ' ', 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF:
		return true
	}
	return r >= 0x2000 && r <= 0x200A
}

// Trim is the trim() of JavaScript.
func Trim(s string) string { return strings.TrimFunc(s, jsSpace) }
