package search

import (
	"context"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"piarchive/internal/query"
	"piarchive/internal/query/question"
)

// pieces are what questions are made of, and what could be mistaken for it.
var pieces = []string{
	"a", "word", "OR", "OR", "AND", "NOT", "NOT", "or", "(", ")", "-", "--", "*", `"`, `"`, "'", ":", ",", " ", " ", " ", "\t", "\n", "\x00", "\xff",
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

// TestHugeQuestion: a text of any length is answered, with work that grows as it
// does. Memory stands for the work: twice the text must not take much more than
// twice as much of it. So nothing else may run at the same time.
func TestHugeQuestion(t *testing.T) {
	a := newSampleArchive(t)
	for name, text := range map[string]func(n int) string{
		"words":      func(n int) string { return numbered(n, "w%d", " ") },
		"repeated":   func(n int) string { return strings.Repeat("the path of ", n) },
		"either":     func(n int) string { return numbered(n, "w%d", " OR ") },
		"nots":       func(n int) string { return "the " + numbered(n, "-w%d", " ") },
		"only nots":  func(n int) string { return numbered(n, "-w%d", " ") },
		"quotes":     func(n int) string { return numbered(n, `"w%d w"`, " ") },
		"one quote":  func(n int) string { return `"` + strings.Repeat("the path ", 2*n) + `"` },
		"one word":   func(n int) string { return strings.Repeat("word", 5*n) },
		"one path":   func(n int) string { return strings.Repeat("/path", 4*n) },
		"values":     func(n int) string { return "role:" + numbered(n, "w%d", ",") },
		"filters":    func(n int) string { return numbered(n, "role:w%d", " ") },
		"alternates": func(n int) string { return numbered(n, "(w%d OR role:w)", " ") },
		"files":      func(n int) string { return numbered(n, "file:w%d", " OR ") },
		"beginnings": func(n int) string { return numbered(n, "w%d*", " OR ") },
		"glob":       func(n int) string { return "project:" + strings.Repeat("*a", n/2) },
		"long glob":  func(n int) string { return "project:" + strings.Repeat("*a", 4*n) },
		"in":         func(n int) string { return "the " + strings.Repeat("in:user ", n) },
		"opening":    func(n int) string { return strings.Repeat("(", 20*n) },
		"closing":    func(n int) string { return strings.Repeat(")", 20*n) },
		"dashes":     func(n int) string { return strings.Repeat("-(", 10*n) },
		"lone":       func(n int) string { return strings.Repeat(`" `, 2*n) },
		"colons":     func(n int) string { return strings.Repeat("a: ", 6*n) },
	} {
		once, twice := searchBytes(t, a, text(2500)), searchBytes(t, a, text(5000))
		if spare := int64(4 << 20); twice > 3*once+spare {
			t.Errorf("%s: takes %d bytes, and %d for twice the text", name, once, twice)
		}
	}
}

// searchBytes is how much memory a question takes from first to last.
func searchBytes(t *testing.T, a *query.Archive, text string) int64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := Answer(t.Context(), a, question.Parse(text), Options{}); err != nil {
		t.Errorf("%.40s: %v", text, err)
	}
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
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
		n = 500
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
