package text

import (
	"bytes"
	"testing"
	"time"

	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/terminal"
)

func TestCoverage(t *testing.T) {
	now := time.Date(2026, 3, 4, 15, 0, 0, 0, time.UTC)
	tests := []struct {
		cov  documents.Coverage
		want string
	}{
		{documents.Coverage{Files: 1}, "1 session\n"},
		{documents.Coverage{Files: 1181, IndexedAt: documents.Time(now.Add(-3 * time.Minute)), Pending: &query.Pending{}}, "1,181 sessions · indexed 3m ago\n"},
		{documents.Coverage{Files: 1, Problems: []query.KindCount{{Name: "unreadable", Count: 1}}}, "1 session · 1 problem (unreadable)\n"},
		{documents.Coverage{Files: 2, Missing: 5, Problems: []query.KindCount{{Name: "malformed-line", Count: 4}, {Name: "orphan", Count: 3}}, Pending: &query.Pending{Files: 2, Bytes: 40e6}},
			"2 sessions · 5 missing · 7 problems (malformed-line, …) · 2 files, 40 MB not yet read\n"},
	}
	for _, test := range tests {
		var stdout bytes.Buffer
		Page{Out: &stdout, Glyphs: terminal.NewGlyphs(true), Now: now}.sayCoverage(test.cov)
		if stdout.String() != test.want {
			t.Errorf("%q, want %q", stdout.String(), test.want)
		}
	}
}
