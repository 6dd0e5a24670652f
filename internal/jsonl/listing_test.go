package jsonl

import (
	"slices"
	"strings"
	"testing"
)

// texts joins what the messages of a session contribute to its list.
func (r scanned) texts() string {
	var texts []string
	for _, e := range r.entries {
		if e.Listing.Text != "" {
			texts = append(texts, e.Listing.Text)
		}
	}
	return strings.Join(texts, "|")
}

func TestMessageCount(t *testing.T) {
	r := scan(t, file(head,
		said("a", "user", `"q"`), said("b", "assistant", `[]`), said("c", "toolResult", `[]`), said("d", "bashExecution", `""`),
		said("e", "custom", `"x"`), said("f", "strange", `"x"`), said("a", "user", `"q"`), // doubled
		`{"type":"message","id":"g","parentId":"x","message":null}`, `{"type":"message","id":"h"}`, `{"type":"message"}`,
		`{"type":"custom_message","id":"i","content":"x"}`, `{"type":"branch_summary","id":"j","summary":"x"}`,
		`{"type":"compaction","id":"k","summary":"x"}`, `{"type":"Message","id":"l"}`, `{"type":["message"],"id":"m"}`))
	if n := r.Summary().Messages; n != 10 || len(r.entries) != 15 {
		t.Errorf("%d messages of %d entries", n, len(r.entries))
	}
}

func TestListingText(t *testing.T) {
	tests := []struct {
		name, line string
		text       string
		talk, hid  bool
	}{
		{"string", said("a", "user", `"hello"`), "hello", true, false},
		{"blocks", said("a", "assistant", `[{"type":"text","text":"a"},{"type":"thinking","thinking":"b"},{"type":"toolCall","name":"c","arguments":{}},{"type":"text","text":"d"}]`), "a d", true, false},
		{"missing text", said("a", "user", `[{"type":"text"},{"type":"text","text":"q"}]`), " q", true, false},
		{"null text", said("a", "user", `[{"type":"text","text":null},{"type":"text","text":"q"}]`), " q", true, false},
		{"other text", said("a", "user", `[{"type":"text","text":5},{"type":"text","text":true},{"type":"text","text":["a",["b",null],{}]},{"type":"text","text":{}}]`),
			"5 true a,b,,[object Object] [object Object]", true, false},
		{"white space", said("a", "user", `"   "`), "   ", true, false},
		{"empty", said("a", "user", `""`), "", true, false},
		{"no blocks", said("a", "user", `[]`), "", true, false},
		{"blocks that are none", said("a", "user", `["x",5,true,[],[{"type":"text","text":"y"}],{"type":"text","text":"q"}]`), "q", true, false},
		{"no content", `{"type":"message","id":"a","message":{"role":"user"}}`, "", false, false},
		{"tool result", said("a", "toolResult", `"x"`), "", false, false},
		{"system", said("a", "system", `"x"`), "", false, false},
		{"custom", said("a", "custom", `"x"`), "", false, false},
		{"role is no string", `{"type":"message","id":"a","message":{"role":["user"],"content":"x"}}`, "", false, false},
		{"no message", `{"type":"message","id":"a"}`, "", false, true},
		{"null message", `{"type":"message","id":"a","message":null}`, "", false, true},
		{"message is a string", `{"type":"message","id":"a","message":"x"}`, "", false, false},
		{"null content", said("a", "user", `null`), "", true, true},
		{"number content", said("a", "assistant", `7`), "", true, true},
		{"object content", said("a", "user", `{"type":"text","text":"x"}`), "", true, true},
		{"null block", said("a", "user", `[null,{"type":"text","text":"x"}]`), "x", true, true},
		{"null content of a tool", said("a", "toolResult", `null`), "", false, false},
	}
	for _, tt := range tests {
		r := scan(t, file(head, tt.line))
		e := r.entries[0]
		l := e.Listing
		if !l.Counts || l.Text != tt.text || l.Talk != tt.talk {
			t.Errorf("%s: %+v", tt.name, l)
		}
		if hid := e.Flags&HidesInPi != 0; hid != tt.hid || slices.Contains(r.Summary().Anomalies, "pi-hidden") != hid || (r.kinds() == "2:bad-message") != hid {
			t.Errorf("%s: hides %v, anomalies %q, problems %s", tt.name, hid, r.Summary().Anomalies, r.kinds())
		}
	}
}

