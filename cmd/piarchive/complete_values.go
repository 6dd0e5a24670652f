package main

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"piarchive/internal/index"
	"piarchive/internal/query"
	"piarchive/internal/query/question"
)

// Candidates are lines, "value" or "value\tdescription". These two ask the
// shell for its own completion of paths instead.
const (
	wantFiles = "\tfiles"
	wantDirs  = "\tdirs"
)

// mostCandidates is how many are offered of what an archive has thousands of.
const mostCandidates = 50

// candidates returns what the last of the words, those behind the program's
// name, may become. Not all need to begin with it.
func candidates(ctx context.Context, c *call, words []shellWord) []string {
	t := readLine(c, words[:len(words)-1])
	prefix := words[len(words)-1].text
	dashed := !t.ended && strings.HasPrefix(prefix, "-")
	switch {
	case t.value != nil:
		return t.values(ctx, t.value, prefix)
	case dashed && strings.HasPrefix(prefix, "--") && strings.Contains(prefix, "="):
		name, value, _ := strings.Cut(prefix[2:], "=")
		f := t.flag(func(f *pflag.Flag) bool { return f.Name == name && takesValue(f) })
		if f == nil {
			return nil
		}
		return behind("--"+name+"=", t.values(ctx, f, value))
	case dashed && (prefix == "-" || strings.HasPrefix(prefix, "--")):
		return t.flagNames()
	case t.cmd.name == "":
		return completeCommands(ctx, t.call, prefix)
	case t.cmd.complete != nil:
		return t.cmd.complete(ctx, t.call, prefix)
	}
	return ofKind(ctx, t.call, argumentKind(t.cmd.args, len(t.call.args)), prefix)
}

// behind puts the head of the word being typed in front of values.
func behind(head string, values []string) []string {
	out := make([]string, len(values))
	for i, v := range values {
		if out[i] = head + v; v == wantFiles || v == wantDirs {
			out[i] = v
		}
	}
	return out
}

// flagNames returns the flags that mean something to the command.
func (t *typedLine) flagNames() []string {
	global := map[string]bool{}
	for _, f := range flagsOf(command{}) {
		global[f.Name] = true
	}
	apt := globalFlagsLine(t.cmd) + " --quiet --help "
	var names []string
	for _, f := range t.flags {
		if !f.Hidden && (t.cmd.name == "" || !global[f.Name] || strings.Contains(apt, "--"+f.Name+" ")) {
			_, usage := pflag.UnquoteUsage(f)
			names = append(names, "--"+f.Name+"\t"+usage)
		}
	}
	return names
}

// values returns what may stand behind a flag. Its usage line says it all: the
// values themselves, or by the name of the value what kind they are.
func (t *typedLine) values(ctx context.Context, f *pflag.Flag, prefix string) []string {
	kind, usage := pflag.UnquoteUsage(f)
	if list := listedValues(kind, usage); list != nil {
		return list
	}
	for _, q := range qualifierFlags {
		if q.flag != f.Name {
			continue
		}
		list := valueList{call: t.call, name: q.qualifier}
		complete := list.completeLast
		if f.Value.Type() != "stringArray" { // one value, as it stands
			complete = list.complete
		}
		values := complete(ctx, prefix)
		if q.qualifier == "project" && len(values) == 0 {
			return []string{wantDirs}
		}
		return values
	}
	return ofKind(ctx, t.call, kind, prefix)
}

// listedValues reads the values out of a usage line such as "`WHEN` is auto,
// always or never"; nil if it lists none.
func listedValues(name, usage string) []string {
	_, list, ok := strings.Cut(usage, name+" is ")
	if !ok || name == "" {
		return nil
	}
	values := strings.Split(strings.ReplaceAll(list, " or ", ", "), ", ")
	if len(values) < 2 || slices.ContainsFunc(values, func(v string) bool { return !listedValue.MatchString(v) }) {
		return nil
	}
	return values
}

var listedValue = regexp.MustCompile(`^[a-z0-9-]+$`)

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
	return strings.Trim(words[n], "[]…")
}

// ofKind returns values for a word of a usage line.
func ofKind(ctx context.Context, c *call, kind, prefix string) []string {
	kind, _, _ = strings.Cut(kind, "|")
	switch kind {
	case "SESSION":
		return completeSessions(ctx, c, prefix)
	case "ENTRY":
		return completeEntries(ctx, c, prefix)
	case "DATE":
		return dates(c)
	case "FILE", "PATH":
		return []string{wantFiles}
	case "DIR", "ROOT":
		return []string{wantDirs}
	}
	return nil
}

// completePaths is for arguments that are files.
func completePaths(context.Context, *call, string) []string { return []string{wantFiles} }

// dates returns some, with the day they mean.
func dates(c *call) []string {
	var list []string
	for _, v := range question.KnownValues("after") {
		if from, _, err := question.ParseDate(v, c.now()); err == nil {
			list = append(list, v+"\t"+from.Format("Mon 2006-01-02"))
		}
	}
	return list
}

// peek opens the archive if there is one that can be read. Nothing is made or
// brought up to date: a key was pressed, no more.
func (c *call) peek(ctx context.Context) *query.Archive {
	if !index.Exists(c.db) {
		return nil
	}
	a, err := query.Open(ctx, c.db, c.roots)
	if err != nil {
		return nil
	}
	return a
}
