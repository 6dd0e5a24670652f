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
	"piarchive/internal/query/question"
	"piarchive/internal/query/session"
	"piarchive/internal/terminal"
)

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
	documents.Numbers
	f       *numbersFlags
	measure string
	zone    *time.Location
	ids     map[*numbers.StatsRow]string // short ids of rows that are sessions
	draw    terminal.Glyphs
}

// ask answers what the flags ask. The archive stays open for more.
func (f *numbersFlags) ask(ctx context.Context, c *call) (*account, *query.Archive, error) {
	n := &account{call: c, f: f, draw: glyphsFor(c.env)}
	o, err := f.options(n)
	if err != nil {
		return nil, nil, err
	}
	a, err := f.open(ctx, n)
	if err != nil {
		return nil, nil, err
	}
	if n.Session != nil {
		o.Session = n.Session.Key
	}
	if n.Stats, err = numbers.Count(ctx, a, o); err == nil {
		n.Coverage, err = documents.NewCoverage(ctx, a)
	}
	if err == nil {
		err = n.choose(ctx, a)
	}
	if err != nil {
		a.Close()
		return nil, nil, err
	}
	return n, a, nil
}

func (f *numbersFlags) open(ctx context.Context, n *account) (*query.Archive, error) {
	if f.session != "" {
		if f.fresh {
			if err := refresh(ctx, n.call); err != nil {
				return nil, err
			}
		}
		a, ref, err := openSession(ctx, n.call, f.session)
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
	for _, on := range []bool{f.csv, f.plot, n.json, n.jsonl} {
		if on {
			formats++
		}
	}
	n.By, n.measure = f.by, cmp.Or(f.measure, f.usualValue)
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
		return o, usageErrorf("--csv, --json, --jsonl and --plot exclude each other")
	case f.limit < 0:
		return o, usageErrorf("-n is a number of rows, not %d", f.limit)
	}
	now, err := inZone(n.now(), f.zone)
	if err != nil {
		return o, err
	}
	n.zone, n.Zone = now.Location(), zoneName(n.env, now.Location())
	o = numbers.StatsOptions{By: n.By, Zone: n.zone, Measure: n.measure}
	if f.since != "" {
		if o.Since, _, err = question.ParseDate(f.since, now); err != nil {
			return o, usageErrorf("--since: %w", err)
		}
	}
	if f.until != "" {
		if _, o.Until, err = question.ParseDate(f.until, now); err != nil {
			return o, usageErrorf("--until: %w", err)
		}
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

// isTime says that rows are times.
func (n *account) isTime() bool {
	return slices.Contains([]string{"day", "week", "month", "hour"}, n.By)
}

// choose keeps the rows that are shown: of times the latest.
func (n *account) choose(ctx context.Context, a *query.Archive) error {
	if n.name == "cost" { // what no model said cost nothing
		n.Stats.Rows = slices.DeleteFunc(n.Stats.Rows, func(row *numbers.StatsRow) bool { return row.Sums().Calls == 0 })
	}
	n.Shown = n.Stats.Rows
	limit := n.f.limit
	person := !n.json && !n.jsonl && !n.f.csv
	if !n.f.limited && n.isTerminal(1) && person && !n.f.plot {
		limit = screenful
	}
	if more := len(n.Shown) - limit; limit > 0 && more > 0 {
		if n.isTime() {
			n.Shown = n.Shown[more:]
		} else {
			n.Shown = n.Shown[:limit]
		}
	}
	n.ids = map[*numbers.StatsRow]string{}
	for _, row := range n.Shown {
		if row.Session == nil || !person {
			continue
		}
		if n.width() == 0 {
			n.ids[row] = terminal.Safe(row.Session.ID)
			continue
		}
		id, err := shortID(ctx, a, &session.Info{Key: row.Session.Key, Path: row.Session.Path, ID: row.Session.ID})
		if err != nil {
			return err
		}
		n.ids[row] = id
	}
	return nil
}

// end is how a run ends whose answer was printed.
func (n *account) end() error {
	if len(n.Stats.Rows) > 0 || n.Session != nil && n.name == "stats" { // a session that used nothing has its zeros
		return nil
	}
	if !n.json && !n.jsonl && !n.f.csv {
		n.talk("nothing was used there and then")
	}
	return errNothing
}

// label is a key as a person reads it.
func (n *account) label(row *numbers.StatsRow) string {
	switch {
	case n.By == "hour":
		return row.Start.In(n.zone).Format("2006-01-02 15:04 MST")
	case n.By == "session":
		title := sessionTitle(&session.Info{Name: row.Session.Name, First: row.First}, 200)
		if cut, ok := strings.CutSuffix(title, "…"); ok {
			title = cut + n.draw.Ellipsis
		}
		return title
	case row.Key == "" && (n.By == "model" || n.By == "provider"):
		return "(no model)"
	case row.Key == "":
		return "(none)"
	case n.By == "project":
		return terminal.Safe(n.tilde(row.Key))
	}
	return terminal.Safe(row.Key)
}

// count and its like for what may be a dash.
func (n *account) count(v int64) string {
	if v == 0 {
		return n.draw.None
	}
	return terminal.Count(v)
}

func (n *account) short(v int64) string {
	if v == 0 {
		return n.draw.None
	}
	return terminal.Short(v)
}

// notRecorded stands for a cost that nobody recorded though tokens were used.
const notRecorded = "not recorded"

// cost writes a cost. What is recorded as nothing for tokens that were used was
// not recorded, and for none there is nothing to tell; a + says that some of what
// is added up was not recorded.
func (n *account) cost(s numbers.Sums) string {
	switch {
	case (s.Cost == nil || *s.Cost == 0) && s.Unpriced > 0:
		return notRecorded
	case s.Cost == nil || *s.Cost == 0 && s.Total == 0:
		return n.draw.None
	case s.Unpriced > 0:
		return terminal.Money(s.Cost) + "+"
	}
	return terminal.Money(s.Cost)
}
