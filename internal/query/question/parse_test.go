package question

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	word := func(s string) Word { return Word{Text: s} }
	tests := []struct {
		text string
		want Node
	}{
		{"", nil},
		{" \t\n ", nil},
		{"path", word("path")},
		{"terminal path", And{word("terminal"), word("path")}},
		{`"terminal path"`, Quote{"terminal path"}},
		{`a"b c"`, And{word(`a"b`), word(`c"`)}},
		{`""`, word(`""`)},
		{`"never closed`, And{word(`"never`), word("closed")}},
		{"a OR b c", Or{word("a"), And{word("b"), word("c")}}},
		{"(a OR b) c", And{Or{word("a"), word("b")}, word("c")}},
		{"a or b", And{word("a"), word("or"), word("b")}},
		{"OR", word("OR")},
		{"a OR", And{word("a"), word("OR")}},
		{"OR a", And{word("OR"), word("a")}},
		{"a OR OR b", Or{word("a"), And{word("OR"), word("b")}}},
		{"a OR ()", word("a")},
		{"a AND b", And{word("a"), word("b")}},
		{"a NOT b c", And{word("a"), Not{word("b")}, word("c")}},
		{"a AND NOT b", And{word("a"), Not{word("b")}}},
		{"a OR NOT b", Or{word("a"), Not{word("b")}}},
		{"a NOT (b OR c)", And{word("a"), Not{Or{word("b"), word("c")}}}},
		{"a NOT -b", And{word("a"), Not{Not{word("b")}}}},
		{"a NOT role:user", And{word("a"), Not{Filter{Name: "role", Values: []string{"user"}}}}},
		{"a NOT in:error", And{word("a"), Not{Filter{Name: "is", Values: []string{"error"}}}}},
		{"role:user NOT a", And{Filter{Name: "role", Values: []string{"user"}}, Not{word("a")}}},
		{"a and b not c", And{word("a"), word("and"), word("b"), word("not"), word("c")}},
		{"AND a", And{word("AND"), word("a")}},
		{"NOT a", And{word("NOT"), word("a")}},
		{"(NOT a) b", And{And{word("NOT"), word("a")}, word("b")}},
		{"a AND", And{word("a"), word("AND")}},
		{"(a NOT) b", And{And{word("a"), word("NOT")}, word("b")}},
		{"a AND AND b", And{word("a"), word("AND"), word("b")}},
		{"a AND OR b", And{word("a"), word("OR"), word("b")}},
		{"a NOT NOT b", And{word("a"), Not{word("NOT")}, word("b")}},
		{`a "NOT" b`, And{word("a"), Quote{"NOT"}, word("b")}},
		{"a NOT ()", word("a")},
		{"-a", Not{word("a")}},
		{`-"a b"`, Not{Quote{"a b"}}},
		{"-(a b)", Not{And{word("a"), word("b")}}},
		{"-(-a)", Not{Not{word("a")}}},
		{"-role:user", Not{Filter{Name: "role", Values: []string{"user"}}}},
		{"--force", word("--force")},
		{"rm -rf", And{word("rm"), Not{word("rf")}}},
		{"a - b", And{word("a"), word("-"), word("b")}},
		{"->", word("->")},
		{"resol*", Word{Text: "resol", Prefix: true}},
		{"*", word("*")},
		{"a**", word("a**")},
		{"*.go", word("*.go")},
		{"f(x)", word("f(x)")},
		{"f(x", word("f(x")},
		{"(f(x))", word("f(x)")},
		{"(a", word("a")},
		{"a) b", And{word("a"), word("b")}},
		{"))", nil},
		{"()", nil},
		{"role:user,toolResult", Filter{Name: "role", Values: []string{"user", "toolResult"}}},
		{`name:"two words",one`, Filter{Name: "name", Values: []string{"two words", "one"}}},
		{`name:"open`, Filter{Name: "name", Values: []string{`"open`}}},
		{"(label:a(b) c)", And{Filter{Name: "label", Values: []string{"a(b)"}}, word("c")}},
		{"role: user", And{word("role:"), word("user")}},
		{"role:", word("role:")},
		{"Role:user", word("Role:user")},
		{"error: cannot", And{word("error:"), word("cannot")}},
		{`C:\x`, word(`C:\x`)},
		{"don't", word("don't")},
		{".env", word(".env")},
		{"a\x00b", word("a\x00b")},
		{"a\u00a0b", And{word("a"), word("b")}},
		{"/regex/", Pattern{"regex"}},
		{`-/two words\/b/ c`, And{Not{Pattern{`two words\/b`}}, word("c")}},
		{"(/a/)", Pattern{"a"}},
		{"/usr/lib/ x", And{word("/usr/lib/"), word("x")}},
		{`/usr/lib\d/ x`, And{Pattern{`usr/lib\d`}, word("x")}},
		{"/usr/bin x/", And{word("/usr/bin"), word("x/")}},
		{"/[a/ b", And{word("/[a/"), word("b")}},
		{"/a/b", word("/a/b")},
		{"// x", And{word("//"), word("x")}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, Parse(test.text).Expr); diff != "" {
			t.Errorf("%q (-want +got)\n%s", test.text, diff)
		}
	}
}

