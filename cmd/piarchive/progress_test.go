package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
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
		p, err := newProgress(c, test.mode)
		if err != nil {
			t.Fatal(err)
		}
		if _, silent := p.(noProgress); silent == test.shows {
			t.Errorf("%+v: got %T", test, p)
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
	p := &jsonProgress{w: &b, now: watch.now, start: watch.now()}
	for done := range int64(11) { // 50 ms apart
		p.update(progressUpdate{FilesDone: int(done), FilesTotal: 10, BytesDone: done * 100, BytesTotal: 1000})
		watch.pass(50 * time.Millisecond)
	}
	p.finish()
	want := `{"files":{"done":0,"total":10},"bytes":{"done":0,"total":1000},"elapsedMs":0}
{"files":{"done":5,"total":10},"bytes":{"done":500,"total":1000},"elapsedMs":250}
{"files":{"done":10,"total":10},"bytes":{"done":1000,"total":1000},"elapsedMs":500}
{"files":{"done":10,"total":10},"bytes":{"done":1000,"total":1000},"elapsedMs":550}
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

func TestBarProgress(t *testing.T) {
	var b bytes.Buffer
	watch := &clock{time.Unix(1000, 0)}
	p := &barProgress{w: &b, now: watch.now, start: watch.now(), ansi: true}
	p.update(progressUpdate{FilesTotal: 10, BytesTotal: 1000})
	watch.pass(barDelay / 2)
	p.update(progressUpdate{FilesDone: 1, FilesTotal: 10, BytesDone: 100, BytesTotal: 1000})
	if b.Len() > 0 {
		t.Fatalf("a bar for a short run: %q", b.String())
	}
	watch.pass(barDelay)
	p.update(progressUpdate{FilesDone: 5, FilesTotal: 1234, BytesDone: 500, BytesTotal: 1000})
	if got := b.String(); !strings.Contains(got, "5/1,234 files") || !strings.Contains(got, "50%") {
		t.Errorf("half way: %q", got)
	}
	// All bytes are read but the run is not over, and then there is more to do.
	watch.pass(time.Second)
	p.update(progressUpdate{FilesDone: 6, FilesTotal: 1234, BytesDone: 1000, BytesTotal: 1000})
	b.Reset()
	p.update(progressUpdate{FilesDone: 7, FilesTotal: 1234, BytesDone: 1000, BytesTotal: 4000})
	if b.Len() > 0 {
		t.Errorf("drawn again at once: %q", b.String())
	}
	watch.pass(time.Second)
	p.update(progressUpdate{FilesDone: 7, FilesTotal: 1234, BytesDone: 1000, BytesTotal: 4000})
	if got := b.String(); !strings.Contains(got, "7/1,234 files") || !strings.Contains(got, "25%") {
		t.Errorf("after growing: %q", got)
	}
	b.Reset()
	p.finish()
	if got := b.String(); !strings.HasSuffix(got, "\r") || strings.Contains(got, "files") {
		t.Errorf("the bar stays: %q", got)
	}

	b.Reset()
	for _, u := range []progressUpdate{{}, {FilesTotal: 1, BytesTotal: 10}} {
		brief := &barProgress{w: &b, now: watch.now, start: watch.now()}
		brief.update(u)
		brief.finish()
		if b.Len() > 0 {
			t.Errorf("a bar for %+v, over at once: %q", u, b.String())
		}
	}
}
