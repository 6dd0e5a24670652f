package completion

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"piarchive/internal/query"
	"piarchive/internal/query/question"
	"piarchive/internal/query/search"
	"piarchive/internal/terminal"
	"piarchive/internal/text"
)

// Question offers qualifiers and their values for the last term of a question.
// The word being typed may hold several terms, in quotes of the shell.
func (s Source) Question(ctx context.Context, prefix string) []Offer {
	start := cutLast(prefix, unicode.IsSpace)
	for start < len(prefix) && (prefix[start] == '(' || prefix[start] == '-' && !strings.HasPrefix(prefix[start:], "--")) {
		start++
	}
	head, term := prefix[:start], prefix[start:]
	if name, list, ok := strings.Cut(term, ":"); ok {
		return Behind(head+name+":", s.List(ctx, name, list, true))
	}
	var offers []Offer
	for _, q := range question.Filters() {
		about := strings.Join(q.Values, ", ")
		if about == "" {
			about = strings.ReplaceAll(q.About, "`", "")
		}
		offers = append(offers, Offer{head + q.Name + ":", about})
	}
	return append(offers, Offer{head + "sort:", strings.Join(question.Sorts(), ", ")}, Offer{head + "limit:", "a number"})
}

// cutLast returns where the last part of a text begins, behind what ends a part,
// if it does not stand between double quotes.
func cutLast(text string, ends func(r rune) bool) int {
	start, quoted := 0, false
	for i, r := range text {
		switch {
		case r == '"':
			quoted = !quoted
		case ends(r) && !quoted:
			start = i + len(string(r))
		}
	}
	return start
}

// List offers values of a qualifier for the last of a comma list, but those that
// are in it already.
func (s Source) List(ctx context.Context, qualifier, list string, quotes bool) []Offer {
	start := cutLast(list, func(r rune) bool { return r == ',' })
	before := strings.Split(list[:start], ",")
	offers := slices.DeleteFunc(s.Values(ctx, qualifier, list[start:], quotes), func(o Offer) bool {
		return slices.Contains(before, o.Value) || !quotes && strings.Contains(o.Value, ",")
	})
	return Behind(list[:start], offers)
}

// Values offers values of a qualifier that begin with prefix. With quotes, those
// that have a space stand in double quotes, as in a question.
func (s Source) Values(ctx context.Context, qualifier, prefix string, quotes bool) []Offer {
	typed, quoted := strings.CutPrefix(prefix, `"`)
	var offers []Offer
	for _, o := range s.all(ctx, qualifier, typed) {
		if !strings.HasPrefix(o.Value, typed) {
			continue
		}
		if quotes && (quoted || strings.ContainsAny(o.Value, " ,()")) {
			if strings.Contains(o.Value, `"`) {
				continue // there is no way to write it
			}
			o.Value = `"` + o.Value + `"`
		}
		offers = append(offers, o)
	}
	return few(offers, prefix)
}

// few cuts a list, the best first, to what a person can look through. The first
// and the last in alphabetical order stay, so that a shell does not take what
// the few have in common for what all have in common.
func few(offers []Offer, prefix string) []Offer {
	if len(offers) <= most {
		return offers
	}
	cut := slices.Clone(offers[:most])
	if prefix != "" {
		byValue := func(x, y Offer) int { return strings.Compare(x.Value, y.Value) }
		cut = append(cut, slices.MinFunc(offers, byValue), slices.MaxFunc(offers, byValue))
	}
	return cut
}

// all offers the values there are.
func (s Source) all(ctx context.Context, qualifier, typed string) []Offer {
	switch known := question.KnownValues(qualifier); {
	case question.IsDate(qualifier):
		return s.dates()
	case qualifier == "session":
		return s.ids(ctx, typed)
	case known != nil:
		return Words(known)
	}
	return s.ask(ctx, func(a *query.Archive) (offers []Offer, err error) {
		values, err := search.Values(ctx, a, qualifier)
		isPath := strings.HasPrefix(typed, "/") || filepath.IsAbs(typed)
		switch {
		case qualifier == "project" && !isPath:
			return s.projects(values), err
		case qualifier == "model": // the provider is for those who ask for it
			values = slices.DeleteFunc(values, func(v search.Value) bool {
				return strings.Contains(v.Text, "/") != strings.Contains(typed, "/")
			})
		}
		for _, v := range values {
			offers = append(offers, Offer{v.Text, sessionCount(v.Sessions)})
		}
		return offers, err
	})
}

func sessionCount(n int) string {
	if n == 0 {
		return ""
	}
	return terminal.Counted(n, "session")
}

// projects offers this directory, and all others by their last name.
func (s Source) projects(values []search.Value) []Offer {
	type group struct {
		place    string
		sessions int
	}
	groups := map[string]*group{}
	var names []string
	for _, v := range values {
		name := text.ProjectName(v.Text)
		g, again := groups[name]
		if !again {
			g = &group{place: text.Tilde(v.Text, s.Home)}
			groups[name] = g
			names = append(names, name)
		} else {
			g.place = "several places"
		}
		g.sessions += v.Sessions
	}
	slices.SortStableFunc(names, func(x, y string) int { return groups[y].sessions - groups[x].sessions })
	offers := []Offer{{".", "this directory and all below"}}
	for _, name := range names {
		offers = append(offers, Offer{name, groups[name].place + " · " + sessionCount(groups[name].sessions)})
	}
	return offers
}
