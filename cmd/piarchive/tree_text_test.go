package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"piarchive/internal/terminal"
)

// drawn runs tree on the lines of a session, at a width, in a terminal or not.
func drawn(t *testing.T, width int, lines []string, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "session.jsonl")
	head := `{"type":"session","version":3,"id":"s1","timestamp":"2026-01-05T10:00:00.000Z","cwd":"/src/glyphd"}`
	if err := os.WriteFile(file, []byte(head+"\n"+strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	env := testEnv(&stdout, &stderr, nil)
	env.Width = func() int { return width }
	env.IsTerminal = func(int) bool { return width > 0 }
	args = append([]string{"--db", filepath.Join(t.TempDir(), "none.db"), "tree", file}, args...)
	if code := run(t.Context(), env, args); code != 0 {
		t.Fatalf("exit status %d, %s", code, stderr.String())
	}
	return stdout.String()
}

// said is a message by its id, parent ("" is null), role and text.
func said(id, parent, role, text string) string {
	quoted := "null"
	if parent != "" {
		quoted = fmt.Sprintf("%q", parent)
	}
	content, _ := json.Marshal(text) // strings always encode
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-01-05T10:00:01.000Z","message":{"role":%q,"content":%s}}`, id, quoted, role, content)
}

// aTree has two abandoned branches at one point: one was left with a summary,
// one has a branch of its own.
func aTree() []string {
	lines := []string{said("u1", "", "user", "How do glyphs get drawn?")}
	for i := range 6 {
		lines = append(lines, said(fmt.Sprint("a", i), fmt.Sprint(map[bool]string{true: "u1", false: fmt.Sprint("a", i-1)}[i == 0]), "assistant", "step"))
	}
	return append(lines,
		said("w1", "a5", "user", "Cache them in a map of maps, with a lock around each of the inner ones"),
		said("w2", "w1", "assistant", "Done."),
		`{"type":"label","id":"l1","parentId":"w2","timestamp":"2026-01-05T10:00:02.000Z","targetId":"w1","label":"slow"}`,
		`{"type":"branch_summary","id":"b1","parentId":"a5","timestamp":"2026-01-05T10:00:03.000Z","fromId":"l1","summary":"The locks cost more than the drawing."}`,
		said("u2", "b1", "user", "Draw into an atlas"),
		said("u3", "b1", "user", "Draw into a texture array"),
		said("a6", "u3", "assistant", "Like this:"),
		said("a7", "a6", "assistant", "then this"),
		said("u4", "a7", "user", "good"),
	)
}

func TestTreePicture(t *testing.T) {
	want := `glyphd  16 entries, 3 leaves
● user  How do glyphs get drawn?                                            @2
│ … 5 entries
● assistant  step                                                           @8
├─○ user  ⚑ slow  Cache them in a map of maps, with a lock around each of…  @9
│ ○ assistant  Done.                                                       @10
│ ○ label  slow → w1                                                       @11
│ ╰ The locks cost more than the drawing.                                  @12
● branch summary  of the branch at @9                                      @12
├─○ user  Draw into an atlas                                               @13
● user  Draw into a texture array                                          @14
│ … 2 entries
● user  good                                                       ← leaf  @17
`
	if diff := cmp.Diff(want, drawn(t, 78, aTree(), "--color=never")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	want = `glyphd  16 entries, 3 leaves
● user  How do glyphs get drawn?  @2
│ … 5 entries
● assistant  step  @8
├─… 3 entries in 1 branch
● branch summary  of the branch at @9  @12
├─… 1 entry in 1 branch
● user  Draw into a texture array  @14
│ … 2 entries
● user  good  ← leaf  @17
`
	if diff := cmp.Diff(want, drawn(t, 0, aTree(), "--depth=1")); diff != "" {
		t.Errorf("--depth=1 (-want +got)\n%s", diff)
	}
}

func TestTreePictureOfDamage(t *testing.T) {
	lines := []string{
		said("u1", "", "user", "one"),
		said("u1", "", "user", "one"),
		said("o1", "gone", "user", "lost its parent"),
		said("x", "y", "user", "round"),
		said("y", "x", "user", "and round"),
		said("z", "y", "user", "and off"),
		said("u2", "o1", "user", "\x1b[31mred\x1b[0m \u202eright to left 日本語の文字\x07 and on and on"),
	}
	want := `glyphd  3 entries, 2 leaves
○ user  one                               ×2  @2

● user  parent gone is not in the file  lost its …  @4
● user  ␛[31mred␛[0m right to left …  ← leaf  @8
3 entries that no root leads to, because they are their own ancestors:
    @5  user           round
    @6  user           and round
    @7  user           and off
`
	got := drawn(t, 48, lines, "--color=never")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if i := strings.IndexFunc(got, func(r rune) bool { return unicode.IsControl(r) && r != '\n' }); i >= 0 {
		t.Errorf("a control character reaches the terminal: %q", got[i:])
	}
}

// TestTreePictureFits: no row is wider than the terminal, whatever is in it, and
// colours are for terminals alone.
func TestTreePictureFits(t *testing.T) {
	lines := aTree()
	last := "u4"
	for i := range 30 { // branches of branches
		id := fmt.Sprint("d", i)
		lines = append(lines, said(id, last, "user", strings.Repeat("語", 90)), said(id+"x", last, "user", "beside"))
		last = id
	}
	for width := 40; width <= 200; width += 7 {
		picture := drawn(t, width, lines, "--color=never")
		for row := range strings.Lines(picture) {
			if n := terminal.Width(strings.TrimSuffix(row, "\n")); n > width {
				t.Errorf("%d cells in %d: %s", n, width, row)
			}
		}
	}
	if picture := drawn(t, 80, lines); !strings.Contains(picture, "\x1b[2m") {
		t.Error("no colours on a terminal")
	}
	if picture := drawn(t, 0, lines); strings.Contains(picture, "\x1b") {
		t.Error("colours in a pipe")
	}
}
