package jsonl

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// What is on the lines between two good entries decides about these alone.
func TestLines(t *testing.T) {
	const (
		a = `{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"q"}}`
		z = `{"type":"message","id":"z","parentId":"a","message":{"role":"user","content":"r"}}`
	)
	tests := []struct {
		name, between string
		ids, problems string
	}{
		{"nothing", "", "a z", ""},
		{"blank lines", "\n \t\n\r\n\ufeff\n\u2028\u3000\n", "a z", ""},
		{"malformed", "{\"a\":\n", "a z", "3:malformed-line"},
		{"trailing comma", `{"type":"x","id":"b",}` + "\n", "a z", "3:malformed-line"},
		{"two objects", `{"type":"x","id":"b"}{"type":"x","id":"c"}` + "\n", "a z", "3:malformed-line"},
		{"pretty-printed", "{\n\"type\":\"x\"\n}\n", "a z", "3:malformed-line 4:malformed-line 5:malformed-line"},
		{"NULs", "\x00\x00\x00\n", "a z", "3:nul-bytes"},
		{"NULs before JSON", "\x00" + `{"type":"x","id":"b"}` + "\n", "a z", "3:malformed-line"},
		{"null", "null\n", "a z", "3:not-an-object"},
		{"scalars", "5\n\"x\"\nfalse\n0\n\"\"\n", "a z", "3:not-an-object 4:not-an-object 5:not-an-object 6:not-an-object 7:not-an-object"},
		{"array", `[{"type":"x","id":"b"}]` + "\n", "a z", "3:not-an-object"},
		{"empty object", "{}\n", "a ~ z", "3:missing-id"},
		{"lone CR", "{\"type\":\"x\",\r\"id\":\"b\"}\r\n", "a b z", ""}, // white space of JSON
		{"line separators in a string", "{\"type\":\"x\",\"id\":\"b\u2028\u2029c\"}\n", "a b\u2028\u2029c z", ""},
		{"bad UTF-8", "{\"type\":\"x\",\"id\":\"b\xff\"}\n", "a b\ufffd z", ""},
		{"byte order mark inside", "\ufeff{\"type\":\"x\",\"id\":\"b\"}\n", "a z", "3:malformed-line"},
		{"white space", "  { \"type\" : \"x\" , \"id\" : \"b\" }\t\r\n", "a b z", ""},
		{"keys in other case", `{"Type":"x","ID":"c","type":"x","id":"b","iD":"d"}` + "\n", "a b z", ""},
		{"doubled keys", `{"type":"y","id":"c","type":"x","id":"b"}` + "\n", "a b z", ""},
		{"escaped keys", `{"\u0074ype":"x","i\u0064":"b"}` + "\n", "a b z", ""},
		{"id is a number", `{"type":"x","id":7}` + "\n", "a 7 z", ""},
		{"id is empty", `{"type":"x","id":""}` + "\n", "a ~ z", "3:missing-id"},
		{"id is no scalar", `{"type":"x","id":["b"]}` + "\n", "a ~ z", "3:missing-id"},
		{"doubled entry", a + "\n", "a a z", ""},
		{"second header", `{"type":"session","version":3,"id":"t"}` + "\n", "a z", "3:second-header"},
		{"header and entries again", head + "\n" + a + "\n", "a a z", "3:second-header"},
		{"10 000 levels", `{"type":"x","id":"b","v":` + strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_001) + "\n", "a b z", ""},
		{"100 000 levels", `{"type":"x","id":"b","v":` + strings.Repeat("[", 99_999) + strings.Repeat("]", 99_999) + "}\n", "a b z", ""},
		{"100 001 levels", `{"type":"x","id":"b","v":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "}\n", "a z", "3:too-deep"},
	}
	for _, tt := range tests {
		r := scan(t, head+"\n"+a+"\n"+tt.between+z+"\n")
		if r.ids() != tt.ids || r.kinds() != tt.problems {
			t.Errorf("%s: entries %s, problems %s", tt.name, r.ids(), r.kinds())
		}
		for i, e := range r.entries {
			if e.Ordinal != i {
				t.Errorf("%s: entry %d has ordinal %d", tt.name, i, e.Ordinal)
			}
		}
	}
}

// A source as a whole: what its beginning and its end may look like.
func TestSources(t *testing.T) {
	a := said("a", "user", `"q"`)
	tests := []struct {
		name, text    string
		session       bool
		ids, problems string
	}{
		{"empty", "", false, "", "0:empty-file"},
		{"blank", "\n \n\t", false, "", "0:empty-file"},
		{"garbage", "hello\nworld\n", false, "", "1:malformed-line 2:malformed-line 0:no-header"},
		{"cut in the header", head[:40], false, "", "1:unterminated 0:no-header"},
		{"lone CRs", head + "\r" + a + "\r", false, "", "1:unterminated 0:no-header"},
		{"entries without a header", file(a, a), false, "", "0:no-header"},
		{"events", file(`{"type":"agent_start"}`, `{"type":"message_end","message":{}}`), false, "", "0:no-header"},
		{"header only", file(head), true, "", ""},
		{"header without LF", head, true, "", ""},
		{"no final LF", head + "\n" + a, true, "a", ""},
		{"CR LF", head + "\r\n" + a + "\r\n", true, "a", ""},
		{"byte order mark", "\ufeff" + head + "\n" + a + "\n", true, "a", ""},
		{"malformed before the header", file("{", "", "\x00", head, a), true, "a", "1:malformed-line 3:nul-bytes"},
		{"scalar before the header", file("null", head, a), true, "a", "1:not-an-object"},
		{"entry before the header", file(a, head), true, "a", "2:late-header"},
		{"unknown objects before the header", file(`{"type":"x","id":"b"}`, "{}", head, a), true, "b ~ a", "2:missing-id 3:late-header"},
		{"last line cut", head + "\n" + a + "\n" + a[:60], true, "a", "3:unterminated"},
		{"last line cut in a character", head + "\n" + a + "\n" + `{"a":"` + "\xe4\xb8", true, "a", "3:unterminated"},
		{"NULs at the end", head + "\n" + a + "\n\x00\x00\x00\x00", true, "a", "3:nul-bytes"},
		{"too deep at the end", head + "\n" + strings.Repeat("[", 100_001), true, "", "2:too-deep"},
	}
	for _, tt := range tests {
		r := scan(t, tt.text)
		h, _ := r.Header()
		if h != nil != tt.session || r.ids() != tt.ids || r.kinds() != tt.problems {
			t.Errorf("%s: session %v, entries %s, problems %s", tt.name, h != nil, r.ids(), r.kinds())
		}
	}
}

// Where each problem and each entry lies.
func TestPlaces(t *testing.T) {
	a := said("a", "user", `"\ud800 \/ \u0041"`)
	text := "\ufeff" + head + "\r\n" + "{\n" + a + "\r\n" + a
	r := scan(t, text)
	for i, want := range []string{a + "\r\n", a} {
		e := r.entries[i]
		if got := text[e.Offset : e.Offset+e.Bytes]; got != want || e.Line != 3+i {
			t.Errorf("entry %d on line %d: %q", i, e.Line, got)
		}
	}
	if p := r.problems[0]; p.Line != 2 || text[p.Offset:p.Offset+2] != "{\n" || p.Message == "" {
		t.Errorf("problem %+v", p)
	}
}

// A line of 60 MB is an entry; one of more than 64 MB is a problem, and both
// entries around it are there.
func TestLongLines(t *testing.T) {
	const open, shut = `{"type":"message","id":"b","parentId":"a","message":{"role":"user","content":[{"type":"image","data":"`, `"},{"type":"text","text":"seen"}]}}`
	a, z := said("a", "user", `"q"`), said("z", "user", `"r"`)
	for _, n := range []int64{60 << 20, 65 << 20} {
		src := io.MultiReader(strings.NewReader(head+"\n"+a+"\n"+open), &fill{'A', n}, strings.NewReader(shut+"\n"+z+"\n"))
		r, err := scanFrom(src, Options{})
		if err != nil {
			t.Fatal(err)
		}
		ids, problems := "a b z", ""
		if n > MaxLine {
			ids, problems = "a z", "3:too-long"
		}
		if r.ids() != ids || r.kinds() != problems {
			t.Errorf("%d bytes: entries %s, problems %s", n, r.ids(), r.kinds())
		}
		if n < MaxLine && r.entries[1].Text.User != "seen" {
			t.Errorf("text %.40q", r.entries[1].Text.User)
		}
	}
}

// An error of the source ends the scan as itself.
func TestScanError(t *testing.T) {
	broken := errors.New("broken")
	src := io.MultiReader(strings.NewReader(file(head, said("a", "user", `"q"`))+"{"), failing{broken})
	r, err := scanFrom(src, Options{})
	if !errors.Is(err, broken) || r.ids() != "a" || r.kinds() != "" {
		t.Errorf("entries %s, problems %s, %v", r.ids(), r.kinds(), err)
	}
	if _, err := NewScanner(strings.NewReader(""), Options{Resume: []byte("no state")}); err == nil {
		t.Error("resumed from nonsense")
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
