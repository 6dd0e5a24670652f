package main

import (
	"context"

	"github.com/spf13/pflag"

	"piarchive/internal/documents"
	"piarchive/internal/query/search"
)

const infoHelp = `What the archive holds and from where, how large it is, and how many files wait
for the next run: what was left over just now; with --no-fresh, what is new,
changed or gone by its size and times.

--problems lists everything that could not be taken as it is: damaged lines,
files that are no sessions, entries whose parent is not there, directories that
may not be read.

With --json: {"schema","archive":{"path","bytes","schemaVersion",
"projectionVersion","sqliteVersion"},"roots":[{"path","sessions","bytes",
"missing"}],"projectRoot","counts":{"sessions","entries","problems",
"systems":{NAME:N},"problemKinds":{KIND:N}},"sizes":{"sessions","archive",
"ratio","raw","fullText"},"pending","problems":[{"path","line","offset","kind",
"message"}],"coverage"}; problems only with --problems. projectRoot is where the
project in this directory wants its sessions, null if that is looked at anyway.
Sizes are in bytes, ratio is archive to sessions.
`

func bindInfo(flags *pflag.FlagSet) runner {
	var problems bool
	flags.BoolVar(&problems, "problems", false, "list what could not be taken as it is")
	return func(ctx context.Context, c *call) error { return printInfo(ctx, c, problems) }
}

func printInfo(ctx context.Context, c *call, problems bool) error {
	a, err := openHeld(ctx, c)
	if err != nil {
		return err
	}
	defer a.Close()
	place := c.place("auto")
	info := documents.Info{Path: a.Path(), Project: place.ProjectRoot(), TextNote: search.TextNote(ctx, a)}
	if info.Info, err = a.Info(ctx); err != nil {
		return err
	}
	if info.Coverage, err = documents.NewCoverage(ctx, a); err != nil {
		return err
	}
	if info.Pending, err = place.Pending(ctx, a, info.Roots); err != nil {
		return err
	}
	if problems {
		if info.Problems, err = documents.NewProblems(ctx, a); err != nil {
			return err
		}
	}
	if c.json {
		return c.writeJSON(info.Document())
	}
	c.page(ctx)
	if problems {
		c.text().Problems(info.Problems)
	} else {
		c.text().Info(&info)
	}
	return nil
}
