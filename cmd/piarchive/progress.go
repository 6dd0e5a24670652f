package main

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progressUpdate is how far a long run has come. A total of 0 is not known yet.
type progressUpdate struct {
	FilesDone, FilesTotal int
	BytesDone, BytesTotal int64
}

// progress shows a long run to whoever waits for it, on standard error. Calls
// come one at a time; finish is called once, also after a failure.
type progress interface {
	update(progressUpdate)
	finish()
}

// newProgress chooses how to show progress: mode is auto (a bar on a terminal
// unless --quiet), always (a bar), never, or json (one object a line).
func newProgress(c *call, mode string) (progress, error) {
	switch mode {
	case "auto":
		if c.quiet || !c.isTerminal(2) {
			return noProgress{}, nil
		}
	case "always":
	case "never":
		return noProgress{}, nil
	case "json":
		return &jsonProgress{w: c.env.stderr, now: c.now, start: c.now()}, nil
	default:
		return nil, usageErrorf("--progress is auto, always, never or json, not %q", mode)
	}
	return &barProgress{w: c.env.stderr, now: c.now, start: c.now(), ansi: c.isTerminal(2)}, nil
}

type noProgress struct{}

func (noProgress) update(progressUpdate) {}
func (noProgress) finish()               {}

// barProgress draws files, bytes, rate and time left, ten times a second. The
// many runs that are over before barDelay show nothing at all.
type barProgress struct {
	w     io.Writer
	now   func() time.Time
	start time.Time
	ansi  bool
	bar   *progressbar.ProgressBar // nil until the total is known
	shown time.Time                // when the bar was last drawn; zero for never
}

const barDelay = 300 * time.Millisecond

func (p *barProgress) update(u progressUpdate) {
	if u.BytesTotal <= 0 {
		return
	}
	if p.bar == nil {
		p.bar = progressbar.NewOptions64(u.BytesTotal,
			progressbar.OptionSetWriter(p.w),
			progressbar.OptionUseANSICodes(p.ansi),
			progressbar.OptionSetWidth(30),
			progressbar.OptionShowBytes(true),
			progressbar.OptionShowCount(),
			progressbar.OptionClearOnFinish())
		p.bar.StartWithoutRender() // the rate counts from here
	}
	now := p.now()
	if now.Sub(p.start) < barDelay || now.Sub(p.shown) < 100*time.Millisecond {
		return
	}
	p.shown = now
	if p.bar.GetMax64() != u.BytesTotal {
		p.bar.ChangeMax64(u.BytesTotal)
	}
	// A full bar takes itself for finished and would ignore what still comes.
	p.bar.Set64(min(u.BytesDone, u.BytesTotal-1))
	p.bar.Describe(fmt.Sprintf("%s/%s files", count(int64(u.FilesDone)), count(int64(u.FilesTotal))))
}

func (p *barProgress) finish() {
	if !p.shown.IsZero() {
		p.bar.Finish() // which clears it
	}
}

// jsonProgress writes one object a line, at most four a second and a last one.
type jsonProgress struct {
	w     io.Writer
	now   func() time.Time
	start time.Time
	shown time.Time // when the last line was written
	last  progressUpdate
}

func (p *jsonProgress) update(u progressUpdate) {
	p.last = u
	if now := p.now(); now.Sub(p.shown) >= 250*time.Millisecond {
		p.shown = now
		p.write(now)
	}
}

func (p *jsonProgress) finish() { p.write(p.now()) }

func (p *jsonProgress) write(now time.Time) {
	fmt.Fprintf(p.w, `{"files":{"done":%d,"total":%d},"bytes":{"done":%d,"total":%d},"elapsedMs":%d}`+"\n",
		p.last.FilesDone, p.last.FilesTotal, p.last.BytesDone, p.last.BytesTotal, now.Sub(p.start).Milliseconds())
}
