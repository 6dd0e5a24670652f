package session_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"piarchive/internal/session"
	"piarchive/internal/session/sessiontest"
)

// TestCopyAsPi: pi's forkFrom and this program's copy are the same.
func TestCopyAsPi(t *testing.T) {
	sessiontest.EachPi(t, os.Getenv("PIARCHIVE_PI"), func(t *testing.T, pi *sessiontest.Pi) {
		path := write(t, tree)
		var theirs string
		if err := pi.Ask(t, "copy", map[string]any{"file": path, "cwd": "/other", "dir": t.TempDir()}, &theirs); err != nil {
			t.Fatal(err)
		}
		s, err := session.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		made, err := s.Copy(session.New{CWD: "/other", Dir: t.TempDir(), At: time.Now()})
		if err == nil {
			err = made.Write()
		}
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(masked(t, []string{theirs}, true), masked(t, []string{made.Path}, true)); diff != "" {
			t.Error(diff)
		}
	})
}

// samples are session files of every age in the repository.
func samples(t *testing.T) (found []string) {
	t.Helper()
	err := filepath.WalkDir("../../testdata/sessions", func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".jsonl") {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestMigrateAsPi: pi's own migration and this program's agree, header and ids aside;
// the original stays.
func TestMigrateAsPi(t *testing.T) {
	sessiontest.EachPi(t, os.Getenv("PIARCHIVE_PI"), func(t *testing.T, pi *sessiontest.Pi) {
		tried := 0
		for _, path := range samples(t) {
			was, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			s, err := session.Open(path)
			if err != nil {
				continue
			}
			defer s.Close()
			made, err := s.Migrate(session.New{CWD: s.CWD(), Dir: t.TempDir(), At: time.Now()})
			if err != nil || strings.Contains(path, "version-missing") { // its tree is kept, which pi flattens
				continue
			}
			if err := made.Write(); err != nil {
				t.Fatal(err)
			}
			copied := write(t, string(was))
			if err := pi.Ask(t, "read", map[string]any{"file": copied}, nil); err != nil {
				continue
			}
			tried++
			theirs, ours := entries(t, copied), entries(t, made.Path)
			if diff := cmp.Diff(theirs, ours); diff != "" {
				t.Errorf("%s: pi makes what is marked -, this program +\n%s", path, diff)
			}
			if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, was) {
				t.Errorf("%s was changed: %v", path, err)
			}
		}
		if tried < 3 {
			t.Errorf("only %d samples are of an older version", tried)
		}
	})
}

// entries are those of a file, with numbers for their ids.
func entries(t *testing.T, path string) (all []map[string]any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]int{}
	for line := range bytes.Lines(data) {
		var one map[string]any
		if json.Unmarshal(line, &one) != nil || one["type"] == "session" {
			continue
		}
		id, _ := one["id"].(string)
		ids[id] = len(ids) + 1
		for _, link := range []string{"id", "parentId", "firstKeptEntryId"} {
			if to, ok := one[link].(string); ok {
				one[link] = ids[to]
			}
		}
		all = append(all, one)
	}
	return all
}

// TestForkOfVersion1: what has no ids gets them on the way.
func TestForkOfVersion1(t *testing.T) {
	text := `{"type":"session","id":"old","timestamp":"2025-11-20T08:00:00.000Z","cwd":"/w"}
{"type":"message","timestamp":"2025-11-20T08:00:01.000Z","message":{"role":"user","content":"q1","timestamp":1}}
{"type":"message","timestamp":"2025-11-20T08:00:02.000Z","message":{"role":"hookMessage","customType":"x","content":"h","display":true,"timestamp":2}}
{"type":"compaction","timestamp":"2025-11-20T08:00:03.000Z","summary":"s","firstKeptEntryIndex":2,"tokensBefore":7}
{"type":"message","timestamp":"2025-11-20T08:00:04.000Z","message":{"role":"user","content":"q2","timestamp":3}}
`
	path := write(t, text)
	s, err := session.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	made, err := s.Fork(s.Parent(s.Leaf()), session.New{CWD: "/w", Dir: t.TempDir(), At: time.Now()})
	if err == nil {
		err = made.Write()
	}
	if err != nil {
		t.Fatal(err)
	}
	got := entries(t, made.Path)
	if len(got) != 3 || got[0]["parentId"] != nil || got[1]["parentId"] != 1 || got[2]["parentId"] != 2 || got[2]["firstKeptEntryId"] != 2 {
		t.Errorf("the links are %v", got)
	}
	if message := got[1]["message"].(map[string]any); message["role"] != "custom" {
		t.Errorf("the role is %v", message["role"])
	}
	if _, err := add(made.Path, `{"role":"user","content":"q3"}`, session.Place{}); err != nil {
		t.Error(err)
	}
}
