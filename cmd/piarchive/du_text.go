package main

import (
	"fmt"
	"slices"
	"strings"

	"piarchive/internal/query/numbers"
	"piarchive/internal/query/session"
	"piarchive/internal/terminal"
)

// duName names a group for a person.
func duName(g numbers.Weight) string {
	name := ""
	switch g.What {
	case numbers.Entries:
		name = duEntries(g)
	case numbers.Images:
		if name = "images"; g.Type != "" {
			name += " in " + duEntries(g)
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
		return terminal.Safe(g.ID) + "  " + sessionTitle(&session.Info{Name: g.Title, First: session.NoMessages}, 200)
	case numbers.NoSession:
		if name = g.Path; name == "" {
			name = "files that are no sessions"
		}
	}
	return terminal.Safe(name)
}

// duEntries names the entries of a group: what a tool or an extension wrote by
// its name.
func duEntries(g numbers.Weight) string {
	parts := []string{g.Type, g.Role, g.Name}
	if g.Role != "" {
		parts[0] = "" // it is a message
	}
	if name := strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " "); name != "" {
		return name
	}
	return "(no type)"
}

// printDu draws a table for a terminal:
//
//	300 MB in 1,262 files, 12 MB of it only in the archive (3 files are gone)
//
//	  44 %  ██████████    133 MB   54,964 lines  assistant
//	  17 %  ███▊           51 MB   11,823 lines  toolResult read
func printDu(c *call, w *numbers.Weights, shown []numbers.Weight) error {
	head := c.style.Bold(terminal.Size(w.Bytes)) + " in " + terminal.Counted(w.Files, "file")
	if w.Missing > 0 {
		head += fmt.Sprintf(", %s of it only in the archive (%s gone)", terminal.Size(w.MissingBytes), terminal.Counted(w.Missing, "file"))
	}
	if w.DroppedBytes > 0 {
		head += fmt.Sprintf("; and %s that rewrites took away", terminal.Size(w.DroppedBytes))
	}
	if _, err := fmt.Fprintln(c.stdout, head); err != nil || len(shown) == 0 {
		return err
	}
	fmt.Fprintln(c.stdout)
	dim := c.style.Dim
	const name = 5
	t := newTable(c, terminal.Column{}, terminal.Column{Paint: c.style.Accent}, terminal.Column{Right: true, Paint: dim},
		terminal.Column{Right: true, Paint: dim}, terminal.Column{Right: true, Paint: dim}, terminal.Column{Shrink: 1, Least: 12})
	for _, g := range shown {
		lines, images, mark := "", "", ""
		if g.Lines > 0 {
			lines = terminal.Counted(int(g.Lines), "line")
		}
		if g.ImageBytes > 0 && g.What != numbers.Images {
			images = terminal.Size(g.ImageBytes) + " images"
		}
		switch {
		case g.MissingBytes > 0 && g.MissingBytes == g.Bytes:
			mark = "[gone] "
		case g.MissingBytes > 0:
			mark = "[" + terminal.Size(g.MissingBytes) + " gone] "
		}
		paint := func(text string) string {
			rest, _ := strings.CutPrefix(text, mark)
			return c.style.Bad(text[:len(text)-len(rest)]) + rest
		}
		share := w.Share(g.Bytes)
		t.Painted(name, paint, terminal.Percent(share), t.Glyphs.Share(share, duBar), terminal.Size(g.Bytes), lines, images, mark+duName(g))
	}
	if err := t.End(); err != nil {
		return err
	}
	if n := len(w.Groups) - len(shown); n > 0 {
		rest := w.Beyond(len(shown))
		_, err := fmt.Fprintln(c.stdout, c.style.Dim(fmt.Sprintf("%s  %s in %s more; -n 0 shows all", terminal.Percent(w.Share(rest)), terminal.Size(rest), terminal.Count(int64(n)))))
		return err
	}
	return nil
}

// duBar is how many cells all bytes would fill.
const duBar = 16
