package text

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"piarchive/internal/documents"
	"piarchive/internal/query"
	"piarchive/internal/query/numbers"
	"piarchive/internal/query/session"
	"piarchive/internal/terminal"
)

// SizeName names a group for a person.
func SizeName(g numbers.Size) string {
	name := ""
	switch g.What {
	case numbers.Entries:
		name = entriesName(g)
	case numbers.Images:
		if name = "images"; g.Type != "" {
			name += " in " + entriesName(g)
		}
	case numbers.NoImages:
		name = "all that is no image"
	case numbers.OtherLines:
		name = "all other entries"
	case numbers.NoEntry:
		name = "no entry: headers, damaged lines, other files"
	case numbers.OneProject:
		if name = g.Name; name == "" {
			name = "(no project)"
		}
	case numbers.OneSession:
		return terminal.Safe(g.ID) + "  " + documents.Title(g.Title, session.NoMessages, 200)
	case numbers.NoSession:
		if name = g.Path; name == "" {
			name = "files that are no sessions"
		}
	}
	return terminal.Safe(name)
}

// entriesName names the entries of a group: what a tool or an extension wrote by
// its name.
func entriesName(g numbers.Size) string {
	parts := []string{g.Type, g.Role, g.Name}
	if g.Role != "" {
		parts[0] = "" // it is a message
	}
	if name := strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " "); name != "" {
		return name
	}
	return "(no type)"
}

// Sizes draws a table of the first groups:
//
//	300 MB in 1,262 files, 12 MB of it only in the archive (3 files missing)
//
//	  44 %  ██████████    133 MB   54,964 lines  assistant
//	  17 %  ███▊           51 MB   11,823 lines  toolResult read
func (p Page) Sizes(ctx context.Context, a *query.Archive, all *numbers.Sizes, shown []numbers.Size) error {
	head := p.Style.Bold(terminal.Size(all.Bytes)) + " in " + terminal.Counted(all.Files, "file")
	if all.Missing > 0 {
		head += fmt.Sprintf(", %s of it only in the archive (%s missing)", terminal.Size(all.MissingBytes), terminal.Counted(all.Missing, "file"))
	}
	if all.DroppedBytes > 0 {
		head += fmt.Sprintf("; and %s that rewrites took away", terminal.Size(all.DroppedBytes))
	}
	p.say(head)
	if len(shown) == 0 {
		return nil
	}
	p.say()
	seen, marks, paths := copies{}, map[int64]string{}, map[string]bool{}
	for i, g := range shown {
		if (g.What == numbers.OneProject || g.What == numbers.NoSession) && missingMark(g) == "" {
			paths[SizeName(g)] = true
		}
		if g.What == numbers.OneSession {
			var err error
			if shown[i].ID, err = shortID(ctx, a, query.SessionRef{Key: g.Key, Path: g.Path, ID: g.ID}); err != nil {
				return err
			}
			marks[g.Key] = seen.mark(shown[i].ID)
		}
	}
	dim := p.Style.Dim
	const name = 5 // a column
	bar := 16      // how many cells all bytes would fill
	if p.Width > 0 && p.Width < 80 {
		bar = 6 // the names tell more
	}
	err := printRows(p, []column[numbers.Size]{
		{terminal.Column{}, func(g numbers.Size) string { return terminal.Percent(all.Share(g.Bytes)) }},
		{terminal.Column{Paint: p.Style.Accent}, func(g numbers.Size) string { return p.Glyphs.Share(all.Share(g.Bytes), bar) }},
		{terminal.Column{Right: true, Paint: dim}, func(g numbers.Size) string { return terminal.Size(g.Bytes) }},
		{terminal.Column{Right: true, Paint: dim}, func(g numbers.Size) string {
			if g.Lines == 0 {
				return ""
			}
			return terminal.Counted(int(g.Lines), "line")
		}},
		{terminal.Column{Right: true, Window: 72, Paint: dim}, func(g numbers.Size) string {
			if g.ImageBytes == 0 || g.What == numbers.Images {
				return ""
			}
			return terminal.Size(g.ImageBytes) + " images"
		}},
		{terminal.Column{Shrink: 1, Least: 12, Paths: paths}, func(g numbers.Size) string { return missingMark(g) + marks[g.Key] + SizeName(g) }},
	}, shown, name, func(g numbers.Size) func(string) string {
		return func(text string) string {
			rest, _ := strings.CutPrefix(text, missingMark(g))
			return p.Style.Bad(text[:len(text)-len(rest)]) + rest
		}
	})
	if n := len(all.Groups) - len(shown); n > 0 && err == nil {
		rest := all.Beyond(len(shown))
		p.say(dim(fmt.Sprintf("%s  %s in %s more; -n 0 shows all", terminal.Percent(all.Share(rest)), terminal.Size(rest), terminal.Count(int64(n)))))
	}
	return err
}

// missingMark stands before a group of which bytes are only in the archive.
func missingMark(g numbers.Size) string {
	switch {
	case g.MissingBytes > 0 && g.MissingBytes == g.Bytes:
		return "[missing] "
	case g.MissingBytes > 0:
		return "[" + terminal.Size(g.MissingBytes) + " missing] "
	}
	return ""
}
