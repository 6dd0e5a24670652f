package query

import (
	"context"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

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
		{"in:said a", "in:said a", `in: takes tool, output, call, assistant, thinking, user, notes, not "said"; it is searched for as text`},
		{"in:user,said a", "in:user,said a", `in: takes tool, output, call, assistant, thinking, user, notes, not "said"; it is searched for as text`},
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

// pieces are what questions are made of, and what could be mistaken for it.
var pieces = []string{
	"a", "word", "OR", "OR", "or", "(", ")", "-", "--", "*", `"`, `"`, "'", ":", ",", " ", " ", " ", "\t", "\n", "\x00", "\xff",
	"role:", "role:user", "in:user", "in:call,notes", "-in:output", "is:fork", "on:", "after:-3d", "until:today", "before:2026", "project:.", "project:", "name:", "label:*x?", "file:[a",
	"sort:new", "limit:3", "cost:>1", "tokens:1k..2k", "has:image", "session:4a36", "model:*", "tool:bash", "rol:x",
	".env", "rm -rf", "don't", "C:\\x", `foo"bar`, "NEAR(", "NEAR", "AND", "NOT", "^", "+", "{", "}", "->", "&&", "::", "é", "ß", "日本", "🫠", "\u202e", "terminal_path", "TerminalPath", "0.73.1", "/x/",
	"/", "/a.*b/", "-/th[e]/", "/[", `/\(/`, "/(a|b)+c*/", "/two words/", "/é/", "is:active", "-is:leaf", "under:4a36", "under:x@3", "\x1b[31m", "\x1b]0;", "\u009b1m",
}

// randomQuestion strings pieces together.
func randomQuestion(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(14) {
		b.WriteString(pieces[r.IntN(len(pieces))])
		if r.IntN(2) == 0 {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// TestQueryReadsAsItPrints: what a question prints as is read as the same
// question.
func TestQueryReadsAsItPrints(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		checkPrints(t, randomQuestion(r))
	}
}

func checkPrints(t *testing.T, text string) {
	t.Helper()
	q := Parse(text)
	once := q.String()
	if again := Parse(once).String(); again != once {
		t.Fatalf("%q prints as %q, and that as %q", text, once, again)
	}
}

// TestDeepQuestion: brackets are looked into only so far, as FTS5 can follow.
func TestDeepQuestion(t *testing.T) {
	a := newSampleArchive(t)
	for name, level := range map[string][2]string{
		"or":     {"(in:user a OR in:call b (", "))"},
		"not":    {"-(in:user a OR in:call b -(in:notes c ", "))"},
		"filter": {"(role:user OR in:call a -(b ", "))"},
		"plain":  {"(a b OR c ", ")"},
	} {
		for _, depth := range []int{3, 6, 7, 300} {
			text := "x " + strings.Repeat(level[0], depth) + "y" + strings.Repeat(level[1], depth)
			if _, err := a.Search(t.Context(), Parse(text), SearchOptions{}); err != nil {
				t.Errorf("%s %d deep: %v", name, depth, err)
			}
		}
	}
}

// TestHugeQuestion: a text of any length is answered, and soon.
func TestHugeQuestion(t *testing.T) {
	t.Parallel()
	a := newSampleArchive(t)
	for name, text := range map[string]string{
		"words":      numbered(5000, "w%d", " "),
		"repeated":   strings.Repeat("the path of ", 8000),
		"either":     numbered(5000, "w%d", " OR "),
		"nots":       "the " + numbered(5000, "-w%d", " "),
		"only nots":  numbered(5000, "-w%d", " "),
		"quotes":     numbered(5000, `"w%d w"`, " "),
		"one quote":  `"` + strings.Repeat("the path ", 10_000) + `"`,
		"one word":   strings.Repeat("word", 25_000),
		"one path":   strings.Repeat("/path", 20_000),
		"values":     "role:" + numbered(5000, "w%d", ","),
		"filters":    numbered(5000, "role:w%d", " "),
		"alternates": numbered(5000, "(w%d OR role:w)", " "),
		"files":      numbered(5000, "file:w%d", " OR "),
		"beginnings": numbered(1000, "w%d*", " OR "),
		"glob":       "project:" + strings.Repeat("*a", 4000),
		"in":         "the " + strings.Repeat("in:user ", 5000),
		"opening":    strings.Repeat("(", 100_000),
		"closing":    strings.Repeat(")", 100_000),
		"dashes":     strings.Repeat("-(", 50_000),
		"lone":       strings.Repeat(`" `, 50_000),
		"colons":     strings.Repeat("a: ", 33_000),
	} {
		start := time.Now()
		if _, err := a.Search(t.Context(), Parse(text), SearchOptions{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s: took %s", name, took)
		}
	}
}

// randomInput is made of pieces, of bytes, or of characters.
func randomInput(r *rand.Rand) string {
	switch r.IntN(4) {
	case 0:
		text := make([]byte, r.IntN(40))
		for i := range text {
			text[i] = byte(r.Uint32())
		}
		return string(text)
	case 1:
		text := make([]rune, r.IntN(20))
		for i := range text {
			text[i] = rune(r.Uint32() >> (11 + r.Uint32N(21)))
		}
		return string(text)
	}
	return randomQuestion(r)
}

// TestRandomQuestions: whatever is asked, there is an answer. PIARCHIVE_ROUNDS
// says how often.
func TestRandomQuestions(t *testing.T) {
	t.Parallel()
	n, err := strconv.Atoi(os.Getenv("PIARCHIVE_ROUNDS"))
	if err != nil {
		n = 1000
	}
	a := newSampleArchive(t)
	r := rand.New(rand.NewPCG(7, 8))
	for range n {
		text := randomInput(r)
		checkPrints(t, text)
		result, err := a.Search(t.Context(), Parse(text), SearchOptions{Now: time.Unix(1_780_000_000, 0), CWD: "/home/mira/src/nightterm"})
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		checkResult(t, text, result)
	}
}

// FuzzParse: every text is a question that can be asked, and prints as one that
// is read as it.
func FuzzParse(f *testing.F) {
	for _, p := range pieces {
		f.Add(p)
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		f.Add(randomQuestion(r))
	}
	a := newSampleArchive(f)
	f.Fuzz(func(t *testing.T, text string) {
		checkPrints(t, text)
		result, err := a.Search(context.Background(), Parse(text), SearchOptions{Now: time.Unix(1_780_000_000, 0), CWD: "/home/mira/src/nightterm"})
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		checkResult(t, text, result)
	})
}
