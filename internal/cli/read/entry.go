package read

import (
	"context"

	"github.com/spf13/pflag"

	"piarchive/internal/cli"
	"piarchive/internal/query"
	"piarchive/internal/query/session"
)

const entryHelp = `Takes SESSION@LINE, or SESSION and ENTRY: an entry id, a unique beginning of
one, @N for the N-th physical line, or leaf.

` + cli.EntryHelp + `
The line is printed exactly as the file has it, also when it is damaged, and
also when the file is gone. --json prints the same bytes. Only on a terminal,
where they could act on the screen, control characters become pictures (␛), and
what hides or reorders text is written as JSON writes it (\u202e).
`

// Entry is the command entry.
func Entry() cli.Command {
	return cli.Command{
		Name: "entry", Args: "SESSION[@LINE] [ENTRY]", Summary: "print one raw line, byte for byte", Access: cli.Reads,
		Help: entryHelp, Bind: bindEntry,
	}
}

func bindEntry(*pflag.FlagSet) cli.Runner {
	return cli.OnSession(true, func(ctx context.Context, c *cli.Call, a *query.Archive, ref query.SessionRef, entry string) error {
		c.Data()
		return cli.Explained(session.WriteLine(ctx, a, ref, entry, c.Stdout))
	})
}
