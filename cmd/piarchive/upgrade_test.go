package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piarchive/schema"
)

const (
	// oldRoot is where the sessions of the archives in testdata/db were.
	oldRoot = "/proj/sessions"
	// cutSession was cut short after its third line.
	cutSession = "pi-v2/--home-mira-src-nightterm--/2026-01-02T20-15-07-220Z_a4ee5c7d-89b7-40cf-bd0e-3789b77bf28d.jsonl"
)

// oldArchive copies the archive of a layout. Its sessions are seen, though there
// is no such directory, and those of the bench.
func oldArchive(t *testing.T, b *bench, version int) {
	t.Helper()
	roots := strings.Join([]string{oldRoot, filepath.Join(b.dir, "sessions")}, string(filepath.ListSeparator))
	b.env = testEnv(&b.stdout, &b.stderr, map[string]string{"PIARCHIVE_DB": b.archive(), "PIARCHIVE_ROOTS": roots})
	b.env.Now = time.Now
	content, err := os.ReadFile(filepath.Join("..", "..", "testdata", "db", fmt.Sprintf("v%d.db", version)))
	if err == nil {
		err = os.MkdirAll(filepath.Dir(b.archive()), 0o700)
	}
	if err == nil {
		err = os.WriteFile(b.archive(), content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// An archive of every layout there was, and of an older layout or projection than
// the program's, opens and has lost nothing: neither the sessions whose files are
// gone, nor the states that a rewrite replaced. What is older is made anew by a
// command that only reads, and by index, with the files there or not.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	const stale = "UPDATE _entry SET type = 'of old'; "
	for version := 1; version <= schema.Version; version++ {
		for name, change := range map[string]string{
			"as it was": "", "older projection": stale + "UPDATE _meta SET value = value - 1 WHERE key = 'projection'",
			"older layout": stale + fmt.Sprintf("PRAGMA user_version = %d", version-1),
		} {
			for _, first := range [][]string{{"list"}, {"index", "-q"}, {"index", "-q", "--full"}, {"vanished"}} {
				t.Run(fmt.Sprint(version, name, first), func(t *testing.T) {
					b := newBench(t)
					oldArchive(t, b, version)
					b.tamper(t, change)
					b.run(t, 0, first...)
					checkUpgraded(t, b)
					b.run(t, 0, "index", "-q")
					checkUpgraded(t, b)
				})
			}
		}
	}
}

func checkUpgraded(t *testing.T, b *bench) {
	t.Helper()
	b.run(t, 0, "verify", "-q", "--deep") // its rows are those that its lines make now
	stdout, _ := b.run(t, 0, "vanished", "--json")
	var doc struct {
		Sessions []vanishedDoc `json:"sessions"`
	}
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil {
		t.Fatal(err)
	}
	gone := map[string]bool{}
	for _, s := range doc.Sessions {
		below := strings.TrimPrefix(filepath.ToSlash(s.Path), oldRoot+"/")
		if below == cutSession {
			if s.Missing || s.Dropped == nil || len(s.Versions) != 1 {
				t.Errorf("the session that was cut: %+v", s)
			}
			continue
		}
		if gone[below] = s.Missing; s.Dropped != nil || len(s.Versions) > 0 {
			t.Errorf("a session that is gone: %+v", s)
		}
	}
	if len(gone) != 3 || len(doc.Sessions) != 4 {
		t.Errorf("%d have vanished, %v are gone", len(doc.Sessions), gone)
	}
	for _, pattern := range []string{"pi-v2/*/*.jsonl", "rust/*/*.jsonl"} {
		files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "sessions", filepath.FromSlash(pattern)))
		if err != nil || len(files) == 0 {
			t.Fatalf("no sessions: %v", err)
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			below, _ := filepath.Rel(filepath.Join("..", "..", "testdata", "sessions"), file)
			path := oldRoot + "/" + filepath.ToSlash(below)
			// Of the session that was cut this is its state before.
			if stdout, _ := b.run(t, 0, "restore", "-q", path, "-o", "-"); stdout != string(content) {
				t.Errorf("%s: %d bytes come back, want %d", below, len(stdout), len(content))
			}
		}
	}
}

// An archive of a later layout stays as it is, to the byte.
func TestNewerArchiveStays(t *testing.T) {
	b := newBench(t)
	oldArchive(t, b, schema.Version)
	b.tamper(t, fmt.Sprintf("PRAGMA user_version = %d", schema.Version+1))
	before, err := os.ReadFile(b.archive())
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"list"}, {"index"}, {"index", "--full"}, {"search", "x"}, {"verify"}, {"vanished"}, {"forget", "--missing", "--yes"},
		{"forget", "--compact"}, {"sql", "SELECT 1"}, {"info"}, {"backup", filepath.Join(t.TempDir(), "b.db")}} {
		b.run(t, 76, args...)
	}
	if after, err := os.ReadFile(b.archive()); err != nil || !bytes.Equal(after, before) {
		t.Errorf("the archive has changed: %v", err)
	}
}
