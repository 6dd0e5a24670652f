package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// bashBreaks is what bash has in COMP_WORDBREAKS.
const bashBreaks = " \t\n\"'@><=;|&(:"

func TestShellWords(t *testing.T) {
	tests := []struct {
		line string
		want []shellWord
	}{
		{"", []shellWord{{}}},
		{"a", []shellWord{{text: "a"}}},
		{"a  b ", []shellWord{{text: "a"}, {text: "b"}, {}}},
		{"x is:er", []shellWord{{text: "x"}, {text: "is:er", bare: 3}}},
		{"--db=a:b", []shellWord{{text: "--db=a:b", bare: 7}}},
		{"@12", []shellWord{{text: "@12"}}},
		{"a=@12", []shellWord{{text: "a=@12", bare: 2}}},
		{`is\:er`, []shellWord{{text: "is:er"}}},
		{`'a b`, []shellWord{{text: "a b", open: '\''}}},
		{`"a 'b\"$(c)\d`, []shellWord{{text: `a 'b"$(c)\d`, open: '"', odd: true}}},
		{`x:'a b`, []shellWord{{text: "x:a b", open: '\'', bare: 2}}},
		{`'a b'`, []shellWord{{text: "a b", odd: true}}},
		{`'' `, []shellWord{{odd: true}, {}}},
		{`a\ b\`, []shellWord{{text: `a b\`}}},
		{"größe:ü", []shellWord{{text: "größe:ü", bare: 8}}},
	}
	for _, test := range tests {
		got := shellWords(test.line, bashBreaks)
		if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(shellWord{})); diff != "" {
			t.Errorf("%q (-want +got)\n%s", test.line, diff)
		}
	}
}

// FuzzShellWords: what is quoted as a shell has it comes back, and nothing that
// is typed makes a candidate that does not continue it.
func FuzzShellWords(f *testing.F) {
	f.Add("show", "a b", "is:'x\\")
	f.Fuzz(func(t *testing.T, first, second, typed string) {
		quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
		words := shellWords(quote(first)+" "+quote(second)+" "+typed, bashBreaks)
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

func TestReadLine(t *testing.T) {
	tests := []struct {
		line    string
		command string
		args    []string
		db      string
		root    []string
		value   string // the flag that waits for one
		ended   bool
	}{
		{line: ""},
		{line: "show a b", command: "show", args: []string{"a", "b"}},
		{line: "-q --db x show a", command: "show", args: []string{"a"}, db: absolute("here", "x")},
		{line: "--db=x --db ~/y list", command: "list", db: absolute("home", "y")},
		{line: "list --root a --root=b -n 5 w", command: "list", args: []string{"w"}, root: []string{absolute("here", "a"), absolute("here", "b")}},
		{line: "list -qn5 w", command: "list", args: []string{"w"}},
		{line: "list -qn", command: "list", value: "limit"},
		{line: "show --leaf", command: "show", value: "leaf"},
		{line: "search --watch w", command: "search", args: []string{"w"}},
		{line: "index --watch w", command: "index", args: []string{"w"}}, // its value stands behind = only
		{line: "search -- --role -x", command: "search", args: []string{"--role", "-x"}, ended: true},
		{line: "-- show --leaf x y", command: "show", args: []string{"y"}},
		{line: "sql -", command: "sql", args: []string{"-"}},
		{line: "strange --leaf x", command: "strange", args: []string{"x"}},
	}
	for _, test := range tests {
		var words []shellWord
		for text := range strings.FieldsSeq(test.line) {
			words = append(words, shellWord{text: text})
		}
		base := &call{env: testEnv(nil, nil, nil), table: commands()}
		base.roots = []string{"of the environment"}
		if test.root == nil {
			test.root = base.roots
		}
		got := readLine(base, words)
		value := ""
		if got.value != nil {
			value = got.value.Name
		}
		if got.cmd.name != test.command || !slices.Equal(got.call.args, test.args) || got.call.db != test.db || !slices.Equal(got.call.roots, test.root) || value != test.value || got.ended != test.ended {
			t.Errorf("%q: command %q, arguments %q, archive %q, roots %q, waiting flag %q, flags ended %v", test.line, got.cmd.name, got.call.args, got.call.db, got.call.roots, value, got.ended)
		}
	}
}

// TestFew: of a long list the best stay, and what all have in common.
func TestFew(t *testing.T) {
	list := []string{"ab-z"}
	for i := range 2 * mostCandidates {
		list = append(list, "ab-m"+strings.Repeat("x", i))
	}
	list = append(list, "aa")
	if got := few(list, ""); !slices.Equal(got, list[:mostCandidates]) {
		t.Errorf("%q", got)
	}
	got := few(list, "a")
	if len(got) > mostCandidates+2 || got[0] != "ab-z" || !slices.Contains(got, "aa") {
		t.Errorf("%q", got)
	}
	if got := few(list[:3], "a"); len(got) != 3 {
		t.Errorf("%q", got)
	}
}
