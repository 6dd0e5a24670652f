package write

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"piarchive/internal/cli"
	"piarchive/internal/jsonl/compose"
	"piarchive/internal/session"
)

const appendHelp = `Appends entries to a session: pi's appendMessage and its kin. JSON is an object
with the type of an entry and what belongs to it, or a message alone. Without
it, or for -, each line of standard input is one. Id, parent and times are
added.

  piarchive append latest '{"role":"user","content":"go on"}'
  piarchive append 4a369254@17 '{"type":"custom","customType":"note","data":1}'
  piarchive append 4a369254 <entries.jsonl

The first goes behind the last entry of the file or, with SESSION@LINE, behind
that one, which begins a branch; each further one goes behind the one before.
--top begins anew at the top, and a "parentId" in JSON names what it follows.

What the session's program would not read as it was meant is refused before
anything is written: a parent or target that is not there, a type that the
program does not know, a member that is missing or of another kind. Lines that
are there never change. Two programs may append at the same time; but omp and
pi_agent_rust write their files anew from memory, so end them first.

` + cli.EntryHelp + `
Prints SESSION@ID of each entry; --dry-run prints the lines instead.

` + writtenHelp

// Append is the command append.
func Append() cli.Command {
	return cli.Command{
		Name: "append", Args: "SESSION[@LINE] [JSON…]", Summary: "append entries to a session", Access: cli.Files,
		Help: appendHelp, Bind: bindAppend,
	}
}

func bindAppend(flags *pflag.FlagSet) cli.Runner {
	var o options
	o.bindSync(flags)
	root := flags.Bool("top", false, "at the top of the tree, as one more root")
	return func(ctx context.Context, c *cli.Call) error {
		w := newWriter(c, o)
		defer w.close()
		ref, list := joined(c.Args)
		t, err := w.find(ctx, ref)
		if err != nil {
			return err
		}
		if *root && t.entry != "" {
			return cli.UsageErrorf("--top is a place of its own, not behind %s", ref)
		}
		if len(list) == 0 || len(list) == 1 && list[0] == "-" {
			if c.IsTerminal(0) {
				return cli.UsageErrorf("append needs JSON, or entries on standard input")
			}
			if list, err = w.lines(ctx, "the JSON of an entry"); err != nil {
				return err
			}
		}
		var drafts []*compose.Draft
		for i, text := range list {
			d, err := t.file.Draft([]byte(text))
			switch {
			case errors.Is(err, session.ErrOld):
				return w.failed(t.Path, err)
			case err != nil && len(list) > 1:
				return cli.UsageErrorf("%w", w.failed(t.Path, fmt.Errorf("entry %d: %w", i+1, err)))
			case err != nil:
				return cli.UsageErrorf("%w", w.failed(t.Path, err))
			}
			drafts = append(drafts, d)
		}
		if o.dryRun && len(drafts) > 1 {
			return errors.New("append: --dry-run shows one entry: what follows hangs on ids that are not given yet")
		}
		at := t.at()
		at.Root = *root
		for i, d := range drafts {
			id, err := w.append(t, d, at)
			if err != nil {
				return w.broken(ctx, fmt.Errorf("%w (entry %d of %d)", err, i+1, len(drafts)))
			}
			at.Root, at.Entry = false, id
			if i+1 < len(drafts) && drafts[i+1].HasParent {
				at.Entry = ""
			}
		}
		return w.finish(ctx)
	}
}