// TestParseHints: what cannot be meant as it stands is text, and said to be.
func TestParseHints(t *testing.T) {
	tests := []struct{ text, want, hint string }{
		{"sort:new limit:5 a", "a sort:new limit:5", ""},
		{"sort:newest a", "a", "sort: takes rank, new, old or cost"},
		{"limit:many a", "a", "limit: takes a number"},
		{"limit:-1 a", "a", "limit: takes a number"},
		{"in:said a", "in:said a", `in: takes tool, error, output, call, assistant, thinking, user, notes, not "said"; it is searched for as text`},
		{"in:user,said a", "in:user,said a", `in: takes tool, error, output, call, assistant, thinking, user, notes, not "said"; it is searched for as text`},
		{"on:click", "on:click", `on: takes a date such as 2026-09-01, yesterday or -3d, not "click"; it is searched for as text`},
		{"cost:much", "cost:much", `cost: takes >1, <5 or 10k..50k, not "much"; it is searched for as text`},
		{"role:,", "role:,", "role: takes a value; it is searched for as text"},
		{"-is:odd", "-is:odd", `is: takes active, abandoned, leaf, missing, error, aborted, named, labelled, fork, subagent, not "odd"; it is searched for as text`},
		{"project:" + strings.Repeat("x", 10_000), "project:" + strings.Repeat("x", 10_000), "project: takes no value of 10000 bytes; it is searched for as text"},
		{"rol:user", "rol:user", "rol: is searched for as text; did you mean role: ?"},
		{"rolle:user", "rolle:user", "rolle: is searched for as text; did you mean role: ?"},
		{"rloe:user", "rloe:user", "rloe: is searched for as text; did you mean role: ?"},
		{"providers:x", "providers:x", "providers: is searched for as text; did you mean provider: ?"},
		{"https://example.org", "https://example.org", ""},
		{"id:5", "id:5", ""},
	}
	for _, test := range tests {
		q := Parse(test.text)
		if got := q.String(); got != test.want {
			t.Errorf("%q reads as %q, want %q", test.text, got, test.want)
		}
		if got := strings.Join(q.Hints, "; "); got != test.hint {
			t.Errorf("%q: hint %q, want %q", test.text, got, test.hint)
		}
	}
}

func TestNewFilter(t *testing.T) {
	tests := []struct {
		value string
		want  []string
	}{
		{"user", []string{"user"}},
		{"user,assistant", []string{"user", "assistant"}},
		{"two words", []string{"two words"}},
		{"two words, and more", []string{"two words, and more"}},
		{"odd)", []string{"odd)"}},
		{"", []string{""}},
	}
	for _, test := range tests {
		if got := NewFilter("name", test.value).Values; !cmp.Equal(got, test.want) {
			t.Errorf("%q: got %q, want %q", test.value, got, test.want)
		}
	}
}

// TestWith: what is added holds for the whole question.
func TestWith(t *testing.T) {
	f := Filter{Name: "role", Values: []string{"user"}}
	for text, want := range map[string]string{
		"":       "role:user",
		"a":      "a role:user",
		"a b":    "a b role:user",
		"a OR b": "(a OR b) role:user",
		"-a":     "-a role:user",
	} {
		if got := Parse(text).With(f).String(); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
