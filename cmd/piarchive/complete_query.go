package main

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"piarchive/internal/query/question"
	"piarchive/internal/query/search"
	"piarchive/internal/terminal"
	"piarchive/internal/text"
)

// completeQuery offers qualifiers and their values for the last term of a
// question. The word being typed may hold several terms, in quotes of the shell.
func completeQuery(ctx context.Context, c *call, prefix string) []string {
	start := lastTerm(prefix)
	for start < len(prefix) && (prefix[start] == '(' || prefix[start] == '-' && !strings.HasPrefix(prefix[start:], "--")) {
		start++
	}
	head, term := prefix[:start], prefix[start:]
	if name, value, ok := strings.Cut(term, ":"); ok {
		if !slices.Contains(question.Qualifiers(), name) {
			return nil
		}
		list := valueList{call: c, name: name, quotes: true}
		return behind(head+name+":", list.completeLast(ctx, value))
	}
	var list []string
	for _, name := range question.Qualifiers() {
		about := strings.Join(question.KnownValues(name), ", ")
		list = append(list, head+name+":\t"+about)
	}
	return list
}

// lastTerm returns where the last term of a question begins: white space ends a
// term, but not between double quotes.
func lastTerm(text string) int {
	start, quoted := 0, false
	for i, r := range text {
		switch {
		case r == '"':
			quoted = !quoted
		case unicode.IsSpace(r) && !quoted:
			start = i + len(string(r))
		}
	}
	return start
}

// valueList is values of a qualifier, as they are typed.
type valueList struct {
	call   *call
	name   string // of the qualifier
	quotes bool   // in a question: a value with spaces stands in double quotes
}

// completeLast offers values for the last of a comma list, but those that are
// in it already.
func (l valueList) completeLast(ctx context.Context, list string) []string {
	start, quoted := 0, false
	for i := range len(list) {
		switch {
		case list[i] == '"':
			quoted = !quoted
		case list[i] == ',' && !quoted:
			start = i + 1
		}
	}
	before := strings.Split(list[:start], ",")
	values := slices.DeleteFunc(l.complete(ctx, list[start:]), func(line string) bool {
		value, _, _ := strings.Cut(line, "\t")
		return slices.Contains(before, value) || !l.quotes && strings.Contains(value, ",")
	})
	return behind(list[:start], values)
}

// complete offers values that begin with prefix.
func (l valueList) complete(ctx context.Context, prefix string) []string {
	typed, quoted := strings.CutPrefix(prefix, `"`)
	var list []string
	for _, line := range l.all(ctx, typed) {
		value, about, _ := strings.Cut(line, "\t")
		if value == "" || !strings.HasPrefix(value, typed) {
			continue
		}
		if l.quotes && (quoted || strings.ContainsAny(value, " ,()")) {
			if strings.Contains(value, `"`) {
				continue // there is no way to write it
			}
			value = `"` + value + `"`
		}
		list = append(list, value+"\t"+about)
	}
	return few(list, prefix)
}

// few cuts a list, the best first, to what a person can look through. The first
// and the last in alphabetical order stay, so that a shell does not take what
// the few have in common for what all have in common.
func few(list []string, prefix string) []string {
	if len(list) <= mostCandidates {
		return list
	}
	cut := slices.Clone(list[:mostCandidates])
	if prefix != "" {
		cut = append(cut, slices.Min(list), slices.Max(list))
	}
	return cut
}

// all returns the values there are.
func (l valueList) all(ctx context.Context, typed string) []string {
	switch {
	case question.IsDate(l.name):
		return dates(l.call)
	case l.name == "session":
		return sessionIDs(ctx, l.call, typed)
	}
	if known := question.KnownValues(l.name); known != nil {
		return known
	}
	a := l.call.peek(ctx)
	if a == nil {
		return nil
	}
	defer a.Close()
	values, err := search.Values(ctx, a, l.name)
	if err != nil {
		return nil
	}
	switch l.name {
	case "project":
		return l.projects(values, typed)
	case "model": // the provider is for those who ask for it
		values = slices.DeleteFunc(values, func(v search.Value) bool {
			return strings.Contains(v.Text, "/") != strings.Contains(typed, "/")
		})
	}
	var list []string
	for _, v := range values {
		list = append(list, candidate(v.Text, sessionCount(v.Sessions)))
	}
	return list
}

func sessionCount(n int) string {
	if n == 0 {
		return ""
	}
	return terminal.Counted(n, "session")
}

// projects offers this directory, and all others by their last name; once a
// path is begun, by their paths.
func (l valueList) projects(values []search.Value, typed string) []string {
	list := []string{".\tthis directory and all below"}
	if strings.HasPrefix(typed, "/") || filepath.IsAbs(typed) {
		for _, v := range values {
			list = append(list, candidate(v.Text, sessionCount(v.Sessions)))
		}
		return list
	}
	type group struct {
		place    string // "" where there are several
		sessions int
	}
	groups := map[string]*group{}
	var names []string
	for _, v := range values {
		name := text.ProjectName(v.Text)
		g, again := groups[name]
		if !again {
			g = &group{place: text.Tilde(v.Text, l.call.home)}
			groups[name] = g
			names = append(names, name)
		} else {
			g.place = "several places"
		}
		g.sessions += v.Sessions
	}
	slices.SortStableFunc(names, func(x, y string) int { return groups[y].sessions - groups[x].sessions })
	for _, name := range names {
		list = append(list, candidate(name, groups[name].place+" · "+sessionCount(groups[name].sessions)))
	}
	return list
}
