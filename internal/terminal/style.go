package terminal

import (
	"bytes"
	"path/filepath"
	"strings"
)

// Style colours text for a terminal, or leaves it alone. Its few colours are
// those of the basic eight that can be read on dark and on light backgrounds:
// red, green, cyan and magenta; never yellow, white or blue.
type Style struct {
	On    bool
	Links bool // texts may lead to files
}

func (s Style) Plain(text string) string  { return text }
func (s Style) Bold(text string) string   { return s.paint("1", text) }    // headings, the name of a thing
func (s Style) Dim(text string) string    { return s.paint("2", text) }    // what can be skipped: times, counts
func (s Style) Match(text string) string  { return s.paint("1;31", text) } // the words searched for, as grep shows them
func (s Style) Good(text string) string   { return s.paint("32", text) }
func (s Style) Bad(text string) string    { return s.paint("31", text) }
func (s Style) Accent(text string) string { return s.paint("36", text) } // ids
func (s Style) Label(text string) string  { return s.paint("35", text) } // labels and projects

// paint colours line by line, so that a pager that shows a part of the text
// never shows the wrong colour.
func (s Style) paint(code, text string) string {
	if !s.On || text == "" {
		return text
	}
	on, off := "\x1b["+code+"m", "\x1b[0m"
	return on + strings.ReplaceAll(text, "\n", off+"\n"+on) + off
}

// sequences are all that paint writes around texts; [Printable] lets no other pass.
var sequences = [...]string{"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[1;31m", "\x1b[31m", "\x1b[32m", "\x1b[35m", "\x1b[36m"}

// Link makes a text lead to a file where a click opens it (OSC 8).
func (s Style) Link(path, text string) string {
	if !s.Links || len(path) > longestPath {
		return text
	}
	return linkBegin + fileURL(path) + linkEnd + text + linkBegin + linkEnd
}

const (
	linkBegin, linkEnd = "\x1b]8;;", "\x1b\\"
	fileScheme         = "file:///"
	longestPath        = 4096
)

// fileURL writes a path so that of its bytes only those stay that no terminal and
// no URL takes for more than themselves.
func fileURL(path string) string {
	var b strings.Builder
	b.WriteString(fileScheme)
	for _, c := range []byte(strings.TrimPrefix(filepath.ToSlash(path), "/")) {
		if isURLByte(c) && c != '%' {
			b.WriteByte(c)
		} else {
			b.WriteString("%" + string("0123456789ABCDEF"[c>>4]) + string("0123456789ABCDEF"[c&15]))
		}
	}
	return b.String()
}

func isURLByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~/:%", c) >= 0
}

// linkLength returns the length of what Link writes around texts, if text begins
// so: 0 if not, -1 if that cannot be told yet.
func linkLength(text []byte) int {
	rest, ok := bytes.CutPrefix(text, []byte(linkBegin))
	switch {
	case !ok && strings.HasPrefix(linkBegin, string(text)):
		return -1
	case !ok:
		return 0
	}
	n := 0
	for n < len(rest) && isURLByte(rest[n]) {
		n++
	}
	url, behind := string(rest[:n]), string(rest[n:])
	switch {
	case n > len(fileScheme)+3*longestPath:
	case behind == "" && strings.HasPrefix(fileScheme, url): // of which more may come
		return -1
	case url != "" && !strings.HasPrefix(url, fileScheme):
	case strings.HasPrefix(behind, linkEnd):
		return len(linkBegin) + n + len(linkEnd)
	case strings.HasPrefix(linkEnd, behind):
		return -1
	}
	return 0
}
