package main

import (
	"cmp"
	"context"
	"errors"
	"os"

	"github.com/spf13/pflag"

	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/query/memory"
	"piarchive/internal/query/question"
	"piarchive/internal/query/search"
	"piarchive/internal/terminal"
)

const howHelp = `The command lines that ran a program and succeeded, in all projects unless
--project says otherwise: the most frequent first, of equal ones the latest.
Equal lines are one, and copies in forks count once.

  piarchive how ffmpeg gif             how did I make that gif
  piarchive how "git rebase" --project .
  piarchive how bash docker            all that the tool bash ran with docker

COMMAND is a program, without its directory, and in quotes perhaps words that
come first behind it. It is found behind cd x &&, pipes, assignments, sudo, env,
timeout, xargs, npx and in bash -c, too. Each of the WORDS stands somewhere in
the same command; case does not matter. TOOL is a tool that runs command lines.
What failed is left out, as is what has no result.

In a pipe each line is fields set apart by tabs: how often it ran, the last
time, that call as SESSION@LINE, project, command line.

With --json: {"schema","commands":[{"command","tool","runs","session","entry"}],
"total","coverage"}, session and entry being those of the last call.
`

const blameHelp = `Which session wrote a file, and what you had asked for: the calls of tools that
edited or wrote it and did not fail, the latest first. With :LINE only those
that put this line into the file, as it reads now; what an edit repeats around
its change, and a write of what was there before, is not their doing.

  piarchive blame src/links/path.ts
  piarchive blame src/links/path.ts:42
  piarchive blame old/name.go              a file that is gone

FILE is relative to this directory, or absolute. Where no call wrote this very
file, those count that wrote one whose path ends like FILE. Commands that change
files, and your own edits, leave no trace that is found here.

In a pipe each line is fields set apart by tabs: time, the call as SESSION@LINE,
edit or write, path as the tool was given it, title of the session, prompt.

With --json: {"schema","path","line","text","exact","writers":[{"session",
"entry","prompt","tool","operation","path"}],"more","coverage"}. exact
is false where only the end of the path is the same.
`

// memoryFlags are the flags of how and blame.
type memoryFlags struct {
	period
	project, zone string
	limit         int
}

// usualMemory is how many answers are given unless told.
const usualMemory = 20

// bindMemory declares the flags, and makes the runner of a command that answers so.
func bindMemory(flags *pflag.FlagSet, answer func(context.Context, *call, *query.Archive, memory.Filter, int) error) runner {
	var f memoryFlags
	flags.IntVarP(&f.limit, "limit", "n", usualMemory, "print at most `N` answers, 0 for all")
	bindProject(flags, &f.project)
	f.bind(flags, "what was done", "what was done")
	flags.StringVar(&f.zone, "tz", "", "time zone of dates: `ZONE` such as Europe/Berlin or UTC")
	return func(ctx context.Context, c *call) error {
		filter, most, err := f.filter(c)
		if err != nil {
			return err
		}
		a, err := openArchive(ctx, c)
		if err != nil {
			return err
		}
		defer a.Close()
		return answer(ctx, c, a, filter, most)
	}
}

// filter reads the flags; most is how many answers are asked for.
func (f *memoryFlags) filter(c *call) (o memory.Filter, most int, err error) {
	if f.limit < 0 {
		return o, 0, usageErrorf("-n is a number of answers, not %d", f.limit)
	}
	if most = f.limit; most == 0 {
		most = search.All
	}
	now, err := inZone(c.now(), f.zone)
	if err != nil {
		return o, 0, err
	}
	if o.Since, o.Until, err = f.read(now); err != nil {
		return o, 0, err
	}
	o.Project, err = c.projectPath(f.project)
	return o, most, err
}

func bindHow(flags *pflag.FlagSet) runner {
	return bindMemory(flags, func(ctx context.Context, c *call, a *query.Archive, filter memory.Filter, most int) error {
		found, err := memory.Commands(ctx, a, c.args[0], c.args[1:], filter, most)
		if err != nil {
			return err
		}
		list := documents.NewCommands(found.Commands)
		doc := documents.Object{{Name: "commands", Value: list}, {Name: "total", Value: found.Total}}
		err = printList(ctx, c, a, list, documents.CommandFields, doc, c.paged(ctx, func() { c.text().Commands(found.Commands) }))
		if left := found.Total - len(found.Commands); err == nil && left > 0 {
			c.talk("%s more; -n 0 shows all", terminal.Counted(left, "command line"))
		}
		return err
	})
}

func bindBlame(flags *pflag.FlagSet) runner {
	return bindMemory(flags, func(ctx context.Context, c *call, a *query.Archive, filter memory.Filter, most int) error {
		file, line, err := memory.FileAndLine(c.args[0], c.home, c.abs, os.ReadFile, func(path string) bool {
			_, err := os.Lstat(path)
			return err == nil
		})
		if errors.Is(err, memory.ErrNoFile) {
			err = withHint(err, "without :LINE, blame tells who wrote a file that is gone")
		}
		if err != nil {
			return err
		}
		found, err := memory.Blame(ctx, a, file, filter, most)
		if err != nil {
			return err
		}
		list := documents.NewWriters(found.Writers)
		err = printList(ctx, c, a, list, documents.WriterFields, documents.NewBlame(found, list, file, line), c.paged(ctx, func() { c.text().Writers(found.Writers) }))
		switch {
		case err == nil && found.More:
			c.talk("there are more; -n 0 shows all")
		case len(found.Writers) == 0 && line == 0:
			c.talk("no session in the archive wrote %s", file.Path)
		case err == nil && !found.Exact:
			c.talk("no session wrote %s; these wrote files whose paths end so", file.Path)
		}
		return err
	})
}

// usualCases is how many errors are told of unless told.
const usualCases = 10

// printFixed answers search --fixed: what was done after an error until it no
// longer came.
func printFixed(ctx context.Context, c *call, a *query.Archive, q question.Query, o search.Options) error {
	if o.Snippet > 0 {
		o.Snippet = c.width()
	}
	found, err := memory.Fixes(ctx, a, q, o, cmp.Or(o.Limit, q.Limit, usualCases))
	if err != nil {
		return searchError(err)
	}
	c.name = "fixed" // its documents are its own
	if c.json || c.jsonl || c.laysOut() {
		cases := documents.NewCases(found.Cases)
		err = printList(ctx, c, a, cases, "", documents.NewFixed(found, cases, q.String()), c.paged(ctx, func() { c.text().Cases(found.Cases) }))
	} else {
		err = printList(ctx, c, a, documents.NewCaseLines(found.Cases), documents.CaseFields, nil, nil)
	}
	if !c.json {
		c.talkAll(found.Notes)
	}
	if err == nil && found.More {
		c.talk("there are earlier ones; -n N shows more")
	}
	return err
}
