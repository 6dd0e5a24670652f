package terminal

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

// passed writes texts one by one and returns what comes out of them.
func passed(t testing.TB, p *Printable, texts ...string) string {
	t.Helper()
	var out bytes.Buffer
	p.Out = &out
	for _, text := range texts {
		if n, err := io.WriteString(p, text); n != len(text) || err != nil {
			t.Fatalf("%d bytes of %q are written, %v", n, text, err)
		}
	}
	if err := p.End(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestPrintable(t *testing.T) {
	s := Style{On: true}
	tests := []struct{ in, text, coloured, data string }{
		{"plain\ttext\n", "plain\ttext\n", "plain\ttext\n", "plain\ttext\n"},
		{"a\r\nb\rc\r", "a\nb␍c␍", "a\nb␍c␍", "a\nb␍c␍"},
		{"\x1b[2J\x1b]0;title\x07\x00", "␛[2J␛]0;title␇␀", "␛[2J␛]0;title␇␀", "␛[2J␛]0;title␇␀"},
		{"\x1b[31mred\x1b[0m\x1b[5mno\x1b[", "␛[31mred␛[0m␛[5mno␛[", "\x1b[31mred\x1b[0m␛[5mno␛[", "␛[31mred␛[0m␛[5mno␛["},
		{"del\x7f nel\u0085 csi\u009b1m bad\x9b\xff", "del␡ nel� csi�1m bad��", "del␡ nel� csi�1m bad��", `del\u007f nel\u0085 csi\u009b1m bad��`},
		{"user\u202egpj.exe\u2066\U000e0041", "usergpj.exe", "usergpj.exe", `user\u202egpj.exe\u2066\udb40\udc41`},
		{"line\u2028end ad\u200dmin", "line end admin", "line end admin", `line\u2028end ad\u200dmin`},
		{"👩\u200d💻 日本 \ufffd ❤\ufe0f", "👩\u200d💻 日本 \ufffd ❤\ufe0f", "👩\u200d💻 日本 \ufffd ❤\ufe0f", "👩\u200d💻 日本 \ufffd ❤\ufe0f"},
		{s.Bold("a\nb") + s.Dim("c") + s.Match("d"), "␛[1ma␛[0m\n␛[1mb␛[0m␛[2mc␛[0m␛[1;31md␛[0m", s.Bold("a\nb") + s.Dim("c") + s.Match("d"), "␛[1ma␛[0m\n␛[1mb␛[0m␛[2mc␛[0m␛[1;31md␛[0m"},
		{s.Good("a") + s.Bad("b") + s.Accent("c") + s.Label("d"), "␛[32ma␛[0m␛[31mb␛[0m␛[36mc␛[0m␛[35md␛[0m", s.Good("a") + s.Bad("b") + s.Accent("c") + s.Label("d"),
			"␛[32ma␛[0m␛[31mb␛[0m␛[36mc␛[0m␛[35md␛[0m"},
	}
	for _, test := range tests {
		for _, way := range []struct {
			p    Printable
			want string
		}{
			{Printable{}, test.text}, {Printable{Colours: true}, test.coloured}, {Printable{Mode: DataShown}, test.data}, {Printable{Mode: AsData, Colours: true}, test.in},
		} {
			p := way.p
			if got := passed(t, &p, test.in); got != way.want {
				t.Errorf("%+v: %q becomes %q, want %q", way.p, test.in, got, way.want)
			}
			p = way.p
			if got := passed(t, &p, strings.Split(test.in, "")...); got != way.want {
				t.Errorf("%+v: %q character by character becomes %q, want %q", way.p, test.in, got, way.want)
			}
			for cut := range len(test.in) {
				p = way.p
				if got := passed(t, &p, test.in[:cut], test.in[cut:]); got != way.want {
					t.Errorf("%+v: %q and %q become %q, want %q", way.p, test.in[:cut], test.in[cut:], got, way.want)
				}
			}
		}
	}
}

// FuzzPrintable: what comes out is the same in one piece and in many, the same as
// from safeLines, and what comes out of that passes unchanged.
func FuzzPrintable(f *testing.F) {
	for _, s := range []string{"", "a\nb", "\x1b[0m\x1b[3", "\xff\xfe\xe2\x80", "\u202e\u2066", "👩\u200d💻", "\u009b\u0085\r\r\n\r", "a\u200b\u200d", "\xff\u200b\u200d0"} {
		f.Add(s, 1)
	}
	f.Fuzz(func(t *testing.T, s string, cut int) {
		cut = min(max(cut, 0), len(s))
		text := passed(t, &Printable{}, s)
		if want := safeLines(s); text != want {
			t.Errorf("%q becomes %q, of safeLines %q", s, text, want)
		}
		for _, p := range []Printable{{}, {Colours: true}, {Mode: DataShown}} {
			one, two, again := p, p, p
			whole := passed(t, &one, s)
			if got := passed(t, &two, s[:cut], s[cut:]); got != whole {
				t.Errorf("%+v: %q and %q become %q, in one %q", p, s[:cut], s[cut:], got, whole)
			}
			if got := passed(t, &again, whole); got != whole {
				t.Errorf("%+v: %q becomes %q when it passes again", p, whole, got)
			}
			if left := obeys(whole, p.Colours); left != "" {
				t.Errorf("%+v: %q becomes %q with %q", p, s, whole, left)
			}
		}
	})
}

// obeys returns the first thing in a text that a terminal would act on or not
// show, apart from the sequences of style where colours are on.
func obeys(text string, colours bool) string {
	if colours {
		for _, s := range sequences {
			text = strings.ReplaceAll(text, s, "")
		}
	}
	for i, r := range text {
		_, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '\n' || r == '\t':
		case r < ' ', r >= 0x7f && r < 0xa0, r == '\u2028', r == '\u2029', r == utf8.RuneError && n == 1, isHidden(r) && !isJoiner(r):
			return text[max(0, i-40):min(len(text), i+20)]
		}
	}
	return ""
}

func BenchmarkPrintable(b *testing.B) {
	for name, line := range map[string]string{
		"ASCII":   "the quick brown fox jumps over the lazy dog, and a few more words\n",
		"mixed":   "─ user  12:00  ──────── … · naïve text with a few signs of others\n",
		"Chinese": "快速的棕色狐狸跳过懒狗，然后又回来了。竞态条件，库存。\n",
	} {
		text := []byte(strings.Repeat(line, 64<<10/len(line)))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			p := Printable{Out: io.Discard, Colours: true}
			for b.Loop() {
				p.Write(text)
			}
		})
	}
}
