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
		{"resolveTerminalPath", "terminalpath", Folded},
		{"resolveTerminalPath", "TerminalPath", Verbatim},
		{"a->b", "->", Verbatim},
		{"a-b", "->", None},
		{"Café crème", "cafe crEme", Folded},
		{"cafe creme", "Café crème", Folded},
		{"Cafe\u0301!", "café!", Folded},
		{"Việt Nam", "viet nam", Folded},
		{"ÄÖ, ÜÉ", "äö, üé", Folded},
		{"服务器", "务器", Verbatim},
		{"服务，器", "务器", Tokens},
		{"a\xffB", "a\xffb", Folded},
		{"--force", "--Force", Folded},
		{"force", "--force", Tokens},
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
			text := strings.Repeat("é", at/2) + strings.Repeat(".", at%2) + strings.ToUpper(literal)
			if !containsFolded(text, strings.ToLower(literal)) {
				t.Errorf("%.20q at %d not found", literal, at)
			}
			if got := containsFolded(text, "x"+literal); got {
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
		phrase := Phrase(literal)
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
