package keep

import (
	"context"

	"github.com/spf13/pflag"

	"piarchive/internal/cli"
	"piarchive/internal/documents"
	"piarchive/internal/query/search"
)

const infoHelp = `What the archive holds and from where, how large it is, and how many files wait
for the next run: what was left over just now; with --no-fresh, what is new,
changed or gone by its size and times.

--problems lists everything that could not be taken as it is: damaged lines,
files that are no sessions, or are named like one and not looked into, entries
whose parent is not there, directories that may not be read.

With --json: {"schema","archive":{"path","bytes","schemaVersion",
"projectionVersion","sqliteVersion"},"roots":[{"path","sessions","bytes",
"missing"}],"projectRoot","counts":{"sessions","folded","entries","problems",
"systems":{NAME:N},"problemKinds":{KIND:N}},"sizes":{"sessions","archive",
"ratio","raw","fullText"},"pending","problems":[{"path","line","offset","kind",
"message"}],"coverage"}; problems only with --problems. folded counts the files
that are the beginning of a session, or all of it. projectRoot is where the
project in this directory wants its sessions, null if that is looked at anyway.
Sizes are in bytes, ratio is archive to sessions.
`

// Info is the command info.
func Info() cli.Command {
	return cli.Command{
		Name: "info", Summary: "show what the archive holds, and what waits to be indexed", Access: cli.Reads,
		Help: infoHelp, Bind: bindInfo,
	}
}

func bindInfo(flags *pflag.FlagSet) cli.Runner {
	var problems bool
	flags.BoolVar(&problems, "problems", false, "list what could not be taken as it is")
	return func(ctx context.Context, c *cli.Call) error { return printInfo(ctx, c, problems) }
}

func printInfo(ctx context.Context, c *cli.Call, problems bool) error {
	a, err := cli.OpenHeld(ctx, c)
	if err != nil {
		return err
	}
	defer a.Close()
	place := c.Place("auto")
	info := documents.Info{Path: a.Path(), Project: place.ProjectRoot(), TextNote: search.TextNote(ctx, a)}
	if info.Info, err = a.Info(ctx); err != nil {
		return err
	}
	if err := a.Measure(ctx, info.Info); err != nil {
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
	if c.JSON {
		return c.WriteJSON(info.Document())
	}
	c.Page(ctx)
	if problems {
		c.Text().Problems(info.Problems)
	} else {
		c.Text().Info(&info)
	}
	return nil
}
