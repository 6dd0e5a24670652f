package main

import (
	"context"
	"strconv"

	"github.com/spf13/pflag"

	"piarchive/internal/documents"
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

func bindHow(flags *pflag.FlagSet) runner {
	var f memoryFlags
	f.bind(flags)
	return func(ctx context.Context, c *call) error {
		filter, most, err := f.filter(c)
		if err != nil {
			return err
		}
		a, err := openArchive(ctx, c, f.fresh)
		if err != nil {
			return err
		}
		defer a.Close()
		list, err := memory.Commands(ctx, a, c.args[0], c.args[1:], filter, most)
		if err != nil {
			return err
		}
		table := c.text().Table(terminal.Column{Right: true, Paint: c.style.Bold}, terminal.Column{Paint: c.style.Dim},
			terminal.Column{Paint: c.style.Accent, Shrink: 2, Least: 12}, terminal.Column{Shrink: 1, Least: 20})
		err = printEach(ctx, c, a, list.Commands,
			func(cov documents.Coverage) any { return documents.NewHow(list, cov) },
			func(found memory.Command) any { return documents.NewCommand(found) },
			func(found memory.Command) error {
				at, err := c.reference(ctx, a, found.Last.Session, &found.Last.Entry)
				if err != nil {
					return err
				}
				runs, when := strconv.Itoa(found.Runs), c.when(&found.Last.Entry)
				if !c.laysOut() {
					return c.fields(runs, when, at, found.Last.Session.CWD, found.Line)
				}
				return table.Row(runs+"×", when, at, c.oneLine(found.Line, 0))
			})
		if endErr := table.End(); err == nil {
			err = endErr
		}
		if left := list.Total - len(list.Commands); err == nil && left > 0 {
			c.talk("%s more; -n 0 shows all", terminal.Counted(left, "command line"))
		}
		return err
	}
}
