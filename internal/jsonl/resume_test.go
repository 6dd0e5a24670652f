package jsonl

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// differ is cmp.Diff with all unexported parts; equal things, the usual case, it
// tells faster.
func differ(want, got any) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got, cmp.AllowUnexported(Entry{}, Compaction{}), cmpopts.EquateEmpty())
}

// A scan that is cut anywhere, at a line's end or inside, and resumed says in
// two parts what one scan says.
func TestResume(t *testing.T) {
	sources := map[string]string{
		"version 3": file(slot("Fix"), head, "{", said("a", "user", `"q"`), "", said("b", "assistant", `[{"type":"text","text":"r"}]`, `"model":"m"`, `"timestamp":1772359300000`),
			`{"type":"session_info","id":"n","name":"x"}`, "null", head, said("a", "user", `null`), `{"type":"x"}`),
		"version 1":   file("{", headV1, saidV1("user", "q1"), saidV1("assistant", "r1"), headV1, saidV1("user", "q2"), compactionV1("2"), "5", compactionV1("4"), saidV1("user", "q2")),
		"native ids":  file(headV1, said("a", "user", `"q"`), said("b", "user", `"r"`)),
		"harness":     file(headV4, `{"kind":"entry","type":"x","id":"a"}`, `[{"kind":"value","namespace":"pi.branch.tip","key":"main","value":"a"}]`, `{"kind":"entry","type":"x"}`),
		"no session":  file("{", "", "x"),
		"blank":       "\n\n",
		"mark":        "\ufeff" + file(head, said("a", "user", `"q"`)),
		"CR LF":       strings.ReplaceAll(file(head, said("a", "user", `"q"`), said("b", "user", `"r"`)), "\n", "\r\n"),
		"no final LF": head + "\n" + said("a", "user", `"q"`),
		"cut":         head + "\n" + said("a", "user", `"q"`)[:50],
		"late header": file(said("a", "user", `"q"`), "5") + head,
		"late chain":  file(said("a", "user", `"q"`), headV1) + saidV1("user", "q"),
	}
	for name, text := range sources {
		whole := scan(t, text)
		for at := range len(text) + 1 {
			// Inside of lines one place is as good as any other.
			if end := strings.IndexByte(text[at:], '\n'); end > 2 && at%29 != 0 {
				continue
			}
			diff, err := resumed(whole, text, at)
			if errors.Is(err, ErrRestart) && strings.HasPrefix(name, "late") {
				continue
			}
			if err != nil || diff != "" {
				t.Errorf("%s cut at %d: %v\n%s", name, at, err, diff)
				break
			}
		}
	}
}

// resumed compares one scan with one that is cut at a byte. The error may be
// ErrRestart if the second part changes how the first is read.
func resumed(whole scanned, text string, at int) (diff string, err error) {
	first, err := scanAgain(text[:at])
	if err != nil {
		return "", err
	}
	from, lines := first.Watermark()
	if want := strings.LastIndexByte(text[:at], '\n') + 1; int(from) != want || lines != strings.Count(text[:at], "\n") {
		return "watermark off", nil
	}
	if first.Resume() == nil {
		from = 0
	}
	second, err := scanFrom(strings.NewReader(text[from:]), Options{Resume: first.Resume()})
	if err != nil {
		return "", err
	}
	// What lies behind the watermark is read again and counts only once, and
	// only the end of the file tells about the file as a whole.
	var entries []*Entry
	var problems []Problem
	for _, e := range first.entries {
		if e.Offset < from {
			entries = append(entries, e)
		}
	}
	for _, p := range first.problems {
		if p.Offset < from && p.Line > 0 {
			problems = append(problems, p)
		}
	}
	entries, problems = append(entries, second.entries...), append(problems, second.problems...)
	summary := *second.Summary()
	if summary.First == "" && summary.HasFirst { // only the part that met it knows
		summary.First = first.Summary().First
	}
	wholeHeader, wholeAt := whole.Header()
	header, headerAt := second.Header()
	return differ(whole.entries, entries) + differ(whole.problems, problems) + differ(*whole.Summary(), summary) +
		differ(wholeHeader, header) + differ(wholeAt, headerAt) + differ(whole.Slot(), second.Slot()) +
		differ(string(whole.Resume()), string(second.Resume())) + differ(whole.Last(), second.Last()), nil
}

// A last line without LF counts once it is one whole value, and is read again.
func TestUnended(t *testing.T) {
	a, b := said("a", "user", `"q"`), said("b", "user", `"r"`)
	r := scan(t, head+"\n"+a+"\n"+b)
	if offset, lines := r.Watermark(); r.ids() != "a b" || offset != int64(len(head)+len(a)+2) || lines != 2 {
		t.Errorf("entries %s, watermark %d after %d lines", r.ids(), offset, lines)
	}
	if e := r.entries[1]; e.Bytes != int64(len(b)) {
		t.Errorf("%d bytes", e.Bytes)
	}
	r, err := scanFrom(strings.NewReader(b+"\n"), Options{Resume: r.Resume()})
	if e := r.entries[0]; err != nil || r.ids() != "b" || e.Ordinal != 1 || e.Line != 3 || e.Bytes != int64(len(b)+1) {
		t.Errorf("resumed: %v, %+v", err, e)
	}
	if offset, lines := r.Watermark(); offset != int64(len(head)+len(a)+len(b)+3) || lines != 3 || r.Summary().Messages != 2 {
		t.Errorf("resumed: watermark %d after %d lines, %d messages", offset, lines, r.Summary().Messages)
	}
}

