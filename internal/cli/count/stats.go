package count

import (
	"context"

	"github.com/spf13/pflag"

	"piarchive/internal/cli"
	"piarchive/internal/documents"
	"piarchive/internal/query/numbers"
)

const statsHelp = `Sessions, messages, tokens, costs, tool calls and errors, by month unless --by
says otherwise. Everything counts once: what forks, exports and repeated lines
copied is left out, as are calls of subagents whose own sessions count, and how
much that is stands below. All branches count. A session has a part in every
day it was used on. FAILED is the part of calls with a result that are errors,
CUT are results that were cut short.

  piarchive stats --by day --since -2w
  piarchive stats --by tool --project nightterm
  piarchive stats --plot                   a calendar of days
  piarchive stats --by hour --plot         hours of the week
  piarchive stats --session latest         one session, as pi counts it

Days, weeks (from Monday on) and months begin when they do in the zone of --tz.
DATE is 2026-09-01, 2026-09, today, yesterday, -3d, -2w, -6h or RFC 3339; its
time of day counts to the quarter of an hour.

Costs are those the files recorded. "not recorded" is not $0: tokens were used
and no cost, or 0, was written down. A + marks sums that lack such calls.

--session counts a file as pi does, with nothing left out as a copy: its footer,
and /session of 1.5.2 and of 0.73.1, which counted what the model is sent alone.

With --json: {"schema","by","tz","since","until","rows":[{"key","sessions",
"subagents","messages":{"user","assistant","toolResult","other","total"},
"tokens":{"input","output","cacheRead","cacheWrite","reasoning","total"},"cost",
"modelCalls","unpriced","partial","toolCalls","errors"}],"total","leftOut":{
"tokens","cost","modelCalls","unpriced","messages","toolCalls"},"session","pi",
"coverage"}. Rows of times have "start" and "end", of models "provider" and
"model", of sessions "session", of tools "results", "truncated", "errorRate" and
"meanMs". A key is 2026-11-02, 2026-W45, 2026-11, an hour in RFC 3339, a name or
a path; null for what no model said. "pi" is {"all","assistant","context"}: what
pi's footer and /session show, under pi's names.
`

// Stats is the command stats.
func Stats() cli.Command {
	return cli.Command{
		Name: "stats", Summary: "count sessions, messages, tokens, tool calls and errors", Access: cli.Reads, Lists: true,
		Help: statsHelp, Bind: bindStats,
	}
}

func bindStats(flags *pflag.FlagSet) cli.Runner {
	f := numbersFlags{bys: numbers.StatsBys[:], usualBy: "month", usualValue: "tokens"}
	f.bind(flags)
	return func(ctx context.Context, c *cli.Call) error {
		f.limited = flags.Changed("limit")
		return f.run(ctx, c, func(n *account) error { return n.stats(ctx) })
	}
}

// stats prints what was counted; of one session also as pi counts it.
func (n *account) stats(ctx context.Context) error {
	var pi *numbers.PiStats
	if n.Session != nil {
		stats, err := numbers.LikePi(ctx, n.archive, *n.Session)
		if err != nil {
			return err
		}
		pi = &stats
	}
	return n.print(ctx, documents.NewStats(&n.Numbers.Numbers, pi), func() error { return n.PrintStats(ctx, n.archive, pi) })
}
