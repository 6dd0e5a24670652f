package terminal

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestSafe(t *testing.T) {
	tests := []struct{ in, line, lines string }{
		{"plain text", "plain text", "plain text"},
		{"a\nb\tc\r\nd", "a b c d", "a\nb\tc\nd"},
		{"a\rb", "a␍b", "a␍b"},
		{"\x1b[2J\x1b]0;title\x07", "␛[2J␛]0;title␇", "␛[2J␛]0;title␇"},
		{"nul\x00 del\x7f", "nul␀ del␡", "nul␀ del␡"},
		{"c1 \u009b31m", "c1 �31m", "c1 �31m"},
		{"bad \xff\x9b", "bad ��", "bad ��"},
		{"user\u202egpj.exe", "usergpj.exe", "usergpj.exe"},
		{"\u2066isolate\u2069", "isolate", "isolate"},
		{"zero\u200bwidth\ufeff\u2060", "zerowidth", "zerowidth"},
		{"tag\U000e0041\U000e007f", "tag", "tag"},
		{"blank\u3164\u115f", "blank", "blank"},
		{"ad\u200dmin ad\u200cmin", "admin admin", "admin admin"},
		{"line\u2028end", "line end", "line end"},
		{"👩\u200d💻 naïve 日本 می\u200cخواهم ❤\ufe0f", "👩\u200d💻 naïve 日本 می\u200cخواهم ❤\ufe0f", "👩\u200d💻 naïve 日本 می\u200cخواهم ❤\ufe0f"},
		{"Arabic number sign \u0600", "Arabic number sign \u0600", "Arabic number sign \u0600"},
	}
	for _, test := range tests {
		if got := Safe(test.in); got != test.line {
			t.Errorf("safe(%q) = %q, want %q", test.in, got, test.line)
		}
		if got := safeLines(test.in); got != test.lines {
			t.Errorf("safeLines(%q) = %q, want %q", test.in, got, test.lines)
		}
	}
}

// TestHiddenOfUnicode: the shortcut says the same as the tables of Unicode.
func TestHiddenOfUnicode(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		want := unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
		if isHidden(r) != want {
			t.Errorf("%U: %v", r, !want)
		}
	}
}

func FuzzSafe(f *testing.F) {
	for _, s := range []string{"", "a\nb", "\x1b[0m", "\xff\xfe", "\u202e\u2066", "👩\u200d💻", "\u009b\u0085"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Safe(s)
		if !utf8.ValidString(got) {
			t.Errorf("safe(%q) is not UTF-8", s)
		}
		for _, r := range got {
			if r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
				t.Errorf("safe(%q) leaves %U", s, r)
			}
		}
		if again := Safe(got); again != got {
			t.Errorf("safe(safe(%q)) = %q, not %q", s, again, got)
		}
		if lines := safeLines(s); strings.Trim(Safe(lines), " ") != strings.Trim(got, " ") {
			t.Errorf("safeLines(%q) = %q says something else than safe", s, lines)
		}
		for _, width := range []int{1, 7} {
			if cut := Fit(got, width); Width(cut) > width {
				t.Errorf("fit(%q, %d) is %d cells wide", got, width, Width(cut))
			}
		}
	})
}

func TestReadable(t *testing.T) {
	for text, want := range map[string]string{
		"":      "",
		"plain": "plain",
		"a \x1b[1;32mok\x1b[m\x1b(B, lone \x1b.\n\u009b31m\x1b[2J é\xff": "a ok, lone ␛.\n é�",
		"\x1b\x1b[m\x1b[12": "␛␛[12",
	} {
		if got := Readable(text); got != want {
			t.Errorf("readable(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestLayout(t *testing.T) {
	tests := []struct {
		s     string
		width int
		fit   string
		pad   string
		left  string
	}{
		{"hello", 10, "hello", "hello     ", "     hello"},
		{"hello", 5, "hello", "hello", "hello"},
		{"hello", 4, "hel…", "hello", "hello"},
		{"hello", 0, "hello", "hello", "hello"},
		{"日本語", 6, "日本語", "日本語", "日本語"},
		{"日本語", 5, "日本…", "日本語", "日本語"},
		{"日本語", 4, "日…", "日本語", "日本語"},
		{"日本", 6, "日本", "日本  ", "  日本"},
		{"👩\u200d💻!", 4, "👩\u200d💻!", "👩\u200d💻! ", " 👩\u200d💻!"},
	}
	for _, test := range tests {
		if got := Fit(test.s, test.width); got != test.fit {
			t.Errorf("fit(%q, %d) = %q, want %q", test.s, test.width, got, test.fit)
		}
		if got := Pad(test.s, test.width); got != test.pad {
			t.Errorf("pad(%q, %d) = %q, want %q", test.s, test.width, got, test.pad)
		}
		if got := PadLeft(test.s, test.width); got != test.left {
			t.Errorf("padLeft(%q, %d) = %q, want %q", test.s, test.width, got, test.left)
		}
	}
}

// TestPaint holds every role to a code that is readable on both backgrounds:
// no yellow (33), blue (34) or white (37), and nothing without an end.
func TestPaint(t *testing.T) {
	s := Style{On: true}
	for role, paint := range map[string]func(string) string{
		"1": s.Bold, "2": s.Dim, "1;31": s.Match, "32": s.Good, "31": s.Bad, "36": s.Accent, "35": s.Label,
	} {
		want := "\x1b[" + role + "ma\x1b[0m\n\x1b[" + role + "mb\x1b[0m"
		if got := paint("a\nb"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := s.Bold(""); got != "" {
		t.Errorf("nothing painted is %q", got)
	}
	if got := (Style{}).Match("a"); got != "a" {
		t.Errorf("without colours: %q", got)
	}
}