// A last line without LF may yet become another line. What it said of all lines
// before it must not outlive it.
func TestUnendedDecides(t *testing.T) {
	a := said("a", "user", `"q"`)
	for name, text := range map[string]string{
		"header":           file(a) + head,
		"chain":            file(headV1, a) + saidV1("user", "q"),
		"header and chain": file(a, saidV1("user", "q")) + headV1,
	} {
		if r := scan(t, text); r.Resume() != nil {
			t.Errorf("%s: resumes from %s", name, r.Resume())
		}
		if r := scan(t, text+"\n"); r.Resume() == nil {
			t.Errorf("%s: does not resume once the line has ended", name)
		}
		if r := scan(t, text+"\n{"); r.Resume() == nil {
			t.Errorf("%s: does not resume before another line", name)
		}
	}
}

// pool is what random sources are made of. Headers come twice, and their order
// decides about everything else.
var pool = []string{
	head, headV1, headV4, `{"type":"session","version":2,"id":"t","model":"p/m"}`, slot("x"), slot(""),
	head, headV1, headV4, `{"type":"session","id":"u","title":"x","branchedFrom":"/b"}`,
	"", " \r", "{", "\x00", "5", "null", "[]", "[5,{}]", "{}", "\ufeff" + head,
	said("a", "user", `"q"`), said("b", "assistant", `[{"type":"text","text":"r"}]`, `"model":"m"`, `"timestamp":1772359300000`), said("c", "user", `null`),
	said("d", "hookMessage", `"x"`), saidV1("user", "q"), saidV1("assistant", "r"), saidV1("user", ""), saidV1("user", "\\ud800"),
	compactionV1("0"), compactionV1("1"), compactionV1("2"), compactionV1("3"), compactionV1("5"),
	`{"type":"session_info","id":"n","parentId":"a","name":" x "}`, `{"type":"session_info","name":7}`, `{"type":"title_change","id":"o","title":"y"}`,
	`{"type":"model_change","id":"p","parentId":null,"model":"p/m"}`, `{"type":"x","parentId":"a"}`, `{"type":"x","id":7,"parentId":7}`,
	`{"kind":"entry","type":"message","id":"e","message":{"role":"user","content":"q"}}`, `[{"kind":"entry","type":"x"},{"kind":"entry","type":"x","id":"f"}]`,
	`{"kind":"value","namespace":"pi.session.name","key":"","value":"z"}`, `[{"kind":"value","namespace":"pi.branch.tip","key":"main","value":"e"}]`,
}

// Any order of lines, cut at any of their ends and resumed, reads as a whole,
// or says that it has to be read again.
func TestResumeRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	restarts, agree := 0, 0
	for range 250 {
		var lines []string
		for range 1 + r.IntN(8) {
			lines = append(lines, pool[r.IntN(len(pool))])
		}
		if r.IntN(2) == 0 {
			lines[0] = pool[r.IntN(10)]
		}
		text := file(lines...)
		text = text[:max(0, len(text)-r.IntN(2)*r.IntN(3))]
		whole := scan(t, text)
		checkEntries(t, []byte(text), whole)
		for at := range len(text) + 1 {
			if at > 0 && text[at-1] != '\n' && at < len(text) {
				continue
			}
			diff, err := resumed(whole, text, at)
			switch {
			case errors.Is(err, ErrRestart):
				restarts++
			case err != nil || diff != "":
				t.Fatalf("%s\ncut at %d: %v\n%s", text, at, err, diff)
			default:
				agree++
			}
		}
	}
	if restarts < 30 || agree < 800 {
		t.Errorf("%d restarts, %d agree: the sources prove nothing", restarts, agree)
	}
}

// A resumed scan that meets a reason to restart says so, for the whole file.
func TestResumeRestarts(t *testing.T) {
	tests := []struct {
		name          string
		before, after string
		header, chain bool
	}{
		{"chain", file(headV1, said("a", "user", `"q"`)), file(saidV1("user", "r")), false, true},
		{"header", file(said("a", "user", `"q"`)), file(head), true, false},
	}
	for _, tt := range tests {
		first, err := scanFrom(strings.NewReader(tt.before), Options{})
		if err != nil {
			t.Fatal(err)
		}
		second, err := scanFrom(strings.NewReader(tt.after), Options{Resume: first.Resume()})
		if o := second.Restart(); !errors.Is(err, ErrRestart) || (o.Header != nil) != tt.header || o.Chain != tt.chain || o.Resume != nil {
			t.Errorf("%s: %v, options %+v", tt.name, err, o)
		}
	}
}
