package terminal

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
)

// LinksFor decides whether texts lead to files: without a word on it where a terminal
// is known to take what it does not understand for nothing, and so is its pager.
func LinksFor(when string, isTerminal bool, getenv func(string) string) bool {
	if when != "auto" || !isTerminal || getenv("NO_COLOR") != "" {
		return when == "always"
	}
	kind, pager := getenv("TERM"), strings.Fields(getenv("PAGER"))
	return kind != "dumb" && kind != "linux" && (kind != "" || getenv("WT_SESSION") != "") &&
		(len(pager) == 0 || slices.Contains([]string{"less", "cat"}, filepath.Base(pager[0])))
}

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
