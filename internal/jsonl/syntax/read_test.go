package syntax

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseStrict(t *testing.T) {
	for _, text := range []string{
		"", " ", "{", "}", `{"a":1,}`, `[1,]`, `[,1]`, `[,]`, `{,}`, `{"a":1}{}`, `{"a":1} x`, `{a:1}`, `{'a':1}`, `{"a":NaN}`, `{"a":Infinity}`, `{"a":undefined}`,
		`{"a":01}`, `{"a":.5}`, `{"a":1.}`, `{"a":+1}`, `{"a":0x1}`, `{"a":"` + "\n" + `"}`, `{"a":"` + "\x00" + `"}`, `{"a":"\x"}`, `{"a":"\u12"}`,
		`{"a":tru}`, `{"a":"b}`, "\ufeff{}", "\u00a0{}", "\v{}", "\x00", `{"a" 1}`, `{"a":1 "b":2}`, `[1 2]`, "// x\n{}", `{"a":-}`, `{"a":1e}`,
		`[}`, `{]`, `[1}`, `{"a":1]`, `]`, `[[]`, `"`, `"\`, `"\u`, `"\u00g0"`, `"\u+123"`, `"\u1_23"`, `-`, `1-`, `--1`, `1e+`, `1.e1`, `00`, `nul`, `nulll`, `{"a"}`, `{"a":}`, `{1:2}`, `{"a":1,2}`,
	} {
		if _, err := Parse(text); !errors.Is(err, ErrSyntax) {
			t.Errorf("%q is taken as JSON: %v", text, err)
		}
	}
	for _, text := range []string{"0", "-0", "1e400", "1E-7", " {} \r\t\n", `""`, "null", `{"":{"":[]}}`, "\"\xff\"", `{"a":1,"a":2}`, " [ 1 , { } , [ ] ] ", "-0.5e+09"} {
		if _, err := Parse(text); err != nil {
			t.Errorf("%q is not taken as JSON", text)
		}
	}
}

// Wherever a string ends, or has what it must not have, that is seen: eight bytes are
// looked at together, and fewer at the end.
func TestQuoted(t *testing.T) {
	for before := range 20 {
		for behind := range 20 {
			pad, rest := strings.Repeat("x", before), strings.Repeat("y", behind)
			for text, want := range map[string]string{
				`"` + pad + `"` + strings.Repeat(" ", behind): pad,
				`"` + pad + `\"` + rest + `"`:                 pad + `"` + rest,
				`"` + pad + `\u0041` + rest + `"`:             pad + "A" + rest,
				`"` + pad + "é\x7f" + rest + `"`:              pad + "é\x7f" + rest,
				`"` + pad + "\xc3" + rest + `"`:               pad + "\ufffd" + rest,
			} {
				if v, err := Parse(text); err != nil || v.Str() != want {
					t.Errorf("%s is %q, %v", text, v.Str(), err)
				}
			}
			for _, bad := range []string{"\x1f", "\x00", "\n", `\x`, `\u004`, `"`} {
				if _, err := Parse(`"` + pad + bad + rest + `"`); err == nil {
					t.Errorf("%q behind %d bytes, before %d, is taken", bad, before, behind)
				}
			}
		}
	}
}

func TestGet(t *testing.T) {
	text := `{"a":1,"A":2,"a":3,"\u0061b":4,"x":{"a":5},"":6,"a b":null,"y":[{"a":7}]}`
	for limit := range 20 {
		v := limited(t, text, limit)
		for key, want := range map[string]string{"a": "3", "A": "2", "ab": "4", "x": `{"a":5}`, "": "6", "a b": "null"} {
			if got, ok := v.Look(key); !ok || got.Raw() != want || v.Get(key).Raw() != want {
				t.Errorf("limit %d: %q is %s, want %s", limit, key, got.Raw(), want)
			}
		}
		for _, key := range []string{"b", "X", "aB", `\u0061b`} {
			if got, ok := v.Look(key); ok || got.Exists() || got.Str() != "" || got.Raw() != "" || !got.IsNull() || got.Num() != 0 {
				t.Errorf("limit %d: %q is there", limit, key)
			}
		}
		if got := v.Get("x").Get("a").Num(); got != 5 {
			t.Errorf("limit %d: %v", limit, got)
		}
	}
	for range (Value{}).Items() {
		t.Error("nothing has items")
	}
	for range (Value{}).Members() {
		t.Error("nothing has members")
	}
}

// limited reads a text of which no more than so many values are remembered.
func limited(t *testing.T, text string, limit int) Value {
	t.Helper()
	v, err := (&Document{limit: limit}).Parse(text)
	if err != nil {
		t.Fatalf("%.100q: %v", text, err)
	}
	return v
}

