package text

import (
	"bytes"
	"testing"
	"time"

	"piarchive/internal/documents"
	"piarchive/internal/terminal"
)

func TestCoverage(t *testing.T) {
	now := time.Date(2026, 3, 4, 15, 0, 0, 0, time.UTC)
	tests := []struct {
		cov  documents.Coverage
		want string
	}{
		{documents.Coverage{Files: 1}, "1 session\n"},
		{documents.Coverage{Files: 1181, IndexedAt: documents.Time(now.Add(-3 * time.Minute)), DamagedLines: 2}, "1,181 sessions · indexed 3m ago · 2 damaged lines\n"},
		{documents.Coverage{Files: 2, Unreadable: 4, Missing: 5, DamagedLines: 1},
			"2 sessions · 4 unreadable · 5 with the file gone · 1 damaged line\n"},
	}
	for _, test := range tests {
		var stdout bytes.Buffer
		Page{Out: &stdout, Glyphs: terminal.NewGlyphs(true), Now: now}.SayCoverage(test.cov)
		if stdout.String() != test.want {
			t.Errorf("%q, want %q", stdout.String(), test.want)
		}
	}
}
