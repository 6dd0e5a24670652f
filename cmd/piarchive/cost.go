package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/query/numbers"
	"piarchive/internal/terminal"
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

func bindCost(flags *pflag.FlagSet) runner {
	bys := slices.DeleteFunc(slices.Clone(numbers.StatsBys[:]), func(by string) bool { return by == "tool" })
	f := numbersFlags{bys: bys, usualBy: "model", usualValue: "cost"}
	f.bind(flags)
	return func(ctx context.Context, c *call) error {
		f.limited = flags.Changed("limit")
		return runCost(ctx, c, &f)
	}
}

func runCost(ctx context.Context, c *call, f *numbersFlags) error {
	n, a, err := f.ask(ctx, c)
	if err != nil {
		return err
	}
	defer a.Close()
	recent, err := n.recent(ctx, a)
	if err != nil {
		return err
	}
	switch {
	case n.json:
		err = n.writeJSON(documents.NewCost(&n.Numbers, recent))
	case n.jsonl:
		for _, row := range n.Shown {
			if err := n.writeLine(n.CostRow(row)); err != nil {
				return err
			}
		}
	case f.csv:
		err = n.costCSV()
	case len(n.Stats.Rows) > 0:
		c.page(ctx)
		n.printCost(recent)
	}
	if err != nil {
		return err
	}
	return n.end()
}

// recent counts today and this month, unless a time was asked for.
func (n *account) recent(ctx context.Context, a *query.Archive) (*documents.Spent, error) {
	if n.f.since != "" || n.f.until != "" {
		return nil, nil
	}
	var s documents.Spent
	o, err := n.f.options(n)
	if err != nil {
		return nil, err
	}
	if n.Session != nil {
		o.Session = n.Session.Key
	}
	o.By = ""
	now := n.now().In(n.zone)
	for _, part := range []struct {
		sums *numbers.Sums
		from time.Time
	}{
		{&s.Today, time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, n.zone)},
		{&s.Month, time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, n.zone)},
	} {
		o.Since = part.from
		stats, err := numbers.Count(ctx, a, o)
		if err != nil {
			return nil, err
		}
		*part.sums = stats.Total.Sums()
	}
	return &s, nil
}

func (n *account) printCost(recent *documents.Spent) {
	total := n.Stats.Total
	lines := [][2]string{{"total", n.cost(total.Sums())}}
	if recent != nil {
		lines = append(lines, [2]string{"this month", n.cost(recent.Month)}, [2]string{"today", n.cost(recent.Today)})
	}
	wide := 0
	for _, l := range lines {
		wide = max(wide, terminal.Width(l[1]))
	}
	for i, l := range lines {
		line := n.style.Dim(terminal.Pad(l[0], 10)) + "  " + n.style.Bold(terminal.PadLeft(l[1], wide))
		if i == 0 && cmp.Or(total.Abandoned.Calls, total.Abandoned.Total) > 0 {
			parts := fmt.Sprintf("  %s active, %s on abandoned branches", n.costOf(total.Active), n.costOf(total.Abandoned))
			if width := n.width(); width > 0 && 10+2+wide+terminal.Width(parts) > width {
				parts = fmt.Sprintf("  %s active, %s abandoned", n.costOf(total.Active), n.costOf(total.Abandoned))
			}
			line += n.style.Dim(parts)
		}
		fmt.Fprintln(n.stdout, line)
	}
	fmt.Fprintln(n.stdout)
	if n.f.plot {
		n.plot()
	} else {
		n.table(n.costColumns(), n.values())
	}
	n.notes()
}

func (n *account) costColumns() []numberColumn {
	columns := append(n.keys(),
		n.costs("COST", 0, (*numbers.StatsRow).Sums),
		n.costs("ACTIVE", 70, func(r *numbers.StatsRow) numbers.Sums { return r.Active }),
		n.costs("ABANDONED", 70, func(r *numbers.StatsRow) numbers.Sums { return r.Abandoned }))
	if n.By != "session" {
		columns = append(columns, n.sessions(100))
	}
	return append(columns,
		n.number("CALLS", 60, func(s numbers.Sums, _ *numbers.StatsRow) string { return n.count(s.Calls) }),
		n.number("TOKENS", 0, func(s numbers.Sums, _ *numbers.StatsRow) string { return n.short(s.Total) }),
	)
}
