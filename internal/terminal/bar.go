package terminal

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Bar draws files, bytes, rate and time left, ten times a second. The
// many runs that are over before barDelay show nothing at all.
type Bar struct {
	w      io.Writer
	now    func() time.Time
	glyphs Glyphs
	start  time.Time
	shown  time.Time // when the bar was last drawn; zero for never
	cells  int       // that it took
}

// NewBar makes a bar of a run that begins now.
func NewBar(w io.Writer, now func() time.Time, glyphs Glyphs) *Bar {
	return &Bar{w: w, now: now, glyphs: glyphs, start: now()}
}

const (
	barDelay = 300 * time.Millisecond
	barCells = 79 // of a narrow window, in which a line that wraps could not be drawn over
)

// Update tells how far the run has come; a total of 0 is not known yet. Calls come
// one at a time.
func (p *Bar) Update(files, allFiles int, bytes, allBytes int64) {
	now := p.now()
	spent := now.Sub(p.start)
	if allBytes <= 0 || spent < barDelay || now.Sub(p.shown) < 100*time.Millisecond {
		return
	}
	p.shown = now
	done := float64(min(bytes, allBytes)) / float64(allBytes)
	line := fmt.Sprintf("%s/%s files %3.0f%% [%s] %s of %s, %s/s", Count(int64(files)), Count(int64(allFiles)),
		100*done, p.glyphs.Share(done, 20), Size(bytes), Size(allBytes), Size(int64(float64(bytes)/spent.Seconds())))
	if done > 0 {
		line += fmt.Sprintf(", %v left", time.Duration(float64(spent)*(1/done-1)).Round(time.Second))
	}
	p.draw(p.glyphs.Fit(line, barCells))
}

// draw puts a line where the one before it stands.
func (p *Bar) draw(line string) {
	width := Width(line)
	fmt.Fprint(p.w, "\r", line, strings.Repeat(" ", max(0, p.cells-width)))
	p.cells = width
}

// Finish clears the bar. It is called once, also after a failure.
func (p *Bar) Finish() {
	if p.cells > 0 {
		p.draw("")
		fmt.Fprint(p.w, "\r")
	}
}
