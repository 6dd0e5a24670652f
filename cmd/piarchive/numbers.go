package main

import (
	"cmp"
	"context"
	"slices"

	"github.com/spf13/pflag"

	"piarchive/internal/archive"
	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/query/numbers"
	"piarchive/internal/text"
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

// numbersFlags are the flags of stats and cost.
type numbersFlags struct {
	bys []string // what --by takes
	period
	by                  string
	zone, project       string
	session, measure    string
	plot, csv           bool
	limit               int
	limited             bool // -n was given
	usualBy, usualValue string
}

func (f *numbersFlags) bind(flags *pflag.FlagSet) {
	bindChoice(flags, &f.by, "by", "", "rows, by "+f.usualBy+" unless told: `WHAT`", f.bys...)
	f.period.bind(flags, "what was used", "what was used")
	flags.StringVar(&f.zone, "tz", "", "time zone of dates and days: `ZONE` such as Europe/Berlin or UTC (default local)")
	bindProject(flags, &f.project)
	flags.StringVar(&f.session, "session", "", "only `SESSION`: all its file holds, as pi counts it")
	flags.BoolVar(&f.plot, "plot", false, "draw instead: a calendar of days, or bars")
	bindChoice(flags, &f.measure, "measure", "", "what is drawn and ordered by, "+f.usualValue+" unless told: `WHAT`", numbers.StatsMeasures[:]...)
	flags.IntVarP(&f.limit, "limit", "n", 0, "show at most `N` rows, 0 for all (default all, a screenful on a terminal)")
	flags.BoolVar(&f.csv, "csv", false, "print comma-separated values")
}

// account is an answer of stats or cost on its way out.
type account struct {
	*call
	text.Numbers
	f       *numbersFlags
	archive *query.Archive // open for more questions
	options numbers.StatsOptions
}

// run answers what the flags ask, and hands it to answer.
func (f *numbersFlags) run(ctx context.Context, c *call, answer func(*account) error) error {
	n := &account{call: c, f: f, Numbers: text.Numbers{Page: c.text(), Plot: f.plot}}
	o, err := f.options(n)
	if err != nil {
		return err
	}
	if n.archive, err = f.open(ctx, n); err != nil {
		return err
	}
	defer n.archive.Close()
	if n.Session != nil {
		o.Session = n.Session.Key
	}
	n.options = o
	if n.Stats, err = numbers.Count(ctx, n.archive, o); err != nil {
		return err
	}
	if n.Numbers.Numbers.Coverage, err = documents.NewCoverage(ctx, n.archive); err != nil {
		return err
	}
	n.choose()
	if err := answer(n); err != nil {
		return err
	}
	return n.end()
}

// print prints the answer in the form that is asked for.
func (n *account) print(ctx context.Context, doc documents.Object, people func() error) error {
	isCost := n.name == "cost"
	switch {
	case n.json:
		return n.writeJSON(doc)
	case n.jsonl:
		return n.Rows(isCost).Lines(n.stdout)
	case n.f.csv:
		n.data()
		return n.Rows(isCost).To(documents.CSV(n.stdout), n.CSVKeys(isCost))
	case n.format == "tsv":
		n.data()
		return n.Rows(isCost).To(documents.Tabs(n.stdout), n.CSVKeys(isCost))
	case len(n.Stats.Rows) == 0 && isCost:
		return nil
	}
	n.page(ctx)
	return people()
}

func (f *numbersFlags) open(ctx context.Context, n *account) (*query.Archive, error) {
	if f.session != "" {
		a, ref, _, err := openSession(ctx, n.call, f.session)
		n.Session = &ref
		return a, err
	}
	return openHeld(ctx, n.call)
}

// options makes the question out of the flags.
func (f *numbersFlags) options(n *account) (numbers.StatsOptions, error) {
	var o numbers.StatsOptions
	n.By, n.Measure = f.by, cmp.Or(f.measure, f.usualValue)
	if n.By == "" {
		n.By = f.usualBy
		switch {
		case f.plot && f.session == "":
			n.By = "day"
		case f.session != "":
			n.By = "model"
		}
	}
	switch {
	case given(f.csv, f.plot, n.json, n.jsonl, n.format == "tsv") > 1:
		return o, usageErrorf("--csv, --json, --jsonl, --plot and --format tsv exclude each other")
	case f.limit < 0:
		return o, usageErrorf("-n is a number of rows, not %d", f.limit)
	}
	now, err := inZone(n.now(), f.zone)
	if err != nil {
		return o, err
	}
	n.Location, n.Zone = now.Location(), archive.ZoneName(now.Location(), n.getenv)
	o = numbers.StatsOptions{By: n.By, Zone: n.Location, Measure: n.Measure}
	if n.By == "tool" {
		n.Measure = "calls"
	}
	if o.Since, o.Until, err = f.read(now); err != nil {
		return o, err
	}
	if !o.Since.IsZero() && !o.Until.IsZero() && !o.Since.Before(o.Until) {
		return o, usageErrorf("--since %s is later than --until %s", f.since, f.until)
	}
	o.Project, err = n.projectPath(f.project)
	return o, err
}

// choose keeps the rows that are shown: of times the latest.
func (n *account) choose() {
	if n.name == "cost" { // what no model said cost nothing
		n.Stats.Rows = slices.DeleteFunc(n.Stats.Rows, func(row *numbers.StatsRow) bool { return row.Sums().N[numbers.Calls] == 0 })
	}
	limit := n.f.limit
	if !n.f.limited && n.isTerminal(1) && n.forPeople() && !n.Plot {
		limit = screenful
	}
	n.Show(limit)
}

func (n *account) forPeople() bool { return !n.json && !n.jsonl && !n.f.csv && n.format != "tsv" }

// end is how a run ends whose answer was printed.
func (n *account) end() error {
	if len(n.Stats.Rows) > 0 || n.Session != nil && n.name == "stats" { // a session that used nothing has its zeros
		return nil
	}
	if n.forPeople() {
		n.talk("nothing was used there and then")
	}
	return errNothing
}

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
		return f.run(ctx, c, func(n *account) error { return n.costs(ctx) })
	}
}

// costs prints what was spent.
func (n *account) costs(ctx context.Context) error {
	var recent *numbers.Spent // unless a time was asked for
	if n.f.since == "" && n.f.until == "" {
		var err error
		if recent, err = numbers.Recent(ctx, n.archive, n.options, n.now()); err != nil {
			return err
		}
	}
	return n.print(ctx, documents.NewCost(&n.Numbers.Numbers, recent), func() error { return n.PrintCost(ctx, n.archive, recent) })
}
