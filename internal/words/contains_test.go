package words

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestContains(t *testing.T) {
	tests := []struct {
		text, literal string
		want          Match
	}{
		{"x = foo(bar) // why", "= foo(bar", Verbatim},
		{"X = Foo(Bar)", "x = foo(", Folded},
		{"x = foo [bar]", "foo(bar", Tokens},
		{"foo baz bar", "foo bar", None},
		{"resolveTerminalPath", "terminal path", Tokens},
		{"resolveTerminalPath", "Path", Tokens},
		{"resolveTerminalPath", "TerminalPath", None},
		{"resolveTerminalPath", "resolveterminalpath", Folded},
		{"a->b", "->", Verbatim},
		{"a-b", "->", None},
		{"Café crème", "cafe crEme", Folded},
		{"Cafe\u0301!", "Cafe", Folded},
		{"cafe creme", "Café crème", Folded},
		{"Cafe\u0301!", "café!", Folded},
		{"Việt Nam", "viet nam", Folded},
		{"ÄÖ, ÜÉ", "äö, üé", Folded},
		{"服务器", "务器", Verbatim},
		{"服务，器", "务器", Tokens},
		{"a\xffB", "a\xffb", Folded},
		{"--force", "--Force", Folded},
		{"force", "--force", Tokens},
		{"no error", "error", Verbatim},
		{"errors", "error", None},
		{"2 errors, no error", "ERROR", Folded},
		{"f(x)(y)", "(x)", Verbatim},
		{"cannot\n  open", "cannot open", Tokens},
		{"\x1b[31merror\x1b[0m: cannot", "error: cannot", Verbatim},
		{"\x1b[31mÉrror\x1b[K: cannot", "error: cannot", Folded},
		{"\x1b[31merror\x1b[0m: cannot", "\x1b[1merror: cannot", Verbatim},
		{"see \x1b]8;;http://a.b\x1b\\here\x1b]8;;\x1b\\ or", "http://a.b", Verbatim},
		{"\x1b[1mfoo\x1b[0mbar", "foo", Verbatim},
		{"\x1b[1mfoo\x1b[0mbar", "Bar", Folded},
		{"\x1b[1mfoo\x1b[0mbar", "foo bar", Tokens},
		{"\x1b[1mfoo\x1b[0mbar", "foobar", Verbatim},
		{"\x1b[1mfoo\x1b[0mbar", "oobar", None},
		{"\x1b[32mok", "32mok", None},
		{"[32mok", "32mok", Verbatim},
		{"a\x1b[0mb", "\x1b[0m", Verbatim},
		{"ab", "\x1b[0m", None},
		{"中", "\xb8", None},
		{"anything", "", None},
		{"", "x", None},
		{"x", "\u0301", None},
	}
	for _, tt := range tests {
		if got := Contains(tt.text, tt.literal); got != tt.want {
			t.Errorf("Contains(%+q, %+q) = %d, want %d", tt.text, tt.literal, got, tt.want)
		}
	}
}

// A folded match is found wherever it lies relative to the pieces the text is folded in.
func TestContainsLong(t *testing.T) {
	for _, literal := range []string{"x", "NÉEDLE", strings.Repeat("é", 50<<10)} {
		for at := 128<<10 - len(literal) - 4; at < 128<<10+4; at += max(1, len(literal)/9) {
			text := strings.Repeat("…", at/3) + strings.Repeat(".", at%3) + strings.ToUpper(literal)
			if !containsFolded(text, nil, strings.ToLower(literal), 64<<10) {
				t.Errorf("%.20q at %d not found", literal, at)
			}
			if got := containsFolded(text, nil, "x"+literal, 64<<10); got {
				t.Errorf("x%.20q at %d found", literal, at)
			}
		}
	}
}

// What FTS5 finds in quotes is at least Tokens, unless it runs across identifiers, and
// Tokens is what it finds.
func TestContainsIsPhrase(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	texts := make([]string, 300)
	for i := range texts {
		texts[i] = randomText(r, 15)
	}
	f := newFTS(t, "content='', contentless_delete=1,")
	f.feed(texts...)
	count := map[Match]int{}
	for range 300 {
		literal := randomText(r, 3)
		phrase := Expr(Quoted(literal))
		if phrase == "" {
			continue
		}
		found := f.match(phrase)
		for i, text := range texts {
			m := Contains(text, literal)
			count[m]++
			if found[i+1] && m < Tokens && !crosses(text, Quoted(literal)) || m == Tokens && !found[i+1] {
				t.Errorf("%+q in %+q: %d, FTS5 %v", literal, text, m, found[i+1])
			}
		}
	}
	for m := None; m <= Verbatim; m++ {
		if count[m] < 100 {
			t.Errorf("match %d only %d times: the texts prove nothing", m, count[m])
		}
	}
}

func BenchmarkContains(b *testing.B) {
	for name, literal := range map[string]string{
		"verbatim": "xyz was never here", "folded": "XYZ was never here",
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(english)))
			for b.Loop() {
				Contains(english, literal)
			}
		})
	}
}

func BenchmarkFind(b *testing.B) {
	patterns := append(Patterns("TerminalPath"), Patterns("never_here")...)
	b.SetBytes(int64(len(english)))
	for b.Loop() {
		Find(english, patterns)
	}
}
