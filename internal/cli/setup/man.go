package setup

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"piarchive/internal/cli"
)

const manHelp = `Prints the manual page of piarchive, with all that help says of every command.

  piarchive man | man -l -
  piarchive man > /usr/local/share/man/man1/piarchive.1
`

// Man is the command man.
func Man() cli.Command {
	return cli.Command{
		Name: "man", Summary: "print the manual page",
		Help: manHelp, Bind: bindMan,
	}
}

func bindMan(*pflag.FlagSet) cli.Runner {
	return func(_ context.Context, c *cli.Call) error {
		_, err := c.Stdout.WriteString(manual(c.Commands()))
		return err
	}
}

// page is a manual page being written.
type page struct{ strings.Builder }

// manual is the page, in the macros that every man knows.
func manual(commands []cli.Command) string {
	var p page
	p.WriteString(".TH PIARCHIVE 1 \"\" piarchive \"User Commands\"\n.ad l\n.nh\n.SH NAME\n")
	p.WriteString(roff("piarchive") + ` \- ` + roff("find anything in the sessions of coding agents, and keep what was deleted") + "\n")
	p.WriteString(".SH SYNOPSIS\n.B piarchive\n.RI [ \"global flags\" ] \" COMMAND \" [ flags ] \" \" [ arguments ]\n")
	p.WriteString(".SH DESCRIPTION\n")
	p.text(`piarchive mirrors the session files of pi, oh-my-pi (omp), pi_agent_rust and their successors into one SQLite
file, searches them, and keeps what was deleted. Only the commands that exist to write session files write them, and
these change no line that is there. A reading command that finds no archive makes it first, and brings it up to date.`)
	p.WriteString(".SH GLOBAL FLAGS\nThey stand before or after COMMAND.\n")
	p.flags(cli.GlobalFlags())
	for i, cmd := range commands {
		if i == 0 || cmd.Group != commands[i-1].Group {
			p.WriteString(".SH \"COMMANDS TO " + roff(strings.ToUpper(cmd.Group)) + "\"\n")
		}
		if cmd.Hidden {
			continue
		}
		flags, _ := cmd.FlagSet()
		usage := cmd.Name
		if flags.HasAvailableFlags() {
			usage += " [flags]"
		}
		p.WriteString(".SS \"" + roff(strings.TrimSpace(usage+" "+cmd.Args)) + "\"\n")
		p.WriteString(roff(strings.ToUpper(cmd.Summary[:1])+cmd.Summary[1:]) + ".\n.PP\n")
		p.text(cmd.Help)
		p.flags(flags)
	}
	p.WriteString(".SH EXIT STATUS\n")
	for line := range strings.Lines(cli.ExitStatus(cli.Writes)) {
		if number, what, ok := strings.Cut(strings.TrimSpace(line), " "); ok && number[0] <= '9' {
			p.item(roff(number), strings.TrimSpace(what))
		}
	}
	p.WriteString(".SH ENVIRONMENT\n")
	p.item("PIARCHIVE_DB", "the archive, as --db")
	p.item("PIARCHIVE_ROOTS", "where sessions are, as --root, separated as in PATH")
	p.item("PIARCHIVE_NO_FRESH", "1: answer from the archive as it is")
	p.item("PAGER, NO_COLOR, CLICOLOR_FORCE, COLUMNS, TZ", "as for other programs")
	p.WriteString(".SH FILES\n")
	p.item(roff("~/.local/share/piarchive/archive.db"), "the archive, unless said otherwise; below $XDG_DATA_HOME, if that is set")
	p.item(roff("~/.config/piarchive/config.toml"), "the settings; below $XDG_CONFIG_HOME, if that is set")
	p.WriteString(".SH SEE ALSO\n.BR sqlite3 (1),\n.BR less (1)\n")
	return p.String()
}

// text writes help: lines that are indented stay lines, others are paragraphs.
func (p *page) text(help string) {
	kept := false
	for line := range strings.Lines(help) {
		line = strings.TrimSuffix(line, "\n")
		if indented := strings.HasPrefix(line, " "); indented != kept && line != "" {
			p.WriteString(map[bool]string{true: ".nf\n", false: ".fi\n"}[indented])
			kept = indented
		}
		if line == "" {
			line = ".PP"
		} else {
			line = roff(line)
		}
		p.WriteString(line + "\n")
	}
	if kept {
		p.WriteString(".fi\n")
	}
}

func (p *page) flags(flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		takes, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if takes != "" {
			name += " " + takes
		}
		if !slices.Contains([]string{"", "0", "0s", "false", "[]"}, f.DefValue) {
			usage += fmt.Sprintf(" (default %s)", f.DefValue)
		}
		p.item(roff(name), usage)
	})
}

// item writes what is said of a name.
func (p *page) item(name, what string) {
	p.WriteString(".TP\n.B \"" + name + "\"\n" + roff(what) + "\n")
}

// roff writes a line so that it is nothing but text, in any encoding.
func roff(line string) string {
	var b strings.Builder
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		b.WriteString(`\&`)
	}
	for i, r := range line {
		switch {
		case r == ',' && i+1 < len(line) && line[i+1] != ' ':
			b.WriteString(`,\:`) // a line may end here, which the long words of JSON need
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r == '"':
			b.WriteString(`\(dq`)
		case r == '\'':
			b.WriteString(`\(aq`)
		case r == '`':
			b.WriteString(`\(ga`)
		case r == '^':
			b.WriteString(`\(ha`)
		case r == '~':
			b.WriteString(`\(ti`)
		case r >= 0x80:
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
