package main

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"piarchive/internal/documents"
)

func TestVerifyTellsDrift(t *testing.T) {
	b := newBench(t)
	b.write(t, "deep/b.jsonl", sampleSession)
	b.run(t, 0, "index")
	path := filepath.Join(b.dir, "sessions", "a.jsonl")
	b.tamper(t, `UPDATE _entry SET line = 7 WHERE id >> 24 = (SELECT id FROM _source WHERE path LIKE '%sessions_a.jsonl')`)

	stdout, stderr := b.run(t, 1, "verify")
	if want := path + ":7: entry: entry 1 is line 7 of 171 bytes, the copy has line 2 of 171 bytes there\n"; stdout != want || stderr != "" {
		t.Errorf("stdout %q, want %q; stderr %q", stdout, want, stderr)
	}
	stdout, stderr = b.run(t, 1, "verify", "--json")
	var doc documents.Verify
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Drift) != 1 || doc.Drift[0].Path != path || doc.Drift[0].Line != 7 || doc.Drift[0].Kind != "entry" || doc.Files != 2 || stderr != "" {
		t.Errorf("document %+v, stderr %q", doc, stderr)
	}
	b.run(t, 0, "verify", filepath.Join(b.dir, "sessions", "deep"))

	// The cure.
	b.run(t, 0, "index", "--full")
	b.run(t, 0, "verify", "--deep")

	b.tamper(t, `INSERT INTO _prose VALUES (99 << 24, 'x')`)
	stdout, _ = b.run(t, 1, "verify", "--deep")
	if want := b.archive() + ": stray-rows: 1 rows in _prose belong to no session file\n"; stdout != want {
		t.Errorf("stdout %q, want %q", stdout, want)
	}
}
