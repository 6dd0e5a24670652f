package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/pflag"

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
	olderThan, project         string
	missing, versions, present bool
	compact, dryRun, yes       bool
	wait                       time.Duration
	until                      time.Time // what olderThan means
	filtered                   bool      // sessions are asked for by what they are, not by name
}

func bindForget(flags *pflag.FlagSet) runner {
	var f forgetFlags
	flags.BoolVar(&f.missing, "missing", false, "every session whose file is gone")
	flags.StringVar(&f.olderThan, "older-than", "", "only what is older than `DUR`")
	flags.StringVar(&f.project, "project", "", "only projects like `TEXT`: a part, a glob, or a directory and all below")
	flags.BoolVar(&f.versions, "versions", false, "only the earlier versions that rewrites replaced")
	flags.BoolVar(&f.present, "even-present", false, "also sessions whose file is there; index brings them back")
	flags.BoolVar(&f.compact, "compact", false, "give the space back, which takes a copy of the archive")
	flags.BoolVar(&f.dryRun, "dry-run", false, "only list what would go")
	flags.BoolVar(&f.yes, "yes", false, "do not ask")
	flags.DurationVar(&f.wait, "wait", lockWait, "wait as long as `DUR` for another run to end; 0 not at all")
	return f.run
}

// check completes the flags.
func (f *forgetFlags) check(c *call) (err error) {
	f.filtered = f.missing || f.olderThan != "" || f.project != ""
	named := len(c.args) > 0
	switch {
	case f.wait < 0:
		return usageErrorf("--wait is a duration such as 10s or 0, not %v", f.wait)
	case named && f.filtered:
		return usageErrorf("name sessions, or say which with flags, not both")
	case !named && !f.filtered && f.versions && !f.compact:
		return usageErrorf("forget --versions needs SESSION, --missing, --older-than or --project")
	case !named && !f.filtered && !f.compact:
		return usageErrorf("forget needs SESSION, --missing, --older-than or --project")
	case !named && !f.filtered && (f.versions || f.present):
		return usageErrorf("--compact alone forgets nothing; name sessions, or say which with flags")
	case f.versions && f.present:
		return usageErrorf("--versions takes those of every session; --even-present says nothing more")
	case f.compact && f.dryRun:
		return usageErrorf("--dry-run changes nothing, so --compact does not apply")
	}
	if f.olderThan != "" {
		if f.until, _, err = question.ParseDate("-"+f.olderThan, c.now()); err != nil {
			return usageErrorf("--older-than is 30d, 2w, 6mo, 1y or 12h, not %q", f.olderThan)
		}
	}
	if f.project, err = c.projectPath(f.project); err != nil {
		return err
	}
	if (named || f.filtered) && !f.yes && !f.dryRun && (!c.isTerminal(0) || c.json) {
		return withHint(usageErrorf("forget asks first, and there is nobody to ask"), "--dry-run lists what would go, --yes does it")
	}
	return nil
}

