package read

import (
	"context"

	"github.com/spf13/pflag"

	"piarchive/internal/cli"
	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/query/session"
)

const labelsHelp = `Prints the labels in force, of one session or of all.

With --json: {"schema","labels":[{"session","entry","targetId","label",
"timestamp"}],"coverage"}. In a pipe: path, line, entry id, label, set apart by
tabs.
`

// Labels is the command labels.
func Labels() cli.Command {
	return cli.Command{
		Name: "labels", Args: "[SESSION[@LINE]]", Summary: "list the labels in force", Access: cli.Reads, Lists: true,
		Help: labelsHelp, Bind: bindLabels,
	}
}

func bindLabels(*pflag.FlagSet) cli.Runner {
	return func(ctx context.Context, c *cli.Call) (err error) {
		var a *query.Archive
		var of query.SessionRef // all of them
		if len(c.Args) > 0 {
			a, of, _, err = cli.OpenSession(ctx, c, c.Args[0])
		} else {
			a, err = cli.OpenArchive(ctx, c)
		}
		if err != nil {
			return err
		}
		defer a.Close()
		found, err := session.AllLabels(ctx, a, of.Key)
		if err != nil {
			return err
		}
		list := documents.NewLabels(found)
		return cli.PrintList(ctx, c, a, list, documents.LabelFields, documents.Object{{Name: "labels", Value: list}}, func() error {
			if len(found) == 0 {
				c.Talk("no label is in force")
				return nil
			}
			c.Page(ctx)
			return c.Text().Labels(ctx, a, found)
		})
	}
}
