package regex

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp/syntax"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"piarchive/internal/words"
)

// regexPieces and textPieces are few, so that they meet, and hold everything
// that is read in a way of its own: cases that fold strangely, marks, scripts
// without spaces, what JSON escapes.
var (
	regexPieces = strings.Fields(`a b foo Foo passed error api timeout src/tools = : == "key" k s sk É é ß ﬁ 中文 日 ไทย e` + "\u0301" + ` \u0301
 \s \s+ \s* \d \d+ \w+ \W . .* .+ [a-f0-9]{4} [A-Z]+ [^a] [45] [bc] [ks] [(\x20"] \. \\ \/ \( \x20 \x20foo\x20 \x20passed,\x20 ^ $ \b \B \A \n
 (?:foo|bar) (?:a|b|) (foo|baz)+ (?:one|two|three|four|five|six) (?:\x20foo\x20|-bar-) x? (?:foo)? a{2,3} (?:ab){3} (?i:k) (?i:foo) \pL \x{212a} ſ [[:punct:]] -> <b> & 🫠`)
	textPieces = strings.Fields(`a b foo Foo FOO bar baz passed error api timeout src/tools = : == "key" k K s ſ sk ` + "\u212a" + ` É é E ß ẞ ﬁ 中文 日 本 ไทย ` + "\u0301" + ` e` + "\u0301" + `
 12 7 dead beef x _ - . , ( ) " \ / -> <b> & 🫠 😀 one two aa ababab ` + "\u00a0" + ` \n \u0041`)
)

func randomRegex(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(5) {
		switch piece := regexPieces[r.IntN(len(regexPieces))]; r.IntN(12) {
		case 0:
			fmt.Fprintf(&b, "(?:%s|%s)", piece, regexPieces[r.IntN(len(regexPieces))])
		case 1:
			fmt.Fprintf(&b, "(?:%s)%s", piece, []string{"+", "*", "?", "{2}", "{1,3}", "{2,}"}[r.IntN(6)])
		case 2:
			b.WriteString(piece + `\s`)
		default:
			b.WriteString(piece)
		}
	}
	return b.String()
}

func randomText(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(6) {
		b.WriteString(textPieces[r.IntN(len(textPieces))])
		b.WriteString([]string{"", "", " ", " ", "\n", ", "}[r.IntN(6)])
	}
	return b.String()
}

// sample appends a text that an expression matches, but for its anchors.
func sample(r *rand.Rand, b *strings.Builder, re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		for _, c := range re.Rune {
			all := orbit(c)
			if re.Flags&syntax.FoldCase == 0 {
				all = all[:1]
			}
			b.WriteRune(all[r.IntN(len(all))])
		}
	case syntax.OpCharClass:
		if n := len(re.Rune) / 2; n > 0 {
			i := r.IntN(min(n, 4)) * 2
			b.WriteRune(re.Rune[i] + rune(r.IntN(min(100, int(re.Rune[i+1]-re.Rune[i])+1))))
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteString(textPieces[r.IntN(len(textPieces))])
	case syntax.OpBeginLine, syntax.OpEndLine:
		if r.IntN(2) == 0 {
			b.WriteByte('\n')
		}
	case syntax.OpAlternate:
		sample(r, b, re.Sub[r.IntN(len(re.Sub))])
	case syntax.OpStar, syntax.OpQuest, syntax.OpPlus, syntax.OpRepeat:
		lo, hi := 0, 2
		switch re.Op {
		case syntax.OpQuest:
			hi = 1
		case syntax.OpPlus:
			lo = 1
		case syntax.OpRepeat:
			if lo, hi = re.Min, re.Max; hi < 0 {
				hi = lo + 2
			}
		}
		for range lo + r.IntN(hi-lo+1) {
			sample(r, b, re.Sub[0])
		}
	default:
		for _, sub := range re.Sub {
			sample(r, b, sub)
		}
	}
}

