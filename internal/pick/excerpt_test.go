package pick

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piarchive/internal/ingest/ingesttest"
	"piarchive/internal/query"
)

// told writes a session of these messages, each the child of the entry at an index,
// -1 for none, and returns a picker on it.
func told(t *testing.T, width, height int, messages []message) *picker {
	t.Helper()
	root := t.TempDir()
	lines := []string{`{"type":"session","version":3,"id":"told0001","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w/told"}`}
	for i, m := range messages {
		parent := any(nil)
		if m.parent >= 0 {
			parent = fmt.Sprintf("%08x", m.parent)
		}
		line, err := json.Marshal(map[string]any{"type": "message", "id": fmt.Sprintf("%08x", i), "parentId": parent,
			"timestamp": fmt.Sprintf("2026-01-01T00:%02d:%02d.000Z", i/60, i%60), "message": m.body})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	if err := os.WriteFile(filepath.Join(root, "told.jsonl"), []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	archive := ingesttest.Archive(t, root)
	p := newPicker(t, nil, width, height)
	for _, a := range []**query.Archive{&p.desk.options.Searched, &p.desk.options.Read} {
		opened, err := query.Open(t.Context(), archive, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { opened.Close() })
		*a = opened
	}
	return p
}

type message struct {
	parent int
	body   map[string]any
}

func said(parent int, role, text string) message {
	return message{parent, map[string]any{"role": role, "content": []any{map[string]any{"type": "text", "text": text}}}}
}

func TestExcerpt(t *testing.T) {
	numbered := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "line %d\n", i)
		}
		return b.String()
	}
	call := message{0, map[string]any{"role": "assistant", "content": []any{
		map[string]any{"type": "thinking", "thinking": "first a thought\nof quokkas"},
		map[string]any{"type": "toolCall", "id": "c1", "name": "bash", "arguments": map[string]any{"command": "make test"}},
	}}}
	result := message{1, map[string]any{"role": "toolResult", "toolCallId": "c1", "toolName": "bash",
		"content": []any{map[string]any{"type": "text", "text": numbered(3000) + "the wombat failed\n" + numbered(3000)}}}}
	p := told(t, 80, 40, []message{
		said(-1, "user", "run the tests"), call, result,
		said(2, "assistant", numbered(400)+"a numbat sat here\n"+numbered(400)),
		said(3, "user", "this way was left: echidna"),
		said(4, "assistant", "what followed there"),
		said(3, "user", "another way was taken"),
		said(6, "assistant", strings.Repeat("z", longestLine)+" platypus"),
	})
	tests := []struct {
		query string
		want  []string // on the screen
		not   []string
	}{
		{"wombat", []string{"▸ bash  make test", "line 2999", "the wombat failed", "line 0"}, []string{"line 1500", "quokkas"}},
		{"quokkas", []string{"of quokkas", "▸ bash  make test"}, []string{"wombat"}},
		{"numbat", []string{"line 399", "a numbat sat here"}, []string{"run the tests"}},
		{"echidna", []string{"> user  @6", "what followed there"}, []string{"another way"}},
		{"taken", []string{"> user  @8", "another way was taken"}, []string{"echidna"}},
		{"platypus", []string{"@9 has 4.2 MB"}, []string{"zzzz"}},
	}
	for _, test := range tests {
		p.press("ctrl+u", "="+test.query)
		_, around, _ := strings.Cut(p.screen(), "───")
		for _, want := range test.want {
			if !strings.Contains(around, want) {
				t.Errorf("%s: %q does not stand around\n%s", test.query, want, around)
			}
		}
		for _, not := range test.not {
			if strings.Contains(around, not) {
				t.Errorf("%s: %q stands around\n%s", test.query, not, around)
			}
		}
	}
}

// TestExcerptReadsLittle: of a long session no more is read than is shown.
func TestExcerptReadsLittle(t *testing.T) {
	messages := []message{said(-1, "user", "word0")}
	for i := 1; i < 600; i++ {
		messages = append(messages, said(i-1, "user", fmt.Sprintf("word%d", i)))
	}
	p := told(t, 80, 24, messages)
	p.press("=word300 ")
	if got := p.chosen(); got != "told0001@302" {
		t.Fatalf("at %q\n%s", got, p.screen())
	}
	if n := len(p.excerpt.lines); n > 3*24 {
		t.Errorf("%d lines are read for a window of 24", n)
	}
	for _, want := range []string{"word299", "word300", "word301"} {
		if !strings.Contains(p.screen(), want) {
			t.Errorf("%s is not shown\n%s", want, p.screen())
		}
	}
}
