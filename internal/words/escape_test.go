package words

import (
	"slices"
	"strings"
	"testing"
)

func TestEscape(t *testing.T) {
	tests := []struct{ text, sequence string }{
		{"\x1b[mok", "\x1b[m"},
		{"\x1b[32mok", "\x1b[32m"},
		{"\x1b[38;2;1:2:3mok", "\x1b[38;2;1:2:3m"},
		{"\x1b[?1049hok", "\x1b[?1049h"},
		{"\x1b[0 qok", "\x1b[0 q"},
		{"\x1b[!pok", "\x1b[!p"},
		{"\x1b[200~ok", "\x1b[200~"},
		{"\u009b32mok", "\u009b32m"},
		{"\u009bmok", ""}, // of "Ä\u009bm", for one
		{"\u009b mok", ""},
		{"\u009b", ""},
		{"\u009b3", ""},
		{"\x1b[3", ""},
		{"\x1b[3\nm", ""},
		{"\x1b[3\x1b[m", ""},
		{"\x1b[3é", ""},
		{"\x1b[" + strings.Repeat("1;", maxEscape) + "m", ""},
		{"\x1b]0;title\aok", "\x1b]"},
		{"\x1b]8;;http://a.b\x1b\\link", "\x1b]"},
		{"\x1b_Gi=1;AAAA\x1b\\ok", "\x1b_"},
		{"\x1b^x", "\x1b^"},
		{"\x1bPath", ""},
		{"\x1bXylophone", ""},
		{"\x1b(Bok", "\x1b(B"},
		{"\x1b$(Cok", "\x1b$(C"},
		{"\x1b#8ok", "\x1b#8"},
		{"\x1b%Gok", "\x1b%G"},
		{"\x1b(", ""},
		{"\x1b((", ""},
		{"\x1b(\nB", ""},
		{"\x1b7ok", "\x1b7"},
		{"\x1bMok", "\x1bM"},
		{"\x1bcok", "\x1bc"},
		{"\x1b\\ok", "\x1b\\"},
		{"\x1bok", ""},
		{"\x1b ok", ""},
		{"\x1b\x1b[m", ""},
		{"\x1b", ""},
		{"ok", ""},
		{"", ""},
	}
	for _, tt := range tests {
		if got := tt.text[:Escape(tt.text)]; got != tt.sequence {
			t.Errorf("%.40q begins with %.40q, want %.40q", tt.text, got, tt.sequence)
		}
	}
}

func TestPlain(t *testing.T) {
	tests := []struct {
		text, want string
		cuts       []int
	}{
		{"ok", "ok", nil},
		{"[32mok", "[32mok", nil},
		{"a \x1b b", "a \x1b b", nil},
		{"\x1b[32mok\x1b[0m.\x1b[m\x1b(B", "ok.", []int{0, 2, 3, 3}},
		{"é\u009b1mé\u009b", "éé\u009b", []int{2}},
	}
	for _, tt := range tests {
		if got, cuts := plain(tt.text); got != tt.want || !slices.Equal(cuts, tt.cuts) {
			t.Errorf("plain(%+q) = %+q, %v, want %+q, %v", tt.text, got, cuts, tt.want, tt.cuts)
		}
	}
}
