package keep

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"piarchive/internal/archive"
	"piarchive/internal/cli"
	"piarchive/internal/documents"
	"piarchive/internal/index"
	"piarchive/internal/query/history"
	"piarchive/internal/query/question"
	"piarchive/internal/terminal"
)

const forgetHelp = `Removes sessions from the archive for good: lines, full text, numbers, and
earlier versions. Session files are never touched, so only sessions
whose file is gone are forgotten: any other would be back after the next run of
piarchive index. --even-present takes those as well.

--versions removes only earlier versions: of SESSION, of all with --project, or,
with --older-than, those replaced longer than DUR ago. Of sessions, --older-than
means their latest activity.
DUR is 30d, 2w, 6mo, 1y or 12h.

  piarchive forget --missing --older-than 1y --dry-run
  piarchive forget 4a369254
  piarchive forget --versions --older-than 90d --yes

What goes is listed first. On a terminal you are asked; elsewhere --yes or
--dry-run is needed. The space is used again by what is indexed next; until then
traces stay in the file. --compact writes the file anew, without them, and gives
the space back; it can also be asked for alone. Who reads is never blocked.

In a pipe each session is one line of fields set apart by tabs: time of the
latest activity, missing or present, id, bytes, bytes in the archive, project,
title, path.

With --json: {"schema","dryRun","sessions":[{"path","id","cwd","name",
"modified","missing","bytes","stored","rewrites"}],"forgotten","archive":
{"bytes","free"},"coverage"}. stored are bytes in the archive, full text aside.
`

// forgetFlags are the flags of forget.
type forgetFlags struct {
	archive.Forgetting
	olderThan   string
	dryRun, yes bool
	filtered    bool // sessions are asked for by what they are, not by name
}

// Forget is the command forget.
func Forget() cli.Command {
	return cli.Command{
		Name: "forget", Args: "[SESSION…]", Summary: "remove sessions from the archive, never a file", Access: cli.Writes,
		Help: forgetHelp, Bind: bindForget,
	}
}

func bindForget(flags *pflag.FlagSet) cli.Runner {
	var f forgetFlags
	flags.BoolVar(&f.Missing, "missing", false, "every session whose file is gone")
	flags.StringVar(&f.olderThan, "older-than", "", "only what is older than `DUR`")
	cli.BindProject(flags, &f.Project)
	flags.BoolVar(&f.Versions, "versions", false, "only the earlier versions that rewrites replaced")
	flags.BoolVar(&f.Present, "even-present", false, "also sessions whose file is there; index brings them back")
	flags.BoolVar(&f.Compact, "compact", false, "give the space back, which takes a copy of the archive")
	flags.BoolVarP(&f.dryRun, "dry-run", "n", false, "only list what would go")
	flags.BoolVar(&f.yes, "yes", false, "do not ask")
	flags.DurationVar(&f.Wait, "wait", archive.LockWait, "wait as long as `DUR` for another run to end; 0 not at all")
	return f.run
}

// check completes the flags.
func (f *forgetFlags) check(c *cli.Call) (err error) {
	f.Place, f.Sessions = c.Place("auto"), c.Args
	f.filtered = f.Missing || f.olderThan != "" || f.Project != ""
	named := len(c.Args) > 0
	switch {
	case f.Wait < 0:
		return cli.UsageErrorf("--wait is a duration such as 10s or 0, not %v", f.Wait)
	case named && f.filtered:
		return cli.UsageErrorf("name sessions, or say which with flags, not both")
	case !named && !f.filtered && f.Versions && !f.Compact:
		return cli.UsageErrorf("forget --versions needs SESSION, --missing, --older-than or --project")
	case !named && !f.filtered && !f.Compact:
		return cli.UsageErrorf("forget needs SESSION, --missing, --older-than or --project")
	case !named && !f.filtered && (f.Versions || f.Present):
		return cli.UsageErrorf("--compact alone forgets nothing; name sessions, or say which with flags")
	case f.Versions && f.Present:
		return cli.UsageErrorf("--versions takes those of every session; --even-present says nothing more")
	case f.Compact && f.dryRun:
		return cli.UsageErrorf("--dry-run changes nothing, so --compact does not apply")
	}
	if f.olderThan != "" {
		if f.Until, _, err = question.ParseDate("-"+f.olderThan, c.Now()); err != nil {
			return cli.UsageErrorf("--older-than is 30d, 2w, 6mo, 1y or 12h, not %q", f.olderThan)
		}
	}
	if f.Project, err = c.ProjectPath(f.Project); err != nil {
		return err
	}
	if (named || f.filtered) && !f.yes && !f.dryRun && (!c.IsTerminal(0) || c.JSON) {
		return cli.WithHint(cli.UsageErrorf("forget asks first, and there is nobody to ask"), "--dry-run lists what would go, --yes does it")
	}
	return nil
}

