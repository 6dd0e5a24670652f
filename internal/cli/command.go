package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"piarchive/internal/words"
)

// Access is what a command does with the archive.
type Access int

const (
	None   Access = iota // never looks at it
	Reads                // asks it
	Writes               // changes it
	Files                // asks it, and writes session files
)

// Runner does the work of one command, with its flags already filled in.
type Runner func(ctx context.Context, c *Call) error

// Command is one row of the table: at once dispatcher, help, completion and
// list of who may write.
type Command struct {
	Group   string // the heading above it; those of a group stand together
	Name    string
	Args    string // as in the usage line; [X] is optional, … repeats; checked before the runner is called
	Summary string // one line, lower case, no period
	Access  Access
	Lists   bool // takes --jsonl
	Hidden  bool // works, but is not advertised
	Fields  bool // takes --format, though it is no list
	AnyText bool // its arguments are free text: a lone one that is no flag is no mistake
	Help    string
	Bind    func(*pflag.FlagSet) Runner
}

// otherWords are what people type from habit for a command.
func otherWords() map[string]string {
	return map[string]string{
		"grep": "search", "find": "search", "rg": "search", "query": "search", "cat": "show", "open": "show", "view": "show", "read": "show",
		"rm": "delete", "remove": "delete", "trash": "delete", "checkout": "branch", "create": "new", "name": "rename", "title": "rename", "clone": "fork", "bookmark": "label", "ls": "list", "sessions": "list", "export": "show SESSION --format md",
		"update": "index", "sync": "index", "import": "index", "status": "info", "check": "verify", "undelete": "restore", "copy": "backup",
		"usage": "cost", "tokens": "stats", "log": "show", "history": "list", "continue": "resume",
	}
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}

// FlagSet declares the flags of the command, and what runs it.
func (cmd Command) FlagSet() (*pflag.FlagSet, Runner) {
	flags := newFlagSet(cmd.Name)
	run := cmd.Bind(flags)
	switch {
	case flags.Lookup("format") != nil:
	case cmd.Lists || cmd.Fields:
		BindChoice(flags, new(string), "format", "auto", "text for people, or fields set apart by tabs, which auto prints in a pipe: `FORM`", "auto", "text", "tsv")
	default: // one form is all there is, and who asks for it gets it
		BindChoice(flags, new(string), "format", "auto", "`FORM`", "auto", "text")
		flags.Lookup("format").Hidden = true
	}
	return flags, run
}

// findCommand returns the row called name, or an error that names the nearest
// one, if one is near.
func findCommand(table []Command, name string) (Command, error) {
	var names []string
	for _, cmd := range table {
		if cmd.Name == name {
			return cmd, nil
		}
		if !cmd.Hidden {
			names = append(names, cmd.Name)
		}
	}
	err := UsageErrorf("unknown command %q", name)
	if other := otherWords()[name]; slices.Contains(names, firstWord(other)) {
		return Command{}, WithHint(err, "did you mean "+other+"?")
	}
	if best := words.Nearest(name, names, 2); best != "" {
		err = WithHint(err, "did you mean "+best+"?")
	}
	return Command{}, err
}
