package search

import (
	"context"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"piarchive/internal/query/question"
)

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
	q := question.Parse(text)
	once := q.String()
	if again := question.Parse(once).String(); again != once {
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
			if _, err := Answer(t.Context(), a, question.Parse(text), Options{}); err != nil {
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
		if _, err := Answer(t.Context(), a, question.Parse(text), Options{}); err != nil {
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
		result, err := Answer(t.Context(), a, question.Parse(text), Options{Now: time.Unix(1_780_000_000, 0), CWD: "/home/mira/src/nightterm"})
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
		result, err := Answer(context.Background(), a, question.Parse(text), Options{Now: time.Unix(1_780_000_000, 0), CWD: "/home/mira/src/nightterm"})
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		checkResult(t, text, result)
	})
}
