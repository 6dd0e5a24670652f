package find

import (
	"context"

	"github.com/spf13/pflag"

	"piarchive/internal/cli"
	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/query/memory"
	"piarchive/internal/terminal"
)

const howHelp = `The command lines that ran a program and succeeded, in all projects unless
--project says otherwise: the most frequent first, of equal ones the latest.
Equal lines are one, and copies in forks count once.

  piarchive how ffmpeg gif             how did I make that gif
  piarchive how "git rebase" --project .
  piarchive how bash docker            all that the tool bash ran with docker

COMMAND is a program, without its directory, and in quotes perhaps words that
come first behind it. It is found behind cd x &&, pipes, assignments, sudo, env,
timeout, xargs, npx and in bash -c, too. Each of the WORDS stands somewhere in
the same command; case does not matter. TOOL is a tool that runs command lines.
What failed is left out, as is what has no result.

In a pipe each line is fields set apart by tabs: how often it ran, the last
time, that call as SESSION@LINE, project, command line.

With --json: {"schema","commands":[{"command","tool","runs","session","entry"}],
"total","coverage"}, session and entry being those of the last call.
`

// How is the command how.
func How() cli.Command {
	return cli.Command{
		Name: "how", Args: "TOOL|COMMAND [WORDS…]", Summary: "recall the command lines that worked", Access: cli.Reads, Lists: true, AnyText: true,
		Help: howHelp, Bind: bindHow,
	}
}

func bindHow(flags *pflag.FlagSet) cli.Runner {
	return bindMemory(flags, func(ctx context.Context, c *cli.Call, a *query.Archive, filter memory.Filter, most int) error {
		found, err := memory.Commands(ctx, a, c.Args[0], c.Args[1:], filter, most)
		if err != nil {
			return err
		}
		list := documents.NewCommands(found.Commands)
		doc := documents.Object{{Name: "commands", Value: list}, {Name: "total", Value: found.Total}}
		err = cli.PrintList(ctx, c, a, list, documents.CommandFields, doc, c.Paged(ctx, func() { c.Text().Commands(found.Commands, found.Total) }))
		switch left := found.Total - len(found.Commands); {
		case err == nil && left > 0 && !c.LaysOut():
			c.Talk("%s more; -n 0 shows all", terminal.Counted(left, "command line"))
		case found.Total == 0 && c.LaysOut():
			c.Talk("no command line like that has worked")
		}
		return err
	})
}
