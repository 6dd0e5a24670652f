// Package ingesttest makes archives for the tests of rooms that read them.
package ingesttest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piarchive/internal/ingest"
	"piarchive/internal/places"
)

// Archive makes an archive of the session files below root, and returns where it
// lies.
func Archive(t testing.TB, root string) string {
	t.Helper()
	root, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "archive.db")
	Update(t, path, root)
	return path
}

// Update brings an archive up to date with the files below root.
func Update(t testing.TB, archive, root string) *ingest.Report {
	t.Helper()
	report, err := ingest.Run(t.Context(), ingest.Options{Archive: archive, Roots: []places.Root{{Path: root}}, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// Sessions writes sessions, each a list of what the user said, and returns their
// directory. What is said in the same place in two sessions is a copy.
func Sessions(t testing.TB, sessions map[string][]string) string {
	t.Helper()
	root := t.TempDir()
	for id, texts := range sessions {
		Session(t, root, id, texts)
	}
	return root
}

// Session writes one.
func Session(t testing.TB, root, id string, texts []string) {
	t.Helper()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var b strings.Builder
	fmt.Fprintf(&b, `{"type":"session","version":3,"id":"%s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w/%s"}`+"\n", id, id)
	parent := "null"
	for i, text := range texts {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		at := start.Add(time.Duration(i) * time.Second).Format("2006-01-02T15:04:05.000Z")
		fmt.Fprintf(&b, `{"type":"message","id":"%08x","parentId":%s,"timestamp":"%s","message":{"role":"user","content":%s}}`+"\n", i, parent, at, quoted)
		parent = fmt.Sprintf(`"%08x"`, i)
	}
	dir := filepath.Join(root, "--w-"+id+"--")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, id+".jsonl"), []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}
