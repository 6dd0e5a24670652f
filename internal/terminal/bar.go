package terminal

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// Bar draws files, bytes, rate and time left, ten times a second. The
// many runs that are over before barDelay show nothing at all.
type Bar struct {
	w     io.Writer
	now   func() time.Time
	start time.Time
	ansi  bool
	bar   *progressbar.ProgressBar // nil until the total is known
	shown time.Time                // when the bar was last drawn; zero for never
}

// NewBar makes a bar of a run that begins now; ansi says whether w is a terminal.
func NewBar(w io.Writer, now func() time.Time, ansi bool) *Bar {
	return &Bar{w: w, now: now, start: now(), ansi: ansi}
}

const barDelay = 300 * time.Millisecond

// Update tells how far the run has come; a total of 0 is not known yet. Calls come
// one at a time.
func (p *Bar) Update(files, allFiles int, bytes, allBytes int64) {
	if allBytes <= 0 {
		return
	}
	if p.bar == nil {
		p.bar = progressbar.NewOptions64(allBytes,
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
	if p.bar.GetMax64() != allBytes {
		p.bar.ChangeMax64(allBytes)
	}
	// A full bar takes itself for finished and would ignore what still comes.
	p.bar.Set64(min(bytes, allBytes-1))
	p.bar.Describe(fmt.Sprintf("%s/%s files", Count(int64(files)), Count(int64(allFiles))))
}

// Finish clears the bar. It is called once, also after a failure.
func (p *Bar) Finish() {
	if !p.shown.IsZero() {
		p.bar.Finish() // which clears it
	}
}
