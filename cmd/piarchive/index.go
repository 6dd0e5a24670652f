package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/pflag"

	"piarchive/internal/archive"
	"piarchive/internal/documents"
	"piarchive/internal/ingest"
	"piarchive/internal/query"
	"piarchive/internal/terminal"
)

const indexHelp = `Reads what is new in the session files below each ROOT, and nothing twice.
Without ROOT it looks below --root, $PIARCHIVE_ROOTS or every known place.
Session files are only ever read. One that is gone keeps its session in the
archive. Where a project's own .pi/settings.json wants its sessions is told, but
looked at only when you name it: whoever wrote the project chose it.

Reading commands do a little of that themselves. For all of it, from cron: a run
that finds nothing new takes milliseconds and writes nothing.
  */5 * * * * piarchive index -q

--full makes a new archive beside the old one, from the files and from what the
old one alone still holds, and then puts it in its place. From a damaged archive
it saves what is whole, says what is lost, and keeps the damaged one beside the
new one as …damaged-1.

With --json: {"schema","files":{"seen","new","appended","replaced","moved",
"unchanged","missing","unreadable"},"entries":{"added","damaged","total"},
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

func bindIndex(flags *pflag.FlagSet) runner {
	var o indexOptions
	flags.BoolVar(&o.full, "full", false, "make the archive anew and swap")
	flags.DurationVar(&o.wait, "wait", archive.LockWait, "wait as long as `DUR` for another run to end; 0 not at all")
	flags.DurationVar(&o.watch, "watch", 0, "go on in the foreground, looking again after each `DUR`")
	flags.Lookup("watch").NoOptDefVal = watchPause.String()
	bindProgress(flags, &o.progress)
	flags.BoolVar(&o.strict, "strict", false, "exit with 2 if this run met damage")
	return func(ctx context.Context, c *call) error { return o.run(ctx, c) }
}

func (o *indexOptions) run(ctx context.Context, c *call) error {
	o.watchBehind(c)
	switch {
	case o.wait < 0:
		return usageErrorf("--wait is a duration such as 10s or 0, not %v", o.wait)
	case o.watch < 0:
		return usageErrorf("--watch is a duration such as 5s, not %v", o.watch)
	}
	if len(c.args) > 0 {
		var err error
		if c.roots, err = c.absAll(c.args); err != nil {
			return err
		}
	}
	if o.watch > 0 {
		return o.keepWatch(ctx, c)
	}
	place := c.place(o.progress)
	found, left, err := place.Found()
	c.talkAll(left)
	if err != nil {
		return explained(err)
	}
	report, err := place.Update(ctx, ingest.Options{Roots: found, Full: o.full, Wait: o.wait})
	if err != nil {
		return explained(err)
	}
	if err := o.print(ctx, c, report); err != nil {
		return err
	}
	if damaged := report.DamagedLines + report.Unreadable; o.strict && damaged > 0 {
		return withHint(&exitError{code: 2, kind: "damage", err: fmt.Errorf("index: met %s", terminal.Counted(damaged, "problem"))},
			"piarchive info --problems lists them; everything else is in the archive")
	}
	return nil
}

// watchBehind takes a duration behind --watch for its value, as it is with all
// flags that need one; unless it names a place.
func (o *indexOptions) watchBehind(c *call) {
	if o.watch != watchPause || len(c.args) == 0 {
		return
	}
	pause, err := time.ParseDuration(c.args[0])
	if err != nil {
		return
	}
	if path, err := c.abs(c.args[0]); err == nil {
		if _, err := os.Stat(path); err == nil {
			return
		}
	}
	o.watch, c.args = pause, c.args[1:]
}

// keepWatch looks again and again until it is interrupted.
func (o *indexOptions) keepWatch(ctx context.Context, c *call) error {
	first := true
	return explained(c.place(o.progress).Watch(ctx, o.watch, ingest.Options{Full: o.full, Wait: o.wait}, func(report *ingest.Report) error {
		var err error
		if first || report.Wrote {
			err = o.print(ctx, c, report)
		}
		first = false
		return errors.Join(err, c.stdout.Flush())
	}))
}

// print says what a run did. With --quiet, nothing is even counted.
func (o *indexOptions) print(ctx context.Context, c *call, r *ingest.Report) error {
	if c.quiet && !c.json {
		return nil
	}
	a, err := query.Open(ctx, c.db, nil)
	if err != nil {
		return explained(err)
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
	f.Seen, f.New, f.Appended, f.Replaced, f.Moved, f.Unchanged, f.Missing, f.Unreadable = r.Seen, r.New, r.Appended, r.Replaced, r.Moved, r.Unchanged, r.Missing, r.Unreadable
	doc.Entries.Added, doc.Entries.Damaged, doc.Entries.Total = r.EntriesAdded, r.DamagedLines, info.Entries
	doc.Bytes.Read, doc.Bytes.Total = r.BytesRead, info.SourceBytes
	if s := r.Salvage; s != nil {
		doc.Salvage = &documents.Salvage{Kept: s.Kept, Freed: s.Freed, Lost: []documents.Loss{}}
		for _, l := range s.Lost {
			doc.Salvage.Lost = append(doc.Salvage.Lost, documents.Loss{Path: l.Was.Path, PathKnown: !l.Path, Bytes: l.Bytes, Lines: l.Lines, Versions: l.Versions})
		}
	}
	doc.ElapsedMs = r.Elapsed.Milliseconds()
	if !c.json {
		c.text().Indexed(&doc, info, c.db)
		return nil
	}
	if doc.Problems, err = documents.NewProblems(ctx, a); err != nil {
		return err
	}
	if doc.Coverage, err = documents.NewCoverage(ctx, a); err != nil {
		return err
	}
	return c.writeJSON(doc)
}

// bindProgress declares --progress.
func bindProgress(flags *pflag.FlagSet, mode *string) {
	bindChoice(flags, mode, "progress", "auto", "progress: `WHEN`", "auto", "always", "never", "json")
}

// newProgress begins to show a long run to whoever waits for it, on standard error:
// mode is auto (a bar on a terminal unless --quiet), always (a bar), never, or json
// (one object a line).
func newProgress(c *call, mode string) archive.Progress {
	switch {
	case mode == "never", mode == "auto" && (c.quiet || !c.isTerminal(2)):
		return func(ingest.Progress, bool) {}
	case mode == "json":
		return archive.JSONProgress(c.env.stderr, c.now)
	}
	return archive.BarProgress(c.env.stderr, c.now, c.isTerminal(2))
}
