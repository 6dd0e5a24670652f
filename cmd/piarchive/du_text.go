package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"piarchive/internal/query"
	"piarchive/internal/query/numbers"
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
		return safe(g.ID) + "  " + sessionTitle(&query.SessionInfo{Name: g.Title, First: query.NoMessages}, 200)
	case numbers.NoSession:
		if name = g.Path; name == "" {
			name = "files that are no sessions"
		}
	}
	return safe(name)
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
	head := c.style.bold(size(w.Bytes)) + " in " + counted(w.Files, "file")
	if w.Missing > 0 {
		head += fmt.Sprintf(", %s of it only in the archive (%s gone)", size(w.MissingBytes), counted(w.Missing, "file"))
	}
	if w.DroppedBytes > 0 {
		head += fmt.Sprintf("; and %s that rewrites took away", size(w.DroppedBytes))
	}
	if _, err := fmt.Fprintln(c.stdout, head); err != nil || len(shown) == 0 {
		return err
	}
	rows := make([][3]string, len(shown)) // size, lines, images
	var widths [3]int
	for i, g := range shown {
		rows[i] = [3]string{size(g.Bytes), counted(int(g.Lines), "line"), ""}
		if g.Lines == 0 {
			rows[i][1] = ""
		}
		if g.ImageBytes > 0 && g.What != numbers.Images {
			rows[i][2] = size(g.ImageBytes) + " images"
		}
		for k, text := range rows[i] {
			widths[k] = max(widths[k], cells.StringWidth(text))
		}
	}
	fmt.Fprintln(c.stdout)
	draw := newGlyphs(c.env)
	for i, g := range shown {
		left := percent(shareOf(w, g.Bytes)) + "  " + c.style.accent(draw.share(shareOf(w, g.Bytes), duBar))
		room := len("  44 %") + 2 + duBar
		for k, text := range rows[i] {
			if widths[k] > 0 {
				left += "  " + c.style.dim(padLeft(text, widths[k]))
				room += 2 + widths[k]
			}
		}
		mark := ""
		switch {
		case g.MissingBytes > 0 && g.MissingBytes == g.Bytes:
			mark = "[gone] "
		case g.MissingBytes > 0:
			mark = "[" + size(g.MissingBytes) + " gone] "
		}
		name := 0
		if c.width() > 0 {
			name = max(12, c.width()-room-2-len(mark))
		}
		if _, err := fmt.Fprintln(c.stdout, left+"  "+c.style.bad(mark)+draw.fit(duName(g), name)); err != nil {
			return err
		}
	}
	if n := len(w.Groups) - len(shown); n > 0 {
		rest := unshown(w, shown)
		_, err := fmt.Fprintln(c.stdout, c.style.dim(fmt.Sprintf("%s  %s in %s more; -n 0 shows all", percent(shareOf(w, rest)), size(rest), count(int64(n)))))
		return err
	}
	return nil
}

// duBar is how many cells all bytes would fill.
const duBar = 16

// share draws a part of all as a bar with room for width cells. Unlike bar it
// is empty where there is next to nothing.
func (g glyphs) share(part float64, width int) string {
	if part*float64(width*len(g.parts)) < 0.5 {
		return strings.Repeat(" ", width)
	}
	return pad(g.bar(part, width), width)
}

// percent writes a share in six cells: "  44 %", "0.06 %", "   0 %".
func percent(share float64) string {
	p := 100 * share
	text := strconv.FormatFloat(p, 'f', 0, 64)
	switch {
	case p <= 0:
		text = "0"
	case p < 0.01:
		text = "<.01"
	case p < 0.995:
		text = strconv.FormatFloat(p, 'f', 2, 64)
	case p < 9.95:
		text = strconv.FormatFloat(p, 'f', 1, 64)
	}
	return padLeft(text, 4) + " %"
}
