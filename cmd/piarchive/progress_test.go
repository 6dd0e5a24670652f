package main

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
		c := &call{env: testEnv(nil, &stderr, nil), globals: globals{quiet: test.quiet}}
		watch := &clock{time.Unix(1000, 0)}
		c.now = watch.now
		c.isTerminal = func(fd int) bool { return test.terminal && fd == 2 }
		p, err := newProgress(c, test.mode)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			p(ingest.Progress{AllFiles: 1, AllBytes: 10}, false)
			watch.pass(time.Minute)
		}
		if shows := stderr.Len() > 0; shows != test.shows {
			t.Errorf("%+v: %q", test, stderr.String())
		}
	}
	if _, err := newProgress(&call{}, "sometimes"); err == nil {
		t.Error("an unknown mode passes")
	}
}

// clock is a time of day that only moves when told to.
type clock struct{ time.Time }

func (c *clock) now() time.Time       { return c.Time }
func (c *clock) pass(d time.Duration) { c.Time = c.Add(d) }

func TestJSONProgress(t *testing.T) {
	var b bytes.Buffer
	watch := &clock{time.Unix(1000, 0)}
	p := jsonProgress(&b, watch.now)
	for done := range int64(11) { // 50 ms apart
		p(ingest.Progress{Files: int(done), AllFiles: 10, Bytes: done * 100, AllBytes: 1000}, false)
		watch.pass(50 * time.Millisecond)
	}
	p(ingest.Progress{}, true)
	want := `{"files":{"done":0,"total":10},"bytes":{"done":0,"total":1000},"elapsedMs":0}
{"files":{"done":5,"total":10},"bytes":{"done":500,"total":1000},"elapsedMs":250}
{"files":{"done":10,"total":10},"bytes":{"done":1000,"total":1000},"elapsedMs":500}
{"files":{"done":10,"total":10},"bytes":{"done":1000,"total":1000},"elapsedMs":550}
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}
