package main

import (
	"fmt"
	"slices"
	"strings"

	"piarchive/internal/query"
	"piarchive/internal/terminal"
)

// duName names a group for a person.
func duName(g query.Weight) string {
	name := ""
	switch g.What {
	case query.Entries:
		name = duEntries(g)
	case query.Images:
		if name = "images"; g.Type != "" {
			name += " in " + duEntries(g)
		}
	case query.NoImages:
		name = "all that is no image"
	case query.OtherLines:
		name = "all other entries"
	case query.NoEntry:
		name = "no entry: headers, damaged lines, other files"
	case query.OneProject:
		if name = g.Name; name == "" {
			name = "(no project)"
		}
	case query.OneSession:
		return terminal.Safe(g.ID) + "  " + sessionTitle(&query.SessionInfo{Name: g.Title, First: query.NoMessages}, 200)
	case query.NoSession:
		if name = g.Path; name == "" {
			name = "files that are no sessions"
		}
	}
	return terminal.Safe(name)
}

// duEntries names the entries of a group: what a tool or an extension wrote by
// its name.
func duEntries(g query.Weight) string {
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
func printDu(c *call, w *query.Weights, shown []query.Weight) error {
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
	rows := make([][3]string, len(shown)) // size, lines, images
	var widths [3]int
	for i, g := range shown {
		rows[i] = [3]string{terminal.Size(g.Bytes), terminal.Counted(int(g.Lines), "line"), ""}
		if g.Lines == 0 {
			rows[i][1] = ""
		}
		if g.ImageBytes > 0 && g.What != query.Images {
			rows[i][2] = terminal.Size(g.ImageBytes) + " images"
		}
		for k, text := range rows[i] {
			widths[k] = max(widths[k], terminal.Width(text))
		}
	}
	fmt.Fprintln(c.stdout)
	draw := glyphsFor(c.env)
	for i, g := range shown {
		left := terminal.Percent(shareOf(w, g.Bytes)) + "  " + c.style.Accent(draw.Share(shareOf(w, g.Bytes), duBar))
		room := len("  44 %") + 2 + duBar
		for k, text := range rows[i] {
			if widths[k] > 0 {
				left += "  " + c.style.Dim(terminal.PadLeft(text, widths[k]))
				room += 2 + widths[k]
			}
		}
		mark := ""
		switch {
		case g.MissingBytes > 0 && g.MissingBytes == g.Bytes:
			mark = "[gone] "
		case g.MissingBytes > 0:
			mark = "[" + terminal.Size(g.MissingBytes) + " gone] "
		}
		name := 0
		if c.width() > 0 {
			name = max(12, c.width()-room-2-len(mark))
		}
		if _, err := fmt.Fprintln(c.stdout, left+"  "+c.style.Bad(mark)+draw.Fit(duName(g), name)); err != nil {
			return err
		}
	}
	if n := len(w.Groups) - len(shown); n > 0 {
		rest := unshown(w, shown)
		_, err := fmt.Fprintln(c.stdout, c.style.Dim(fmt.Sprintf("%s  %s in %s more; -n 0 shows all", terminal.Percent(shareOf(w, rest)), terminal.Size(rest), terminal.Count(int64(n)))))
		return err
	}
	return nil
}

// duBar is how many cells all bytes would fill.
const duBar = 16
