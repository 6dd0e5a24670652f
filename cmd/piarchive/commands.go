package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"piarchive/internal/words"
)

// access is what a command does with the archive.
type access int

const (
	none   access = iota // never looks at it
	reads                // asks it
	writes               // changes it
)

// runner does the work of one command, with its flags already filled in.
type runner func(ctx context.Context, c *call) error

// command is one row of the table: at once dispatcher, help, completion and
// list of who may write.
type command struct {
	name    string
	args    string // as in the usage line; [X] is optional, … repeats; checked before the runner is called
	summary string // one line, lower case, no period
	access  access
	lists   bool // takes --jsonl
	hidden  bool // works, but is not advertised
	fields  bool // takes --format, though it is no list
	anyText bool // its arguments are free text: a lone one that is no flag is no mistake
	help    string
	bind    func(*pflag.FlagSet) runner
}

// commands is the table, in the order of the help.
func commands() []command { return append(sessionCommands(), archiveCommands()...) }

// sessionCommands find and read sessions.
func sessionCommands() []command {
	return []command{
		{
			name: "index", args: "[ROOT…]", summary: "bring the archive up to date with the session files", access: writes,
			help: indexHelp, bind: bindIndex,
		},
		{
			name: "list", args: "[QUERY…]", summary: "list sessions, the latest first", access: reads, lists: true,
			help: listHelp, bind: bindList,
		},
		{
			name: "search", args: "[QUERY…]", summary: "find text in every session", access: reads, lists: true, anyText: true,
			help: searchHelp, bind: bindSearch,
		},
		{
			name: "pick", args: "[QUERY…]", summary: "search while you type, then read or resume", access: reads, anyText: true,
			help: pickHelp, bind: bindPick,
		},
		{
			name: "how", args: "TOOL|COMMAND [WORDS…]", summary: "recall the command lines that worked", access: reads, lists: true, anyText: true,
			help: howHelp, bind: bindHow,
		},
		{
			name: "blame", args: "FILE[:LINE]", summary: "tell which session and prompt wrote a file or a line", access: reads, lists: true,
			help: blameHelp, bind: bindBlame,
		},
		{
			name: "show", args: "SESSION[@LINE]", summary: "read a session as a transcript", access: reads,
			help: showHelp, bind: bindShow,
		},
		{
			name: "tree", args: "SESSION[@LINE]", summary: "draw the branches of a session", access: reads,
			help: treeHelp, bind: bindTree,
		},
		{
			name: "path", args: "SESSION[@LINE] [ENTRY]", summary: "list the entries from the root to one", access: reads, fields: true,
			help: pathHelp, bind: bindPath,
		},
		{
			name: "context", args: "SESSION[@LINE]", summary: "print what the model is sent for a leaf", access: reads,
			help: contextHelp, bind: bindContext,
		},
		{
			name: "children", args: "SESSION[@LINE] [ENTRY]", summary: "list what follows an entry", access: reads, fields: true,
			help: childrenHelp, bind: bindChildren,
		},
		{
			name: "labels", args: "[SESSION[@LINE]]", summary: "list the labels in force", access: reads, lists: true,
			help: labelsHelp, bind: bindLabels,
		},
		{
			name: "entry", args: "SESSION[@LINE] [ENTRY]", summary: "print one raw line, byte for byte", access: reads,
			help: entryHelp, bind: bindEntry,
		},
		{
			name: "resume", args: "[SESSION[@LINE]]", summary: "print the command that goes on with a session", access: reads,
			help: resumeHelp, bind: bindResume,
		},
	}
}

