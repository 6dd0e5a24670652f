package jsonl

import (
	"runtime"
	"strings"
	"testing"

	"piarchive/internal/jsonl/syntax"
)

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
		if v, _ := syntax.Parse(text); truthy(v) != want {
			t.Errorf("%s: %v", text, !want)
		}
	}
	if truthy(value{}) {
		t.Error("undefined is truthy")
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
