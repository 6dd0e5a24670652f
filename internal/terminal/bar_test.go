package terminal

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestBarProgress(t *testing.T) {
	var b bytes.Buffer
	at := time.Unix(1000, 0)
	now := func() time.Time { return at }
	p := NewBar(&b, now, true)
	p.Update(0, 10, 0, 1000)
	at = at.Add(barDelay / 2)
	p.Update(1, 10, 100, 1000)
	if b.Len() > 0 {
		t.Fatalf("a bar for a short run: %q", b.String())
	}
	at = at.Add(barDelay)
	p.Update(5, 1234, 500, 1000)
	if got := b.String(); !strings.Contains(got, "5/1,234 files") || !strings.Contains(got, "50%") {
		t.Errorf("half way: %q", got)
	}
	// All bytes are read but the run is not over, and then there is more to do.
	at = at.Add(time.Second)
	p.Update(6, 1234, 1000, 1000)
	b.Reset()
	p.Update(7, 1234, 1000, 4000)
	if b.Len() > 0 {
		t.Errorf("drawn again at once: %q", b.String())
	}
	at = at.Add(time.Second)
	p.Update(7, 1234, 1000, 4000)
	if got := b.String(); !strings.Contains(got, "7/1,234 files") || !strings.Contains(got, "25%") {
		t.Errorf("after growing: %q", got)
	}
	b.Reset()
	p.Finish()
	if got := b.String(); !strings.HasSuffix(got, "\r") || strings.Contains(got, "files") {
		t.Errorf("the bar stays: %q", got)
	}

	b.Reset()
	for _, size := range []int64{0, 10} {
		brief := NewBar(&b, now, false)
		brief.Update(0, int(size), 0, size)
		brief.Finish()
		if b.Len() > 0 {
			t.Errorf("a bar for %d bytes, over at once: %q", size, b.String())
		}
	}
}
