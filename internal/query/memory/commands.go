package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"piarchive/internal/index"
	"piarchive/internal/jsonl"
	"piarchive/internal/query"
	"piarchive/internal/query/question"
	"piarchive/internal/query/shell"
)

// Command is a command line that succeeded, however often.
type Command struct {
	Line string
	Tool string // that ran it last
	Runs int
	Last Place
}

// CommandList is the answer of [Commands].
type CommandList struct {
	Commands []Command // the most frequent first, of equal ones the latest
	Total    int       // command lines there are
}

// Commands returns the command lines that succeeded and ran a program, or were run
// by a tool of that name. The program may have words behind it, as in "git
// commit"; the other words stand anywhere in the same command.
func Commands(ctx context.Context, a *query.Archive, program string, others []string, f Filter, most int) (list CommandList, err error) {
	err = a.Steady(ctx, func() error {
		list, err = findCommands(ctx, a, asked{strings.Fields(program), others}, f, most)
		return err
	})
	return list, err
}

// asked is a program with words behind it, and what else stands in the command.
type asked struct{ program, others []string }

func findCommands(ctx context.Context, a *query.Archive, q asked, f Filter, most int) (CommandList, error) {
	var list CommandList
	condition, args := "(e.role = 'bashExecution' OR "+query.Flagged(index.FlagToolCall)+")", []any{}
	if len(q.program) > 0 {
		name := question.Quote{Text: shell.Program(q.program[0])}
		plan := question.Query{Expr: question.And{name, question.NewFilter("in", "call")}}.Compile()
		if plan.Match != nil {
			condition += " AND (e.tool = ? OR e.id IN (SELECT rowid FROM fts WHERE fts MATCH ?))" // e.tool: of a command of the user
			args = append(args, q.program[0], plan.Match.String())
		}
	}
	found, err := calls(ctx, a, f, condition, args...)
	if err != nil {
		return list, err
	}
	ran := make([]struct{ tool, line string }, len(found))
	err = readActions(ctx, a, found, func(i int, done jsonl.Action) {
		if line := strings.TrimSpace(done.Command); line != "" && q.matches(done.Tool, line) {
			ran[i].tool, ran[i].line = done.Tool, line
		}
	})
	if err != nil {
		return list, err
	}
	type group struct {
		Command
		last call
	}
	groups := map[string]*group{}
	for i, c := range found {
		r := ran[i]
		if r.line == "" {
			continue
		}
		g := groups[r.line]
		if g == nil { // the newest comes first
			g = &group{Command{Line: r.line, Tool: r.tool}, c}
			groups[r.line] = g
		}
		g.Runs++
	}
	var all []*group
	for _, g := range groups {
		all = append(all, g)
	}
	slices.SortFunc(all, func(x, y *group) int {
		return cmp.Or(y.Runs-x.Runs, cmp.Compare(y.last.At, x.last.At), cmp.Compare(y.last.Entry, x.last.Entry), cmp.Compare(x.Line, y.Line))
	})
	list.Total = len(all)
	all = all[:min(len(all), most)]
	var entries []int64
	for _, g := range all {
		entries = append(entries, g.last.Entry)
	}
	where, err := places(ctx, a, entries)
	for _, g := range all {
		g.Last = where[g.last.Entry]
		list.Commands = append(list.Commands, g.Command)
	}
	return list, err
}

// matches reports whether a command line is one that is asked for.
func (q asked) matches(tool, line string) bool {
	if len(q.program) == 1 && strings.EqualFold(q.program[0], tool) {
		return q.hasOthers(line)
	}
	return slices.ContainsFunc(shell.Runs(line), func(run []string) bool { return q.runs(run) && q.hasOthers(strings.Join(run, " ")) })
}

func (q asked) runs(run []string) bool {
	if len(run) < len(q.program) {
		return false
	}
	for i, want := range q.program {
		got := run[i]
		if i == 0 {
			want, got = shell.Program(want), shell.Program(got)
		}
		if want != got {
			return false
		}
	}
	return true
}

func (q asked) hasOthers(text string) bool {
	text = strings.ToLower(text)
	return !slices.ContainsFunc(q.others, func(word string) bool { return !strings.Contains(text, strings.ToLower(word)) })
}
