package regex

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func mustRegex(t testing.TB, pattern string) *Regex {
	t.Helper()
	r, err := Compile(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRegexErrors(t *testing.T) {
	for pattern, want := range map[string]string{
		`foo(`:                     `compile regular expression "foo(": missing closing )`,
		`a[b`:                      `compile regular expression "a[b": missing closing ]: "[b"`,
		`*a`:                       `compile regular expression "*a": missing argument to repetition operator: "*"`,
		`(?=a)`:                    `compile regular expression "(?=a)": invalid or unsupported Perl syntax: "(?="`,
		`a\`:                       `compile regular expression "a\\": trailing backslash at end of expression`,
		"\xff":                     `compile regular expression "\xff": invalid UTF-8`,
		`(a)\1`:                    `compile regular expression "(a)\\1": invalid escape sequence: "\\1"`,
		`a{1001}`:                  `compile regular expression "a{1001}": invalid repeat count: "{1001}"`,
		`(a{500}b){500}`:           `compile regular expression "(a{500}b){500}": invalid repeat count: "{500}"`,
		strings.Repeat(`ab`, 9000): "compile regular expression \"" + strings.Repeat(`ab`, 30) + "\": expression too large",
	} {
		_, err := Compile(pattern)
		if err == nil || err.Error() != want {
			t.Errorf("%.40q: %v, want %s", pattern, err, want)
		}
	}
}

func TestRegexMatches(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{`error`, "An ERROR here", true}, // case is ignored
		{`Error`, "an error here", false},
		{`Error`, "an Error here", true},
		{`[A-Z]rror`, "error", false},
		{`[a-z]rror`, "ERROR", true},
		{`(?-i)error`, "ERROR", false},
		{`(?i)Error`, "ERROR", true},
		{`\Srror`, "ERROR", true}, // the name of a class is no letter
		{`\x{65}rror`, "ERROR", true},
		{`\p{Lu}rror`, "error", false},
		{`[[:upper:]]rror`, "error", false},
		{`(?P<Kind>e)rror`, "ERROR", true},
		{`\Qa.B\E`, "a.b", false},
		{`\Qa.b\E`, "A.B", true},
		{`äh`, "ÄH", true},
		{`Äh`, "äh", false},
		{`^two$`, "one\ntwo\nthree", true}, // lines
		{`\Atwo`, "one\ntwo", false},
		{`one.two`, "one\ntwo", false},
		{`(?s)one.two`, "one\ntwo", true},
		{`one\s+two`, "one\n\n two", true},
		{``, "a", true},
		{`$`, "a", true},
		{`sk`, "ſ\u212a", true},
		{`foo[^a-z]bar.*foo`, "foobar\nfoo-bar\nfoo-bar foo", true},
	} {
		r := mustRegex(t, c.pattern)
		if got := r.MatchString(c.text); got != c.want {
			t.Errorf("%s matches %q: %v", c.pattern, c.text, got)
		}
		if r.String() != c.pattern {
			t.Errorf("%s prints as %s", c.pattern, r)
		}
	}
}

func TestRegexLiteral(t *testing.T) {
	for _, c := range []struct {
		literal, text string
		want          bool
	}{
		{"=> {", "x => {\n}", true},
		{"=> {", "x =>  {", false},
		{`\d+ (A.b`, `see \D+ (a.B`, true},
		{`a.b`, "axb", false},
		{"^", "2^8", true},
		{"$", "nothing", false},
		{"Ä\n[", "a ä\n[", true},
		{"a\xff=", "a\ufffd=", true},
		{"", "", true},
	} {
		if Literal(c.literal).MatchString(c.text) != c.want {
			t.Errorf("%q in %q: %v", c.literal, c.text, !c.want)
		}
	}
	if r := Literal(strings.Repeat("{", maxSize)); r != nil {
		t.Error("a text that is too long makes an expression")
	}
}

func TestRegexSpans(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          []string
	}{
		{`fo+`, "a foo\n\nno\nfo FOOO", []string{"foo", "fo", "FOOO"}},
		{`x*`, "axxbx", []string{"xx", "x"}},
		{`(?s)b.*c`, "ab\n\nc", []string{"b\n\nc"}},
		{`^\w+`, "one 1\ntwo 2", []string{"one", "two"}},
		{`warning: .*`, "a\nwarning: ä\nb\nerror\nwarning: b", []string{"warning: ä", "warning: b"}},
		{`nothing`, "something", nil},
	} {
		var got []string
		for _, s := range mustRegex(t, c.pattern).Spans(c.text) {
			got = append(got, c.text[s.Start:s.End])
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s in %q:\n%s", c.pattern, c.text, diff)
		}
	}
	if n := len(mustRegex(t, "ab").Spans(strings.Repeat("ab\n", 10_000))); n != maxSpans {
		t.Errorf("%d spans", n)
	}
}

// Expressions that take other engines forever take time in proportion here; one
// that takes long even so ends when it is told to.
func TestRegexEnds(t *testing.T) {
	text := strings.Repeat("a", 20_000)
	for _, pattern := range []string{`(a+)+b`, `(a|a)*b`, `(a|aa)+$b`, `(.*)*x(.*)*y`, `a?{30}a{30}b`, `(x+x+)+y`, `([a-z]+)*=`} {
		r, err := Compile(pattern)
		if err != nil {
			continue // said so, and fast
		}
		if r.MatchString(text) {
			t.Errorf("%s matches", pattern)
		}
	}

	r := mustRegex(t, `(?s)(.?.?.?.?.?.?.?.?.?.?){90}zz(.?.?.?.?.?.?.?.?.?.?){90}[^a]`)
	r.needs, r.inLine = formula{}, false
	var stop atomic.Bool
	done := make(chan bool)
	go func() { done <- r.Match(strings.Repeat("ab ", 10_000_000), &stop) }()
	time.Sleep(50 * time.Millisecond)
	stop.Store(true)
	select {
	case matched := <-done:
		if matched {
			t.Error("what was stopped matches")
		}
	case <-time.After(30 * time.Second):
		t.Fatal("a match goes on after it was stopped")
	}
}
