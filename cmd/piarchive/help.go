package main

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/pflag"

	"piarchive/internal/documents"
	"piarchive/internal/terminal"
)

const helpHelp = `Without COMMAND, lists the commands. "piarchive COMMAND --help" says the same.
`

func bindHelp(*pflag.FlagSet) runner {
	return func(ctx context.Context, c *call) error {
		if len(c.args) == 0 {
			return c.printHelp(ctx)
		}
		cmd, err := findCommand(c.table, c.args[0])
		if err != nil {
			return err
		}
		return c.printCommandHelp(ctx, cmd)
	}
}

// printHelp prints the page of the whole program.
func (c *call) printHelp(ctx context.Context) error {
	var b strings.Builder
	b.WriteString("piarchive keeps and searches the sessions of pi and its relatives.\n\n")
	b.WriteString("Usage: piarchive [global flags] COMMAND [flags] [arguments]\n\nCommands:\n")
	widest := 0
	for _, cmd := range c.table {
		if !cmd.hidden {
			widest = max(widest, len(cmd.name))
		}
	}
	for _, cmd := range c.table {
		if !cmd.hidden {
			below := "\n" + strings.Repeat(" ", widest+4)
			fmt.Fprintf(&b, "  %s  %s\n", terminal.Pad(cmd.name, widest), strings.Join(terminal.Wrap(cmd.summary, c.helpWidth()-widest-4), below))
		}
	}
	flags := newFlagSet("piarchive")
	new(globals).bind(flags)
	b.WriteString("\nGlobal flags, before or after COMMAND:\n")
	b.WriteString(flags.FlagUsagesWrapped(c.helpWidth()))
	b.WriteString("\n" + exitStatus(writes))
	b.WriteString("\nSee piarchive COMMAND --help for one command.\n")
	return c.writeHelp(ctx, b.String())
}

// writeHelp prints help in a window that may be narrower than its lines.
func (c *call) writeHelp(ctx context.Context, text string) error {
	var b strings.Builder
	for line := range strings.Lines(text) {
		for _, piece := range terminal.Wrap(strings.TrimSuffix(line, "\n"), c.width()) {
			b.WriteString(piece + "\n")
		}
	}
	c.page(ctx)
	_, err := c.stdout.WriteString(b.String())
	return err
}

// printCommandHelp prints the page of one command.
func (c *call) printCommandHelp(ctx context.Context, cmd command) error {
	own, _ := cmd.flagSet()
	usage := "piarchive " + cmd.name
	if own.HasFlags() {
		usage += " [flags]"
	}
	if cmd.args != "" {
		usage += " " + cmd.args
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: %s\n\n%s.\n", usage, capitalized(cmd.summary))
	if cmd.help != "" {
		b.WriteString("\n" + strings.TrimSuffix(cmd.help, "\n") + "\n")
	}
	if own.HasFlags() {
		b.WriteString("\nFlags:\n" + own.FlagUsagesWrapped(c.helpWidth()))
	}
	globals := terminal.Wrap("Global flags: "+globalFlagsLine(cmd)+" (see piarchive help)", c.helpWidth())
	b.WriteString("\n" + strings.Join(globals, "\n") + "\n")
	b.WriteString("\n" + exitStatus(cmd.access))
	return c.writeHelp(ctx, b.String())
}

// helpWidth is the width help is laid out for: a window, but no wider than
// lines are pleasant to read.
func (c *call) helpWidth() int {
	width := c.width()
	if width == 0 {
		width = 80
	}
	return min(width, 100)
}

// globalFlagsLine names the global flags that mean something to cmd.
func globalFlagsLine(cmd command) string {
	line := "--json --color WHEN --width N --no-pager -q -h"
	if cmd.lists {
		line = "--jsonl " + line
	}
	if cmd.access == reads {
		line = "--fresh --no-fresh " + line
	}
	if cmd.access != none {
		line = "--db FILE --root DIR " + line
	}
	return line
}

// exitStatus explains what a command with that access may exit with.
func exitStatus(a access) string {
	if a == none {
		return "Exit status: 0 done, 2 usage error or failure.\n"
	}
	return `Exit status:
  0    done, or found
  1    nothing found, or verify found drift
  2    usage error or failure
  75   another run holds the write lock; try again later
  76   a newer piarchive wrote the archive
  130  interrupted; nothing is lost
`
}

// capitalized makes a summary, which begins in lower case, a sentence.
func capitalized(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

const versionHelp = `With --json: {"schema","version","revision","modified","committed","go",
"platform"}.
revision is null for a build outside version control.
`

// version is set by the linker; a plain go build or go install leaves it to
// the build information.
var version string

// thisBuild describes this program.
func thisBuild() documents.Build {
	info, _ := debug.ReadBuildInfo()
	return documents.NewBuild(version, info)
}

func bindVersion(*pflag.FlagSet) runner {
	return func(_ context.Context, c *call) error {
		build := thisBuild()
		if c.json {
			return c.writeJSON(build)
		}
		_, err := fmt.Fprintln(c.stdout, build)
		return err
	}
}
