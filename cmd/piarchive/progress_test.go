package main

import (
	"bytes"
	"testing"
	"time"

	"piarchive/internal/terminal"
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
		c := &call{env: testEnv(nil, &stderr, nil), globals: globals{quiet: test.quiet}}
		c.isTerminal = func(fd int) bool { return test.terminal && fd == 2 }
		p := newProgress(c, test.mode)
		if _, silent := p.(noProgress); silent == test.shows {
			t.Errorf("%+v: got %T", test, p)
		}
	}
}

// clock is a time of day that only moves when told to.
type clock struct{ time.Time }

func (c *clock) now() time.Time       { return c.Time }
func (c *clock) pass(d time.Duration) { c.Time = c.Add(d) }

func TestJSONProgress(t *testing.T) {
	var b bytes.Buffer
	watch := &clock{time.Unix(1000, 0)}
	p := &jsonProgress{w: &b, now: watch.now, start: watch.now()}
	for done := range int64(11) { // 50 ms apart
		p.Update(terminal.Progress{FilesDone: int(done), FilesTotal: 10, BytesDone: done * 100, BytesTotal: 1000})
		watch.pass(50 * time.Millisecond)
	}
	p.Finish()
	want := `{"files":{"done":0,"total":10},"bytes":{"done":0,"total":1000},"elapsedMs":0}
{"files":{"done":5,"total":10},"bytes":{"done":500,"total":1000},"elapsedMs":250}
{"files":{"done":10,"total":10},"bytes":{"done":1000,"total":1000},"elapsedMs":500}
{"files":{"done":10,"total":10},"bytes":{"done":1000,"total":1000},"elapsedMs":550}
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}
