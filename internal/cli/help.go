package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"piarchive/internal/terminal"
)

// SessionHelp says what names a session, EntryHelp also what names an entry.
const (
	SessionHelp = `SESSION is a session id, a unique beginning of one (4 characters or more), the
path of a file, latest, or latest:. for the newest of this directory.
`
	EntryHelp = SessionHelp + `SESSION@LINE names an entry of it, as search prints hits.
`
)

const helpHelp = `Without COMMAND, lists the commands. "piarchive COMMAND --help" says the same.
`

// Help is the command help.
func Help() Command {
	return Command{
		Name: "help", Args: "[COMMAND]", Summary: "explain a command",
		Help: helpHelp, Bind: bindHelp,
	}
}

func bindHelp(*pflag.FlagSet) Runner {
	return func(ctx context.Context, c *Call) error {
		if len(c.Args) == 0 {
			return c.printHelp(ctx)
		}
		cmd, err := findCommand(c.table, c.Args[0])
		if err != nil {
			return err
		}
		return c.printCommandHelp(ctx, cmd)
	}
}

// printHelp prints the page of the whole program.
func (c *Call) printHelp(ctx context.Context) error {
	var b strings.Builder
	b.WriteString("piarchive keeps and searches the sessions of pi and its relatives.\n\n")
	b.WriteString("Usage: piarchive [global flags] COMMAND [flags] [arguments]\n")
	widest := 0
	for _, cmd := range c.table {
		if !cmd.Hidden {
			widest = max(widest, len(cmd.Name))
		}
	}
	for i, cmd := range c.table {
		if i == 0 || cmd.Group != c.table[i-1].Group {
			b.WriteString("\n" + cmd.Group + ":\n")
		}
		if !cmd.Hidden {
			below := "\n" + strings.Repeat(" ", widest+4)
			fmt.Fprintf(&b, "  %s  %s\n", terminal.Pad(cmd.Name, widest), strings.Join(terminal.Wrap(cmd.Summary, c.helpWidth()-widest-4), below))
		}
	}
	b.WriteString("\nGlobal flags, before or after COMMAND:\n")
	b.WriteString(GlobalFlags().FlagUsagesWrapped(c.helpWidth()))
	b.WriteString("\n" + ExitStatus(Writes))
	b.WriteString("\nSee piarchive COMMAND --help for one command.\n")
	return c.writeHelp(ctx, b.String())
}

// writeHelp prints help in a window that may be narrower than its lines.
func (c *Call) writeHelp(ctx context.Context, text string) error {
	if c.Glyphs().ASCII {
		text = strings.ReplaceAll(text, "…", "...")
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		for _, piece := range terminal.Wrap(strings.TrimSuffix(line, "\n"), c.Width()) {
			for c.Width() > 0 && terminal.Width(piece) > c.Width() { // the keys of a document stand without spaces
				at := strings.LastIndexAny(piece[:c.Width()], ",[{")
				if at < 0 {
					break
				}
				b.WriteString(piece[:at+1] + "\n")
				piece = piece[at+1:]
			}
			b.WriteString(piece + "\n")
		}
	}
	c.Page(ctx)
	_, err := c.Stdout.WriteString(b.String())
	return err
}

// printCommandHelp prints the page of one command.
func (c *Call) printCommandHelp(ctx context.Context, cmd Command) error {
	own, _ := cmd.FlagSet()
	usage := "piarchive " + cmd.Name
	if own.HasAvailableFlags() {
		usage += " [flags]"
	}
	if cmd.Args != "" {
		usage += " " + cmd.Args
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: %s\n\n%s.\n", usage, capitalized(cmd.Summary))
	if cmd.Help != "" {
		b.WriteString("\n" + strings.TrimSuffix(cmd.Help, "\n") + "\n")
	}
	if own.HasAvailableFlags() {
		b.WriteString("\nFlags:\n" + own.FlagUsagesWrapped(c.helpWidth()))
	}
	globals := terminal.Wrap("Global flags: "+globalFlagsLine(cmd)+" (see piarchive help)", c.helpWidth())
	b.WriteString("\n" + strings.Join(globals, "\n") + "\n")
	b.WriteString("\n" + ExitStatus(cmd.Access))
	return c.writeHelp(ctx, b.String())
}

// helpWidth is the width help is laid out for: a window, but no wider than
// lines are pleasant to read.
func (c *Call) helpWidth() int {
	width := c.Width()
	if width == 0 {
		width = 80
	}
	return min(width, 100)
}

// globalFlagsLine names the global flags that mean something to cmd.
func globalFlagsLine(cmd Command) string {
	line := "--json --color WHEN --width N --no-pager -q -h"
	if cmd.Lists {
		line = "--jsonl " + line
	}
	if cmd.Access == Reads || cmd.Access == Files {
		line = "--fresh --no-fresh " + line
	}
	if cmd.Access != None {
		line = "--db FILE --root DIR " + line
	}
	return line
}

// ExitStatus explains what a command with that access may exit with.
func ExitStatus(a Access) string {
	if a == None {
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
