package jsonl

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// What is read of a line must not keep the line in memory: a gigabyte of images
// would be as much memory.
func TestEntriesLetGoOfTheirLines(t *testing.T) {
	const lines, padding = 48, 1 << 20
	pad := `"pad":"` + strings.Repeat("QUJD", padding/4) + `"`
	kinds := []string{
		`"type":"message","message":{"role":"user","content":"short",` + pad + `}`,
		`"type":"message","message":{"role":"assistant","provider":"p","model":"m%d","stopReason":"stop","usage":{"input":1},"content":[{"type":"toolCall","id":"c%[1]d","name":"read","arguments":{"path":"/f%[1]d"}}],` + pad + `}`,
		`"type":"message","message":{"role":"toolResult","toolCallId":"c%d","toolName":"read","content":[],` + pad + `}`,
		`"type":"label","targetId":"a%d","label":"l",` + pad,
		`"type":"session_info","name":"n%d",` + pad,
		`"type":"compaction","firstKeptEntryId":"a%d","usage":{"input":1},` + pad,
		`"type":"custom_message","customType":"x%d","content":[],` + pad,
		`"type":"x%d",` + pad,
	}
	src, w := io.Pipe()
	go func() {
		fmt.Fprintln(w, head)
		for i := range lines {
			kind := kinds[i%len(kinds)]
			if strings.Contains(kind, "%") {
				kind = fmt.Sprintf(kind, i)
			}
			fmt.Fprintf(w, `{"id":"a%d","parentId":"a%d","timestamp":"2026-03-01T10:00:00.%03dZ",%s}`+"\n", i, i-1, i, kind)
		}
		w.Close()
	}()
	r, err := scanFrom(src, Options{})
	if err != nil || len(r.entries) != lines {
		t.Fatalf("%d entries, %v", len(r.entries), err)
	}
	for _, e := range r.entries {
		e.Text = Text{} // nobody keeps it
	}
	if held := heap(); held > 12<<20 {
		t.Errorf("%d entries of %d bytes keep %d bytes", lines, padding, held)
	}
	runtime.KeepAlive(r)
}

// heap is how much memory is in use.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Of garbage without end only the first problems are told, by one scan and by
// two that resume alike.
func TestProblemsEnd(t *testing.T) {
	text := file(head, said("a", "user", `"q"`)) + strings.Repeat("x\n", maxProblems+500) + said("b", "user", `"r"`) + "\nx\n"
	r := scan(t, text)
	if r.ids() != "a b" || len(r.problems) != maxProblems+1 {
		t.Fatalf("entries %s, %d problems", r.ids(), len(r.problems))
	}
	if last := r.problems[maxProblems]; last.Kind != "more" || last.Line != maxProblems+3 {
		t.Errorf("the last problem is %+v", last)
	}
	for _, at := range []int{len(text) - 3, len(text) - 800, len(text) / 2, len(text) - 900 - 2*maxProblems} {
		if diff, err := resumed(r, text, at); err != nil || diff != "" {
			t.Errorf("cut at %d: %v\n%s", at, err, diff)
		}
	}
}

// A set of skipped positions says what a list of them says, in a room that grows
// with its runs, and comes back from JSON, also from a plain list.
func TestSkips(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		var list []int
		var s skips
		for at := r.IntN(3); at < 60; at += 1 + r.IntN(3)*r.IntN(3) {
			list = append(list, at)
			s.add(at)
		}
		written, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		plain, _ := json.Marshal(list)
		for name, text := range map[string][]byte{"runs": written, "list": plain} {
			var again skips
			if err := json.Unmarshal(text, &again); err != nil {
				t.Fatal(err)
			}
			for index := range 70 {
				n, is := again.before(index)
				want, in := slices.BinarySearch(list, index)
				if n != want || is != in {
					t.Fatalf("%s of %v: before %d are %d, it is one: %v", name, list, index, n, is)
				}
			}
		}
	}
	var s skips
	for at := range 1_000_000 {
		s.add(at)
	}
	if text, _ := json.Marshal(s); len(text) > 20 || len(s.runs) > 1 {
		t.Errorf("a run is %s", text)
	}
}

// An array of writes is taken apart as long as reading each of them again stays
// cheap.
func TestManyWrites(t *testing.T) {
	write := `{"kind":"entry","type":"x"}`
	few := file(headV4, "["+strings.TrimSuffix(strings.Repeat(write+",", 500), ",")+"]")
	if r := scan(t, few); len(r.entries) != 500 {
		t.Errorf("%d entries of 500", len(r.entries))
	}
	many := file(headV4, "["+strings.TrimSuffix(strings.Repeat(write+",", 5000), ",")+"]", write)
	r := scan(t, many)
	if len(r.entries) != 1 || len(r.problems) != 2 || r.problems[0].Kind != "too-many" || r.problems[0].Line != 2 {
		t.Errorf("%d entries, problems %v", len(r.entries), r.problems)
	}
}

// Of an object with very many members each is found, of doubled ones the last.
func TestManyMembers(t *testing.T) {
	line := `{"type":"message","type":"label","id":"a","targetId":"old",` + strings.Repeat(`"":0,`, 1_000_000) + `"label":"l","targetId":"t"}`
	e := entry(t, line)
	if e.ID != "a" || e.Type != "label" || e.Label == nil || *e.Label != (Label{TargetID: "t", Text: "l"}) {
		t.Errorf("%+v, label %+v", e, e.Label)
	}
}

// The models of a session are told as far as anyone wants to know them.
func TestManyModels(t *testing.T) {
	var lines []string
	for i := range 3 * maxModels {
		lines = append(lines, said(fmt.Sprint("a", i), "assistant", `[]`, fmt.Sprintf(`"model":"m%d"`, i)))
	}
	r := scan(t, file(append([]string{head}, lines...)...))
	if m := r.Summary().Models; len(m) != maxModels || m[0] != "m0" {
		t.Errorf("%d models, the first is %q", len(m), m[0])
	}
}
