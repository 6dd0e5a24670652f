package count

import (
	"context"

	"github.com/spf13/pflag"

	"piarchive/internal/cli"
	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/query/numbers"
	"piarchive/internal/text"
)

const duHelp = `Where the bytes of the session files are: which kind of entry, extension, tool,
image, session or project takes the disk. Without --by the groups are kinds of
entries, with all images in one group of their own. The groups together have
every byte of the files once; headers, damaged lines and files that are no
sessions are a group as well.

  piarchive du                           all kinds, the largest first
  piarchive du --by custom-type          which extension
  piarchive du --by session -n 5         the five largest sessions
  piarchive du --by tool --project .     which tool's output, in this project

What a tool puts out is counted, not its calls, which are a part of the
assistant's message. BY is type, role, custom-type, tool, image (what images are
in), session or project. Bytes of files that are gone are counted, and told
apart: only the archive has them. info tells how large the archive itself is.

In a pipe each group is one line of fields set apart by tabs: bytes, share in
percent, lines, bytes of images, bytes in files that are gone, files, group.

With --json: {"schema","by","files","bytes","missing":{"files","bytes"},
"dropped":{"bytes"},"groups":[{"what","type","role","name","path","id","title",
"files","lines","bytes","imageBytes","missingBytes","share"}],"omitted":
{"groups","bytes"},"coverage"}. by is "kind" without --by; what is entries,
images, text (what is no image), other (entries the grouping has no name for),
none (no entry), session, project or file (no session). share is of all bytes,
dropped what rewrites took from the files and only the archive has, omitted what
-n left out.
`

// duFlags are the flags of du.
type duFlags struct {
	cli.Period
	by, project string
	csv         bool
	limit       int
	limited     bool // -n was given
}

// Du is the command du.
func Du() cli.Command {
	return cli.Command{
		Name: "du", Summary: "tell where the bytes of the session files are", Access: cli.Reads, Lists: true,
		Help: duHelp, Bind: bindDu,
	}
}

func bindDu(flags *pflag.FlagSet) cli.Runner {
	var f duFlags
	cli.BindChoice(flags, &f.by, "by", "", "groups: `BY`", numbers.Groupings[:]...)
	cli.BindProject(flags, &f.project)
	f.Bind(flags, "sessions active", "sessions last active")
	flags.IntVarP(&f.limit, "limit", "n", 0, "show at most `N` groups, 0 for all (default all, 15 on a terminal)")
	flags.BoolVar(&f.csv, "csv", false, "print comma-separated values, with a line of names")
	return func(ctx context.Context, c *cli.Call) error {
		f.limited = flags.Changed("limit")
		return f.run(ctx, c)
	}
}

// duGroups is how many groups a terminal gets unless told.
const duGroups = 15

func (f *duFlags) run(ctx context.Context, c *cli.Call) error {
	o, err := f.options(c)
	if err != nil {
		return err
	}
	a, err := cli.OpenHeld(ctx, c)
	if err != nil {
		return err
	}
	defer a.Close()
	w, err := numbers.ReadSizes(ctx, a, o)
	if err != nil {
		return err
	}
	limit := f.limit
	if !f.limited && c.IsTerminal(1) && c.LaysOut() && !f.csv {
		limit = duGroups
	}
	shown := w.First(limit, f.limited)
	if err := f.print(ctx, c, a, w, shown); err != nil {
		return err
	}
	if w.Files == 0 {
		return cli.ErrNothing
	}
	return nil
}

func (f *duFlags) options(c *cli.Call) (o numbers.SizeOptions, err error) {
	o.By = f.by
	if f.limit < 0 {
		return o, cli.UsageErrorf("-n is a number of groups, not %d", f.limit)
	}
	if f.csv && (c.JSON || c.JSONL || c.Format != "") {
		return o, cli.UsageErrorf("--csv, --json, --jsonl and --format exclude each other")
	}
	if o.Since, o.Until, err = f.Read(c.Now()); err != nil {
		return o, err
	}
	o.Project, err = c.ProjectPath(f.project)
	return o, err
}

func (f *duFlags) print(ctx context.Context, c *cli.Call, a *query.Archive, all *numbers.Sizes, shown []numbers.Size) error {
	list := documents.NewDu(all, shown, text.SizeName)
	if f.csv {
		c.Data()
		return list.To(documents.CSV(c.Stdout), documents.DuCSV)
	}
	return cli.PrintList(ctx, c, a, list, documents.DuFields, documents.DuDocument(all, list, f.by), func() error {
		c.Page(ctx)
		return c.Text().Sizes(ctx, a, all, shown)
	})
}
