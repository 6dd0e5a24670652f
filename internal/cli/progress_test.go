package cli

import (
	"bytes"
	"testing"
	"time"

	"piarchive/internal/ingest"
)

func TestChooseProgress(t *testing.T) {
	tests := []struct {
		mode     string
		terminal bool
		quiet    bool
		shows    bool
	}{
		{"auto", true, false, true},
		{"auto", true, true, false},
		{"auto", false, false, false},
		{"always", false, true, true},
		{"never", true, false, false},
		{"json", false, false, true},
	}
	for _, test := range tests {
		var stderr bytes.Buffer
		watch := &clock{time.Unix(1000, 0)}
		c := &Call{globals: globals{Quiet: test.quiet}, Env: Env{
			Stderr:     &stderr,
			Now:        watch.now,
			IsTerminal: func(fd int) bool { return test.terminal && fd == 2 },
		}}
		p := newProgress(c, test.mode)
		for range 2 {
			p(ingest.Progress{AllFiles: 1, AllBytes: 10}, false)
			watch.pass(time.Minute)
		}
		if shows := stderr.Len() > 0; shows != test.shows {
			t.Errorf("%+v: %q", test, stderr.String())
		}
	}
}

// clock is a time of day that only moves when told to.
type clock struct{ time.Time }

func (c *clock) now() time.Time       { return c.Time }
func (c *clock) pass(d time.Duration) { c.Time = c.Add(d) }
