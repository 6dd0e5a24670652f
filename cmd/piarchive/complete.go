package main

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
)

const completionHelp = `Load it in the shell's start file:
  bash   source <(piarchive completion bash)
  zsh    source <(piarchive completion zsh)
  fish   piarchive completion fish | source
`

const candidatesHelp = `LINE is the command line up to the cursor. Prints what its last word may become,
one a line, for zsh and fish with a description behind a tab. A line that begins
with a tab asks for the shell's own completion: files or dirs.

For bash, BREAKS is $COMP_WORDBREAKS and TYPE $COMP_TYPE; printed is the part of
the word behind the last of BREAKS, with the description only in a list for the
eye, $COLUMNS wide.
`

func bindCompletion(*pflag.FlagSet) runner {
	return func(_ context.Context, c *call) error {
		script := completion.Script(c.args[0])
		if script == "" {
			return usageErrorf("no completion for %q, only for bash, zsh and fish", c.args[0])
		}
		_, err := c.stdout.WriteString(script)
		return err
	}
}

// patience is how long someone who pressed a key has to wait for a busy machine.
const patience = 5 * time.Second

// bindCandidates is what the scripts call, at every press of a key.
func bindCandidates(*pflag.FlagSet) runner {
	return func(ctx context.Context, c *call) error {
		ctx, stop := context.WithTimeout(ctx, patience)
		defer stop()
		args := append(c.args, "", "")                                            // what only bash gives
		columns := terminalWidth(c.getenv, func() (int, error) { return 0, nil }) // the shell's, not those of a pipe
		request := completion.Request{Shell: args[0], Line: args[1], Breaks: args[2], Type: args[3], Columns: columns}
		words := request.Words()
		if len(words) < 2 {
			return nil
		}
		last := len(words) - 1
		for _, line := range request.Answer(c.candidates(ctx, words[1:last], words[last])) {
			fmt.Fprintln(c.stdout, line)
		}
		return nil
	}
}

// typedLine is what stands before the word being typed.
type typedLine struct {
	parsedLine
	completion.Source
	call *call // as the command would get it
}

// candidates offers what a word may become behind others. Not all need to begin
// as it does. Behind what would be refused there is nothing to offer.
func (c *call) candidates(ctx context.Context, before []string, word string) []completion.Offer {
	typed := &call{env: c.env, table: c.table}
	line, err := typed.parse(before)
	waits, ok := errors.AsType[*pflag.ValueRequiredError](err)
	typed.expandTilde()
	if err != nil && !ok || typed.settlePlaces() != nil {
		return nil
	}
	cwd, _ := c.cwd() // unknown: no session is of this directory
	t := typedLine{line, completion.Source{Archive: typed.db, Roots: typed.roots, CWD: cwd, Now: c.now(), Home: c.home}, typed}
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
	case line.cmd.name == "":
		return commandNames(c.table)
	}
	return t.ofKind(ctx, argumentKind(line.cmd.args, len(typed.args)), word)
}

// expandTilde does for the flags that name the archive what the shell would.
func (c *call) expandTilde() {
	c.db, _ = c.projectPath(c.db)
	for i := range c.roots {
		c.roots[i], _ = c.projectPath(c.roots[i])
	}
}

// flagNames offers the flags that mean something to the command.
func (t typedLine) flagNames() []completion.Offer {
	apt := globalFlagsLine(t.cmd) + " --quiet --help "
	var offers []completion.Offer
	t.flags.VisitAll(func(f *pflag.Flag) {
		if t.cmd.name == "" || t.front.Lookup(f.Name) == nil || strings.Contains(apt, "--"+f.Name+" ") {
			_, usage := pflag.UnquoteUsage(f)
			offers = append(offers, completion.Offer{Value: "--" + f.Name, About: usage})
		}
	})
	return offers
}

// commandNames offers the commands.
func commandNames(table []command) []completion.Offer {
	var offers []completion.Offer
	for _, cmd := range table {
		if !cmd.hidden {
			offers = append(offers, completion.Offer{Value: cmd.name, About: cmd.summary})
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
	isQualifier := func(q question.Qualifier) bool { return qualifierFlag(q.Name) == f.Name }
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
	switch kind {
	case "SESSION":
		return t.Sessions(ctx, prefix)
	case "SESSION@LINE":
		return t.References(ctx, prefix)
	case "ENTRY":
		return t.Entries(ctx, strings.Join(t.call.args[:min(1, len(t.call.args))], ""), prefix)
	case "QUERY":
		if t.cmd.anyText {
			return t.Question(ctx, prefix)
		}
	case "DATE":
		return t.Dates()
	case "TOOL|COMMAND":
		return t.Values(ctx, "tool", prefix, false)
	case "FILE", "PATH":
		return completion.Files()
	case "DIR", "ROOT":
		return completion.Dirs()
	case "COMMAND":
		return commandNames(t.call.table)
	}
	if words := strings.Split(kind, "|"); len(words) > 1 {
		return completion.Words(words)
	}
	return nil
}

// argumentKind is the word of a usage line such as "SESSION [ENTRY]" for the
// argument with number n, from 0 on.
func argumentKind(usage string, n int) string {
	words := strings.Fields(usage)
	if strings.Contains(usage, "…") {
		n = min(n, len(words)-1)
	}
	if n >= len(words) {
		return ""
	}
	word, _, _ := strings.Cut(strings.NewReplacer("[", "", "]", "", "…", "").Replace(words[n]), ":") // FILE[:LINE]
	return word
}
