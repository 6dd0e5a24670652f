package main

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/pflag"

	"piarchive/internal/documents"
	"piarchive/internal/ingest"
	"piarchive/internal/query"
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
	a, err := openArchive(ctx, c)
	if err != nil {
		return err
	}
	defer a.Close()
	if err := a.Hold(ctx); err != nil {
		return err
	}
	info := documents.Info{Path: a.Path(), Project: projectRoot(c), TextNote: search.TextNote(ctx, a)}
	if info.Info, err = a.Info(ctx); err != nil {
		return err
	}
	if info.Coverage, err = documents.NewCoverage(ctx, a); err != nil {
		return err
	}
	if info.Pending, err = pending(ctx, c, a, info.Roots); err != nil {
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

// pending counts the files that wait for the next run: below --root, else in
// every known place and wherever the archive's sessions came from.
func pending(ctx context.Context, c *call, a *query.Archive, known []query.RootInfo) (int, error) {
	places, left, err := presentRoots(c)
	c.talkAll(left)
	if err != nil && !errors.Is(err, errNoSessions) && !errors.Is(err, errNoRoot) {
		return 0, err
	}
	if a.Pending != nil {
		return a.Pending.Files, nil
	}
	for _, r := range known {
		same := func(place ingest.Root) bool { return place.Path == r.Path }
		if len(c.roots) == 0 && !slices.ContainsFunc(places, same) {
			places = append(places, ingest.Root{Path: r.Path})
		}
	}
	return ingest.Pending(ctx, a.DB(), places)
}
