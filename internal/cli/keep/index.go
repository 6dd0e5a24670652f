package keep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/pflag"

	"piarchive/internal/archive"
	"piarchive/internal/cli"
	"piarchive/internal/documents"
	"piarchive/internal/ingest"
	"piarchive/internal/query"
	"piarchive/internal/terminal"
)

const indexHelp = `Reads what is new in the session files below each ROOT, and nothing twice.
Without ROOT it looks below --root, $PIARCHIVE_ROOTS or every known place.
Session files are only read here. One that is gone keeps its session in the
archive. Where a project's own .pi/settings.json wants its sessions is told, but
looked at only when you name it: whoever wrote the project chose it.

Reading commands do a little of that themselves. piarchive schedule has all of
it done every few minutes: a run that finds nothing new takes milliseconds and
writes nothing.

--full makes a new archive beside the old one, from the files and from what the
old one alone still holds, and then puts it in its place. From a damaged archive
it saves what is whole, says what is lost, and keeps the damaged one beside the
new one as …damaged-1.

With --json: {"schema","files":{"seen","new","appended","replaced","moved",
"unchanged","folded","missing","unreadable"},"entries":{"added","total"},
"bytes":{"read","total"},"elapsedMs","problems":[{"path","line","offset","kind",
"message"}],"salvage":{"kept","freed","lost":[{"path","pathKnown","bytes",
"lines","versions"}]},"coverage"}. problems are all there are, not only those of
this run. salvage is null unless the archive was damaged: kept is where that one
is, freed says that what was forgotten may be back, lost is what neither the
files nor the archive have any more.
`

// indexOptions are the flags of the command.
type indexOptions struct {
	full     bool
	wait     time.Duration
	watch    time.Duration
	progress string
	strict   bool
}

// watchPause is how long a watch rests between two looks, unless told.
const watchPause = 5 * time.Second

// Index is the command index.
func Index() cli.Command {
	return cli.Command{
		Name: "index", Args: "[ROOT…]", Summary: "bring the archive up to date with the session files", Access: cli.Writes,
		Help: indexHelp, Bind: bindIndex,
	}
}

func bindIndex(flags *pflag.FlagSet) cli.Runner {
	var o indexOptions
	flags.BoolVar(&o.full, "full", false, "make the archive anew and swap")
	flags.DurationVar(&o.wait, "wait", archive.LockWait, "wait as long as `DUR` for another run to end; 0 not at all")
	flags.DurationVar(&o.watch, "watch", 0, "go on in the foreground, looking again after each `DUR`")
	flags.Lookup("watch").NoOptDefVal = watchPause.String()
	cli.BindProgress(flags, &o.progress)
	flags.BoolVar(&o.strict, "strict", false, "exit with 2 where anything could not be taken as it is")
	return func(ctx context.Context, c *cli.Call) error { return o.run(ctx, c) }
}

func (o *indexOptions) run(ctx context.Context, c *cli.Call) error {
	o.watchBehind(c)
	switch {
	case o.wait < 0:
		return cli.UsageErrorf("--wait is a duration such as 10s or 0, not %v", o.wait)
	case o.watch < 0:
		return cli.UsageErrorf("--watch is a duration such as 5s, not %v", o.watch)
	}
	if len(c.Args) > 0 {
		var err error
		if c.Roots, err = c.AbsAll(c.Args); err != nil {
			return err
		}
	}
	if o.watch > 0 {
		return o.keepWatch(ctx, c)
	}
	place := c.Place(o.progress)
	found, left, err := place.Found()
	c.TalkAll(left)
	if err != nil {
		return cli.Explained(err)
	}
	report, err := place.Update(ctx, ingest.Options{Roots: found, Full: o.full, Wait: o.wait})
	if err != nil {
		return cli.Explained(err)
	}
	if report.Excluded > 0 {
		c.Talk("%s of excluded projects left out; piarchive config names them", terminal.Counted(report.Excluded, "file"))
	}
	if err := o.print(ctx, c, report); err != nil || !o.strict {
		return err
	}
	return noProblems(ctx, c)
}

// noProblems fails where the archive has any, whichever run met them.
func noProblems(ctx context.Context, c *cli.Call) error {
	a, err := query.Open(ctx, c.DB, nil)
	if err != nil {
		return cli.Explained(err)
	}
	defer a.Close()
	cov, err := documents.NewCoverage(ctx, a)
	if err != nil || cov.AllProblems == 0 {
		return err
	}
	return cli.WithHint(&cli.ExitError{Code: 2, Kind: "damage", Err: fmt.Errorf("index: %s", c.Text().ProblemCount(cov.Problems))},
		"piarchive info --problems lists them; everything else is in the archive")
}

// watchBehind takes a duration behind --watch for its value, as it is with all
// flags that need one; unless it names a place.
func (o *indexOptions) watchBehind(c *cli.Call) {
	if o.watch != watchPause || len(c.Args) == 0 {
		return
	}
	pause, err := time.ParseDuration(c.Args[0])
	if err != nil {
		return
	}
	if path, err := c.Abs(c.Args[0]); err == nil {
		if _, err := os.Stat(path); err == nil {
			return
		}
	}
	o.watch, c.Args = pause, c.Args[1:]
}

// keepWatch looks again and again until it is interrupted.
func (o *indexOptions) keepWatch(ctx context.Context, c *cli.Call) error {
	first := true
	return cli.Explained(c.Place(o.progress).Watch(ctx, o.watch, ingest.Options{Full: o.full, Wait: o.wait}, func(report *ingest.Report) error {
		var err error
		if first || report.Wrote {
			err = o.print(ctx, c, report)
		}
		first = false
		return errors.Join(err, c.Stdout.Flush())
	}))
}

// print says what a run did. With --quiet, nothing is even counted.
func (o *indexOptions) print(ctx context.Context, c *cli.Call, r *ingest.Report) error {
	if c.Quiet && !c.JSON {
		return nil
	}
	a, err := query.Open(ctx, c.DB, nil)
	if err != nil {
		return cli.Explained(err)
	}
	defer a.Close()
	a.Pending = &query.Pending{}
	if err := a.Hold(ctx); err != nil {
		return err
	}
	info, err := a.Info(ctx)
	if err != nil {
		return err
	}
	var doc documents.Index
	f := &doc.Files
	f.Seen, f.New, f.Appended, f.Replaced, f.Moved, f.Unchanged, f.Folded, f.Missing, f.Unreadable = r.Seen, r.New, r.Appended, r.Replaced, r.Moved, r.Unchanged, r.Folded, r.Missing, r.Unreadable
	doc.Entries.Added, doc.Entries.Total = r.EntriesAdded, info.Entries
	doc.Full = o.full
	doc.Bytes.Read, doc.Bytes.Total = r.BytesRead, info.SourceBytes
	if s := r.Salvage; s != nil {
		doc.Salvage = &documents.Salvage{Kept: s.Kept, Freed: s.Freed, Lost: []documents.Loss{}}
		for _, l := range s.Lost {
			doc.Salvage.Lost = append(doc.Salvage.Lost, documents.Loss{Path: l.Was.Path, PathKnown: !l.Path, Bytes: l.Bytes, Lines: l.Lines, Versions: l.Versions})
		}
	}
	doc.ElapsedMs = r.Elapsed.Milliseconds()
	if !c.JSON {
		c.Text().Indexed(&doc, info, c.DB)
		return nil
	}
	if doc.Problems, err = documents.NewProblems(ctx, a); err != nil {
		return err
	}
	if doc.Coverage, err = documents.NewCoverage(ctx, a); err != nil {
		return err
	}
	return c.WriteJSON(doc)
}
