package find

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piarchive/internal/cli"
	"piarchive/internal/ingest/ingesttest"
	"piarchive/internal/pick"
	"piarchive/internal/query"
	"piarchive/internal/query/session"
	"piarchive/internal/terminal"
	"piarchive/internal/transcript"
)

// TestShowAt: a pager begins where the entry does, on the branch that has it.
func TestShowAt(t *testing.T) {
	root := t.TempDir()
	content := `{"type":"session","version":3,"id":"branched","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}
{"type":"message","id":"00000001","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":"first\nof all"}}
{"type":"message","id":"00000002","parentId":"00000001","timestamp":"2026-01-01T00:00:02.000Z","message":{"role":"user","content":"left behind"}}
{"type":"message","id":"00000003","parentId":"00000002","timestamp":"2026-01-01T00:00:03.000Z","message":{"role":"user","content":"left as well"}}
{"type":"message","id":"00000004","parentId":"00000001","timestamp":"2026-01-01T00:00:04.000Z","message":{"role":"user","content":"the other way"}}
{"type":"message","id":"00000005","parentId":"00000004","timestamp":"2026-01-01T00:00:05.000Z","message":{"role":"user","content":"the end"}}
`
	if err := os.WriteFile(filepath.Join(root, "branched.jsonl"), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := query.Open(t.Context(), ingesttest.Archive(t, root), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	ref, err := a.FindSession(t.Context(), "branched", "")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		line       int
		has, lacks string
	}{
		{0, "the end", "left behind"},
		{2, "the end", "left behind"},
		{3, "left as well", "the other way"},
		{5, "the end", "left behind"},
		{6, "the other way", "left behind"},
	}
	for _, test := range tests {
		place := pick.Place{Session: ref}
		if test.line > 0 {
			place.Entry = &query.EntryRef{Line: test.line}
		}
		var out bytes.Buffer
		begin := -1
		start := func(line int) (func(), io.Writer, error) { begin = line; return func() {}, &out, nil }
		if err := pick.Read(t.Context(), a, place, transcript.Options{Zone: time.UTC, Width: 60}, start); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(out.String(), "\n")
		if test.line == 0 && begin != 0 || test.line > 0 && !strings.HasSuffix(lines[begin], place.Entry.Place()) {
			t.Errorf("line %d: begins at %d of\n%s", test.line, begin, out.String())
		}
		if !strings.Contains(out.String(), test.has) || strings.Contains(out.String(), test.lacks) {
			t.Errorf("line %d: it is not with %q, or with %q\n%s", test.line, test.has, test.lacks, out.String())
		}
	}
	if _, err := session.FindEntry(t.Context(), a, ref, "@99"); err == nil {
		t.Error("an entry that is not there is found")
	}

	if _, err := exec.LookPath("tr"); err != nil {
		t.Skipf("no program to page through: %v", err)
	}
	var stdout bytes.Buffer
	pager := "tr a-z A-Z"
	c := &cli.Call{Stdout: &cli.Output{Output: terminal.NewOutput(&stdout, func() {})}, Env: cli.Env{
		Stdout: &stdout,
		Stderr: io.Discard,
		Getenv: func(name string) string { return map[string]string{"PAGER": pager}[name] },
		Now:    func() time.Time { return time.Date(2026, 3, 4, 15, 0, 0, 0, time.UTC) },
		Width:  func() int { return 0 },
	}}
	if err := showAt(t.Context(), c, a, pick.Place{Session: ref}); err != nil || !strings.Contains(stdout.String(), "THE END") {
		t.Errorf("%v, %q", err, stdout.String())
	}
	pager = "./no/such"
	if err := showAt(t.Context(), c, a, pick.Place{Session: ref}); err == nil || !strings.Contains(err.Error(), "start pager ./no/such") {
		t.Errorf("without a pager: %v", err)
	}
}
