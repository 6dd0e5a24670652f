package main

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/query/session"
	"piarchive/internal/transcript"
)

const showHelp = `Prints the way from the root to the current leaf, or to --leaf: what was said
along one branch. --all prints every entry in the order of the file instead.

Tool calls are one line each, with the beginning of their result; --tools opens
them. Thinking is left out but for --thinking. System prompts and what changes
only settings are one line.

  --format text   for reading; the default
  --format md     Markdown
  --format jsonl  the original lines; in a pipe byte for byte, see entry --help

--version N shows what the session was before its file was cut short or written
anew; piarchive vanished SESSION lists its versions.

SESSION is a session id, a unique beginning of one (4 characters or more), the
path of a file, latest, or latest:. for the newest of this directory.

With --json: {"schema","session","leafId","entries":[{"id","parentId","line",
"type","role","timestamp","label","blocks":[{"kind","text","name","callId",
"arguments","mime","size","blob"}]}]}.
`

// showOptions are the flags of show.
type showOptions struct {
	transcript.Options
	leaf    string
	version int
	earlier bool // --version was given
	format  string
}

func bindShow(flags *pflag.FlagSet) runner {
	var o showOptions
	flags.StringVar(&o.leaf, "leaf", "leaf", "the way to `ENTRY` instead of the current leaf")
	flags.BoolVar(&o.All, "all", false, "every entry, in the order of the file")
	flags.BoolVar(&o.Tools, "tools", false, "open tool calls and their results")
	flags.BoolVar(&o.Thinking, "thinking", false, "print the model's thinking too")
	flags.IntVar(&o.version, "version", 0, "the `N`-th of the earlier states, 1 being the oldest")
	bindChoice(flags, &o.format, "format", "text", "`FORMAT`", "text", "md", "jsonl")
	return func(ctx context.Context, c *call) error {
		o.earlier = flags.Changed("version")
		return o.run(ctx, c)
	}
}

func (o *showOptions) run(ctx context.Context, c *call) error {
	switch {
	case o.All && o.leaf != "leaf":
		return usageErrorf("--all and --leaf exclude each other")
	case o.earlier && o.version < 1:
		return usageErrorf("--version is a number from 1 on, not %d", o.version)
	}
	a, ref, err := o.open(ctx, c)
	if err != nil {
		return err
	}
	defer a.Close()
	steps, err := o.steps(ctx, a, ref)
	if err != nil {
		return err
	}
	t := transcript.Transcript{Archive: a, Session: ref, Steps: steps}
	switch {
	case c.json:
		doc, err := documents.NewShow(ctx, a, ref, steps)
		if err != nil {
			return err
		}
		return c.writeJSON(doc)
	case o.format == "jsonl":
		c.data()
		return t.Raw(ctx, c.stdout)
	case len(steps) == 0:
		return withHint(fmt.Errorf("session %q has no entries", c.args[0]), "piarchive entry SESSION @1 prints its first line")
	}
	o.Zone, o.Width, o.Style = c.now().Location(), c.width(), c.style
	c.page(ctx)
	if o.format == "md" {
		return t.Markdown(ctx, c.stdout, o.Options)
	}
	return t.Text(ctx, c.stdout, o.Options)
}

func (o *showOptions) open(ctx context.Context, c *call) (*query.Archive, query.SessionRef, error) {
	if o.version > 0 {
		a, ref, err := c.place("auto").Version(ctx, c.args[0], o.version)
		return a, ref, explained(err)
	}
	return openSession(ctx, c, c.args[0])
}

// steps is what is to be shown: one path, or everything.
func (o *showOptions) steps(ctx context.Context, a *query.Archive, ref query.SessionRef) ([]session.Step, error) {
	if o.All {
		return session.Entries(ctx, a, ref.Key)
	}
	row, err := session.FindRow(ctx, a, ref, o.leaf)
	if err != nil || row == 0 { // a session without entries has an empty path
		return nil, explained(err)
	}
	return session.PathTo(ctx, a, row)
}
