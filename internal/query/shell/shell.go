// Package shell tells what a command line is about, without running it: which
// programs it runs ([Runs]), whether it only looks ([OnlyLooks]) or hides a failure
// ([HidesFailure]), and what it is to do ([Goals]).
//
// It knows as much of a shell as it takes to read what agents write: any text can be
// asked about, nothing is expanded, and what it does not know counts as a program
// that changes something.
package shell

import (
	"slices"
	"strings"
)

// Runs returns the programs that a command line runs, each with its words.
func Runs(line string) [][]string {
	var all [][]string
	for _, words := range simpleCommands(line) {
		all = append(all, invocations(words)...)
	}
	return all
}

// invocations are the programs that a simple command runs, each with its words:
// behind assignments and words of the shell the first one, and where that only
// runs another, as sudo does, that one as well.
func invocations(words []string) [][]string {
	var all [][]string
	for len(words) > 0 {
		if isShellWord(words[0]) || isAssignment(words[0]) {
			words = words[1:]
			continue
		}
		all = append(all, words)
		if !runsOther(Program(words[0])) {
			break
		}
		words = behindFlags(words[1:])
	}
	return all
}

// Program is a program without the directory it lies in.
func Program(word string) string {
	name := word[strings.LastIndexAny(word, `/\`)+1:]
	return strings.TrimSuffix(name, ".exe")
}

func isShellWord(word string) bool {
	switch word {
	case "if", "then", "else", "elif", "while", "until", "do", "time", "!", "{", "}":
		return true
	}
	return false
}

func isAssignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

func runsOther(program string) bool {
	switch program {
	case "sudo", "doas", "env", "nice", "nohup", "timeout", "command", "exec", "xargs", "npx", "bunx":
		return true
	}
	return false
}

// behindFlags leaves out flags, with the values of those that sudo, nice, timeout
// and xargs take, and what timeout is given first.
func behindFlags(words []string) []string {
	for len(words) > 0 {
		switch w := words[0]; {
		case slices.Contains([]string{"-u", "-g", "-n", "-s", "-k", "-I", "-P", "-L"}, w) && len(words) > 1:
			words = words[2:]
		case strings.HasPrefix(w, "-"), strings.Trim(w, "0123456789.smhd") == "" && strings.ContainsAny(w, "0123456789"):
			words = words[1:]
		default:
			return words
		}
	}
	return nil
}

// looking says for each program of a command line whether it only looks: it changes
// nothing and checks nothing, what it prints was there before.
func looking(line string) []bool {
	var all []bool
	for _, words := range simpleCommands(line) {
		if runs := invocations(words); len(runs) > 0 {
			all = append(all, looks(runs[len(runs)-1]))
		}
	}
	return all
}

// OnlyLooks reports whether a command line changes nothing and checks nothing.
func OnlyLooks(line string) bool { return !slices.Contains(looking(line), false) }

// HidesFailure reports whether the last program of a command line looks at what
// others do, as tail does behind a pipe: then how it ends says nothing of them.
func HidesFailure(line string) bool {
	all := looking(line)
	return slices.Contains(all, false) && all[len(all)-1]
}

func looks(run []string) bool {
	switch program := Program(run[0]); program {
	case "cat", "head", "tail", "less", "grep", "egrep", "rg", "ag", "awk", "find", "fd", "ls", "tree", "wc", "sort", "uniq", "cut", "tr", "jq",
		"diff", "echo", "printf", "cd", "pwd", "which", "file", "stat", "sleep", "true", "for", "done", "fi", "xargs", "export", "set":
		return true
	case "sed":
		return !slices.ContainsFunc(run, func(w string) bool { return strings.HasPrefix(w, "-i") || w == "--in-place" })
	case "git", "gh":
		return len(run) > 1 && slices.Contains([]string{"log", "show", "diff", "status", "blame", "grep", "branch", "issue", "pr"}, run[1])
	}
	return false
}

// Goals are what a command line is to do: of each command that does more than look
// the program and what is behind it: the first word, or the script it runs. Other
// files or flags make no other attempt.
func Goals(line string) []string {
	var all []string
	for _, words := range simpleCommands(line) {
		runs := invocations(words)
		if len(runs) == 0 || looks(runs[len(runs)-1]) {
			continue
		}
		run := runs[len(runs)-1]
		program := Program(run[0])
		gist := program
		for _, w := range run[1:] {
			if strings.HasPrefix(w, "-") {
				continue
			}
			if !isWord(w) && !runsFiles(program) {
				break
			}
			if gist += " " + w; w != "run" && w != "exec" || !runsScripts(program) {
				break
			}
		}
		all = append(all, gist)
	}
	return all
}

// runsScripts reports whether it is the word behind run that tells what a program
// does.
func runsScripts(program string) bool {
	return slices.Contains([]string{"npm", "pnpm", "yarn", "bun", "deno", "uv", "poetry", "go", "docker"}, program)
}

// runsFiles reports whether it is the file behind it that tells what a program does.
func runsFiles(program string) bool {
	return runsScripts(program) || slices.Contains([]string{"node", "tsx", "python", "python3", "ruby", "perl", "php", "bash", "sh"}, program)
}

// isWord tells the words of a program's own, such as test or version:patch, from
// files, addresses and texts.
func isWord(w string) bool {
	return strings.Trim(w, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789:_-") == ""
}