func TestFirstMessage(t *testing.T) {
	tests := []struct {
		name  string
		lines []string
		want  string
	}{
		{"none", nil, ""},
		{"first of several", []string{said("a", "assistant", `"r"`), said("b", "user", `""`), said("c", "user", `[]`), said("d", "user", `"q"`), said("e", "user", `"r"`)}, "q"},
		{"white space counts", []string{said("a", "user", `" "`), said("b", "user", `"q"`)}, " "},
		{"on a dead branch", []string{`{"type":"message","id":"a","parentId":"gone","message":{"role":"user","content":"dead"}}`, said("b", "user", `"q"`)}, "dead"},
		{"not of an answer", []string{said("a", "assistant", `"r"`)}, ""},
	}
	for _, tt := range tests {
		s := scan(t, file(append([]string{head}, tt.lines...)...)).Summary()
		if s.First != tt.want || s.HasFirst != (tt.want != "") {
			t.Errorf("%s: %q, %v", tt.name, s.First, s.HasFirst)
		}
	}
	if got := scan(t, file(head, said("a", "user", `"q"`), said("b", "assistant", `" "`), said("c", "user", `""`))).texts(); got != "q| " {
		t.Errorf("texts %q", got)
	}
}

func TestName(t *testing.T) {
	named := func(name string) string { return `{"type":"session_info","id":"n","parentId":null` + name + `}` }
	tests := []struct {
		name  string
		lines []string
		want  string
	}{
		{"none", []string{said("a", "user", `"q"`)}, ""},
		{"trimmed", []string{named(`,"name":" \u00a0Route\taudit\ufeff\n"`)}, "Route\taudit"},
		{"last", []string{named(`,"name":"one"`), named(`,"name":"two"`)}, "two"},
		{"on another branch", []string{named(`,"name":"one"`), `{"type":"session_info","id":"o","parentId":"gone","name":"other"}`}, "other"},
		{"cleared by nothing", []string{named(`,"name":"one"`), named(``)}, ""},
		{"cleared by null", []string{named(`,"name":"one"`), named(`,"name":null`)}, ""},
		{"cleared by blank", []string{named(`,"name":"one"`), named(`,"name":" \t"`)}, ""},
		{"not by a number", []string{named(`,"name":"one"`), named(`,"name":7`)}, "one"},
		{"not by false", []string{named(`,"name":"one"`), named(`,"name":false`)}, "one"},
		{"doubled key", []string{named(`,"name":"one","name":"two"`)}, "two"},
	}
	for _, tt := range tests {
		r := scan(t, file(append([]string{head}, tt.lines...)...))
		if got := r.Summary().Name; got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		if hid := slices.Contains(r.Summary().Anomalies, "pi-hidden"); hid != strings.HasPrefix(tt.name, "not by") {
			t.Errorf("%s: hidden %v", tt.name, hid)
		}
	}
}

// at is a message with a time of its own and one of its entry.
func at(role, message, entry string) string {
	line := `{"type":"message","id":"a","parentId":null,"message":{"role":` + quote(role) + `,"content":"x"`
	if message != "" {
		line += `,"timestamp":` + message
	}
	line += "}"
	if entry != "" {
		line += `,"timestamp":` + entry
	}
	return line + "}"
}

