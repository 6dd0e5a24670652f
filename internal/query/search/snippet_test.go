package search

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"piarchive/internal/query/question"
	"piarchive/internal/words"
)

// marked shows the ranges of a line in brackets.
func marked(line string, ranges [][2]int) string {
	var b strings.Builder
	at := 0
	for _, r := range ranges {
		b.WriteString(line[at:r[0]] + "[" + line[r[0]:r[1]] + "]")
		at = r[1]
	}
	return b.String() + line[at:]
}

func TestSnippet(t *testing.T) {
	long := strings.Repeat("lorem ipsum dolor sit amet ", 40)
	tests := []struct {
		name, text, query string
		width             int
		want              string
	}{
		{"short", "a path here", "path", 40, "a [path] here"},
		{"nothing to mark", "some text", "", 40, "some text"},
		{"nothing to mark in long", long, "", 20, "lorem ipsum dolor si…"},
		{"in the middle", long + "the path is " + long, "path", 40, "…amet the [path] is lorem ipsum dolor sit a…"},
		{"at the end", long + "path", "path", 40, "…sit amet [path]"},
		{"before the first space", strings.Repeat("x", 100) + "/path", "path", 40, "…xxxxxxxxx/[path]"},
		{"where both are", "path one. " + long + "the terminal path. " + long, "terminal path", 40, "…amet the [terminal] [path]. lorem ipsum dolo…"},
		{"parts that touch", "path one. " + long + "resolveTerminalPath " + long, "terminal path", 40, "…resolve[TerminalPath] lorem ipsum dolor si…"},
		{"white space", "a\tpath\r\n\r\n  of\u2028 \u00a0lines\n", "path", 40, "a [path] of lines"},
		{"white space in a match", "a\npath\n\tof lines", `"a path of"`, 40, "[a path of] lines"},
		{"controls", "\x1b[31m path\x1b[0m one\x00two\u009b", "path", 40, "[path] one two"},
		{"directions", "a \u202epath\u202c \u2066x\u2069 \u200fy\ufeff", "path", 40, "a [path] x y"},
		{"accents", "Renée Dvor\u030ca\u0301k", "dvorak", 40, "Renée [Dvor\u030ca\u0301k]"},
		{"unspaced", "西日暮里が先に", "日暮", 40, "西[日暮]里が先に"},
		{"unspaced, cut", strings.Repeat("漢", 50) + "日暮" + strings.Repeat("字", 50), "日暮", 12, "…漢漢漢[日暮]字字字字字字字…"},
		{"emoji", "👩\u200d💻 path 🫠path", "path", 40, "👩\u200d💻 [path] 🫠[path]"},
		{"a very long match", strings.Repeat("x", 5000), strings.Repeat("x", 5000), 10, "[" + strings.Repeat("x", 20) + "]…"},
		{"only controls", "\x00\x1b", "", 40, ""},
	}
	for _, test := range tests {
		p := question.Parse(test.query).Compile()
		where, line, ranges := snippet(&[6]string{4: test.text}, question.AllColumns, p.Spans, nil, test.width)
		if got := marked(line, ranges); got != test.want || where != "user" {
			t.Errorf("%s: got %q in %q, want %q", test.name, got, where, test.want)
		}
	}
}

// TestSnippetColumn: the column shown is one of those looked in, the one that
// holds most of the asked, what people say before what tools print.
func TestSnippetColumn(t *testing.T) {
	text := &[6]string{0: "terminal path", 1: "path", 2: "the path", 5: "alpha, beta, alpha; beta"}
	tests := []struct {
		query, want string
	}{
		{"path", "assistant: the [path]"},
		{"terminal path", "output: [terminal] [path]"},
		{"in:call path", "call: [path]"},
		{"in:call,output path", "call: [path]"},
		{"in:thinking role:user", "assistant: the path"},
		{"role:user", "assistant: the path"},
		{`"alpha; beta"`, "notes: [alpha, beta], [alpha; beta]"},
	}
	for _, test := range tests {
		p := question.Parse(test.query).Compile()
		where, line, ranges := snippet(text, p.Within, p.Spans, p.Quotes, 60)
		if got := where + ": " + marked(line, ranges); got != test.want {
			t.Errorf("%s: got %q, want %q", test.query, got, test.want)
		}
	}
	if where, line, ranges := snippet(&[6]string{}, question.AllColumns, new(question.Plan).Spans, nil, 60); where != "" || line != "" || ranges != nil {
		t.Errorf("of nothing: %q, %q, %v", where, line, ranges)
	}
}

// TestSnippetRanges: of whatever text, a snippet is clean, not longer than
// asked for, and its ranges hold what was looked for.
func TestSnippetRanges(t *testing.T) {
	pieces := []string{"path", "Path", "terminal", "terminalPath", "é", "e\u0301", "日", "日暮", "暮", "ส\u0e35", "🫠", "👩\u200d💻", " ", " ", " ", "\n", "\t\t", "\x00", "\x1b[1m", "\u202e", "\u200b", "_", "-", ".", "漢", "xxxxxxxxxxxx"}
	questions := []string{"path", "terminal path", "日暮", `"path path"`, "é", "สี", "x*", "terminal_path"}
	r := rand.New(rand.NewPCG(7, 8))
	for range 5000 {
		var b strings.Builder
		for range r.IntN(80) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		asked := questions[r.IntN(len(questions))]
		width := 5 + r.IntN(60)
		p := question.Parse(asked).Compile()
		_, line, ranges := snippet(&[6]string{b.String()}, question.AllColumns, p.Spans, nil, width)
		if !utf8.ValidString(line) || strings.ContainsFunc(line, func(r rune) bool { return !printable(r) }) || strings.Contains(line, "  ") {
			t.Fatalf("%q in %q: snippet %q", asked, b.String(), line)
		}
		if n := utf8.RuneCountInString(line); n > 2*width+2 {
			t.Fatalf("%q in %q: %d characters, %d were asked for", asked, b.String(), n, width)
		}
		if found := words.Find(b.String(), p.Patterns); (len(found) > 0) != (len(ranges) > 0) {
			t.Fatalf("%q in %q: %d places, but ranges %v of %q", asked, b.String(), len(found), ranges, line)
		}
		end := 0
		for _, r := range ranges {
			if r[0] < end || r[1] <= r[0] || r[1] > len(line) {
				t.Fatalf("%q in %q: ranges %v of %q", asked, b.String(), ranges, line)
			}
			end = r[1]
			if piece := line[r[0]:r[1]]; !strings.Contains(b.String(), "\u202e") && len(words.Find(piece, p.Patterns)) == 0 && piece != strings.TrimSuffix(line[r[0]:], "…") {
				t.Fatalf("%q in %q: marks %q in %q", asked, b.String(), piece, line)
			}
		}
	}
}
