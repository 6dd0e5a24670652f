package find

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/pflag"

	"piarchive/internal/cli"
	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/query/memory"
)

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

// Blame is the command blame.
func Blame() cli.Command {
	return cli.Command{
		Name: "blame", Args: "FILE[:LINE]", Summary: "tell which session and prompt wrote a file or a line", Access: cli.Reads, Lists: true,
		Help: blameHelp, Bind: bindBlame,
	}
}

func bindBlame(flags *pflag.FlagSet) cli.Runner {
	return bindMemory(flags, func(ctx context.Context, c *cli.Call, a *query.Archive, filter memory.Filter, most int) error {
		file, line, err := memory.FileAndLine(c.Args[0], c.Home, c.Abs, os.ReadFile, func(path string) bool {
			_, err := os.Lstat(path)
			return err == nil
		})
		if errors.Is(err, memory.ErrNoFile) {
			err = cli.WithHint(err, "without :LINE, blame tells who wrote a file that is gone")
		}
		if err != nil {
			return err
		}
		found, err := memory.Blame(ctx, a, file, filter, most)
		if err != nil {
			return err
		}
		list := documents.NewWriters(found.Writers)
		err = cli.PrintList(ctx, c, a, list, documents.WriterFields, documents.NewBlame(found, list, file, line), c.Paged(ctx, func() { c.Text().Writers(found.Writers, found.More) }))
		if err == nil && found.More && !c.LaysOut() {
			c.Talk("there are more; -n 0 shows all")
		}
		switch {
		case len(found.Writers) == 0 && line == 0:
			c.Talk("no session in the archive wrote %s", file.Path)
		case err == nil && !found.Exact:
			c.Talk("no session wrote %s; these wrote files whose paths end so", file.Path)
		}
		return err
	})
}