func TestDepth(t *testing.T) {
	deep := strings.Repeat("[", MaxDepth)
	tests := []struct {
		name, text string
		want       error
	}{
		{"limit", deep + strings.Repeat("]", MaxDepth), nil},
		{"limit twice", "[" + deep[1:] + strings.Repeat("]", MaxDepth-1) + "," + deep[1:] + strings.Repeat("]", MaxDepth), nil},
		{"beyond", deep + "{" + "}" + strings.Repeat("]", MaxDepth), ErrDepth},
		{"objects", strings.Repeat(`{"a":`, MaxDepth) + "0" + strings.Repeat("}", MaxDepth), nil},
		{"wide", "[" + strings.Repeat("[],", MaxDepth) + "[]]", nil},
		{"quoted", `["` + deep + `",[]]`, nil},
		{"after an escaped quote", `["\"` + deep + `"]`, nil},
		{"after an escaped backslash", `["\\",` + deep, ErrDepth},
		{"cut short", deep + "[", ErrDepth},
		{"cut short before", deep, ErrSyntax},
	}
	for _, tt := range tests {
		for _, limit := range []int{0, 10} {
			if _, err := (&Document{limit: limit}).Parse(tt.text); !errors.Is(err, tt.want) {
				t.Errorf("%s: %v", tt.name, err)
			}
		}
	}
}

func TestStrings(t *testing.T) {
	text := `{"a":"1","b"  :["2",{"c":"3","d":4},"5"],"e` + `\"":"6","f"` + strings.Repeat(" ", 40) + `:"\u0037","":""}`
	for limit := range 20 {
		var got []string
		limited(t, text, limit).Strings(func(key, text string) { got = append(got, key+"="+text) })
		want := []string{"a=1", "b=2", "c=3", "d=5", `e\"=6`, "f=7", "="}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("limit %d: %s", limit, diff)
		}
	}
	for text, want := range map[string]int{`"a"`: 1, `5`: 0, `[]`: 0, `[{"a":["b"]}]`: 1} {
		n := 0
		limited(t, text, 0).Strings(func(_, _ string) { n++ })
		if n != want {
			t.Errorf("%s has %d strings", text, n)
		}
	}
	Value{}.Strings(func(_, _ string) { t.Error("nothing has strings") })
}

// A document that is used again says what a new one says, also behind a text that is
// no JSON, and the strings of the text before stay.
func TestAgain(t *testing.T) {
	var d Document
	var kept, want []string
	for i := range 50 {
		text := strings.Repeat(fmt.Sprintf(`{"a\t":["b\n%d",{"c":"d%d"}],"e":`, i, i), 1+i%3) + "null" + strings.Repeat("}", 1+i%3)
		if i%7 == 0 {
			if _, err := d.Parse(text + "}"); err == nil {
				t.Fatalf("%s} is taken as JSON", text)
			}
		}
		v, err := d.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		fresh, _ := Parse(text)
		if diff := cmp.Diff(decoded(fresh), decoded(v)); diff != "" {
			t.Errorf("%s\n%s", text, diff)
		}
		for _, read := range []Value{v, v, fresh} {
			read.Strings(func(_, text string) { kept = append(kept, text) })
		}
		for range 3 {
			for range 1 + i%3 {
				want = append(want, fmt.Sprintf("b\n%d", i), fmt.Sprintf("d%d", i))
			}
		}
	}
	if diff := cmp.Diff(want, kept); diff != "" {
		t.Error(diff)
	}
}

// The longest lines take as much memory as any other with very many values, and what
// is asked of them is right.
func TestManyValues(t *testing.T) {
	const length = 8 << 20
	for name, text := range map[string]string{
		"members":  `{"first":"1",` + strings.Repeat(`"":0,`, length/5) + `"last":"2"}`,
		"numbers":  `{"first":"1","list":[` + strings.Repeat(`0,`, length/2) + `0],"last":"2"}`,
		"arrays":   `{"first":"1","list":[` + strings.Repeat(`[],`, length/3) + `[]],"last":"2"}`,
		"brackets": `{"first":"1","list":[` + strings.Repeat(strings.Repeat("[", 50_000)+strings.Repeat("]", 50_000)+",", length/100_000) + `[]],"last":"2"}`,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var d Document
		v, err := d.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 6*16*maxNodes || len(d.nodes) > maxNodes {
			t.Errorf("%s: %d bytes for %d values", name, took, len(d.nodes))
		}
		if v.Get("first").Str() != "1" || v.Get("last").Str() != "2" || v.Get("none").Exists() {
			t.Errorf("%s: the members are %s and %s", name, v.Get("first").Raw(), v.Get("last").Raw())
		}
		var texts []string
		v.Strings(func(key, text string) { texts = append(texts, key+"="+text) })
		if diff := cmp.Diff([]string{"first=1", "last=2"}, texts); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
