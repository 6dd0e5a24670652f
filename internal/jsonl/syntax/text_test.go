package syntax

import (
	"strings"
	"testing"
)

// What Node's TextDecoder makes of ill-formed UTF-8; x stands for U+FFFD.
func TestValid(t *testing.T) {
	tests := []struct{ bytes, want string }{
		{"plain", "plain"},
		{"é中😀", "é中😀"},
		{"\x80", "x"},
		{"\xbf", "x"},
		{"\xc0\x80", "xx"}, // overlong
		{"\xc1\xbf", "xx"},
		{"\xe0\x80\x80", "xxx"},
		{"\xe0\x9f\xbf", "xxx"},
		{"\xf0\x80\x80\x80", "xxxx"},
		{"\xf0\x8f\xbf\xbf", "xxxx"},
		{"\xed\xa0\x80", "xxx"}, // surrogates
		{"\xed\xbf\xbf", "xxx"},
		{"\xed\xa0\x80\xed\xb0\x80", "xxxxxx"},
		{"\xf4\x90\x80\x80", "xxxx"}, // beyond U+10FFFF
		{"\xf5\x80\x80\x80", "xxxx"},
		{"\xf8\x88\x80\x80\x80", "xxxxx"},
		{"\xfe", "x"},
		{"\xff", "x"},
		{"\xc2", "x"}, // cut short
		{"\xc3(", "x("},
		{"\xe0\xa0", "x"},
		{"\xed\x9f", "x"},
		{"\xef\xbf", "x"},
		{"\xf0\x90", "x"},
		{"\xf0\x90\x80", "x"},
		{"\xf4\x8f\xbf", "x"},
		{"\xe4\xb8", "x"},
		{"\xe4\xb8\xad\xe4\xb8", "中x"},
		{"A\xf0\x90A", "AxA"},
		{"A\xc0\xafA\xf4\x80\x80A", "AxxAxA"}, // the examples of the Unicode standard
		{"\xe1\x80\xe2\xf0\x91\x92\xf1\xbfA", "xxxxA"},
		{"a\xf1\x80\x80\xe1\x80\xc2b\x80c\x80\xbfd", "axxxbxcxxd"},
	}
	for _, tt := range tests {
		want := strings.ReplaceAll(tt.want, "x", "\ufffd")
		if got := Valid(tt.bytes); got != want {
			t.Errorf("Valid(%q) = %q, want %q", tt.bytes, got, want)
		}
	}
}

// What Node writes of each string after JSON.parse.
func TestString(t *testing.T) {
	tests := []struct{ json, want string }{
		{`"\ud800"`, "\ufffd"},
		{`"\ud800\u0041"`, "\ufffdA"},
		{`"\udc00"`, "\ufffd"},
		{`"\ud83d\ude00"`, "😀"},
		{`"\uD83D\uDE00"`, "😀"},
		{`"\ud83dx"`, "\ufffdx"},
		{`"\ud83d\ud83d\ude00"`, "\ufffd😀"},
		{`"\ude00\ud83d"`, "\ufffd\ufffd"},
		{`"\uD800\n"`, "\ufffd\n"},
		{`"\uD800\u0041"`, "\ufffdA"},
		{`"\\ud800"`, `\ud800`},
		{`"\ud800\\"`, "\ufffd\\"},
		{`"\ud800\""`, "\ufffd\""},
		{`"\ud83d\\ude00"`, "\ufffd\\ude00"},
		{`"\u0000a\/b\b\f\r\t"`, "\x00a/b\b\f\r\t"},
		{"\"\u2028\u2029\x7f\"", "\u2028\u2029\x7f"},
		{"\"\xe4\\u4e2d\xb8\"", "\ufffd中\ufffd"},
		{"\"\\ud800\xff\"", "\ufffd\ufffd"},
		{`5`, ""}, {`null`, ""}, {`["a"]`, ""}, {`true`, ""},
	}
	for _, tt := range tests {
		v, err := Parse(tt.json)
		if err != nil {
			t.Errorf("%s: %v", tt.json, err)
		}
		if got := v.Str(); got != tt.want {
			t.Errorf("%s is %q, want %q", tt.json, got, tt.want)
		}
	}
}
