package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a file can be from one run to the next.
var fileStates = []struct{ name, content string }{
	{"gone", ""},
	{"empty", ""},
	{"garbage", "x{\n\x00\x00\n"},
	{"without a header", `{"type":"message","id":"m1","message":{"role":"user","content":"nobody knows me"}}` + "\n{\n"},
	{"a session", strings.ReplaceAll(sampleSession, "11111111", "22222222") + "{\n"},
	{"another session", strings.ReplaceAll(sampleSession, "11111111", "33333333")},
}

// However a file became what it is, the numbers are those of a fresh archive, a
// session aside whose file is gone. Of a file that was none, nothing is told when
// it is gone, but its bytes are kept.
func TestFilesThatAreNoSessions(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	set := func(state int, name string) {
		for _, n := range []string{"x.jsonl", "moved.jsonl"} {
			os.Remove(filepath.Join(b.dir, "sessions", n))
		}
		if state > 0 {
			b.write(t, name, fileStates[state].content)
		}
		b.run(t, 0, "index", "-q")
	}
	for first := range fileStates {
		for second := range fileStates {
			for _, name := range []string{"x.jsonl", "moved.jsonl"} {
				set(first, "x.jsonl")
				set(second, name)
				stdout, _ := b.run(t, 0, "sql", "SELECT path FROM sessions WHERE missing")
				for path := range strings.Lines(strings.TrimPrefix(stdout, "path\n")) {
					b.run(t, 0, "forget", "--yes", "-q", strings.TrimSpace(path))
				}
				fresh := filepath.Join(t.TempDir(), "fresh.db")
				b.run(t, 0, "--db", fresh, "index", "-q")
				if diff := cmp.Diff(numbersOf(t, b, fresh), numbersOf(t, b, b.archive())); diff != "" {
					t.Errorf("%s, then %s at %s (- fresh, + archive):\n%s", fileStates[first].name, fileStates[second].name, name, diff)
				}
			}
		}
	}

	set(3, "x.jsonl")
	set(0, "")
	b.run(t, 0, "index", "-q", "--full")
	if stdout, _ := b.run(t, 0, "restore", filepath.Join(b.dir, "sessions", "x.jsonl"), "-o", "-"); stdout != fileStates[3].content {
		t.Errorf("it comes back as %q", stdout)
	}
	b.run(t, 0, "verify", "--deep")
	b.write(t, "e.jsonl", "")
	b.run(t, 0, "index", "-q")
	os.Remove(filepath.Join(b.dir, "sessions", "e.jsonl"))
	b.run(t, 0, "index", "-q")
	if stdout, _ := b.run(t, 0, "vanished", "--json"); strings.Contains(stdout, "e.jsonl\"") {
		t.Errorf("an empty file has vanished: %s", stdout)
	}
}

// numbersOf is what an archive tells in numbers, without how large it is itself and
// what it keeps of files that are gone.
func numbersOf(t *testing.T, b *bench, archive string) (docs []any) {
	t.Helper()
	for _, args := range [][]string{{"info", "--problems"}, {"list"}, {"stats"}, {"search", "is:leaf"}, {"du"}} {
		stdout, _ := b.run(t, 0, append([]string{"--json", "--db", archive}, args...)...)
		var doc map[string]any
		if err := json.Unmarshal([]byte(stdout), &doc); err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		for _, name := range []string{"archive", "sizes", "elapsedMs"} {
			delete(doc, name)
		}
		delete(doc["coverage"].(map[string]any), "indexedAt")
		switch args[0] {
		case "info":
			for _, root := range doc["roots"].([]any) {
				delete(root.(map[string]any), "bytes")
			}
		case "du":
			missing := doc["missing"].(map[string]any)
			for _, n := range []string{"files", "bytes"} {
				doc[n] = doc[n].(float64) - missing[n].(float64)
			}
			delete(doc, "missing")
			delete(doc, "dropped")
			delete(doc, "groups")
		}
		docs = append(docs, doc)
	}
	return docs
}
