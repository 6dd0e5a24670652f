package words

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestExpressions(t *testing.T) {
	tests := []struct{ word, clause, prefix, phrase string }{
		{"word", `"word"`, `"word" *`, `"word"`},
		{"TerminalPath", `("terminalpath" OR "terminal path")`, `("terminalpath" * OR "terminal path" *)`, `"terminalpath"`},
		{"terminal_path", `("terminal path" OR "terminalpath")`, `("terminal path" * OR "terminalpath" *)`, `"terminal path"`},
		{"terminal-Path", `("terminal path" OR "terminalpath")`, `("terminal path" * OR "terminalpath" *)`, `"terminal path"`},
		{"resolve_terminalPath", `("resolve terminalpath" OR "resolve terminal path" OR "resolveterminalpath")`,
			`("resolve terminalpath" * OR "resolve terminal path" * OR "resolveterminalpath" *)`, `"resolve terminalpath"`},
		{"src/tools/bash.ts", `"src tools bash ts"`, `"src tools bash ts" *`, `"src tools bash ts"`},
		{"0.73.1", `("0 73 1" OR "v0 73 1")`, `("0 73 1" * OR "v0 73 1" *)`, `"0 73 1"`},
		{"0.", `"0"`, `"0" *`, `"0"`},
		{"PR1137", `("pr1137" OR "pr 1137")`, `("pr1137" * OR "pr 1137" *)`, `"pr1137"`},
		{"HTTPServer2", `("httpserver2" OR "http server 2")`, `("httpserver2" * OR "http server 2" *)`, `"httpserver2"`},
		{"a-b-c-d-e-f", `"a b c d e f"`, `"a b c d e f" *`, `"a b c d e f"`},
		{"c0ffee", `"c0ffee"`, `"c0ffee" *`, `"c0ffee"`},
		{"Ünïcode", `"unicode"`, `"unicode" *`, `"unicode"`},
		{"务youer端", `"务 youer 端"`, `"务 youer 端" *`, `"务 youer 端"`},
		{"don't", `"don t"`, `"don t" *`, `"don t"`},
		{`foo"bar NEAR(`, `"foo bar near"`, `"foo bar near" *`, `"foo bar near"`},
		{"->", "", "", ""},
		{"\x00\xff", "", "", ""},
		{"", "", "", ""},
	}
	for _, tt := range tests {
		if got := Expr(Patterns(tt.word)); got != tt.clause {
			t.Errorf("Expr(Patterns(%q)) = %s, want %s", tt.word, got, tt.clause)
		}
		if got := Expr(Prefixes(tt.word)); got != tt.prefix {
			t.Errorf("Expr(Prefixes(%q)) = %s, want %s", tt.word, got, tt.prefix)
		}
		if got := Expr(Quoted(tt.word)); got != tt.phrase {
			t.Errorf("Expr(Quoted(%q)) = %s, want %s", tt.word, got, tt.phrase)
		}
	}
}

func TestFindPhrase(t *testing.T) {
	tests := []struct{ phrase, text, marked string }{
		{"terminal path", "resolveTerminalPath", "TerminalPath"},
		{"cannot open", "Error: cannot\n\topen it", "cannot\n\topen"},
		{"cannot open", "cannot and open", ""},
		{"TerminalPath", "the terminal path", ""}, // quoted is as it is
		{"bazQux foo", "fooBar bazQux", ""},       // not from the text into the parts
		{"bar qux", "fooBar bazQux", ""},
		{"a b a b c", "a b a b a b c", "a b a b c"},
		{"a a", "a a a b a", "a a a"},
	}
	f := newFTS(t, "content='', contentless_delete=1,")
	for _, tt := range tests {
		f.feed(tt.text)
		if matched := f.match(Expr(Quoted(tt.phrase)))[1]; matched != (tt.marked != "") {
			t.Errorf("%q in %q: FTS5 finds it: %v", tt.phrase, tt.text, matched)
		}
		if got := marked(tt.text, Quoted(tt.phrase)); got != tt.marked {
			t.Errorf("%q in %q marks %q, want %q", tt.phrase, tt.text, got, tt.marked)
		}
	}
}

// crosses tells whether a pattern runs on from the parts of one identifier of text into
// those of the next: there FTS5 may match what Find does not find.
func crosses(text string, patterns []Pattern) bool {
	var f Feeder
	f.Feed(nil, text)
	_, lines, _ := strings.Cut(string(f.lines), string(filler))
	phrases := slices.DeleteFunc(slices.Clone(patterns), func(p Pattern) bool { return len(p.Tokens) < 2 })
	return len(Find(lines, phrases)) > len(findEach(strings.Split(lines, "\n"), phrases))
}

func findEach(texts []string, patterns []Pattern) (spans []Span) {
	for _, text := range texts {
		spans = append(spans, Find(text, patterns)...)
	}
	return spans
}

