package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"piarchive/internal/index"
	"piarchive/internal/terminal"
)

// listOnTerminal lists sample sessions on a terminal of a width.
func listOnTerminal(t *testing.T, archive string, width int, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	e := testEnv(&stdout, &stderr, nil)
	e.IsTerminal = func(fd int) bool { return fd == 1 }
	e.Width = func() int { return width }
	e.Home = "/home/mira"
	root, err := filepath.Abs(filepath.Join(repository, "testdata", "sessions", "pi-v3"))
	if err != nil {
		t.Fatal(err)
	}
	if !index.Exists(archive) {
		runJSON(t, new(any), "--db", archive, "index", "--json", root)
	}
	args = append([]string{"--db", archive, "--root", root, "list", "--color", "never"}, args...)
	if code := run(t.Context(), e, args); code != 0 {
		t.Fatalf("%q: exit status %d, %s", args, code, stderr.String())
	}
	return stdout.String()
}

// TestListColumns: what a window has no room for is cut, then left out.
func TestListColumns(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "archive.db")
	for width, want := range map[int]string{
		60: `
WHEN        TITLE                             MSGS  ID
2026-06-20  resolve_terminal_path in the re…    25  019ee45f
2026-06-14  why does ` + "`" + `yes | head -c 2G` + "`" + ` fre…     2  019ec824
2026-05-23  Rust port of tagsmith               24  019e5393
2026-05-02  Receipts print every line twice…    13  019de868
2026-04-26  Renée Dvořák, deux fois             11  019dc8e0
… 6 more (-n 0 shows all)
`,
		80: `
WHEN        TITLE                               PROJECT           MSGS  ID
2026-06-20  resolve_terminal_path in the rewr…  …/nightterm-next    25  019ee45f
2026-06-14  why does ` + "`" + `yes | head -c 2G` + "`" + ` freez…  ~/src/nightterm      2  019ec824
2026-05-23  Rust port of tagsmith               ~/src/tagsmith      24  019e5393
2026-05-02  Receipts print every line twice a…  …rk\pos-terminal    13  019de868
2026-04-26  Renée Dvořák, deux fois             …/code/café-menu    11  019dc8e0
… 6 more (-n 0 shows all)
`,
		120: `
WHEN        TITLE                                                        PROJECT                   MSGS   COST  ID
2026-06-20  resolve_terminal_path in the rewrite                         ~/src/nightterm-next        25  $0.17  019ee45f
2026-06-14  why does ` + "`" + `yes | head -c 2G` + "`" + ` freeze the window for a second…  ~/src/nightterm              2      –  019ec824
2026-05-23  Rust port of tagsmith                                        ~/src/tagsmith              24  $0.06  019e5393
2026-05-02  Receipts print every line twice as high on the new printer…  C:\work\pos-terminal        13  $0.01  019de868
2026-04-26  Renée Dvořák, deux fois                                      …sers/zoë/code/café-menu    11  $0.01  019dc8e0
… 6 more (-n 0 shows all)
`,
	} {
		got := listOnTerminal(t, archive, width, "-n", "5")
		if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), got); diff != "" {
			t.Errorf("%d cells (-want +got)\n%s", width, diff)
		}
	}
	for _, width := range []int{40, 60, 79, 80, 99, 100, 120, 200} {
		for line := range strings.Lines(listOnTerminal(t, archive, width)) {
			if n := terminal.Width(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("%d cells: a line of %d: %s", width, n, line)
			}
		}
	}
}

func TestListLong(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "archive.db")
	got := listOnTerminal(t, archive, 80, "--long", "--project", "tagsmith")
	want := `
Rust port of tagsmith
  id       019e5393-ba22-75a7-aa0e-a5ce2ba7c548
  path     SESSIONS/--home-mira-src-tagsmith--/2026-05-23T06-44-10-914Z_019e5393-ba22-75a7-aa0e-a5ce2ba7c548.jsonl
  project  ~/src/tagsmith
  active   2026-05-23, begun 2026-05-23
  holds    24 messages · 14 kB · 34k tokens · $0.06
  models   anthropic/claude-opus-4-6, openai/gpt-5.2
  labels   goldens pass
  system   pi, version 3

`
	sessions, err := filepath.Abs(filepath.Join(repository, "testdata", "sessions", "pi-v3"))
	if err != nil {
		t.Fatal(err)
	}
	got = strings.ReplaceAll(strings.ReplaceAll(got, sessions, "SESSIONS"), `\`, "/")
	if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestListSamples compares the sessions of this repository with the table
// beside them.
func TestListSamples(t *testing.T) {
	root := filepath.Join(repository, "testdata", "sessions")
	table, err := os.ReadFile(filepath.Join(root, "EXPECTED.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	if root, err = filepath.Abs(root); err != nil {
		t.Fatal(err)
	}
	got, _ := listRoot(t, root)
	found := map[string]listed{}
	for _, g := range got {
		l := g.listed
		l.ParentSessionPath, l.TextSHA256, l.TextUTF16, l.TextBytes, l.CWD = nil, "", 0, 0, "" // not in the table
		found[l.File] = l
	}
	for i, line := range strings.Split(strings.TrimSpace(string(table)), "\n") {
		if i == 0 {
			continue
		}
		want := sample(t, line)
		want.settle(t, root)
		if diff := cmp.Diff(want, found[want.File]); diff != "" {
			t.Errorf("%s (-want +got)\n%s", want.File, diff)
		}
		delete(found, want.File)
	}
	for file := range found {
		t.Errorf("%s: listed, but not in the table", file)
	}
}

// sample reads a line of the table: file, id, name, messageCount, firstMessage,
// created, modified, and whether pi shows it; name and firstMessage are JSON.
func sample(t *testing.T, line string) listed {
	t.Helper()
	f := strings.Split(line, "\t")
	if len(f) != 8 {
		t.Fatalf("%d fields: %s", len(f), line)
	}
	l := listed{File: f[0], ID: f[1]}
	for at, s := range map[**string]string{&l.Created: f[5], &l.Modified: f[6]} {
		if s != "" {
			*at = &s
		}
	}
	for i, v := range map[int]any{2: &l.Name, 3: &l.MessageCount, 4: &l.FirstMessage} {
		if err := json.Unmarshal([]byte(f[i]), v); err != nil {
			t.Fatalf("field %d of %s: %v", i, line, err)
		}
	}
	return l
}
