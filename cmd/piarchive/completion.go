package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

const completionHelp = `Load it in the shell's start file:
  bash   source <(piarchive completion bash)
  zsh    source <(piarchive completion zsh)
  fish   piarchive completion fish | source
`

const candidatesHelp = `One value a line, with a description behind a tab where there is one.
`

func bindCompletion(*pflag.FlagSet) runner {
	return func(_ context.Context, c *call) error {
		var script string
		switch c.args[0] {
		case "bash":
			script = bashCompletion(c.table)
		case "zsh":
			script = zshCompletion(c.table)
		case "fish":
			script = fishCompletion(c.table)
		default:
			return usageErrorf("no completion for %q, only for bash, zsh and fish", c.args[0])
		}
		_, err := c.stdout.WriteString(script)
		return err
	}
}

func completeShells(context.Context, *call, string) []string {
	return []string{"bash", "zsh", "fish"}
}

// bindCandidates is what the scripts call for the arguments of a command. It
// is called at every press of a key, so it fails silently and offers only
// values that a shell takes for one plain word: what session files contain
// must not become part of a command line otherwise.
func bindCandidates(*pflag.FlagSet) runner {
	return func(ctx context.Context, c *call) error {
		cmd, _ := find(c.table, c.args[0])
		if cmd.complete == nil {
			return nil
		}
		prefix := strings.Join(c.args[1:], "")
		var err error
		for _, candidate := range cmd.complete(ctx, c, prefix) {
			value, about, _ := strings.Cut(candidate, "\t")
			if !strings.HasPrefix(value, prefix) || !isPlainWord(value) {
				continue
			}
			if about != "" {
				value += "\t" + safe(about)
			}
			_, err = fmt.Fprintln(c.stdout, value)
		}
		return err
	}
}

func isPlainWord(s string) bool {
	const others = "._:/@+,%-"
	for _, r := range s {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(others, r)) {
			return false
		}
	}
	return s != ""
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

// longNames returns the flags as they are typed, those with a value only if
// onlyValued.
func longNames(flags []*pflag.Flag, onlyValued bool) []string {
	var names []string
	for _, f := range flags {
		if !onlyValued || takesValue(f) {
			names = append(names, "--"+f.Name)
		}
	}
	return names
}

func bashCompletion(table []command) string {
	globalFlags := flagsOf(command{})
	var names, cases strings.Builder
	for _, cmd := range table {
		if cmd.hidden {
			continue
		}
		names.WriteString(" " + cmd.name)
		if flags := longNames(flagsOf(cmd), false); len(flags) > 0 {
			fmt.Fprintf(&cases, "    %s) flags+=' %s' ;;\n", cmd.name, strings.Join(flags, " "))
		}
	}
	return strings.NewReplacer(
		"{names}", names.String()[1:],
		"{flags}", strings.Join(longNames(globalFlags, false), " "),
		"{valued}", strings.Join(longNames(globalFlags, true), " | "),
		"{cases}", cases.String(),
	).Replace(bashScript)
}

const bashScript = `# bash completion for piarchive
_piarchive() {
    local cur=${COMP_WORDS[COMP_CWORD]} command= flags='{flags}' i line
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        {valued}) # the next word is its value; bash makes --x=y three words
            i=$((i + 1))
            [[ ${COMP_WORDS[i]} == = ]] && i=$((i + 1)) ;;
        -*) ;;
        *) command=${COMP_WORDS[i]}; break ;;
        esac
    done
    case $command in
{cases}    esac
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "$flags" -- "$cur"))
    elif [[ -z $command ]]; then
        COMPREPLY=($(compgen -W '{names}' -- "$cur"))
    else
        while IFS= read -r line; do
            COMPREPLY+=("${line%%$'\t'*}")
        done < <(piarchive __complete -- "$command" "$cur" 2>/dev/null)
    fi
}
complete -o default -F _piarchive piarchive
`

func zshCompletion(table []command) string {
	describe := func(flags []*pflag.Flag) string {
		var words []string
		for _, f := range flags {
			_, usage := pflag.UnquoteUsage(f)
			words = append(words, quoted("--"+f.Name+":"+usage))
		}
		return strings.Join(words, " ")
	}
	globalFlags := flagsOf(command{})
	var names, cases strings.Builder
	for _, cmd := range table {
		if cmd.hidden {
			continue
		}
		fmt.Fprintf(&names, "        %s\n", quoted(cmd.name+":"+cmd.summary))
		if flags := describe(flagsOf(cmd)); flags != "" {
			fmt.Fprintf(&cases, "    (%s) flags+=(%s) ;;\n", cmd.name, flags)
		}
	}
	return strings.NewReplacer(
		"{names}", names.String(),
		"{flags}", describe(globalFlags),
		"{valued}", strings.Join(longNames(globalFlags, true), "|"),
		"{cases}", cases.String(),
	).Replace(zshScript)
}

const zshScript = `#compdef piarchive
_piarchive() {
    local -a names flags values
    local command= i
    names=(
{names}    )
    flags=({flags})
    for ((i = 2; i < CURRENT; i++)); do
        case $words[i] in
        ({valued}) ((i++)) ;;
        (-*) ;;
        (*) command=$words[i]; break ;;
        esac
    done
    case $command in
{cases}    esac
    if [[ $words[CURRENT] == -* ]]; then
        _describe -o flag flags
    elif [[ -z $command ]]; then
        _describe command names
    else
        values=(${(f)"$(piarchive __complete -- "$command" "$words[CURRENT]" 2>/dev/null)"})
        if (( $#values )); then
            compadd -- "${(@)values%%$'\t'*}"
        else
            _files
        fi
    fi
}
if [[ $funcstack[1] == _piarchive ]]; then
    _piarchive "$@"
else
    compdef _piarchive piarchive
fi
`

func fishCompletion(table []command) string {
	var b strings.Builder
	b.WriteString("# fish completion for piarchive\n")
	describe := func(condition string, flags []*pflag.Flag) {
		for _, f := range flags {
			fmt.Fprintf(&b, "complete -c piarchive%s -l %s", condition, f.Name)
			if f.Shorthand != "" {
				fmt.Fprintf(&b, " -s %s", f.Shorthand)
			}
			if takesValue(f) {
				b.WriteString(" -r")
			}
			_, usage := pflag.UnquoteUsage(f)
			fmt.Fprintf(&b, " -d %s\n", quotedFish(usage))
		}
	}
	describe("", flagsOf(command{}))
	for _, cmd := range table {
		if cmd.hidden {
			continue
		}
		fmt.Fprintf(&b, "complete -c piarchive -n __fish_use_subcommand -f -a %s -d %s\n", cmd.name, quotedFish(cmd.summary))
		condition := fmt.Sprintf(" -n '__fish_seen_subcommand_from %s'", cmd.name)
		describe(condition, flagsOf(cmd))
		if cmd.complete != nil {
			fmt.Fprintf(&b, "complete -c piarchive%s -a '(piarchive __complete -- %s (commandline -ct) 2>/dev/null)'\n", condition, cmd.name)
		}
	}
	return b.String()
}

// quoted makes s one word of bash and zsh, quotedFish one of fish.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func quotedFish(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}
