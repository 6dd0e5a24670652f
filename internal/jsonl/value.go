package jsonl

import (
	"bytes"
	"strings"

	"piarchive/internal/jsonl/syntax"
)

// value is one JSON value inside a line. Keys are compared case-sensitively,
// and of doubled keys the last wins, as in the programs that write the files.
type value = syntax.Value

// scalar returns a string, number or boolean as text; "" for anything else.
func scalar(v value) string {
	switch {
	case v.IsString():
		return v.Str()
	case v.IsNumber(), v.IsBool():
		return v.Raw()
	}
	return ""
}

// truthy is JavaScript's notion, which decides about labels and names.
func truthy(v value) bool {
	switch {
	case v.IsString():
		return v.Str() != ""
	case v.IsNumber():
		return v.Num() != 0
	}
	return v.IsTrue() || v.IsArray() || v.IsObject()
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
