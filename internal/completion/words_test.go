package completion

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// bashBreaks is what bash has in COMP_WORDBREAKS.
const bashBreaks = " \t\n\"'@><=;|&(:"

func TestSplit(t *testing.T) {
	tests := []struct {
		line string
		want []word
	}{
		{"", []word{{}}},
		{"a", []word{{text: "a"}}},
		{"a  b ", []word{{text: "a"}, {text: "b"}, {}}},
		{"x is:er", []word{{text: "x"}, {text: "is:er", bare: 3}}},
		{"--db=a:b", []word{{text: "--db=a:b", bare: 7}}},
		{"@12", []word{{text: "@12"}}},
		{"a=@12", []word{{text: "a=@12", bare: 2}}},
		{`is\:er`, []word{{text: "is:er"}}},
		{`'a b`, []word{{text: "a b", open: '\''}}},
		{`"a 'b\"$(c)\d`, []word{{text: `a 'b"$(c)\d`, open: '"', odd: true}}},
		{`x:'a b`, []word{{text: "x:a b", open: '\'', bare: 2}}},
		{`'a b'`, []word{{text: "a b", odd: true}}},
		{`'' `, []word{{odd: true}, {}}},
		{`a\ b\`, []word{{text: `a b\`}}},
		{"größe:ü", []word{{text: "größe:ü", bare: 8}}},
	}
	for _, test := range tests {
		got := split(test.line, bashBreaks)
		if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(word{})); diff != "" {
			t.Errorf("%q (-want +got)\n%s", test.line, diff)
		}
	}
}

// FuzzSplit: what is quoted as a shell has it comes back, and nothing that
// is typed makes a candidate that does not continue it.
func FuzzSplit(f *testing.F) {
	f.Add("show", "a b", "is:'x\\")
	f.Fuzz(func(t *testing.T, first, second, typed string) {
		quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
		words := split(quote(first)+" "+quote(second)+" "+typed, bashBreaks)
		if len(words) < 3 || words[0].text != first || words[1].text != second {
			t.Fatalf("%+v", words)
		}
		for _, w := range words {
			if w.bare > len(w.text) {
				t.Errorf("%+v", w)
			}
		}
	})
}
