package terminal

import (
	"strings"
	"testing"
)

// TestLinks: a link passes Printable wherever writes end, and nothing else that
// looks like one does.
func TestLinks(t *testing.T) {
	link := Style{Links: true}.Link("/a b/\x1b\\é;%.jsonl", "text")
	const want = "\x1b]8;;file:///a%20b/%1B%5C%C3%A9%3B%25.jsonl\x1b\\text\x1b]8;;\x1b\\"
	if link != want {
		t.Errorf("link %q, want %q", link, want)
	}
	long := "/" + strings.Repeat("x", longestPath-1)
	passes := func(text string) bool {
		for cut := range min(len(text), 200) {
			var out strings.Builder
			p := Printable{Out: &out, Links: true}
			p.Write([]byte(text[:cut]))
			p.Write([]byte(text[cut:]))
			p.End()
			if out.String() != text {
				if strings.Contains(out.String(), "\x1b") && !strings.Contains(out.String(), "\x1b]8;;\x1b\\") {
					t.Errorf("%q cut at %d passes in part: %q", text, cut, out.String())
				}
				return false
			}
		}
		return true
	}
	for text, want := range map[string]bool{
		link:                                   true,
		Style{Links: true}.Link(long, "x"):     true,
		"\x1b]8;;http://a.example/\x1b\\":      false,
		"\x1b]8;;file://host/a\x1b\\":          false,
		"\x1b]8;id=1;file:///a\x1b\\":          false,
		"\x1b]8;;file:///a\a":                  false,
		"\x1b]8;;file:///a b\x1b\\":            false,
		"\x1b]8;;file:///a":                    false,
		"\x1b]52;c;eA==\x1b\\":                 false,
		"\x1b]8;;file:///" + long + long[:1e3]: false,
	} {
		if got := passes(text); got != want {
			t.Errorf("%.80q: passes is %v", text, got)
		}
	}
	if got := (Style{Links: true}).Link(long+"x", "x"); got != "x" {
		t.Errorf("a path that is too long: %.80q", got)
	}
	var out strings.Builder
	(&Printable{Out: &out}).Write([]byte(link))
	if strings.Contains(out.String(), "\x1b") {
		t.Errorf("without links: %q", out.String())
	}
}
