package find

import (
	"context"
	"strings"

	"github.com/spf13/pflag"

	"piarchive/internal/cli"
	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/query/session"
	"piarchive/internal/terminal"
	"piarchive/internal/text"
)

const listHelp = `QUERY is that of pi's own session list. Every word must occur: in the name, the
id, what was said, or the project, else scattered in name or project.
  "two words"   a phrase; quote it for the shell, too: '"two words"'
  re:PATTERN    a regular expression
With a query the best match comes first, otherwise the latest session.

DATE is 2026-09-01, 2026-09, today, yesterday, -3d, -2w, -6h or RFC 3339, and
is compared with the latest activity of a session.

On a terminal one screenful is shown. In a pipe each session is one line of
fields set apart by tabs: time of the latest activity, id, messages, cost in
dollars, project, title, path, and "missing" if the file is gone; with --long
also system, tokens, bytes, models, labels and anomalies. The title is the name
or else the first message.

Laid out for people, files that hold the same bytes are one session, [2 copies];
--copies lists each. In a pipe and in JSON each file is a session.
`

// listFlags are the flags of list.
type listFlags struct {
	cli.Period
	cwd, project, sort, links string
	named, missing, subagents bool
	text, long, copies        bool
	limit                     int
	limited                   bool // -n was given
}

// List is the command list.
func List() cli.Command {
	return cli.Command{
		Name: "list", Args: "[QUERY…]", Summary: "list sessions, the latest first", Access: cli.Reads, Lists: true,
		Help: listHelp, Bind: bindList,
	}
}

func bindList(flags *pflag.FlagSet) cli.Runner {
	var f listFlags
	flags.StringVar(&f.cwd, "cwd", "", "only sessions of exactly `DIR`; . is this directory")
	cli.BindProject(flags, &f.project)
	f.Bind(flags, "sessions active", "sessions last active")
	flags.BoolVar(&f.named, "named", false, "only sessions with a name")
	flags.BoolVar(&f.missing, "missing", false, "only sessions whose file is gone")
	flags.BoolVar(&f.copies, "copies", false, "files with the same bytes one by one")
	flags.BoolVar(&f.subagents, "subagents", false, "also the sessions of subagents")
	cli.BindChoice(flags, &f.sort, "sort", "", "order: `BY`", session.Sorts[:]...)
	flags.IntVarP(&f.limit, "limit", "n", 0, "show at most `N` sessions, 0 for all (default all, a screenful on a terminal)")
	flags.BoolVar(&f.text, "text", false, "with --json: all that was said, as allMessagesText")
	flags.BoolVar(&f.long, "long", false, "show more of each session")
	cli.BindHyperlinks(flags, &f.links)
	return func(ctx context.Context, c *cli.Call) error {
		f.limited = flags.Changed("limit")
		return f.run(ctx, c)
	}
}

func (f *listFlags) run(ctx context.Context, c *cli.Call) error {
	o, err := f.options(c)
	if err != nil {
		return err
	}
	a, err := cli.OpenHeld(ctx, c)
	if err != nil {
		return err
	}
	defer a.Close()
	sessions, total, err := session.List(ctx, a, o)
	if err != nil {
		return err
	}
	return f.print(ctx, c, a, sessions, total)
}

// screenfulLong is how many sessions fit a common window, with --long.
const screenfulLong = 6

// options makes the question out of flags and arguments.
func (f *listFlags) options(c *cli.Call) (session.ListOptions, error) {
	asJSON := c.JSON || c.JSONL
	o := session.ListOptions{
		Named: f.named, Missing: f.missing, Subagents: f.subagents,
		Text: f.text && asJSON, Brief: !asJSON && !f.long, Sort: f.sort, Limit: f.limit,
		Fold: c.LaysOut() && !f.copies,
	}
	if f.limit < 0 {
		return o, cli.UsageErrorf("-n is a number of sessions, not %d", f.limit)
	}
	if !f.limited && c.IsTerminal(1) && c.LaysOut() {
		if o.Limit = cli.Screenful; f.long {
			o.Limit = screenfulLong
		}
	}
	var err error
	if o.Since, o.Until, err = f.Read(c.Now()); err != nil {
		return o, err
	}
	if f.cwd != "" {
		if o.CWD, err = c.Abs(f.cwd); err != nil {
			return o, err
		}
	}
	if o.Project, err = c.ProjectPath(f.project); err != nil {
		return o, err
	}
	if o.Query, err = session.ParsePicker(strings.Join(c.Args, " ")); err != nil {
		return o, cli.UsageErrorf("list: %w", err)
	}
	return o, nil
}

func (f *listFlags) print(ctx context.Context, c *cli.Call, a *query.Archive, sessions []*session.Info, total int) error {
	list, fields := documents.NewSessions(sessions, f.text), documents.SessionFields
	if f.long {
		fields = documents.SessionFieldsLong
	}
	return cli.PrintList(ctx, c, a, list, fields, documents.Object{{Name: "sessions", Value: list}}, func() error {
		if total == 0 {
			cov, err := documents.NewCoverage(ctx, a)
			if err == nil {
				c.Talk("no session matches; the archive has %s", terminal.Counted(cov.Files, "session"))
			}
			return err
		}
		c.Page(ctx)
		layout := text.Sessions{Long: f.long, Threaded: f.sort == "threaded", OneProject: f.cwd != ""}
		c.Hyperlinks(f.links)
		return c.Text().Sessions(ctx, a, layout, sessions, total)
	})
}