// matchingPairs calls check with random expressions and texts they match in.
func matchingPairs(t *testing.T, n int, check func(r *Regex, text string)) {
	rnd := rand.New(rand.NewPCG(1, 2))
	matched := 0
	for i := 0; i < 60*n && matched < n; i++ {
		pattern := randomRegex(rnd)
		r, err := Compile(pattern)
		if err != nil {
			continue // ^* and the like
		}
		tree, err := syntax.Parse(r.expr.String(), syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		for range 4 {
			var b strings.Builder
			b.WriteString(randomText(rnd))
			sample(rnd, &b, tree)
			b.WriteString(randomText(rnd))
			text := strings.ToValidUTF8(b.String(), "\ufffd")
			want := r.expr.MatchString(text)
			if got := r.MatchString(text); got != want {
				t.Errorf("%s matches %q: %v, RE2 says %v", pattern, text, got, want)
			}
			if want {
				matched++
				check(r, text)
			}
		}
	}
	if matched < n {
		t.Errorf("only %d of %d expressions matched", matched, n)
	}
}

// What a match needs is there whenever there is one: as words, and as bytes of
// the raw line, however a program writes it.
func TestRegexNeeds(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	narrowed, filtered := 0, 0
	matchingPairs(t, 20_000, func(r *Regex, text string) {
		for _, clause := range r.Narrow() {
			narrowed++
			if len(words.Find(text, clause)) == 0 {
				t.Errorf("%s matches %q, which lacks %v", r, text, clause)
			}
		}
		if len(r.needs.clauses) > 0 {
			filtered++
		}
		for _, line := range rawLines(rnd, text) {
			if !r.mayMatch([]byte(line)) {
				t.Errorf("%s matches %q, but not the filter %s", r, text, line)
			}
		}
	})
	if narrowed < 2000 || filtered < 5000 {
		t.Errorf("%d matches were narrowed, %d filtered", narrowed, filtered)
	}
}

// rawLines writes a text as programs do, and as odd ones do.
func rawLines(rnd *rand.Rand, text string) []string {
	var plain strings.Builder
	encoder := json.NewEncoder(&plain)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(map[string]string{"a": "x\n\\", "text": text, "z": "\n"})
	careful, _ := json.Marshal(map[string]string{"text": text})
	var odd strings.Builder
	for _, c := range text {
		switch {
		case c < 0x10000 && rnd.IntN(4) == 0:
			fmt.Fprintf(&odd, []string{`\u%04x`, `\u%04X`}[rnd.IntN(2)], c)
		case c == '/':
			odd.WriteString(`\/`)
		default:
			b, _ := json.Marshal(string(c))
			odd.Write(b[1 : len(b)-1])
		}
	}
	return []string{plain.String(), string(careful), `{"text":"` + odd.String() + `"}`}
}

// A real full-text table finds what an expression is narrowed to.
func TestRegexNarrowInFullText(t *testing.T) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(`CREATE VIRTUAL TABLE f USING fts5(c, tokenize='` + words.Tokenizer + `')`); err != nil {
		t.Fatal(err)
	}
	var feeder words.Feeder
	asked := 0
	matchingPairs(t, 3000, func(r *Regex, text string) {
		if r.Narrow() == nil {
			return
		}
		if _, err := db.Exec(`INSERT OR REPLACE INTO f(rowid, c) VALUES (1, ?)`, feeder.Feed(nil, text).Text()); err != nil {
			t.Fatal(err)
		}
		for _, clause := range r.Narrow() {
			asked++
			var n int
			if err := db.QueryRow(`SELECT count(*) FROM f WHERE f MATCH ?`, words.Expr(clause)).Scan(&n); err != nil || n != 1 {
				t.Errorf("%s matches %q, which FTS5 does not find with %s: %v", r, text, words.Expr(clause), err)
			}
		}
	})
	if asked < 300 {
		t.Errorf("FTS5 was asked %d times only", asked)
	}
}

// What is known of some expressions: their words, and the stretches of bytes,
// the most telling first. Without any, all entries have to be looked at.
func TestRegexNarrow(t *testing.T) {
	for _, c := range []struct{ pattern, words, bytes string }{
		{`\d+ passed, \d+ failed`, `("passed" OR "assed") AND ("failed" * OR "ailed" *)`, `11 8`},
		{`api.*timeout`, ``, `7 3`},
		{`resolve[A-Z]\w+Path`, ``, `9 5`},
		{`[a-f0-9]{40}`, ``, `40`},
		{`\bE[A-Z]{4,}\b`, ``, `5 4`},
		{`.*`, ``, ``},
		{`foo(bar|baz)`, ``, `6`},
		{`foo(bar|qux)`, ``, `6|6`},
		{`error: (cannot|could not) find`, `("cannot find" * OR "could not find" *)`, `18|21`},
		{`no such file or directory`, `"such file or directory" *`, `25`},
		{`(^|\s)panic: \w+`, `("panic" OR "anic")`, `8`},
		{`日本`, `"日 本"`, ``},
		{`exit code [1-9]\d*`, `"code"`, `11`},
		{`HTTP (4|5)\d\d:`, ``, `9`},
		{`a|b`, ``, ``},
		{`(?:x|y)?`, ``, ``},
		{`((foo))+ =`, ``, `5 3`},
		{`(foo.*bar|baz) `, ``, `4|4`},
	} {
		r := mustRegex(t, c.pattern)
		var clauses, stretches []string
		for _, clause := range r.Narrow() {
			clauses = append(clauses, words.Expr(clause))
		}
		for _, clause := range r.needs.clauses {
			var lengths []string
			for _, s := range clause {
				lengths = append(lengths, fmt.Sprint(s.length))
			}
			stretches = append(stretches, strings.Join(lengths, "|"))
		}
		if got := strings.Join(clauses, " AND "); got != c.words {
			t.Errorf("%s is narrowed to %s, want %s", c.pattern, got, c.words)
		}
		if got := strings.Join(stretches, " "); got != c.bytes {
			t.Errorf("%s needs stretches of %s, want %s", c.pattern, got, c.bytes)
		}
	}
}

// A stretch is found where one character after the other is in its sets.
func TestRegexStretches(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 3000 {
		sets := make([]byteSet, 1+rnd.IntN(6))
		if rnd.IntN(20) == 0 {
			sets = make([]byteSet, 60+rnd.IntN(10))
		}
		for i := range sets {
			for range 1 + rnd.IntN(2) {
				sets[i].add('a' + byte(rnd.IntN(3)))
			}
		}
		text := make([]byte, rnd.IntN(200))
		for i := range text {
			text[i] = 'a' + byte(rnd.IntN(3))
		}
		s := newStretch(sets)
		from := rnd.IntN(len(text) + 1)
		want := len(text)
	places:
		for at := from; at+s.length <= len(text); at++ {
			for i, set := range sets[:s.length] {
				if !set.has(text[at+i]) {
					continue places
				}
			}
			want = at
			break
		}
		if got := find(s, text, from); got != want {
			t.Fatalf("%v in %s from %d: %d, want %d", sets, text, from, got, want)
		}
	}
}
