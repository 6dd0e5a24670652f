package jsonl

import (
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
)

// head is the header of the sessions in these tests.
const head = `{"type":"session","version":3,"id":"s","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/w"}`

// scanned is all that a scan says about a source.
type scanned struct {
	*Scanner
	entries  []*Entry
	problems []Problem
}

// scanFrom reads src to its end or to an error.
func scanFrom(src io.Reader, o Options) (scanned, error) {
	s, err := NewScanner(src, o)
	if err != nil {
		return scanned{}, err
	}
	r := scanned{Scanner: s}
	for {
		e, err := s.Next()
		if err != nil {
			r.problems = s.Problems()
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return r, err
		}
		r.entries = append(r.entries, e)
	}
}

// scan reads a source as often as it asks for: at most once more for each of the
// two reasons.
func scan(t testing.TB, text string) scanned {
	t.Helper()
	r, err := scanAgain(text)
	if err != nil {
		t.Fatalf("scan %.200q: %v", text, err)
	}
	return r
}

func scanAgain(text string) (scanned, error) {
	r, err := scanFrom(strings.NewReader(text), Options{})
	for n := 0; errors.Is(err, ErrRestart) && n < 2; n++ {
		r, err = scanFrom(strings.NewReader(text), r.Restart())
	}
	return r, err
}

// file makes a source of lines.
func file(lines ...string) string {
	return strings.Join(lines, "\n") + "\n"
}

// entries reads the entries on some lines behind the header.
func entries(t testing.TB, lines ...string) []*Entry {
	t.Helper()
	return scan(t, file(append([]string{head}, lines...)...)).entries
}

// entry reads the one entry on a line.
func entry(t testing.TB, line string) *Entry {
	t.Helper()
	all := entries(t, line)
	if len(all) != 1 {
		t.Fatalf("%d entries on %.200q", len(all), line)
	}
	return all[0]
}

// said is an entry that holds a message; extra are further members of it.
func said(id, role, content string, extra ...string) string {
	members := append([]string{`"role":` + quote(role), `"content":` + content}, extra...)
	return `{"type":"message","id":` + quote(id) + `,"parentId":null,"timestamp":"2026-03-01T10:00:01.000Z","message":{` + strings.Join(members, ",") + `}}`
}

func quote(s string) string { return `"` + s + `"` }

// chained says that the entries are presented as a chain with synthetic ids.
func (r scanned) chained() bool { return r.state.Ids == "chain" }

// ids lists the ids, "~" for synthetic ones.
func (r scanned) ids() string {
	var ids []string
	for _, e := range r.entries {
		if e.Synthetic {
			ids = append(ids, "~")
			continue
		}
		ids = append(ids, e.ID)
	}
	return strings.Join(ids, " ")
}

// parents lists the parents, "-" for roots.
func (r scanned) parents() string {
	var ids []string
	for _, e := range r.entries {
		if e.ParentID == "" {
			ids = append(ids, "-")
			continue
		}
		ids = append(ids, e.ParentID)
	}
	return strings.Join(ids, " ")
}

// kinds lists the problems as line:kind.
func (r scanned) kinds() string {
	var kinds []string
	for _, p := range r.problems {
		kinds = append(kinds, strconv.Itoa(p.Line)+":"+p.Kind)
	}
	return strings.Join(kinds, " ")
}

// BenchmarkScanner reads entries as sessions have them.
func BenchmarkScanner(b *testing.B) {
	text := strings.Repeat(`say \"why\" and\n\tgo on with the next line of it\n`, 40)
	const usage = `"usage":{"input":10,"output":20,"cacheRead":0,"cacheWrite":0,"totalTokens":30,"cost":{"input":0.1,"output":0.2,"total":0.3}}`
	lines := []string{head}
	for i := range 500 {
		id := strconv.Itoa(i)
		lines = append(lines,
			said("q"+id, "user", `[{"type":"text","text":"`+text[:200]+`"}]`),
			said("a"+id, "assistant", `[{"type":"text","text":"`+text+`"},{"type":"toolCall","id":"c","name":"edit","arguments":{"path":"a.go","oldText":"x","newText":"`+text+`"}}]`, usage),
			said("r"+id, "toolResult", `[{"type":"text","text":"`+text+text+`"}]`, `"toolCallId":"c","toolName":"edit","details":{"diff":"`+text+`"}`))
	}
	source := file(lines...)
	b.SetBytes(int64(len(source)))
	b.ReportAllocs()
	for b.Loop() {
		if r := scan(b, source); len(r.entries) != 1500 {
			b.Fatalf("%d entries", len(r.entries))
		}
	}
}
