package words

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// sqlTerms are the tokens SQLite finds in text as it is.
func sqlTerms(text string) []string {
	var terms []string
	for s := (scanner{text: text, exact: true}); s.next(); {
		terms = append(terms, string(s.token()))
	}
	return terms
}

// The table is right if SQLite reads x<c>y the same way for every code point c. Asking
// about all of them takes four seconds; the ends of the runs, between which the table
// says nothing new, take a fraction of one.
func TestTable(t *testing.T) {
	full := os.Getenv("PIARCHIVE_FULL") != ""
	ask := map[rune]bool{}
	for r := range rune(utf8.RuneSelf) {
		ask[r] = true
	}
	for _, run := range foldRuns {
		first := rune(run >> 11)
		ask[first-1], ask[first] = true, true
	}
	for r := rune(0); r <= unicode.MaxRune; r += 337 {
		ask[r] = true
	}
	var texts []string
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if utf8.ValidRune(r) && (full || ask[r]) {
			texts = append(texts, "x"+string(r)+"y")
		}
	}
	f := newFTS(t, "content='',")
	f.insert(texts...)
	for i, want := range f.terms(len(texts)) {
		if got := sqlTerms(texts[i]); !slices.Equal(got, want) {
			t.Errorf("%+q: %q, SQLite: %q", texts[i], got, want)
		}
	}
}

// Go's categories decide what SQLite is not believed about.
func TestGlue(t *testing.T) {
	if unicode.Version != unicodeVersion {
		t.Skipf("table.go was made with Unicode %s, Go has %s now: run go generate", unicodeVersion, unicode.Version)
	}
	var c classifier
	for r := rune(utf8.RuneSelf); r <= unicode.MaxRune; r++ {
		known := unicode.In(r, unicode.L, unicode.N, unicode.Co, unicode.M)
		switch k, _ := c.class(r); {
		case k == token && !known, k == glue && known && r != filler:
			t.Errorf("%U: kind %d, known as a letter, number, mark or private: %v", r, k, known)
		}
	}
}

func TestScannerExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var texts []string
	for range 2000 {
		texts = append(texts, strings.ToValidUTF8(randomText(r, 30), "\ufffd"))
	}
	for _, n := range []int{maxToken - 1, maxToken, maxToken + 1, 70000} {
		texts = append(texts, strings.Repeat("A", n)+" b", "x"+strings.Repeat("é", n)+" b", "xy"+strings.Repeat("東", n), "x"+strings.Repeat("𐐀", n))
	}
	f := newFTS(t, "content='',")
	f.insert(texts...)
	for i, want := range f.terms(len(texts)) {
		if got := sqlTerms(texts[i]); !slices.Equal(got, want) {
			t.Errorf("%+.200q:\n%.200q, SQLite:\n%.200q", texts[i], got, want)
		}
	}
}

// The only way to see SQLite's byte offsets is to have every token highlighted.
func TestScannerOffsets(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	drop := strings.NewReplacer("\x00", "", "\x01", "", "\x02", "") // highlight() stops at NUL
	var texts []string
	for range 300 {
		texts = append(texts, drop.Replace(strings.ToValidUTF8(randomText(r, 20), "\ufffd")))
	}
	f := newFTS(t, "")
	f.insert(texts...)
	for i, text := range texts {
		var want strings.Builder
		var expr []string
		last := 0
		for s := (scanner{text: text, exact: true}); s.next(); {
			fmt.Fprintf(&want, "%s\x01%s\x02", text[last:s.start], text[s.start:s.end])
			expr = append(expr, `"`+string(s.token())+`"`)
			last = s.end
		}
		if expr == nil {
			continue
		}
		want.WriteString(text[last:])
		var got string
		row := f.QueryRow("SELECT highlight(f, 0, char(1), char(2)) FROM f WHERE rowid = ? AND f MATCH ?", i+1, strings.Join(expr, " OR "))
		if err := row.Scan(&got); err != nil {
			t.Fatalf("highlight %+q: %v", text, err)
		}
		if got != want.String() {
			t.Errorf("%+q\n got  %+q\nSQLite %+q", text, want.String(), got)
		}
	}
}

func TestTokenizeStops(t *testing.T) {
	n := 0
	Tokenize("one two three", func([]byte, int, int) bool { n++; return n < 2 })
	if n != 2 {
		t.Errorf("%d tokens after stopping at the second", n)
	}
}

func TestTokenizeAllocates(t *testing.T) {
	text := strings.Repeat("Some words, résumé and 中文. ", 1000)
	allocs := testing.AllocsPerRun(10, func() {
		Tokenize(text, func([]byte, int, int) bool { return true })
	})
	if allocs > 2 { // the scanner and its buffer
		t.Errorf("%v allocations", allocs)
	}
}

// english is 1 MB like most that is indexed: words, paths, identifiers, punctuation.
var english = strings.Repeat("Error: cannot open /home/me/src/tools/bash.ts, see resolveTerminalPath() in the "+
	"other file; it was moved there on the 3rd and nobody has looked at why it still returns null.\n", 1<<20/174)

var chinese = strings.Repeat("终端路径解析失败，请检查 config 文件是否存在。\n", 1<<20/62)

func BenchmarkTokenize(b *testing.B) {
	for name, text := range map[string]string{"ascii": english, "chinese": chinese} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				Tokenize(text, func([]byte, int, int) bool { return true })
			}
		})
	}
}
