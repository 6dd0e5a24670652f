package setup

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	"piarchive/internal/cli"
	"piarchive/internal/documents"
	"piarchive/internal/terminal"
	"piarchive/internal/text"
)

const configHelp = `Shows what is in force, and why: a flag, a variable, a line of the settings
file, or nothing of these. The file is $XDG_CONFIG_HOME/piarchive/config.toml,
else ~/.config/piarchive/config.toml. It need not be there. What it can hold:

  db = "~/sessions/archive.db"   as --db
  roots = ["/mnt/old", "~/.pi/agent/sessions"]   as --root: no other place
  exclude = ["~/private", "/srv/*/secret"]   projects that are not taken up
  fresh = "quick"                quick; all as --fresh, none as --no-fresh
  color = "auto"                 auto, always or never
  width = 100                    columns
  pager = "less -R"              none for none
  format = "auto"                of lists: auto, text or tsv
  tz = "Europe/Berlin"           zone of all dates

  [search]                       flags of a command, for whenever that runs
  limit = 50
  hyperlinks = "never"
  [show]
  tools = true

Flags count first, then $PIARCHIVE_DB, $PIARCHIVE_ROOTS and $PIARCHIVE_NO_FRESH,
then the file, then what all programs share: $PAGER, $NO_COLOR, $COLUMNS, $TZ. A
flag that the file turns on is turned off by --tools=false.

Of projects that exclude names, and all below them, no session is taken up.
Those that the archive has stay in it as they are, and are found, until you
remove them: piarchive forget --project DIR --even-present.

Where the file is wrong, commands say at which lines and stop; config shows what
is right in it, and help works.

In a pipe each setting is one line of fields set apart by tabs: name, value, and
where it comes from.

With --json: {"schema","path","settings":[{"name","value","from"}]}.
`

// Config is the command config.
func Config() cli.Command {
	return cli.Command{
		Name: "config", Summary: "show which settings are in force, and why", Fields: true,
		Help: configHelp, Bind: bindConfig,
	}
}

func bindConfig(flags *pflag.FlagSet) cli.Runner {
	path := flags.Bool("path", false, "print where the settings file is")
	return func(_ context.Context, c *cli.Call) error {
		if *path && !c.JSON {
			_, err := fmt.Fprintln(c.Stdout, terminal.Safe(c.SettingsPath()))
			return err
		}
		all, wrong := c.Settings()
		if all == nil {
			return wrong
		}
		if err := printSettings(c, all); err != nil {
			return err
		}
		return wrong
	}
}

func printSettings(c *cli.Call, all []cli.InForce) error {
	if c.JSON {
		doc := documents.Config{Path: c.SettingsPath(), Settings: []documents.Setting{}}
		for _, s := range all {
			doc.Settings = append(doc.Settings, documents.Setting(s))
		}
		return c.WriteJSON(doc)
	}
	if !c.LaysOut() {
		for _, s := range all {
			fmt.Fprintf(c.Stdout, "%s\t%s\t%s\n", s.Name, terminal.Safe(s.Value), terminal.Safe(s.From))
		}
		return nil
	}
	table := c.Text().Table(terminal.Column{Head: "SETTING"},
		terminal.Column{Head: "VALUE", Shrink: 1, Least: 8, Path: true},
		terminal.Column{Head: "FROM", Shrink: 2, Least: 12, Path: true, Paint: c.Style.Dim})
	for _, s := range all {
		if err := table.Row(s.Name, terminal.Safe(s.Value), terminal.Safe(text.Tilde(s.From, c.Home))); err != nil {
			return err
		}
	}
	return table.End()
}
