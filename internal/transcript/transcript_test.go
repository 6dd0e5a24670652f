package transcript

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piarchive/internal/ingest"
	"piarchive/internal/query"
	"piarchive/internal/query/session"
)

// TestFence: a fence is longer than any in the text as it is printed.
func TestFence(t *testing.T) {
	var b strings.Builder
	(&markdownPage{out: &b}).fenced("``\u200b`\x1b[1m`\n# title")
	if want := "\n`````\n````\n# title\n`````\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

const found = `{"type":"session","version":3,"id":"01a0","timestamp":"2026-03-01T09:00:00.000Z","cwd":"/proj/orbit"}
{"type":"message","id":"aaaaaaa1","parentId":null,"timestamp":"2026-03-01T09:00:01.000Z","message":{"role":"user","content":"Where is *it*?"}}
{"type":"message","id":"aaaaaaa2","parentId":"aaaaaaa1","timestamp":"2026-03-01T09:00:02.000Z","message":{"role":"assistant","provider":"p","model":"m","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"Here."},{"type":"toolCall","id":"c1","name":"read","arguments":{"path":"a.txt"}}]}}
{"type":"message","id":"aaaaaaa3","parentId":"aaaaaaa2","timestamp":"2026-03-01T09:00:03.000Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"read","content":[{"type":"text","text":"one\ntwo"}],"isError":false}}
`

func open(t *testing.T) Transcript {
	file := filepath.Join(t.TempDir(), "a.jsonl")
	if err := os.WriteFile(file, []byte(found), 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := ingest.One(t.Context(), file, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	a := query.New(db)
	t.Cleanup(func() { a.Close() })
	ref, err := a.FindSession(t.Context(), file, "")
	if err != nil {
		t.Fatal(err)
	}
	steps, err := session.Entries(t.Context(), a, ref.Key)
	if err != nil {
		t.Fatal(err)
	}
	return Transcript{Archive: a, Session: ref, Steps: steps}
}

// TestLooks: what is folded, opened and left out, in both looks; and the lines.
func TestLooks(t *testing.T) {
	zone := time.FixedZone("", 2*60*60)
	rule := func(n int) string { return strings.Repeat("─", n) }
	head := "01a0\n/proj/orbit\n3 messages · 2026-03-01 11:00 to 2026-03-01 11:00\n\n─ user " + rule(19) + " 11:00:01  @2\nWhere is *it*?\n\n─ assistant  p/m " + rule(9) + " 11:00:02  @3\n"
	markdown := "# 01a0\n\n`/proj/orbit`, 3 messages · 2026-03-01 11:00 to 2026-03-01 11:00\n\n## user · 2026-03-01 09:00:01Z\n\nWhere is *it*?\n\n## assistant · p/m · 2026-03-01 09:00:02Z\n"
	tr := open(t)
	for name, test := range map[string]struct {
		print func(w io.Writer) error
		want  string
	}{
		"text": {func(w io.Writer) error { return tr.Text(t.Context(), w, Options{Zone: zone, Width: 40}) }, head + "Here.\n  ▸ read  a.txt\n    2 lines: one\n"},
		"text open": {func(w io.Writer) error {
			return tr.Text(t.Context(), w, Options{Zone: zone, Width: 40, Tools: true, Thinking: true})
		}, head + "│ hm\nHere.\n  ▸ read  a.txt\n    │ one\n    │ two\n"},
		"markdown": {func(w io.Writer) error { return tr.Markdown(t.Context(), w, Options{Zone: zone}) }, markdown + "\nHere.\n\n**read** `a.txt`\n"},
		"markdown open": {func(w io.Writer) error {
			return tr.Markdown(t.Context(), w, Options{Zone: zone, Tools: true, Thinking: true})
		}, markdown + "\n> hm\n\nHere.\n\n**read** `a.txt`\n\n```\none\ntwo\n```\n"},
		"lines": {func(w io.Writer) error { return tr.Raw(t.Context(), w) }, found},
	} {
		var b strings.Builder
		if err := test.print(&b); err != nil || b.String() != test.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, b.String(), test.want)
		}
		r, w := io.Pipe()
		r.CloseWithError(errGone)
		if err := test.print(w); !errors.Is(err, errGone) {
			t.Errorf("%s: to a writer that fails: %v", name, err)
		}
	}
}

var errGone = errors.New("the reader is gone")