// archiveCommands ask about all of the archive, or look after it.
func archiveCommands() []command {
	return []command{
		{
			name: "stats", summary: "count sessions, messages, tokens, tool calls and errors", access: reads, lists: true,
			help: statsHelp, bind: bindStats,
		},
		{
			name: "cost", summary: "add up what the models cost, every copy once", access: reads, lists: true,
			help: costHelp, bind: bindCost,
		},
		{
			name: "sql", args: "[QUERY | -f FILE]", summary: "ask the archive in SQL, read-only", access: reads, lists: true,
			help: sqlHelp, bind: bindSQL,
		},
		{
			name: "du", summary: "tell where the bytes of the session files are", access: reads, lists: true,
			help: duHelp, bind: bindDu,
		},
		{
			name: "info", summary: "show what the archive holds, and what waits to be indexed", access: reads,
			help: infoHelp, bind: bindInfo,
		},
		{
			name: "verify", args: "[PATH…]", summary: "prove that the archive equals the session files", access: reads,
			help: verifyHelp, bind: bindVerify,
		},
		{
			name: "vanished", args: "[SESSION…]", summary: "list the sessions that only the archive still has", access: reads, lists: true,
			help: vanishedHelp, bind: bindVanished,
		},
		{
			name: "restore", args: "[SESSION…]", summary: "write back the file of a session, byte for byte", access: reads,
			help: restoreHelp, bind: bindRestore,
		},
		{
			name: "forget", args: "[SESSION…]", summary: "remove sessions from the archive, never a file", access: writes,
			help: forgetHelp, bind: bindForget,
		},
		{
			name: "backup", args: "FILE", summary: "copy the archive while others use it", access: reads,
			help: backupHelp, bind: bindBackup,
		},
		{
			name: "completion", args: "bash|zsh|fish", summary: "print the completion script of a shell",
			help: completionHelp, bind: bindCompletion,
		},
		{name: "mcp", summary: "answer agents that look something up in past sessions", access: reads, help: mcpHelp, bind: bindMCP},
		{name: "version", summary: "print the version of this program", help: versionHelp, bind: bindVersion},
		{name: "help", args: "[COMMAND]", summary: "explain a command", help: helpHelp, bind: bindHelp},
		{
			name: "__complete", args: "SHELL LINE [BREAKS] [TYPE]", summary: "print the values the completion scripts offer",
			access: reads, hidden: true, help: candidatesHelp, bind: bindCandidates,
		},
	}
}

// otherWords are what people type from habit for a command.
func otherWords() map[string]string {
	return map[string]string{
		"grep": "search", "find": "search", "rg": "search", "query": "search", "cat": "show", "open": "show", "view": "show", "read": "show",
		"rm": "forget", "delete": "forget", "remove": "forget", "ls": "list", "sessions": "list", "export": "show SESSION --format md",
		"update": "index", "sync": "index", "import": "index", "status": "info", "check": "verify", "undelete": "restore", "copy": "backup",
		"usage": "cost", "tokens": "stats", "log": "show", "history": "list", "continue": "resume",
	}
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}

// flagSet declares the flags of the command, and what runs it.
func (cmd command) flagSet() (*pflag.FlagSet, runner) {
	flags := newFlagSet(cmd.name)
	run := cmd.bind(flags)
	if (cmd.lists || cmd.fields) && flags.Lookup("format") == nil {
		bindChoice(flags, new(string), "format", "auto", "text for people, or fields set apart by tabs, which auto prints in a pipe: `FORM`", "auto", "text", "tsv")
	}
	return flags, run
}

// findCommand returns the row called name, or an error that names the nearest
// one, if one is near.
func findCommand(table []command, name string) (command, error) {
	var names []string
	for _, cmd := range table {
		if cmd.name == name {
			return cmd, nil
		}
		if !cmd.hidden {
			names = append(names, cmd.name)
		}
	}
	err := usageErrorf("unknown command %q", name)
	if other := otherWords()[name]; slices.Contains(names, firstWord(other)) {
		return command{}, withHint(err, "did you mean "+other+"?")
	}
	if best := words.Nearest(name, names, 2); best != "" {
		err = withHint(err, "did you mean "+best+"?")
	}
	return command{}, err
}
