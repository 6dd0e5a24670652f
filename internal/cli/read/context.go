package read

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/spf13/pflag"

	"piarchive/internal/cli"
	"piarchive/internal/query"
	"piarchive/internal/query/session"
)

const contextHelp = `Prints what the model is sent for the current leaf, or for another entry, as
JSON: for a session of omp what omp 18 builds, for any other pi's
buildSessionContext. --as pi or --as omp asks for either. Messages are as they
are stored; references to images outside the session stay references. A
compaction on the way stands for what came before its first kept entry.

--transcript prints what was said on the whole way instead, in its order, with
the compactions in their places: what the program itself shows, not what the
model is sent. In omp's, only the last compaction tells its summary, and calls
without a result are counted in "strippedToolCalls".

Rules that pi has only since 0.86 apply to every file: context_edit entries,
system messages with a compaction, and empty content for a message without one.
Files written before have nothing that they change.

SESSION@LINE is the same as SESSION --leaf @LINE.

Where the file has no entry of that id, it is the context of the last one, as in
pi, and a line on standard error says so.

Prints {"messages":[…],"thinkingLevel","model":{"provider","modelId"}}, or as
omp {"messages":[…],"thinkingLevel","configuredThinkingLevel","serviceTier",
"models","injectedTtsrRules","mode","modeData"}, with and without --json, and no
"schema": it is the program's own document.
`

// Context is the command context.
func Context() cli.Command {
	return cli.Command{
		Name: "context", Args: "SESSION[@LINE]", Summary: "print what the model is sent for a leaf", Access: cli.Reads,
		Help: contextHelp, Bind: bindContext,
	}
}

func bindContext(flags *pflag.FlagSet) cli.Runner {
	var as string
	leaf := flags.String("leaf", "", "the context of `ENTRY` instead of the current leaf")
	cli.BindChoice(flags, &as, "as", "", "build it as `PROGRAM` does, which", "pi", "omp")
	transcript := flags.Bool("transcript", false, "what was said on the whole way, for display")
	return cli.OnSession(false, func(ctx context.Context, c *cli.Call, a *query.Archive, ref query.SessionRef, entry string) error {
		if *leaf != "" && entry != "leaf" {
			return cli.UsageErrorf("two entries are named, %s and --leaf %s", entry, *leaf)
		}
		entry = cmp.Or(*leaf, entry)
		row, err := session.FindRow(ctx, a, ref, entry)
		if _, unknown := errors.AsType[*query.NotFound](err); unknown && !strings.HasPrefix(entry, "@") {
			c.Talk("%v; this is the context of the last entry, as pi has it", err)
			row, err = session.Leaf(ctx, a, ref.Key)
		}
		if err != nil {
			return cli.Explained(err)
		}
		if as == "" {
			if as, err = session.System(ctx, a, ref); err != nil {
				return err
			}
		}
		c.Data()
		w := c.Documents()
		w.Schema = "" // it is the program's own document
		if as == "omp" {
			return w.OMPContext(ctx, a, row, *transcript)
		}
		return w.Context(ctx, a, row, *transcript)
	})
}
