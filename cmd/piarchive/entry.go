package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/pflag"

	"piarchive/internal/query"
	"piarchive/internal/query/session"
)

const entryHelp = `SESSION is a session id, a unique beginning of one (4 characters or more), the
path of a file, latest, or latest:. for the newest of this directory. ENTRY is
an entry id, a unique beginning of one, @N for the N-th physical line, or leaf.

The line is printed exactly as the file has it, also when it is damaged, and
also when the file is gone. --json prints the same bytes. Only on a terminal,
where they could act on the screen, control characters become pictures (␛), and
what hides or reorders text is written as JSON writes it (\u202e).
`

func bindEntry(*pflag.FlagSet) runner {
	return onSession(func(ctx context.Context, c *call, a *query.Archive, ref query.SessionRef) error {
		c.data()
		return explained(session.WriteLine(ctx, a, ref, c.args[1], c.stdout))
	})
}

const contextHelp = `Prints what the model is sent for the current leaf, or for --leaf: pi's
buildSessionContext, as JSON. Messages are as they are stored; references to
images outside the session stay references. A compaction on the way stands for
what came before its first kept entry.

Rules that pi has only since 0.86 apply to every file: context_edit entries,
system messages with a compaction, and empty content for a message without one.
Files written before have nothing that they change.

Where the file has no entry --leaf, it is that of the last one, as in pi, and a
line on standard error says so.

Prints {"messages":[…],"thinkingLevel","model":{"provider","modelId"}}, with and
without --json, and no "schema": it is pi's own document.
`

func bindContext(flags *pflag.FlagSet) runner {
	leaf := flags.String("leaf", "leaf", "the context of `ENTRY` instead of the current leaf")
	return onSession(func(ctx context.Context, c *call, a *query.Archive, ref query.SessionRef) error {
		row, err := session.FindRow(ctx, a, ref, *leaf)
		if _, unknown := errors.AsType[*query.NotFound](err); unknown && !strings.HasPrefix(*leaf, "@") {
			c.talk("%v; this is the context of the last entry, as pi has it", err)
			row, err = session.Leaf(ctx, a, ref.Key)
		}
		if err != nil {
			return explained(err)
		}
		c.data()
		w := c.documents()
		w.Schema = "" // it is pi's own document
		return w.Context(ctx, a, row)
	})
}