func (f *forgetFlags) run(ctx context.Context, c *call) error {
	if err := f.check(c); err != nil {
		return err
	}
	if !index.Exists(c.db) {
		return withHint(fmt.Errorf("forget: there is no archive %s", c.db), "name another file with --db FILE")
	}
	list, err := f.plan(ctx, c)
	if err != nil {
		return err
	}
	if len(list) == 0 && !f.compact {
		if c.isTerminal(1) && !c.json {
			c.talk("nothing to forget")
		}
		if c.json {
			err = f.report(ctx, c, list, 0)
		}
		return errors.Join(err, errNothing)
	}
	if !c.json {
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
	n, err := f.forget(ctx, c, list)
	if err != nil {
		return err
	}
	return f.report(ctx, c, list, n)
}

// plan finds what is to go.
func (f *forgetFlags) plan(ctx context.Context, c *call) (list []*history.Kept, err error) {
	if len(c.args) == 0 && !f.filtered {
		return nil, nil
	}
	a, err := openArchive(ctx, c, false)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	if len(c.args) > 0 {
		list, err = namedSessions(ctx, c, a)
	} else {
		o := history.KeptOptions{Project: f.project, Missing: f.missing || !f.versions && !f.present}
		if f.versions {
			o.ReplacedUntil = f.until
		} else {
			o.Until = f.until
		}
		list, err = history.List(ctx, a, o)
	}
	if err != nil {
		return nil, err
	}
	left := list[:0]
	for _, v := range list {
		switch _, err := os.Lstat(v.Session.Path); {
		case f.versions:
			if v.Rewrites > 0 {
				left = append(left, v)
			}
		case f.present || errors.Is(err, fs.ErrNotExist):
			left = append(left, v)
		case len(c.args) > 0:
			return nil, withHint(fmt.Errorf("forget %s: the file is there, and the next run of index would bring the session back", v.Session.Path),
				"delete the file first, or forget what is in the archive now with --even-present")
		default:
			c.talk("%s is there again and stays", v.Session.Path)
		}
	}
	return left, nil
}

// list says what goes.
func (f *forgetFlags) list(c *call, list []*history.Kept) error {
	if len(list) == 0 {
		return nil
	}
	if !c.isTerminal(1) {
		return documents.NewForgotten(list, f.bytes).Fields(c.stdout, documents.ForgottenFields)
	}
	return c.text().Forgotten(list, f.versions, f.bytes)
}

// bytes is how much of a session goes.
func (f *forgetFlags) bytes(v *history.Kept) int64 {
	if f.versions {
		return v.Earlier
	}
	return v.Bytes + v.Earlier
}

// what says how much goes, of n sessions.
func (f *forgetFlags) what(list []*history.Kept, n int) string {
	var bytes int64
	for _, v := range list {
		bytes += f.bytes(v)
	}
	what := terminal.Counted(n, "session") + ", " + terminal.Size(bytes)
	if f.versions {
		what = "the earlier versions of " + what
	}
	return what
}

// agreed asks, where someone is to be asked.
func (f *forgetFlags) agreed(ctx context.Context, c *call, list []*history.Kept) (bool, error) {
	if f.yes || len(list) == 0 {
		return true, nil
	}
	if err := c.stdout.Flush(); err != nil {
		return false, err
	}
	yes, err := c.agreed(ctx, "Forget "+f.what(list, len(list))+", for good?")
	if err != nil || yes {
		return yes, err
	}
	c.talk("nothing was forgotten")
	return false, errNothing
}

// forget does it, and returns how many sessions it was.
func (f *forgetFlags) forget(ctx context.Context, c *call, list []*history.Kept) (int, error) {
	lock, err := index.Acquire(ctx, c.db, f.wait)
	if errors.Is(err, index.ErrLocked) {
		return 0, withHint(&exitError{code: 75, kind: "locked", err: fmt.Errorf("forget: %w", err)}, "try again later, or let --wait DUR wait longer")
	}
	if err != nil {
		return 0, writeError(c.db, err)
	}
	defer lock.Release(time.Time{})
	n := 0
	if len(list) > 0 {
		if n, err = f.remove(ctx, c, list); err != nil {
			return n, writeError(c.db, err)
		}
	}
	if f.compact {
		err = writeError(c.db, index.Compact(ctx, c.db))
	}
	return n, err
}

func (f *forgetFlags) remove(ctx context.Context, c *call, list []*history.Kept) (int, error) {
	ix, err := index.Open(ctx, c.db)
	if err != nil {
		return 0, err
	}
	defer ix.Close()
	sources := make([]index.Source, len(list))
	for i, v := range list {
		sources[i] = v.Source()
	}
	forget := ix.Forget
	if f.versions {
		until := f.until
		if until.IsZero() {
			until = c.now()
		}
		forget = func(ctx context.Context, sources []index.Source) ([]index.Source, error) {
			return ix.ForgetVersions(ctx, sources, until.UnixMilli())
		}
	}
	gone, err := forget(ctx, sources)
	if changed := len(sources) - len(gone); err == nil && changed > 0 {
		c.talk("%s changed in the meantime and stay", terminal.Counted(changed, "session"))
	}
	return len(gone), err
}

// report says what is done, or would be.
func (f *forgetFlags) report(ctx context.Context, c *call, list []*history.Kept, n int) error {
	a, err := openArchive(ctx, c, false)
	if err != nil {
		return err
	}
	defer a.Close()
	space, err := index.ReadSpace(ctx, a.DB())
	if err != nil {
		return err
	}
	if c.json {
		cov, err := documents.NewCoverage(ctx, a)
		if err != nil {
			return err
		}
		return c.writeJSON(documents.ForgetDocument(f.dryRun, documents.NewForgotten(list, f.bytes), n, space.Total, space.Free, cov))
	}
	switch {
	case f.dryRun:
		c.talk("%s would be forgotten", f.what(list, len(list)))
		return nil
	case len(list) == 0:
		c.talk("the archive is now %s", terminal.Size(space.Total))
		return nil
	}
	c.talk("forgot %s; the archive is %s, of which %s are free", f.what(list, n), terminal.Size(space.Total), terminal.Size(space.Free))
	if space.Free*8 > space.Total && space.Total > 1e6 { // about as much again is in the full text, unmerged
		c.talk("forget --compact gives that back")
	}
	return nil
}
