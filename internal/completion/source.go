package completion

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"piarchive/internal/documents"
	"piarchive/internal/index"
	"piarchive/internal/query"
	"piarchive/internal/query/question"
	"piarchive/internal/query/session"
	"piarchive/internal/terminal"
	"piarchive/internal/text"
)

const (
	most       = 50 // offers, of what an archive has thousands of
	aboutWidth = 36 // of a text in a description
)

// Source offers values for a command that would ask this archive, here and now.
type Source struct {
	Archive string
	Roots   []string // through which it is seen
	CWD     string   // "" if it is not known
	Now     time.Time
	Home    string // the directory written as ~
}

// ask returns what f finds in the archive, if there is one that can be read; a
// value that would be taken for a flag is none.
func (s Source) ask(ctx context.Context, f func(a *query.Archive) ([]Offer, error)) []Offer {
	if !index.Exists(s.Archive) {
		return nil
	}
	a, err := query.Open(ctx, s.Archive, s.Roots)
	if err != nil {
		return nil
	}
	defer a.Close()
	offers, err := f(a)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(offers, func(o Offer) bool { return o.Value == "" || o.Value[0] == '-' })
}

// Sessions offers references to sessions, those of this directory first. For what
// cannot be one the shell completes paths.
func (s Source) Sessions(ctx context.Context, prefix string) []Offer {
	var offers []Offer
	for _, special := range []Offer{{"latest", "the latest session"}, {"latest:.", "the latest of this directory"}} {
		if strings.HasPrefix(special.Value, prefix) {
			offers = append(offers, special)
		}
	}
	if offers = append(offers, s.ids(ctx, prefix)...); len(offers) == 0 || query.IsPath(prefix) {
		return Files()
	}
	return offers
}

// references offers what [Source.Sessions] does and, behind a session and @, its
// entries.
func (s Source) references(ctx context.Context, prefix string) []Offer {
	if at := strings.LastIndexByte(prefix, '@'); at > 0 {
		head, typed := prefix[:at+1], prefix[at+1:]
		if strings.Trim(typed, "0123456789") == "" {
			head, typed = prefix[:at], prefix[at:]
		}
		if found := s.entries(ctx, prefix[:at], typed); len(found) > 0 {
			return append(Behind(head, found), Offer{prefix[:at] + "@leaf", "the current leaf"})
		}
	}
	return s.Sessions(ctx, prefix)
}

// ids offers sessions by their ids, shortened as far as they still name one, each
// with project, name or first words, and age.
func (s Source) ids(ctx context.Context, prefix string) []Offer {
	return s.ask(ctx, func(a *query.Archive) (offers []Offer, err error) {
		sessions, err := session.Recent(ctx, a, prefix, s.CWD, most)
		return Sessions(sessions, prefix, s.Now), err
	})
}

// Sessions offers these sessions to who has typed the beginning of an id.
func Sessions(sessions []session.RecentSession, typed string, now time.Time) (offers []Offer) {
	for _, found := range sessions {
		ref := found.Ref
		if ref != found.Path && !strings.HasPrefix(ref, typed) { // more than needed was typed
			ref = found.ID
		}
		about := text.ProjectName(found.CWD) + " · " + documents.Title(found.Name, found.First, aboutWidth) + " · " + terminal.When(found.Modified, now)
		if found.Missing {
			about += " · the file is gone"
		}
		offers = append(offers, Offer{ref, about})
	}
	return offers
}

// Described says which sessions a reference may mean, a line each.
func Described(sessions []session.RecentSession, now time.Time) (lines []string) {
	for _, o := range Sessions(sessions, "", now) {
		lines = append(lines, o.Value+"  "+o.About)
	}
	return lines
}

// Entries offers entries of a session: leaf, ids, and what begins with @ by line.
func (s Source) Entries(ctx context.Context, ref, prefix string) []Offer {
	return append([]Offer{{"leaf", "the current leaf"}}, s.entries(ctx, ref, prefix)...)
}

func (s Source) entries(ctx context.Context, ref, prefix string) []Offer {
	return s.ask(ctx, func(a *query.Archive) (offers []Offer, err error) {
		from, _, err := session.FindReadable(ctx, a, ref, s.CWD)
		if err != nil {
			return nil, err
		}
		steps, err := session.RecentEntries(ctx, a, from, prefix, most)
		if err != nil {
			return nil, err
		}
		previews, err := session.ReadPreviews(ctx, a, steps)
		entries := documents.Steps{Steps: steps, Previews: previews}
		for _, step := range steps {
			id := step.ID
			if strings.HasPrefix(prefix, "@") {
				id = "@" + strconv.Itoa(step.Line)
			}
			offers = append(offers, Offer{id, cmp.Or(step.Role, step.Type) + " · " + terminal.Fit(entries.Text(step), aboutWidth)})
		}
		return offers, err
	})
}

// dates offers some, with the day they mean.
func (s Source) dates() []Offer {
	var offers []Offer
	for _, v := range question.KnownValues("after") {
		if from, _, err := question.ParseDate(v, s.Now); err == nil {
			offers = append(offers, Offer{v, from.Format("Mon 2006-01-02")})
		}
	}
	return offers
}

// OfKind offers values for a word of a usage line; session is what an entry is of.
func (s Source) OfKind(ctx context.Context, kind, session, prefix string) []Offer {
	switch kind {
	case "SESSION":
		return s.Sessions(ctx, prefix)
	case "SESSION@LINE":
		return s.references(ctx, prefix)
	case "ENTRY":
		return s.Entries(ctx, session, prefix)
	case "DATE":
		return s.dates()
	case "TOOL|COMMAND":
		return s.Values(ctx, "tool", prefix, false)
	case "FILE", "PATH":
		return Files()
	case "DIR", "ROOT":
		return Dirs()
	}
	if words := strings.Split(kind, "|"); len(words) > 1 {
		return Words(words)
	}
	return nil
}
