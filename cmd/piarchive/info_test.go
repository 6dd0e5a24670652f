package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestUnknownTextFormat: a full-text index that SQLite alone can read is searched all
// the same, and both search and info say so once.
func TestUnknownTextFormat(t *testing.T) {
	b := newBench(t)
	b.run(t, 0, "index")
	const note = "reads through SQLite alone"
	for _, version := range []int{4, 5} {
		b.tamper(t, fmt.Sprintf(`UPDATE fts_config SET v = %d WHERE k = 'version'`, version))
		stdout, stderr := b.run(t, 0, "search", "brass", "key")
		if !strings.Contains(stdout, "brass key") || strings.Contains(stdout, note) || strings.Count(stderr, note) != version-4 {
			t.Errorf("version %d: search prints %q, and says %q", version, stdout, stderr)
		}
		if stdout, _ := b.run(t, 0, "info"); strings.Count(stdout, note) != version-4 {
			t.Errorf("version %d: info prints %q", version, stdout)
		}
	}
}
