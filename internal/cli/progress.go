package cli

import (
	"github.com/spf13/pflag"

	"piarchive/internal/archive"
	"piarchive/internal/ingest"
)

// BindProgress declares --progress.
func BindProgress(flags *pflag.FlagSet, mode *string) {
	BindChoice(flags, mode, "progress", "auto", "progress: `WHEN`", "auto", "always", "never", "json")
}

// newProgress begins to show a long run to whoever waits for it, on standard error:
// mode is auto (a bar on a terminal unless --quiet), always (a bar), never, or json
// (one object a line).
func newProgress(c *Call, mode string) archive.Progress {
	switch {
	case mode == "never", mode == "auto" && (c.Quiet || !c.IsTerminal(2)):
		return func(ingest.Progress, bool) {}
	case mode == "json":
		return archive.JSONProgress(c.Env.Stderr, c.Now)
	}
	return archive.BarProgress(c.Env.Stderr, c.Now, c.IsTerminal(2))
}