func (f *forgetFlags) run(ctx context.Context, c *cli.Call) error {
	if err := f.check(c); err != nil {
		return err
	}
	if !index.Exists(c.DB) {
		return cli.WithHint(fmt.Errorf("forget: there is no archive %s", c.DB), "name another file with --db FILE")
	}
	list, err := f.plan(ctx, c)
	if err != nil {
		return err
	}
	if len(list) == 0 && !f.Compact {
		if c.IsTerminal(1) && !c.JSON {
			c.Talk("nothing to forget")
		}
		if c.JSON {
			err = f.report(ctx, c, list, 0)
		}
		return errors.Join(err, cli.ErrNothing)
	}
	if !c.JSON {
		if err := f.list(c, list); err != nil {
			return err
		}
	}
	if f.dryRun {
		return f.report(ctx, c, list, 0)
	}
	if ok, err := f.agreed(ctx, c, list); !ok || err != nil {
		return err
	}
	n, err := f.Run(ctx, list)
	if errors.Is(err, index.ErrLocked) {
		return cli.WithHint(cli.Explained(err), "try again later, or let --wait DUR wait longer")
	}
	if err != nil {
		return cli.Explained(err)
	}
	return f.report(ctx, c, list, n)
}

// plan finds what is to go.
func (f *forgetFlags) plan(ctx context.Context, c *cli.Call) (list []*history.Kept, err error) {
	if len(c.Args) == 0 && !f.filtered {
		return nil, nil
	}
	a, err := cli.OpenStored(ctx, c)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	list, err = f.Plan(ctx, a)
	if _, ok := errors.AsType[*archive.StillThere](err); ok {
		return nil, cli.WithHint(err, "piarchive delete moves the file to the trash first; --even-present forgets what is in the archive now")
	}
	return list, cli.Explained(err)
}

// list says what goes.
func (f *forgetFlags) list(c *cli.Call, list []*history.Kept) error {
	if len(list) == 0 {
		return nil
	}
	if !c.LaysOut() {
		return documents.NewForgotten(list, f.Bytes).Fields(c.Stdout, documents.ForgottenFields)
	}
	return c.Text().Forgotten(list, f.Versions, f.Bytes)
}

// what says how much goes, of n sessions.
func (f *forgetFlags) what(list []*history.Kept, n int) string {
	var bytes int64
	for _, v := range list {
		bytes += f.Bytes(v)
	}
	what := terminal.Counted(n, "session") + ", " + terminal.Size(bytes)
	if f.Versions {
		what = "the earlier versions of " + what
	}
	return what
}

// agreed asks, where someone is to be asked.
func (f *forgetFlags) agreed(ctx context.Context, c *cli.Call, list []*history.Kept) (bool, error) {
	if f.yes || len(list) == 0 {
		return true, nil
	}
	if err := c.Stdout.Flush(); err != nil {
		return false, err
	}
	yes, err := terminal.Agreed(ctx, c.Stdin, c.Stderr, "Forget "+f.what(list, len(list))+", for good?")
	if err != nil || yes {
		return yes, err
	}
	c.Talk("nothing was forgotten")
	return false, cli.ErrNothing
}

// report says what is done, or would be.
func (f *forgetFlags) report(ctx context.Context, c *cli.Call, list []*history.Kept, n int) error {
	a, err := cli.OpenStored(ctx, c)
	if err != nil {
		return err
	}
	defer a.Close()
	space, err := index.ReadSpace(ctx, a.DB())
	if err != nil {
		return err
	}
	if c.JSON {
		return c.Documents().Answer(ctx, a, documents.ForgetDocument(f.dryRun, documents.NewForgotten(list, f.Bytes), n, space.Total, space.Free))
	}
	switch {
	case f.dryRun:
		c.Talk("%s would be forgotten", f.what(list, len(list)))
		return nil
	case len(list) == 0:
		c.Talk("the archive is now %s", terminal.Size(space.Total))
		return nil
	}
	c.Talk("forgot %s; the archive is %s, of which %s are free", f.what(list, n), terminal.Size(space.Total), terminal.Size(space.Free))
	if space.Free*8 > space.Total && space.Total > 1e6 { // about as much again is in the full text, unmerged
		c.Talk("forget --compact gives that back")
	}
	return nil
}
