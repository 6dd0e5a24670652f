package text

import (
	"testing"

	"piarchive/internal/terminal"
)

func TestHighlight(t *testing.T) {
	s := terminal.Style{On: true}
	mark := func(text string) string { return "\x1b[1;31m" + text + "\x1b[0m" }
	tests := []struct {
		line   string
		ranges [][2]int
		width  int
		want   string
	}{
		{"a path here", [][2]int{{2, 6}}, 40, "a " + mark("path") + " here"},
		{"a path here", nil, 40, "a path here"},
		{"path path", [][2]int{{0, 4}, {5, 9}}, 40, mark("path") + " " + mark("path")},
		{"a path here", [][2]int{{2, 6}}, 5, "a " + mark("pa") + "…"},
		{"a path here", [][2]int{{2, 6}}, 3, "a …"},
		{"日本語の駅", [][2]int{{3, 9}}, 40, "日" + mark("本語") + "の駅"},
		{"日本語の駅", [][2]int{{3, 9}}, 6, "日" + mark("本") + "…"},
		{"Dvor\u030ca\u0301k!", [][2]int{{0, 10}}, 40, mark("Dvor\u030ca\u0301k") + "!"},
		{"a\u200bpath", [][2]int{{4, 8}}, 40, "a" + mark("path")},
	}
	for _, test := range tests {
		if got := Highlight(s, test.line, test.ranges, test.width); got != test.want {
			t.Errorf("%q %v in %d: got %q, want %q", test.line, test.ranges, test.width, got, test.want)
		}
	}
}
