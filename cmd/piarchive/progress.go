package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/pflag"

	"piarchive/internal/terminal"
)

// progress shows a long run to whoever waits for it, on standard error. Calls
// come one at a time; Finish is called once, also after a failure.
type progress interface {
	Update(terminal.Progress)
	Finish()
}

// bindProgress declares --progress.
func bindProgress(flags *pflag.FlagSet, mode *string) {
	bindChoice(flags, mode, "progress", "auto", "progress: `WHEN`", "auto", "always", "never", "json")
}

// newProgress chooses how to show progress: mode is auto (a bar on a terminal
// unless --quiet), always (a bar), never, or json (one object a line).
func newProgress(c *call, mode string) progress {
	switch {
	case mode == "json":
		return &jsonProgress{w: c.env.stderr, now: c.now, start: c.now()}
	case mode == "never" || mode == "auto" && (c.quiet || !c.isTerminal(2)):
		return noProgress{}
	}
	return terminal.NewBar(c.env.stderr, c.now, glyphsFor(c.env))
}

type noProgress struct{}

func (noProgress) Update(terminal.Progress) {}
func (noProgress) Finish()                  {}

// jsonProgress writes one object a line, at most four a second and a last one.
type jsonProgress struct {
	w     io.Writer
	now   func() time.Time
	start time.Time
	shown time.Time // when the last line was written
	last  terminal.Progress
}

func (p *jsonProgress) Update(u terminal.Progress) {
	p.last = u
	if now := p.now(); now.Sub(p.shown) >= 250*time.Millisecond {
		p.shown = now
		p.write(now)
	}
}

func (p *jsonProgress) Finish() { p.write(p.now()) }

func (p *jsonProgress) write(now time.Time) {
	fmt.Fprintf(p.w, `{"files":{"done":%d,"total":%d},"bytes":{"done":%d,"total":%d},"elapsedMs":%d}`+"\n",
		p.last.FilesDone, p.last.FilesTotal, p.last.BytesDone, p.last.BytesTotal, now.Sub(p.start).Milliseconds())
}
