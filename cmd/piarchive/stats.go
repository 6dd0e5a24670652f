package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"piarchive/internal/documents"
	"piarchive/internal/query/numbers"
	"piarchive/internal/terminal"
)

const statsHelp = `Sessions, messages, tokens, costs, tool calls and errors, by month unless --by
says otherwise. Everything counts once: what forks, exports and repeated lines
copied is left out, as are calls of subagents whose own sessions count, and how
much that is stands below. All branches count. A session has a part in every
day it was used on.

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

func bindStats(flags *pflag.FlagSet) runner {
	f := numbersFlags{bys: numbers.StatsBys[:], usualBy: "month", usualValue: "tokens"}
	f.bind(flags)
	return func(ctx context.Context, c *call) error {
		f.limited = flags.Changed("limit")
		return runStats(ctx, c, &f)
	}
}

func runStats(ctx context.Context, c *call, f *numbersFlags) error {
	n, a, err := f.ask(ctx, c)
	if err != nil {
		return err
	}
	defer a.Close()
	var pi *numbers.PiStats
	if n.Session != nil {
		stats, err := numbers.LikePi(ctx, a, *n.Session)
		if err != nil {
			return err
		}
		pi = &stats
	}
	switch {
	case n.json:
		err = n.writeJSON(documents.NewStats(&n.Numbers, pi))
	case n.jsonl:
		for _, row := range n.Shown {
			if err := n.writeLine(n.StatsRow(row)); err != nil {
				return err
			}
		}
	case f.csv:
		err = n.statsCSV()
	default:
		c.page(ctx)
		if pi != nil {
			n.printPi(pi)
		}
		if len(n.Stats.Rows) > 0 {
			n.printStats()
		}
	}
	if err != nil {
		return err
	}
	return n.end()
}

func (n *account) printStats() {
	switch {
	case n.f.plot:
		n.plot()
	case n.By == "tool":
		n.table(n.toolColumns(), n.values())
	default:
		n.table(n.statsColumns(), n.values())
	}
	n.notes()
}

func (n *account) statsColumns() []numberColumn {
	amount := func(head string, window int, of func(numbers.Sums) int64) numberColumn {
		return n.number(head, window, func(s numbers.Sums, _ *numbers.StatsRow) string { return n.short(of(s)) })
	}
	columns := n.keys()
	if n.By != "session" {
		columns = append(columns, n.sessions(50))
	}
	return append(columns,
		n.number("MESSAGES", 60, func(s numbers.Sums, _ *numbers.StatsRow) string { return n.count(s.Messages()) }),
		amount("INPUT", 120, func(s numbers.Sums) int64 { return s.Input }),
		amount("OUTPUT", 120, func(s numbers.Sums) int64 { return s.Output }),
		amount("CACHE READ", 120, func(s numbers.Sums) int64 { return s.CacheRead }),
		amount("CACHE WRITE", 120, func(s numbers.Sums) int64 { return s.CacheWrite }),
		amount("TOKENS", 0, func(s numbers.Sums) int64 { return s.Total }),
		n.costs("COST", 0, (*numbers.StatsRow).Sums),
		n.number("TOOLS", 70, func(s numbers.Sums, _ *numbers.StatsRow) string { return n.count(s.ToolCalls) }),
		n.number("ERRORS", 80, func(s numbers.Sums, _ *numbers.StatsRow) string { return n.count(s.Errors) }),
	)
}

func (n *account) toolColumns() []numberColumn {
	cell := func(of func(numbers.ToolSums) string) func(numbers.Sums, *numbers.StatsRow) string {
		return func(_ numbers.Sums, r *numbers.StatsRow) string { return of(r.Tool) }
	}
	return append(n.keys(),
		n.sessions(70),
		n.number("CALLS", 0, cell(func(t numbers.ToolSums) string { return n.count(t.Calls) })),
		n.number("ERRORS", 0, cell(func(t numbers.ToolSums) string { return n.count(t.Errors) })),
		n.number("FAILED", 60, cell(func(t numbers.ToolSums) string {
			if t.Results == 0 {
				return n.draw.None
			}
			return strconv.FormatFloat(100*float64(t.Errors)/float64(t.Results), 'f', 1, 64) + "%"
		})),
		n.number("CUT", 60, cell(func(t numbers.ToolSums) string { return n.count(t.Truncated) })),
		n.number("MEAN TIME", 50, cell(func(t numbers.ToolSums) string {
			if t.Timed == 0 {
				return n.draw.None
			}
			return lasted(time.Duration(t.Duration/t.Timed) * time.Millisecond)
		})),
	)
}

// lasted writes a duration: "0.05s", "1.2s", "42s", "3m20s", "2h05m".
func lasted(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%.2fs", d.Seconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0fs", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}

// printPi prints the numbers of one session side by side, as the versions of
// pi count them.
func (n *account) printPi(pi *numbers.PiStats) {
	title := n.Session.Name
	if title == "" {
		title = terminal.ProjectName(n.Session.CWD)
	}
	id := terminal.Safe(n.Session.ID)
	room := 0
	if n.width() > 0 {
		room = max(n.width()-terminal.Width(id)-2, 10)
	}
	fmt.Fprintln(n.stdout, n.style.Bold(n.draw.Fit(terminal.Safe(title), room))+"  "+n.style.Accent(id))
	t := newTable(n.call, terminal.Column{}, terminal.Column{Head: "WHOLE FILE", Right: true},
		terminal.Column{Head: "ANSWERS ALONE", Right: true}, terminal.Column{Head: "SENT NOW", Right: true})
	add := func(name string, of func(numbers.SessionStats) string) {
		t.Row(name, of(pi.All), of(pi.Assistant), of(pi.Context))
	}
	whole := func(name string, of func(numbers.SessionStats) int64) {
		add(name, func(s numbers.SessionStats) string { return terminal.Count(of(s)) })
	}
	whole("messages", func(s numbers.SessionStats) int64 { return int64(s.TotalMessages) })
	whole("  user", func(s numbers.SessionStats) int64 { return int64(s.UserMessages) })
	whole("  assistant", func(s numbers.SessionStats) int64 { return int64(s.AssistantMessages) })
	whole("  tool results", func(s numbers.SessionStats) int64 { return int64(s.ToolResults) })
	whole("tool calls", func(s numbers.SessionStats) int64 { return int64(s.ToolCalls) })
	whole("tokens", func(s numbers.SessionStats) int64 { return s.Tokens.Total })
	whole("  input", func(s numbers.SessionStats) int64 { return s.Tokens.Input })
	whole("  output", func(s numbers.SessionStats) int64 { return s.Tokens.Output })
	whole("  cache read", func(s numbers.SessionStats) int64 { return s.Tokens.CacheRead })
	whole("  cache write", func(s numbers.SessionStats) int64 { return s.Tokens.CacheWrite })
	add("cost", func(s numbers.SessionStats) string {
		return n.cost(numbers.Sums{Cost: s.Cost, Unpriced: int64(s.Unpriced), Total: s.Tokens.Total})
	})
	t.Painted(terminal.AllColumns, n.style.Dim, "footer of pi", "from 0.81 on", "before", "")
	t.Painted(terminal.AllColumns, n.style.Dim, "/session of pi", "1.5.2", "", "up to 0.73.1")
	t.End()
	fmt.Fprintln(n.stdout)
}
