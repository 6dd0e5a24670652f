package syntax

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// A text is JSON here exactly if it is to encoding/json, and both read the same in it,
// but for how many U+FFFD stand for a run of bad bytes. How many values are remembered
// changes nothing.
func FuzzParse(f *testing.F) {
	for i, s := range []string{
		"", "\n", "x", "\ufeff\n", "\x00\x00", `{"a":[1,-0,1e400,true,null,"\ud800\u0041\"\\ud800"],"\u0061":2,"":{}}`,
		"\"\xe4\xb8\xff\\ud83d\xed\xa0\x80\"", "[1,]", "01", `"\x"`, " \"\x1f\" ", `[[],{},[[{"a":{"b":["c"]}}]],"\ud83d\ude00\ud83d"]`,
		`{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":[{"type":"text","text":"a\nb"},null]}}`,
	} {
		f.Add(s, uint8(i))
	}
	f.Fuzz(func(t *testing.T, text string, limit uint8) {
		if strings.Count(text, "[")+strings.Count(text, "{") >= 1000 {
			return // encoding/json gives up at 10 000 levels
		}
		v, err := Parse(text)
		few, fewErr := (&Document{limit: 1 + int(limit)}).Parse(text)
		if want := json.Valid([]byte(text)); (err == nil) != want || (fewErr == nil) != want {
			t.Fatalf("%q: %v, %v, JSON to encoding/json: %v", text, err, fewErr, want)
		}
		if err != nil {
			return
		}
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		var want any
		if err := decoder.Decode(&want); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		got := decoded(v)
		if diff := cmp.Diff(got, decoded(few)); diff != "" {
			t.Fatalf("%q, where %d values are remembered\n%s", text, 1+int(limit), diff)
		}
		if diff := cmp.Diff(plain(want), plain(got)); diff != "" {
			t.Fatalf("%q\n%s", text, diff)
		}
		var texts, again []string
		v.Strings(func(key, text string) { texts = append(texts, key, text) })
		few.Strings(func(key, text string) { again = append(again, key, text) })
		if diff := cmp.Diff(texts, again); diff != "" {
			t.Fatalf("%q, where %d values are remembered\n%s", text, 1+int(limit), diff)
		}
		for i, s := range texts {
			if i%2 == 1 && !utf8.ValidString(s) {
				t.Fatalf("%q says %q", text, s)
			}
		}
	})
}

// decoded is a value as encoding/json decodes it into an any.
func decoded(v Value) any {
	switch {
	case v.IsString():
		return v.Str()
	case v.IsNumber():
		return json.Number(v.Raw())
	case v.IsArray():
		list := []any{}
		for item := range v.Items() {
			list = append(list, decoded(item))
		}
		return list
	case v.IsObject():
		object := map[string]any{}
		for key, member := range v.Members() {
			object[key.Str()] = decoded(member)
		}
		return object
	case v.IsNull():
		return nil
	}
	return v.IsTrue()
}

// plain is a decoded value with one U+FFFD for several. Keys with one in them
// are left out: they may have become equal.
func plain(v any) any {
	const bad = "\ufffd"
	switch v := v.(type) {
	case string:
		for strings.Contains(v, bad+bad) {
			v = strings.ReplaceAll(v, bad+bad, bad)
		}
		return v
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for key := range v {
			if v[key] = plain(v[key]); strings.Contains(key, bad) {
				delete(v, key)
			}
		}
	}
	return v
}
