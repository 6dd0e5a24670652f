package main

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

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
	bys                 []string // what --by takes
	by, since, until    string
	zone, project       string
	session, measure    string
	plot, csv, fresh    bool
	limit               int
	limited             bool // -n was given
	usualBy, usualValue string
}

func (f *numbersFlags) bind(flags *pflag.FlagSet) {
	bindChoice(flags, &f.by, "by", "", "rows, by "+f.usualBy+" unless told: `WHAT`", f.bys...)
	flags.StringVar(&f.since, "since", "", "only what was used at `DATE` or later")
	flags.StringVar(&f.until, "until", "", "only what was used at `DATE` or earlier")
	flags.StringVar(&f.zone, "tz", "", "time zone of dates and days: `ZONE` such as Europe/Berlin or UTC (default local)")
	flags.StringVar(&f.project, "project", "", "only projects like `TEXT`: a part, a glob, or a directory and all below")
	flags.StringVar(&f.session, "session", "", "only `SESSION`: all its file holds, as pi counts it")
	flags.BoolVar(&f.plot, "plot", false, "draw instead: a calendar of days, or bars")
	bindChoice(flags, &f.measure, "measure", "", "what is drawn and ordered by, "+f.usualValue+" unless told: `WHAT`", numbers.StatsMeasures[:]...)
	flags.IntVarP(&f.limit, "limit", "n", 0, "show at most `N` rows, 0 for all (default all, a screenful on a terminal)")
	flags.BoolVar(&f.csv, "csv", false, "print comma-separated values")
	bindFresh(flags, &f.fresh)
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
		if f.fresh {
			if err := refresh(ctx, n.call); err != nil {
				return nil, err
			}
		}
		a, ref, _, err := openSession(ctx, n.call, f.session)
		n.Session = &ref
		return a, err
	}
	a, err := openArchive(ctx, n.call, f.fresh)
	if err != nil {
		return nil, err
	}
	if err := a.Hold(ctx); err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

// options makes the question out of the flags.
func (f *numbersFlags) options(n *account) (numbers.StatsOptions, error) {
	var o numbers.StatsOptions
	formats := 0
	for _, on := range []bool{f.csv, f.plot, n.json, n.jsonl, n.format == "tsv"} {
		if on {
			formats++
		}
	}
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
	case formats > 1:
		return o, usageErrorf("--csv, --json, --jsonl, --plot and --format tsv exclude each other")
	case f.limit < 0:
		return o, usageErrorf("-n is a number of rows, not %d", f.limit)
	}
	now, err := inZone(n.now(), f.zone)
	if err != nil {
		return o, err
	}
	n.Location, n.Zone = now.Location(), zoneName(n.env, now.Location())
	o = numbers.StatsOptions{By: n.By, Zone: n.Location, Measure: n.Measure}
	if n.By == "tool" {
		n.Measure = "calls"
	}
	if o.Since, o.Until, err = period(f.since, f.until, now); err != nil {
		return o, err
	}
	if !o.Since.IsZero() && !o.Until.IsZero() && !o.Since.Before(o.Until) {
		return o, usageErrorf("--since %s is later than --until %s", f.since, f.until)
	}
	o.Project, err = n.projectPath(f.project)
	return o, err
}

// zoneName is the name of a zone; that of the system is found as people set it.
func zoneName(e env, zone *time.Location) string {
	if name := zone.String(); name != "Local" {
		return name
	}
	if name := strings.TrimPrefix(e.getenv("TZ"), ":"); name != "" {
		return name
	}
	if link, err := os.Readlink("/etc/localtime"); err == nil {
		if _, name, ok := strings.Cut(link, "zoneinfo/"); ok {
			return name
		}
	}
	return "Local"
}

// choose keeps the rows that are shown: of times the latest.
func (n *account) choose() {
	if n.name == "cost" { // what no model said cost nothing
		n.Stats.Rows = slices.DeleteFunc(n.Stats.Rows, func(row *numbers.StatsRow) bool { return row.Sums().N[numbers.Calls] == 0 })
	}
	n.Shown = n.Stats.Rows
	limit := n.f.limit
	if !n.f.limited && n.isTerminal(1) && n.forPeople() && !n.Plot {
		limit = screenful
	}
	if more := len(n.Shown) - limit; limit > 0 && more > 0 {
		if n.IsTime() {
			n.Shown = n.Shown[more:]
		} else {
			n.Shown = n.Shown[:limit]
		}
	}
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
