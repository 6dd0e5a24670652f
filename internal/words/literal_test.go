package words

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestLiteral(t *testing.T) {
	tests := []struct {
		literal string
		open    string // at its start and end
		want    string // "" if FTS5 cannot help
	}{
		{"minal path is miss", "<>", `"path is miss" *`},
		{"minal path is miss", ">", `"minal path is miss" *`},
		{"minal path is miss", "<", `"path is miss"`},
		{"minal path is miss", "", `"minal path is miss"`},
		{" path is ", "<>", `("path is" OR "ath is")`}, // ESC [ SP p
		{".env", "<>", `("env" * OR "nv" *)`},
		{"error", "<>", ""},
		{"error", ">", `"error" *`},
		{"error", "<", ""},
		{"error", "", `"error"`},
		{"error: ", "<>", ""},
		{"rror: x", "<>", `"x" *`},
		{"terminalPath = resolve_terminal", "<>", `"resolve terminal" *`},
		{"12 Foo bar", "<>", `("foo bar" * OR "oo bar" *)`}, // ESC [ 12 SP F
		{"中", "<>", `"中"`},
		{"务youer", "<>", `"务 youer" *`},
		{"youer端口", "<>", `"端 口"`},
		{"e\u0301t\u00e9", ">", `"ete" *`},
		{"\u0301t foo", "<>", `"foo" *`}, // goes on with é
		{"\u0301中", "<>", `"中"`},
		{"[error] failed", "<>", `("error failed" * OR "rror failed" *)`},
		{"[32mok", "<>", `("32mok" * OR "ok" *)`},
		{"[32m", "<>", ""},
		{":8080", "<>", ""},
		{"\x1b[32mok", "<>", `"ok" *`},
		{"a \x1b[1mfoo\x1b[0m bar", "<>", `"foo bar" *`},
		{"the path\x1b[3", "<>", `"path"`},
		{"the path\u009b", "<>", `"path"`},
		{"\x1b[32m", "<>", ""},
		{"->", "", ""},
		{"", "<>", ""},
	}
	for _, tt := range tests {
		patterns, ok := Literal(tt.literal, strings.Contains(tt.open, "<"), strings.Contains(tt.open, ">"))
		if got := Expr(patterns); got != tt.want || ok != (tt.want != "") {
			t.Errorf("Literal(%+q, %q) = %s, %v, want %s", tt.literal, tt.open, got, ok, tt.want)
		}
	}
}

// No text is missed that holds a literal, wherever it was cut out of the text.
func TestLiteralMissesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	texts := make([]string, 400)
	for i := range texts {
		texts[i] = randomText(r, 40)
	}
	f := newFTS(t, "content='', contentless_delete=1,")
	f.feed(texts...)
	asked, closed, found := 0, 0, 0
	for i, text := range texts {
		var at []int
		for j := range text {
			at = append(at, j)
		}
		at = append(at, len(text))
		in := inside(text)
		for range 30 {
			start := r.IntN(len(at))
			end := min(start+1+r.IntN(20), len(at)-1)
			start, end = at[start], at[end]
			openStart, openEnd := in[start] || r.IntN(3) > 0, in[end] || r.IntN(3) > 0
			literal := text[start:end]
			if r.IntN(4) == 0 && !in[start] { // as (?i) does
				literal = swapCase(literal)
			}
			patterns, ok := Literal(literal, openStart, openEnd)
			if !ok {
				continue
			}
			asked++
			if !openStart || !openEnd {
				closed++
			}
			rows := f.match(Expr(patterns))
			if !rows[i+1] {
				t.Errorf("%+q (open: %v, %v) in %+q: %+q does not find it", literal, openStart, openEnd, text, Expr(patterns))
			}
			found += len(rows)
		}
	}
	if asked < 5000 || closed < 500 || found/asked > len(texts)/3 {
		t.Errorf("asked %d times, %d of them closed, %d found: the texts prove nothing", asked, closed, found)
	}
}

// swapCase changes the case of what FTS5 folds.
func swapCase(text string) string {
	var c classifier
	fold := func(r rune) (kind, rune) {
		if r >= utf8.RuneSelf {
			return c.class(r)
		}
		return c.kind(r), unicode.ToLower(r)
	}
	return strings.Map(func(r rune) rune {
		k, folded := fold(r)
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			if k2, folded2 := fold(other); k2 == k && folded2 == folded {
				return other
			}
		}
		return r
	}, text)
}

// inside tells for every place in a text whether a token or an escape sequence is under
// way there.
func inside(text string) []bool {
	in := make([]bool, len(text)+1)
	mark := func(start, end int) {
		for i := start + 1; i < end; i++ {
			in[i] = true
		}
	}
	Tokenize(text, func(_ []byte, start, end int) bool {
		mark(start, end)
		return true
	})
	for i := 0; i < len(text); {
		n := Escape(text[i:])
		mark(i, i+n)
		i += max(1, n)
	}
	return in
}

func FuzzLiteral(f *testing.F) {
	for i, e := range escapes {
		f.Add("foo"+e+"bar baz"+pieces[i], 2, 9, true, true)
		f.Add(pieces[i]+e+"bar"+e, 1, 9, false, true)
	}
	table := newFTS(f, "content='', contentless_delete=1,")
	f.Fuzz(func(t *testing.T, text string, start, end int, openStart, openEnd bool) {
		table.t = t
		if start < 0 || end < start || end > len(text) {
			return
		}
		ends := func(i int) bool { return i == len(text) || slices.Contains(runeStarts(text), i) }
		if !ends(start) || !ends(end) {
			return
		}
		in := inside(text)
		patterns, ok := Literal(text[start:end], openStart || in[start], openEnd || in[end])
		if !ok {
			return
		}
		table.feed(text)
		if !table.match(Expr(patterns))[1] {
			t.Errorf("%+q in %+q: %s does not find it", text[start:end], text, Expr(patterns))
		}
	})
}

func runeStarts(text string) []int {
	var at []int
	for i := range text {
		at = append(at, i)
	}
	return at
}