func TestModified(t *testing.T) {
	const (
		mtime   = 1111
		created = 1772359200000
		iso     = `"2026-03-01T10:00:01.000Z"`
		isoMs   = created + 1000
	)
	tests := []struct {
		name  string
		lines []string
		want  int64
	}{
		{"header only", nil, created},
		{"message", []string{at("user", "1772359300000", iso)}, 1772359300000},
		{"latest", []string{at("user", "1772359300000", ""), at("assistant", "1772359400000", ""), at("user", "1772359350000", "")}, 1772359400000},
		{"older than the header", []string{at("user", "5", "")}, 5},
		{"fraction", []string{at("user", "1.9", "")}, 1},
		{"entry", []string{at("user", "", iso)}, isoMs},
		{"string in the message", []string{at("user", `"2027-01-01T00:00:00.000Z"`, iso)}, isoMs},
		{"null in the message", []string{at("user", "null", iso)}, isoMs},
		{"zero blocks the entry", []string{at("user", "0", iso)}, created},
		{"zero blocks only its own", []string{at("user", "0", iso), at("user", "", iso)}, isoMs},
		{"negative", []string{at("user", "-5", iso)}, created},
		{"tool result", []string{at("toolResult", "1772359300000", iso)}, created},
		{"bash", []string{at("bashExecution", "1772359300000", iso)}, created},
		{"system", []string{at("system", "1772359300000", iso)}, created},
		{"no content", []string{`{"type":"message","id":"a","message":{"role":"user","timestamp":5}}`}, created},
		{"bad entry time", []string{at("user", "", `"soon"`)}, created},
		{"other entries", []string{`{"type":"session_info","id":"a","timestamp":` + iso + `}`}, created},
		{"out of range", []string{at("user", "8.64e15", "")}, 8.64e15},
	}
	for _, tt := range tests {
		r := scan(t, file(append([]string{head}, tt.lines...)...))
		h, _ := r.Header()
		if got, ok := r.Summary().Modified(h, mtime); got != tt.want || !ok {
			t.Errorf("%s: %d, %v, want %d", tt.name, got, ok, tt.want)
		}
	}
	for _, number := range []string{"8.64e15", "1e300", "1e400"} {
		r := scan(t, file(head, at("user", number, ""), at("user", "5", "")))
		h, _ := r.Header()
		if got, ok := r.Summary().Modified(h, mtime); ok != (number == "8.64e15") {
			t.Errorf("%s: %d, %v", number, got, ok)
		}
	}
	r := scan(t, file(strings.Replace(head, "2026-03-01T10:00:00.000Z", "soon", 1), said("a", "toolResult", `[]`)))
	h, _ := r.Header()
	if got, ok := r.Summary().Modified(h, mtime); got != mtime || !ok {
		t.Errorf("no time at all: %d, %v", got, ok)
	}
}

func TestModels(t *testing.T) {
	r := scan(t, file(head, said("a", "assistant", `[]`, `"provider":"p"`, `"model":"m"`), said("b", "assistant", `[]`, `"model":"n"`),
		said("c", "assistant", `[]`, `"provider":"p"`, `"model":"m"`), said("d", "user", `"q"`, `"provider":"p"`, `"model":"x"`), said("e", "assistant", `[]`)))
	if got := r.Summary().Models; !slices.Equal(got, []string{"p/m", "n"}) {
		t.Errorf("models %q", got)
	}
}

// A bad entry, a missing id, a late header: the session is there all the same,
// and says what is odd about it.
func TestAnomalies(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"none", file(head, said("a", "user", `"q"`)), nil},
		{"no id", file(`{"type":"session","version":3,"id":7}`), []string{"no-session-id"}},
		{"hidden", file(head, said("a", "user", `null`), said("b", "user", `null`)), []string{"pi-hidden"}},
		{"late header", file(said("a", "user", `null`), head), []string{"pi-rejects", "pi-hidden"}},
		{"version missing", file(headV1, said("a", "user", `"q"`)), []string{"version-missing"}},
	}
	for _, tt := range tests {
		if got := scan(t, tt.text).Summary().Anomalies; !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q", tt.name, got)
		}
	}
}