func TestCrosses(t *testing.T) {
	tests := []struct {
		phrase, text string
		want         bool
	}{
		{"bar baz", "fooBar bazQux", true},
		{"bar baz", "fooBar plain bazQux", true},
		{"foo bar baz qux quux", "fooBar bazQux Quux2", true},
		{"qux foo", "fooBar bazQux fooBar", false}, // the parts of fooBar come once
		{"baz bar", "fooBar bazQux", false},
		{"foo bar", "fooBar bazQux", false}, // in one identifier
		{"bar", "fooBar bazQux", false},
		{"bazqux foo", "fooBar bazQux", false}, // from the text into the parts
	}
	f := newFTS(t, "content='', contentless_delete=1,")
	for _, tt := range tests {
		if got := crosses(tt.text, Quoted(tt.phrase)); got != tt.want {
			t.Errorf("%q in %q crosses: %v", tt.phrase, tt.text, got)
		}
		if !tt.want {
			continue
		}
		f.feed(tt.text)
		if !f.match(Expr(Quoted(tt.phrase)))[1] || len(Find(tt.text, Quoted(tt.phrase))) > 0 {
			t.Errorf("%q in %q is not found by FTS5 alone", tt.phrase, tt.text)
		}
	}
}

func TestFindPrefix(t *testing.T) {
	patterns := Prefixes("resolveTerm")
	text := "resolveTerminalPath resolve_terms resolveTe resolveterm"
	if got, want := marked(text, patterns), "resolveTerminalPath|resolve_terms|resolveterm"; got != want {
		t.Errorf("marked %q, want %q", got, want)
	}
}

func TestFindSpans(t *testing.T) {
	patterns := append(Patterns("terminal_path"), Patterns("path")...)
	want := []Span{{0, 13, 0}, {9, 13, 2}, {14, 26, 1}}
	if got := Find("terminal_path terminalpath", patterns); !slices.Equal(got, want) {
		t.Errorf("Find: %v, want %v", got, want)
	}
	// A token of an identifier that splits is a part of it too, but one place.
	if got, want := Find("resolve_terminalPath", Patterns("resolve")), []Span{{0, 7, 0}}; !slices.Equal(got, want) {
		t.Errorf("Find: %v, want %v", got, want)
	}
	if got, want := Merge(want), []Span{{0, 13, 0}, {14, 26, 1}}; !slices.Equal(got, want) {
		t.Errorf("Merge: %v, want %v", got, want)
	}
}

func marked(text string, patterns []Pattern) string {
	var parts []string
	for _, s := range Merge(Find(text, patterns)) {
		parts = append(parts, text[s.Start:s.End])
	}
	return strings.Join(parts, "|")
}

// FTS5 finds a fed text for a word if Find finds the word in the raw text; and only then,
// unless a phrase runs across identifiers.
func TestFindIsMatch(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	texts := make([]string, 600)
	for i := range texts {
		texts[i] = randomText(r, 15)
	}
	f := newFTS(t, "content='', contentless_delete=1,")
	f.feed(texts...)
	hits, phrases, crossed := 0, 0, 0
	for range 400 {
		word := randomText(r, 4)
		for _, patterns := range [][]Pattern{Patterns(word), Prefixes(word), Quoted(word)} {
			if patterns == nil {
				continue
			}
			found := f.match(Expr(patterns))
			for i, text := range texts {
				spans := Find(text, patterns)
				switch {
				case (len(spans) > 0) == found[i+1]:
				case found[i+1] && crosses(text, patterns):
					crossed++
				default:
					t.Errorf("%+q in %+q: Find %v, FTS5 %v", word, text, spans, found[i+1])
				}
			}
			hits += len(found)
			if len(patterns[0].Tokens) > 1 {
				phrases += len(found)
			}
		}
	}
	if hits < 10_000 || phrases < 300 || crossed == 0 || crossed > phrases/10 {
		t.Errorf("%d hits, %d of phrases, %d across identifiers: the texts prove nothing", hits, phrases, crossed)
	}
}

// FTS5 cuts long tokens, in texts and in queries, and some of them inside a character.
func TestLongTokens(t *testing.T) {
	f := newFTS(t, "content='', contentless_delete=1,")
	for _, long := range []string{strings.Repeat("x", 70000), strings.Repeat("xß", 30000)} {
		texts := []string{long, long[:maxToken+9], long + "y", long[:maxToken-60], "z" + long}
		f.feed(texts...)
		for _, word := range append(texts, "a "+long+" b") {
			for _, patterns := range [][]Pattern{Patterns(word), Prefixes(word)} {
				found := f.match(Expr(patterns))
				for i, text := range texts {
					if got := len(Find(text, patterns)) > 0; got != found[i+1] {
						t.Errorf("%.9q (%d) in %.9q (%d): Find %v, FTS5 %v", word, len(word), text, len(text), got, found[i+1])
					}
				}
			}
		}
	}
}

// No word is an FTS5 syntax error, and FTS5 and Find agree about it, phrases across
// identifiers aside.
func FuzzClause(f *testing.F) {
	for _, p := range append(pieces, "NEAR(", `"`, "AND", "foo OR", "-x", "x*", "^x", "a:b", "{a}:b", "C:\\x", "rm -rf", "x\x00y", "\xff") {
		f.Add(p, "foo "+p+" bar")
		f.Add(p+p, p)
	}
	table := newFTS(f, "content='', contentless_delete=1,")
	f.Fuzz(func(t *testing.T, word, text string) {
		table.t = t
		table.feed(text)
		for _, patterns := range [][]Pattern{Patterns(word), Prefixes(word), Quoted(word)} {
			if patterns == nil {
				continue
			}
			found, spans := table.match(Expr(patterns))[1], Find(text, patterns)
			if found != (len(spans) > 0) && !(found && crosses(text, patterns)) {
				t.Errorf("%+q in %+q: FTS5 %v, Find %v", word, text, found, spans)
			}
		}
	})
}
