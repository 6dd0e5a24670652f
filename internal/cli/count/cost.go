package count

import (
	"context"
	"slices"

	"github.com/spf13/pflag"

	"piarchive/internal/cli"
	"piarchive/internal/documents"
	"piarchive/internal/query/numbers"
)

const costHelp = `What the models cost, in US dollars as the files recorded it: in all, this month
and today, then by model or by what --by says. Everything counts once: what
forks, exports and repeated lines copied is left out, as are calls of subagents
whose own sessions count, and how much that is stands below. All branches cost:
ACTIVE is what led to the current leaf of each session, ABANDONED what was left.

  piarchive cost --by day --since -2w
  piarchive cost --by project --since 2026-10 --until 2026-10
  piarchive cost --plot                    a calendar of days
  piarchive cost --by month --csv

"not recorded" is not $0: tokens were used and no cost, or 0, was written down.
A + marks sums that lack such calls; below stands how many they are.

Days, weeks (from Monday on) and months begin when they do in the zone of --tz.
DATE is 2026-09-01, 2026-09, today, yesterday, -3d, -2w, -6h or RFC 3339; its
time of day counts to the quarter of an hour. --session counts a whole file,
with nothing left out as a copy.

With --json: {"schema","by","tz","since","until","rows":[{"key","sessions",
"subagents","cost","modelCalls","unpriced","tokens":{"input","output",
"cacheRead","cacheWrite","reasoning","total"},"active":{"cost","modelCalls",
"unpriced","tokens"},"abandoned"}],"total","today","thisMonth","leftOut",
"session","coverage"}. cost is the sum of what was recorded, null where nothing
was; unpriced are the calls that used tokens and recorded no cost, or 0. today
and thisMonth are null with --since or --until. Rows of times have "start" and
"end", of models "provider" and "model", of sessions "session".
`

// Cost is the command cost.
func Cost() cli.Command {
	return cli.Command{
		Name: "cost", Summary: "add up what the models cost, every copy once", Access: cli.Reads, Lists: true,
		Help: costHelp, Bind: bindCost,
	}
}

func bindCost(flags *pflag.FlagSet) cli.Runner {
	bys := slices.DeleteFunc(slices.Clone(numbers.StatsBys[:]), func(by string) bool { return by == "tool" })
	f := numbersFlags{bys: bys, usualBy: "model", usualValue: "cost"}
	f.bind(flags)
	return func(ctx context.Context, c *cli.Call) error {
		f.limited = flags.Changed("limit")
		return f.run(ctx, c, func(n *account) error { return n.costs(ctx) })
	}
}

// costs prints what was spent.
func (n *account) costs(ctx context.Context) error {
	var recent *numbers.Spent // unless a time was asked for
	if n.f.Since == "" && n.f.Until == "" {
		var err error
		if recent, err = numbers.Recent(ctx, n.archive, n.options, n.Call.Now()); err != nil {
			return err
		}
	}
	return n.print(ctx, documents.NewCost(&n.Numbers.Numbers, recent), func() error { return n.PrintCost(ctx, n.archive, recent) })
}
