package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"piarchive/internal/ingest"
	"piarchive/internal/places"
	"piarchive/internal/query"
	"piarchive/internal/query/session"
)

// sourcesBelow returns the files below a directory that an archive of it holds.
func sourcesBelow(t *testing.T, a *query.Archive, root string) []string {
	t.Helper()
	var paths []string
	if err := a.DB().Select(&paths, "SELECT path FROM _source ORDER BY path"); err != nil {
		t.Fatal(err)
	}
	held := map[string]bool{}
	for _, path := range paths {
		held[path] = true
	}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && filepath.Ext(path) == ".jsonl" && !held[path] {
			t.Logf("not held: %s", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// linesOf splits a file as the numbers of lines count: at LF and nowhere else.
func linesOf(data []byte) [][]byte {
	lines := bytes.SplitAfter(data, []byte("\n"))
	if n := len(lines); n > 0 && len(lines[n-1]) == 0 {
		lines = lines[:n-1]
	}
	return lines
}

// TestEveryLine: every line of every file comes back byte for byte by its
// number, and that of every entry by its id.
func TestEveryLine(t *testing.T) {
	t.Parallel()
	samples, err := filepath.Abs(filepath.Join(repository, "testdata", "sessions"))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("samples", func(t *testing.T) { checkEveryLine(t, samples, 700) })
	t.Run("corpus", func(t *testing.T) { checkEveryLine(t, filepath.Join(corpus(t), "corpus"), 4000) })
	t.Run("hostile", func(t *testing.T) { checkEveryLine(t, filepath.Join(corpus(t), "hostile", "sessions"), 100) })
}

func checkEveryLine(t *testing.T, root string, least int) {
	archive := filepath.Join(t.TempDir(), "archive.db")
	b := &bench{env: testEnv(nil, nil, nil)}
	if _, err := ingest.Run(t.Context(), ingest.Options{Archive: archive, Roots: []places.Root{{Path: root}}, Now: b.env.Now}); err != nil {
		t.Fatal(err)
	}
	a, err := query.Open(t.Context(), archive, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	checked := 0
	for _, path := range sourcesBelow(t, a, root) {
		session, err := a.FindSession(t.Context(), path, "")
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := linesOf(data)
		for i, want := range lines {
			if got, err := lineOf(a, session, "@"+strconv.Itoa(i+1)); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s line %d: %d bytes, %v", path, i+1, len(got), err)
			}
			checked++
		}
		var missing *query.NotFound
		if got, err := lineOf(a, session, fmt.Sprintf("@%d", len(lines)+1)); !errors.As(err, &missing) {
			t.Errorf("%s has %d lines, but one more was found: %q (%v)", path, len(lines), got, err)
		}
		var entries []struct {
			ID   string `db:"entry_id"`
			Line int    `db:"line"`
		}
		if err := a.DB().Select(&entries, "SELECT entry_id, line FROM entries WHERE session = ?", session.Key); err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			got, err := lineOf(a, session, e.ID)
			if e.ID == "leaf" || strings.HasPrefix(e.ID, "@") {
				continue // means something else
			}
			if err != nil || !bytes.Equal(got, lines[e.Line-1]) {
				t.Errorf("%s entry %q on line %d: %d bytes, %v", path, e.ID, e.Line, len(got), err)
			}
		}
	}
	if checked < least {
		t.Errorf("only %d lines were compared", checked)
	}
}

func lineOf(a *query.Archive, s query.SessionRef, ref string) ([]byte, error) {
	var line bytes.Buffer
	err := session.WriteLine(context.Background(), a, s, ref, &line)
	return line.Bytes(), err
}

// TestEntry prints lines of the sample sessions through the command: of the
// archive, of a file it does not hold, and of one that is gone.
func TestEntry(t *testing.T) {
	t.Parallel()
	b := newSampleBench(t)
	root := b.env.Getenv("PIARCHIVE_ROOTS")
	for _, name := range []string{
		"pi-v3/--home-mira-src-nightterm--/2026-01-28T09-12-03-118Z_4a369254-ef20-439b-8baf-0865fcb2ac55.jsonl",
		"harness-v4/--home-mira-src-orbit--/2026-08-20T10-22-09-514Z_01a01eb1-466a-7622-89a3-85ad55f0ed6f.jsonl",
		"damaged/--home-mira-attic--/2026-07-01T12-00-00-000Z_crlf.jsonl",
		"damaged/--home-mira-attic--/2026-07-02T02-00-00-000Z_no-final-newline.jsonl",
		"damaged/--home-mira-attic--/2026-07-01T18-00-00-000Z_nul-tail.jsonl",
		"damaged/--home-mira-attic--/2026-07-03T02-00-00-000Z_invalid-utf8.jsonl",
		"damaged/--home-mira-attic--/2026-07-03T00-00-00-000Z_garbage.jsonl",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		stray := filepath.Join(b.dir, "stray.jsonl")
		if err := os.WriteFile(stray, data, 0o600); err != nil {
			t.Fatal(err)
		}
		for i, line := range linesOf(data) {
			for _, file := range []string{path, stray} {
				if stdout, _ := b.run(t, 0, "entry", file, fmt.Sprintf("@%d", i+1)); stdout != string(line) {
					t.Errorf("%s @%d: %q, want %q", file, i+1, stdout, line)
				}
			}
			if stdout, _ := b.run(t, 0, "entry", "--json", path, fmt.Sprintf("@%d", i+1)); stdout != string(line) {
				t.Errorf("%s @%d as JSON: %q, want %q", path, i+1, stdout, line)
			}
		}
	}

	// A file that is gone is in the archive as it was.
	gone := newBench(t)
	gone.write(t, "b.jsonl", strings.Replace(sampleSession, "11111111", "22222222", 1))
	gone.run(t, 0, "index")
	path := filepath.Join(gone.dir, "sessions", "b.jsonl")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(sampleSession, "\n")
	for _, session := range []string{path, "22222222"} {
		for _, entry := range []string{"@2", "a1", "leaf"} {
			if stdout, _ := gone.run(t, 0, "entry", session, entry); stdout != lines[1] {
				t.Errorf("%s %s of a file that is gone: %q", session, entry, stdout)
			}
		}
	}

	// A file that has changed since is read as it is now.
	gone.write(t, "a.jsonl", sampleSession+strings.Replace(lines[1], `"a1"`, `"a2"`, 1))
	path = filepath.Join(gone.dir, "sessions", "a.jsonl")
	if stdout, _ := gone.run(t, 0, "entry", path, "a2"); stdout != strings.Replace(lines[1], `"a1"`, `"a2"`, 1) {
		t.Errorf("a line that is not indexed yet: %q", stdout)
	}
	gone.run(t, 2, "entry", "--no-fresh", "11111111", "a2")
}

// TestEntryOnTerminal: on a terminal a line shows what could act on it.
func TestEntryOnTerminal(t *testing.T) {
	b := newBench(t)
	b.write(t, "a.jsonl", sampleSession+"\x1b[2J{broken\x07\u202e\n")
	b.env.IsTerminal = func(fd int) bool { return fd == 1 }
	if stdout, _ := b.run(t, 0, "entry", filepath.Join(b.dir, "sessions", "a.jsonl"), "@3"); stdout != "␛[2J{broken␇\\u202e\n" {
		t.Errorf("%q", stdout)
	}
}

func TestEntryMistakes(t *testing.T) {
	b := newBench(t)
	b.write(t, "b.jsonl", strings.Replace(sampleSession, "0001", "0002", 1))
	b.run(t, 0, "index")
	a := filepath.Join(b.dir, "sessions", "a.jsonl")
	nowhere := filepath.Join(b.dir, "nowhere.jsonl")
	tests := []struct{ session, entry, stderr string }{
		{"11111111", "a1", "piarchive: session \"11111111\" is ambiguous: it may be any of 2\n" +
			"  11111111-0000-4000-8000-000000000002  proj · where is the brass key · 2026-01-02\n" +
			"  11111111-0000-4000-8000-000000000001  proj · where is the brass key · 2026-01-02\nhint: give more characters of the id, or the path\n"},
		{"111", "a1", "piarchive: no session \"111\"\nhint: piarchive list shows the sessions; piarchive index takes up new ones\n"},
		{nowhere, "a1", `piarchive: no session "` + nowhere + "\"\nhint: piarchive list shows the sessions; piarchive index takes up new ones\n"},
		{a, "a", "piarchive: no entry \"a\" in session 11111111-0000-4000-8000-000000000001\nhint: an entry is its id, @N for the N-th line, or leaf\n"},
		{a, "@3", "piarchive: no line 3 in session 11111111-0000-4000-8000-000000000001: its file has 2\nhint: an entry is its id, @N for the N-th line, or leaf\n"},
	}
	for _, test := range tests {
		if _, stderr := b.run(t, 2, "entry", test.session, test.entry); stderr != test.stderr {
			t.Errorf("%s %s: stderr %q, want %q", test.session, test.entry, stderr, test.stderr)
		}
	}
	b.run(t, 2, "entry", b.dir, "@1")
}
