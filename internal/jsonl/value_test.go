package jsonl

import (
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
		v, ok := parse(tt.json)
		if !ok {
			t.Errorf("%s is not valid", tt.json)
		}
		if got := str(v); got != tt.want {
			t.Errorf("%s is %q, want %q", tt.json, got, tt.want)
		}
	}
}

func TestParseStrict(t *testing.T) {
	for _, text := range []string{
		"", " ", "{", "}", `{"a":1,}`, `[1,]`, `{"a":1}{}`, `{"a":1} x`, `{a:1}`, `{'a':1}`, `{"a":NaN}`, `{"a":Infinity}`, `{"a":undefined}`,
		`{"a":01}`, `{"a":.5}`, `{"a":1.}`, `{"a":+1}`, `{"a":0x1}`, `{"a":"` + "\n" + `"}`, `{"a":"` + "\x00" + `"}`, `{"a":"\x"}`, `{"a":"\u12"}`,
		`{"a":tru}`, `{"a":"b}`, "\ufeff{}", "\u00a0{}", "\v{}", "\x00", `{"a" 1}`, `{"a":1 "b":2}`, `[1 2]`, "// x\n{}", `{"a":-}`, `{"a":1e}`,
	} {
		if _, ok := parse(text); ok {
			t.Errorf("%q is taken as JSON", text)
		}
	}
	for _, text := range []string{"0", "-0", "1e400", "1E-7", " {} \r\t\n", `""`, "null", `{"":{"":[]}}`, "\"\xff\"", `{"a":1,"a":2}`} {
		if _, ok := parse(text); !ok {
			t.Errorf("%q is not taken as JSON", text)
		}
	}
}

func TestMembers(t *testing.T) {
	v, _ := parse(`{"a":1,"A":2,"a":3,"\u0061b":4,"x":{"a":5},"":6,"a b":null}`)
	f := members(v)
	for key, want := range map[string]string{"a": "3", "A": "2", "ab": "4", "x": `{"a":5}`, "": "6", "a b": "null"} {
		got, ok := f.look(key)
		if again, found := member(v, key); !ok || got.Raw != want || !found || again.Raw != want {
			t.Errorf("%q is %s and %s, want %s", key, got.Raw, again.Raw, want)
		}
	}
	for _, key := range []string{"b", "X", "aB", `\u0061b`} {
		if _, ok := f.look(key); ok || f.get(key).Exists() || f.str(key) != "" {
			t.Errorf("%q is there", key)
		}
	}
	if len(members(value{}).list) > 0 {
		t.Error("nothing has members")
	}
}

// Brackets in strings do not nest, and what is quoted ends where JSON says.
func TestTooDeep(t *testing.T) {
	deep := strings.Repeat("[", maxDepth)
	tests := []struct {
		name, text string
		want       bool
	}{
		{"limit", deep + strings.Repeat("]", maxDepth), false},
		{"limit twice", "[" + deep[1:] + strings.Repeat("]", maxDepth-1) + "," + deep[1:] + strings.Repeat("]", maxDepth), false},
		{"beyond", deep + "{" + "}" + strings.Repeat("]", maxDepth), true},
		{"wide", "[" + strings.Repeat("[],", maxDepth) + "[]]", false},
		{"quoted", `["` + deep + `",[]]`, false},
		{"after an escaped quote", `["\"` + deep + `"]`, false},
		{"after an escaped backslash", `["\\",` + deep, true},
		{"cut short", deep + "[", true},
	}
	for _, tt := range tests {
		if got := tooDeep([]byte(tt.text)); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

func TestBlank(t *testing.T) {
	for _, text := range []string{"", " ", "\t\v\f\r ", "\ufeff", "\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000"} {
		if !blank([]byte(text)) {
			t.Errorf("%+q is not blank", text)
		}
	}
	for _, text := range []string{"\x00", "\u0085", "\u180e", "\u200b", "\x1c", "\xff", "x"} {
		if blank([]byte(text)) {
			t.Errorf("%+q is blank", text)
		}
	}
	if got := Trim("\ufeff\u00a0 a b\u3000\n"); got != "a b" {
		t.Errorf("jsTrim: %q", got)
	}
}

func TestTruthy(t *testing.T) {
	for text, want := range map[string]bool{
		`""`: false, `0`: false, `-0.0`: false, `false`: false, `null`: false,
		`"0"`: true, `" "`: true, `1`: true, `-1`: true, `true`: true, `{}`: true, `[]`: true,
	} {
		if v, _ := parse(text); truthy(v) != want {
			t.Errorf("%s: %v", text, !want)
		}
	}
	if truthy(value{}) {
		t.Error("undefined is truthy")
	}
}

func TestEachString(t *testing.T) {
	var got []string
	eachString(`{"a":"1","b"  :["2",{"c":"3","d":4},"5"],"e`+`\"":"6","f"`+strings.Repeat(" ", 40)+`:"\u0037","":""}`, func(key, text string) {
		got = append(got, key+"="+text)
	})
	want := []string{"a=1", "b=2", "c=3", "d=5", `e\"=6`, "f=7", "="}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestEncoded(t *testing.T) {
	long := strings.Repeat("aGVsbG8+/-_=", 50)
	for text, want := range map[string]bool{
		long: true, long[:511]: false, long[:512]: true, long + " x": false, long + "\n": false, "(" + long: false, strings.Repeat("字", 400): false,
	} {
		if got := encoded(text); got != want {
			t.Errorf("%.20q… (%d): %v", text, len(text), got)
		}
	}
}

// A line may be nested as deep as it likes: reading it takes work in proportion
// to its length, for which memory stands here.
func TestDeepIsQuick(t *testing.T) {
	once, twice := bytesOfDeep(t, 22_500), bytesOfDeep(t, 45_000)
	if twice > 3*once {
		t.Errorf("takes %d bytes, and %d where it is twice as deep", once, twice)
	}
}

func bytesOfDeep(t *testing.T, depth int) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	open, shut := strings.Repeat("[", depth), strings.Repeat("]", depth)
	objects := strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth)
	for _, line := range []string{
		said("a", "user", `[{"type":"text","text":`+open+`"x"`+shut+`}]`),
		said("a", "user", open+shut),
		said("a", "assistant", `[{"type":"toolCall","id":"c","name":"x","arguments":`+objects+`}]`),
		said("a", "strange", `"x"`, `"more":`+objects),
		`{"type":"strange","id":"a","parentId":null,"more":` + open + `"x"` + shut + `}`,
		`{"type":"label","id":"a","parentId":null,"targetId":"b","label":` + objects + `}`,
		`{"type":"message","id":"a","parentId":` + open + shut + `,"message":` + objects + `}`,
		`{"type":"session","version":"` + open + open + open + open + `","id":"t"}`,
	} {
		scan(t, file(head, line))
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
