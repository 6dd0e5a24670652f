package read

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/pflag"

	"piarchive/internal/archive"
	"piarchive/internal/cli"
	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/transcript"
)

const showHelp = `Prints the way from the root to the current leaf, or to --leaf: what was said
along one branch. --all prints every entry in the order of the file instead.

SESSION@LINE prints that entry with three before and three behind it on its
branch; -C N prints N, and with --all those next to it in the file. Calls come
with their results.

Tool calls are one line each, with the beginning of their result; --tools opens
them. Thinking is left out but for --thinking. System prompts and what changes
only settings are one line.

  --format text   for reading; the default
  --format md     Markdown
  --format jsonl  the original lines; in a pipe byte for byte, see entry --help

--version N shows what the session was before its file was cut short or written
anew; piarchive vanished SESSION lists its versions.

` + cli.EntryHelp + `
With --json: {"schema","session","leafId","entries":[{"id","parentId","line",
"type","role","timestamp","label","blocks":[{"kind","text","name","callId",
"arguments","mime","size","blob","path","truncated"}]}]}. An image that omp
keeps outside of the session has its SHA-256 as "blob", and its file as "path"
where that is there; texts that omp cut are "truncated".
`

// showOptions are the flags of show.
type showOptions struct {
	transcript.Options
	leaf    string
	around  int
	window  bool // -C was given
	version int
	earlier bool // --version was given
	format  string
	links   string
}

// Show is the command show.
func Show() cli.Command {
	return cli.Command{
		Name: "show", Args: "SESSION[@LINE]", Summary: "read a session as a transcript", Access: cli.Reads,
		Help: showHelp, Bind: bindShow,
	}
}

func bindShow(flags *pflag.FlagSet) cli.Runner {
	var o showOptions
	flags.StringVar(&o.leaf, "leaf", "", "the way to `ENTRY` instead of the current leaf")
	flags.IntVarP(&o.around, "context", "C", 3, "print `N` entries before and behind SESSION@LINE")
	flags.BoolVar(&o.All, "all", false, "every entry, in the order of the file")
	flags.BoolVar(&o.Tools, "tools", false, "open tool calls and their results")
	flags.BoolVar(&o.Thinking, "thinking", false, "print the model's thinking too")
	flags.IntVar(&o.version, "version", 0, "the `N`-th of the earlier states, 1 being the oldest")
	cli.BindChoice(flags, &o.format, "format", "text", "`FORMAT`", "text", "md", "jsonl")
	cli.BindHyperlinks(flags, &o.links)
	return func(ctx context.Context, c *cli.Call) error {
		o.earlier, o.window = flags.Changed("version"), flags.Changed("context")
		return o.run(ctx, c)
	}
}

func (o *showOptions) run(ctx context.Context, c *cli.Call) error {
	switch {
	case o.All && o.leaf != "":
		return cli.UsageErrorf("--all and --leaf exclude each other")
	case o.around < 0:
		return cli.UsageErrorf("-C is a number of entries, not %d", o.around)
	case o.earlier && o.version < 1:
		return cli.UsageErrorf("--version is a number from 1 on, not %d", o.version)
	}
	a, ref, entry, err := o.open(ctx, c)
	if err != nil {
		return err
	}
	defer a.Close()
	blobs, err := archive.Blobs(ctx, a, ref)
	if err != nil {
		return err
	}
	t := transcript.Transcript{Archive: a, Session: ref, Blobs: blobs}
	if err := o.choose(ctx, &t, entry); err != nil {
		return err
	}
	steps := t.Steps
	switch {
	case c.JSON:
		doc, err := documents.NewShow(ctx, a, ref, steps, blobs)
		if err != nil {
			return err
		}
		return c.WriteJSON(doc)
	case o.format == "jsonl":
		c.Data()
		return t.Raw(ctx, c.Stdout)
	case len(steps) == 0:
		return cli.WithHint(fmt.Errorf("session %q has no entries", c.Args[0]), "piarchive entry SESSION @1 prints its first line")
	}
	c.Hyperlinks(o.links)
	o.Zone, o.Width, o.Style = c.Now().Location(), c.Width(), c.Style
	c.Page(ctx)
	if o.format == "md" {
		return t.Markdown(ctx, c.Stdout, o.Options)
	}
	c.Glyphs()
	return t.Text(ctx, c.Stdout, o.Options)
}

func (o *showOptions) open(ctx context.Context, c *cli.Call) (*query.Archive, query.SessionRef, string, error) {
	if o.version > 0 {
		a, ref, entry, err := c.Place("auto").Version(ctx, c.Args[0], o.version)
		return a, ref, entry, cli.Explained(err)
	}
	return cli.OpenSession(ctx, c, c.Args[0])
}

// choose finds what is to be shown: one path, everything, or what stands around
// an entry.
func (o *showOptions) choose(ctx context.Context, t *transcript.Transcript, entry string) (err error) {
	switch {
	case entry == "" && o.window:
		return cli.UsageErrorf("-C stands around an entry: SESSION@LINE")
	case entry != "" && o.leaf != "":
		return cli.UsageErrorf("two entries are named, %s and --leaf %s", entry, o.leaf)
	case entry != "":
		err = t.Around(ctx, entry, o.around, o.All)
	case o.All:
		err = t.Everything(ctx)
	default:
		err = t.Path(ctx, cmp.Or(o.leaf, "leaf"))
	}
	return cli.Explained(err)
}
