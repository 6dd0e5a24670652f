package main

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/query/session"
	"piarchive/internal/terminal"
	"piarchive/internal/text"
)

// aboutWidth is how much of a text goes into a description.
const aboutWidth = 36

// completeSessions offers references to sessions, those of this directory first.
// For what cannot be one the shell completes paths.
func completeSessions(ctx context.Context, c *call, prefix string) []string {
	var list []string
	for _, special := range []string{"latest\tthe latest session", "latest:.\tthe latest of this directory"} {
		if strings.HasPrefix(special, prefix) {
			list = append(list, special)
		}
	}
	if list = append(list, sessionIDs(ctx, c, prefix)...); len(list) == 0 || query.IsPath(prefix) {
		return []string{wantFiles}
	}
	return list
}

// sessionIDs offers sessions by their ids, shortened as far as they still name
// one, each with project, name or first words, and age.
func sessionIDs(ctx context.Context, c *call, prefix string) []string {
	a := c.peek(ctx)
	if a == nil {
		return nil
	}
	defer a.Close()
	cwd, err := c.cwd()
	if err != nil {
		cwd = ""
	}
	sessions, err := session.Recent(ctx, a, prefix, cwd, mostCandidates)
	if err != nil {
		return nil
	}
	var list []string
	for _, s := range sessions {
		ref := s.Ref
		if ref == "" || strings.HasPrefix(ref, "-") {
			continue
		}
		if ref != s.Path && !strings.HasPrefix(ref, prefix) { // more than needed was typed
			ref = s.ID
		}
		about := text.ProjectName(s.CWD) + " · " + documents.Title(s.Name, s.First, aboutWidth) + " · " + terminal.When(s.Modified, c.now())
		if s.Missing {
			about += " · the file is gone"
		}
		list = append(list, candidate(ref, about))
	}
	return list
}

// candidate makes the line of a value that comes from a session file, which may
// contain anything; "" if it cannot be a line.
func candidate(value, about string) string {
	if strings.ContainsAny(value, "\t\n") {
		return ""
	}
	return value + "\t" + terminal.Safe(about)
}

// completeEntries offers entries of the session that the arguments name first:
// leaf, ids, and what begins with @ by line.
func completeEntries(ctx context.Context, c *call, prefix string) []string {
	list := []string{"leaf\tthe current leaf"}
	a := c.peek(ctx)
	if a == nil || len(c.args) == 0 {
		return list
	}
	defer a.Close()
	cwd, err := c.cwd()
	if err != nil {
		return list
	}
	ref, err := c.projectPath(c.args[0])
	if err != nil {
		return list
	}
	from, err := a.FindSession(ctx, ref, cwd)
	if err != nil {
		return list
	}
	steps, err := session.RecentEntries(ctx, a, from, prefix, mostCandidates)
	if err != nil {
		return list
	}
	previews, err := session.ReadPreviews(ctx, a, steps)
	if err != nil {
		return list
	}
	entries := documents.Steps{Steps: steps, Previews: previews}
	for _, s := range steps {
		ref := s.ID
		if strings.HasPrefix(prefix, "@") {
			ref = "@" + strconv.Itoa(s.Line)
		}
		if !strings.HasPrefix(ref, "-") {
			list = append(list, candidate(ref, cmp.Or(s.Role, s.Type)+" · "+terminal.Fit(entries.Text(s), aboutWidth)))
		}
	}
	return list
}
