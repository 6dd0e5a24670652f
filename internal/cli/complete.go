package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"piarchive/internal/completion"
	"piarchive/internal/query/question"
	"piarchive/internal/terminal"
)

const completionHelp = `Load it in the shell's start file:
  bash   source <(piarchive completion bash)
  zsh    source <(piarchive completion zsh)
  fish   piarchive completion fish | source
and for PowerShell in the file $PROFILE:
  piarchive completion powershell | Out-String | Invoke-Expression
`

const candidatesHelp = `LINE is the command line up to the cursor. Prints what its last word may become,
one a line, for all shells but bash with a description behind a tab. A line that
begins with a tab asks for the shell's own completion: files or dirs.

For bash, BREAKS is $COMP_WORDBREAKS and TYPE $COMP_TYPE; printed is the part of
the word behind the last of BREAKS, with the description only in a list for the
eye, $COLUMNS wide.
`

// Completion is the command completion.
func Completion() Command {
	return Command{
		Name: "completion", Args: "bash|zsh|fish|powershell", Summary: "print the completion script of a shell",
		Help: completionHelp, Bind: bindCompletion,
	}
}

func bindCompletion(*pflag.FlagSet) Runner {
	return func(_ context.Context, c *Call) error {
		script := completion.Script(c.Args[0])
		if script == "" {
			return UsageErrorf("no completion for %q, only for bash, zsh, fish and powershell", c.Args[0])
		}
		_, err := c.Stdout.WriteString(script)
		return err
	}
}

// patience is how long someone who pressed a key has to wait for a busy machine.
const patience = 5 * time.Second

// Candidates is the command __complete.
func Candidates() Command {
	return Command{
		Name: "__complete", Args: "SHELL LINE [BREAKS] [TYPE]", Summary: "print the values the completion scripts offer", Access: Reads, Hidden: true,
		Help: candidatesHelp, Bind: bindCandidates,
	}
}

// bindCandidates is what the scripts call, at every press of a key.
func bindCandidates(*pflag.FlagSet) Runner {
	return func(ctx context.Context, c *Call) error {
		ctx, stop := context.WithTimeout(ctx, patience)
		defer stop()
		args := append(c.Args, "", "")                                               // what only bash gives
		columns := terminal.Columns(c.Getenv, func() (int, error) { return 0, nil }) // the shell's, not those of a pipe
		request := completion.Request{Shell: args[0], Line: args[1], Breaks: args[2], Type: args[3], Columns: columns}
		words := request.Words()
		if len(words) < 2 {
			return nil
		}
		last := len(words) - 1
		for _, line := range request.Answer(c.candidates(ctx, words[1:last], words[last])) {
			fmt.Fprintln(c.Stdout, line)
		}
		return nil
	}
}

// typedLine is what stands before the word being typed.
type typedLine struct {
	parsedLine
	completion.Source
	call *Call // as the command would get it
}

// candidates offers what a word may become behind others. Not all need to begin
// as it does. Behind what would be refused there is nothing to offer.
func (c *Call) candidates(ctx context.Context, before []string, word string) []completion.Offer {
	typed := &Call{Env: c.Env, table: c.table}
	line, err := typed.parse(before)
	waits, ok := errors.AsType[*pflag.ValueRequiredError](err)
	typed.expandTilde()
	if err != nil && !ok || typed.resolvePlaces() != nil {
		return nil
	}
	cwd, _ := c.CWD() // unknown: no session is of this directory
	t := typedLine{line, completion.Source{Archive: typed.DB, Roots: typed.Roots, CWD: cwd, Now: c.Now(), Home: c.Home}, typed}
	dashed := line.flags.ArgsLenAtDash() < 0 && strings.HasPrefix(word, "-")
	name, value, given := strings.Cut(word, "=")
	switch {
	case waits != nil:
		return t.flagValues(ctx, waits.GetFlag(), word)
	case dashed && given && strings.HasPrefix(word, "--"):
		f := line.flags.Lookup(name[2:])
		if f == nil || f.NoOptDefVal != "" {
			return nil
		}
		return completion.Behind(name+"=", t.flagValues(ctx, f, value))
	case dashed && (word == "-" || strings.HasPrefix(word, "--")):
		return t.flagNames()
	case line.cmd.Name == "":
		return commandNames(c.table)
	}
	return t.ofKind(ctx, completion.ArgumentKind(line.cmd.Args, len(typed.Args)), word)
}

// expandTilde does for the flags that name the archive what the shell would.
func (c *Call) expandTilde() {
	c.DB, _ = c.ProjectPath(c.DB)
	for i := range c.Roots {
		c.Roots[i], _ = c.ProjectPath(c.Roots[i])
	}
}

// flagNames offers the flags that mean something to the command.
func (t typedLine) flagNames() []completion.Offer {
	apt := globalFlagsLine(t.cmd) + " --quiet --help "
	var offers []completion.Offer
	t.flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && (t.cmd.Name == "" || t.front.Lookup(f.Name) == nil || strings.Contains(apt, "--"+f.Name+" ")) {
			_, usage := pflag.UnquoteUsage(f)
			offers = append(offers, completion.Offer{Value: "--" + f.Name, About: usage})
		}
	})
	return offers
}

// commandNames offers the commands.
func commandNames(table []Command) []completion.Offer {
	var offers []completion.Offer
	for _, cmd := range table {
		if !cmd.Hidden {
			offers = append(offers, completion.Offer{Value: cmd.Name, About: cmd.Summary})
		}
	}
	return offers
}

// flagValues offers what may stand behind a flag.
func (t typedLine) flagValues(ctx context.Context, f *pflag.Flag, prefix string) []completion.Offer {
	if one, ok := f.Value.(choice); ok {
		return completion.Words(one.values)
	}
	kind, _ := pflag.UnquoteUsage(f)
	var offers []completion.Offer
	isQualifier := func(q question.Qualifier) bool { return QualifierFlag(q.Name) == f.Name }
	i := slices.IndexFunc(question.Filters(), isQualifier)
	switch {
	case i >= 0 && f.Value.Type() == "stringArray":
		offers = t.List(ctx, question.Filters()[i].Name, prefix, false)
	case f.Name == "project" || f.Name == "cwd":
		offers = t.Values(ctx, f.Name, prefix, false)
	default:
		return t.ofKind(ctx, kind, prefix)
	}
	if len(offers) == 0 && (f.Name == "project" || f.Name == "cwd") {
		return completion.Dirs()
	}
	return offers
}

// ofKind offers values for a word of a usage line.
func (t typedLine) ofKind(ctx context.Context, kind, prefix string) []completion.Offer {
	switch {
	case kind == "COMMAND":
		return commandNames(t.call.table)
	case kind == "QUERY" && t.cmd.AnyText:
		return t.Question(ctx, prefix)
	}
	return t.OfKind(ctx, kind, strings.Join(t.call.Args[:min(1, len(t.call.Args))], ""), prefix)
}
