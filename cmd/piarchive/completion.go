package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"piarchive/internal/terminal"
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
		script, ok := completionScripts[c.args[0]]
		if !ok {
			return usageErrorf("no completion for %q, only for bash, zsh and fish", c.args[0])
		}
		_, err := c.stdout.WriteString(script)
		return err
	}
}

func completeShells(context.Context, *call, string) []string {
	return []string{"bash", "zsh", "fish"}
}

// patience is how long someone who pressed a key has to wait for a busy machine.
const patience = 5 * time.Second

// bindCandidates is what the scripts call. It is called at every press of a
// key, so it fails silently.
//
// Much of what it prints comes from session files, which must not become part
// of a command line other than as text. Nothing with a control character, or
// one that hides or reorders text, is offered; zsh and fish quote all else when
// they insert it. Bash inserts what it is given, so it gets plain words only.
func bindCandidates(*pflag.FlagSet) runner {
	return func(ctx context.Context, c *call) error {
		ctx, stop := context.WithTimeout(ctx, patience)
		defer stop()
		args := append(c.args, "", "") // what only bash gives
		words := shellWords(args[1], args[2])
		if len(words) < 2 {
			return nil
		}
		word := words[len(words)-1]
		var offered []offer
		seen := map[string]bool{}
		for _, line := range candidates(ctx, c, words[1:]) {
			value, about, _ := strings.Cut(line, "\t")
			switch {
			case line == wantFiles || line == wantDirs:
				_, err := fmt.Fprintln(c.stdout, line)
				return err
			case seen[value] || !strings.HasPrefix(value, word.text) || value == "" || terminal.Safe(value) != value:
			default:
				seen[value] = true
				offered = append(offered, offer{value, terminal.Safe(about)})
			}
		}
		if c.args[0] == "bash" {
			return printForBash(c, offered, word, args[3])
		}
		for _, o := range offered {
			line := o.value
			if o.about != "" {
				line += "\t" + o.about
			}
			if _, err := fmt.Fprintln(c.stdout, line); err != nil {
				return err
			}
		}
		return nil
	}
}

// offer is one candidate.
type offer struct{ value, about string }

// printForBash prints what bash is to insert in place of the part of the word
// that it knows. Descriptions are for a list only; bash inserts no more than
// what all lines of it begin with.
func printForBash(c *call, offered []offer, word shellWord, completionType string) error {
	if word.odd {
		return nil
	}
	width, described := 0, false
	var lines []offer
	for _, o := range offered {
		o.value = o.value[word.bare:]
		plain := o.value
		if word.open != 0 {
			plain = strings.ReplaceAll(plain, " ", "")
		}
		if !isPlainWord(plain) {
			continue
		}
		lines = append(lines, o)
		width = max(width, terminal.Width(o.value))
		described = described || o.about != ""
	}
	const normal, listing = "9", "63" // of $COMP_TYPE; others insert whole lines
	described = described && len(lines) > 1 && (completionType == normal || completionType == listing)
	columns, err := strconv.Atoi(c.getenv("COLUMNS"))
	if err != nil || columns <= 0 {
		columns = 80
	}
	for _, o := range lines {
		line := o.value
		if about := inert(o.about); described && about != "" {
			line = terminal.Fit(terminal.Pad(o.value, width)+"  "+about, max(columns-1, width))
		}
		if _, err := fmt.Fprintln(c.stdout, line); err != nil {
			return err
		}
	}
	return nil
}

// isPlainWord says that a shell takes s for one word as it stands.
func isPlainWord(s string) bool {
	const others = "._:/@+,%-"
	for _, r := range s {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(others, r)) {
			return false
		}
	}
	return s != ""
}

// inert is a text without what a shell acts on: should a description ever get
// into a command line, it is words.
func inert(s string) string {
	keep := func(r rune) rune {
		switch {
		case r == ' ' || r == '·' || r == '…' || r >= utf8.RuneSelf && unicode.IsLetter(r) || isPlainWord(string(r)):
			return r
		}
		return ' '
	}
	return strings.Join(strings.Fields(strings.Map(keep, s)), " ")
}

// flagsOf returns the flags a command declares; with a zero command, the
// global ones.
func flagsOf(cmd command) []*pflag.Flag {
	set := newFlagSet(cmd.name)
	if cmd.bind == nil {
		new(globals).bind(set)
	} else {
		cmd.bind(set)
	}
	var flags []*pflag.Flag
	set.VisitAll(func(f *pflag.Flag) { flags = append(flags, f) })
	return flags
}

// takesValue reports whether the word behind f belongs to it.
func takesValue(f *pflag.Flag) bool { return f.NoOptDefVal == "" }
