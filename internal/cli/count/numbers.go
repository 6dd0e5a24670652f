package count

import (
	"cmp"
	"context"
	"slices"

	"github.com/spf13/pflag"

	"piarchive/internal/archive"
	"piarchive/internal/cli"
	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/query/numbers"
	"piarchive/internal/text"
)

// numbersFlags are the flags of stats and cost.
type numbersFlags struct {
	bys []string // what --by takes
	cli.Period
	by                  string
	zone, project       string
	session, measure    string
	plot, csv           bool
	limit               int
	limited             bool // -n was given
	usualBy, usualValue string
}

func (f *numbersFlags) bind(flags *pflag.FlagSet) {
	cli.BindChoice(flags, &f.by, "by", "", "rows, by "+f.usualBy+" unless told: `WHAT`", f.bys...)
	f.Period.Bind(flags, "what was used", "what was used")
	flags.StringVar(&f.zone, "tz", "", "time zone of dates and days: `ZONE` such as Europe/Berlin or UTC (default local)")
	cli.BindProject(flags, &f.project)
	flags.StringVar(&f.session, "session", "", "only `SESSION`: all its file holds, as pi counts it")
	flags.BoolVar(&f.plot, "plot", false, "draw instead: a calendar of days, or bars")
	cli.BindChoice(flags, &f.measure, "measure", "", "what is drawn and ordered by, "+f.usualValue+" unless told: `WHAT`", numbers.Orders[:]...)
	flags.IntVarP(&f.limit, "limit", "n", 0, "show at most `N` rows, 0 for all (default all, a screenful on a terminal)")
	flags.BoolVar(&f.csv, "csv", false, "print comma-separated values")
}

// account is an answer of stats or cost on its way out.
type account struct {
	*cli.Call
	text.Numbers
	f       *numbersFlags
	archive *query.Archive // open for more questions
	options numbers.StatsOptions
}

// run answers what the flags ask, and hands it to answer.
func (f *numbersFlags) run(ctx context.Context, c *cli.Call, answer func(*account) error) error {
	n := &account{Call: c, f: f, Numbers: text.Numbers{Page: c.Text(), Plot: f.plot}}
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
	isCost := n.Name == "cost"
	switch {
	case n.JSON:
		return n.WriteJSON(doc)
	case n.JSONL:
		return n.Rows(isCost).Lines(n.Stdout)
	case n.f.csv:
		n.Data()
		return n.Rows(isCost).To(documents.CSV(n.Stdout), n.CSVKeys(isCost))
	case n.Format == "tsv":
		n.Data()
		return n.Rows(isCost).To(documents.Tabs(n.Stdout), n.CSVKeys(isCost))
	case len(n.Stats.Rows) == 0 && isCost:
		return nil
	}
	n.Call.Page(ctx)
	return people()
}

func (f *numbersFlags) open(ctx context.Context, n *account) (*query.Archive, error) {
	if f.session != "" {
		a, ref, entry, err := cli.OpenSession(ctx, n.Call, f.session)
		if err == nil && entry != "" {
			a.Close()
			return nil, cli.UsageErrorf("--session counts all of a session, not one entry: leave %s out", entry)
		}
		n.Session = &ref
		return a, err
	}
	return cli.OpenHeld(ctx, n.Call)
}

// options makes the question out of the flags.
func (f *numbersFlags) options(n *account) (numbers.StatsOptions, error) {
	var o numbers.StatsOptions
	n.By, n.Order = f.by, cmp.Or(f.measure, f.usualValue)
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
	case cli.Given(f.csv, f.plot, n.JSON, n.JSONL, n.Format == "tsv") > 1:
		return o, cli.UsageErrorf("--csv, --json, --jsonl, --plot and --format tsv exclude each other")
	case f.limit < 0:
		return o, cli.UsageErrorf("-n is a number of rows, not %d", f.limit)
	}
	now, err := cli.InZone(n.Call.Now(), f.zone)
	if err != nil {
		return o, err
	}
	n.Location, n.Zone = now.Location(), archive.ZoneName(now.Location(), n.Getenv)
	o = numbers.StatsOptions{By: n.By, Zone: n.Location, Order: n.Order}
	if n.By == "tool" {
		n.Order = "calls"
	}
	if o.Since, o.Until, err = f.Read(now); err != nil {
		return o, err
	}
	if !o.Since.IsZero() && !o.Until.IsZero() && !o.Since.Before(o.Until) {
		return o, cli.UsageErrorf("--since %s is later than --until %s", f.Since, f.Until)
	}
	o.Project, err = n.ProjectPath(f.project)
	return o, err
}

// choose keeps the rows that are shown: of times the latest.
func (n *account) choose() {
	if n.Name == "cost" { // what no model said cost nothing
		n.Stats.Rows = slices.DeleteFunc(n.Stats.Rows, func(row *numbers.StatsRow) bool { return row.Sums().N[numbers.Calls] == 0 })
	}
	limit := n.f.limit
	if !n.f.limited && n.IsTerminal(1) && n.forPeople() && !n.Plot {
		limit = cli.Screenful
	}
	n.Show(limit)
}

func (n *account) forPeople() bool { return !n.JSON && !n.JSONL && !n.f.csv && n.Format != "tsv" }

// end is how a run ends whose answer was printed.
func (n *account) end() error {
	if len(n.Stats.Rows) > 0 || n.Session != nil && n.Name == "stats" { // a session that used nothing has its zeros
		return nil
	}
	if n.forPeople() {
		n.Talk("nothing was used there and then")
	}
	return cli.ErrNothing
}
