package words

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// What is cut out of a text where tokens begin and end, and quoted, finds that text, to
// the letter.
func TestQuotedFindsItsText(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	texts := make([]string, 500)
	for i := range texts {
		texts[i] = randomText(r, 60)
	}
	f := newFTS(t, "content='', contentless_delete=1,")
	f.feed(texts...)
	asked := map[Match]int{}
	for i, text := range texts {
		in := inside(text)
		var at []int
		for j := range text {
			if !in[j] {
				at = append(at, j)
			}
		}
		at = append(at, len(text))
		for range 24 {
			start := r.IntN(len(at))
			end := min(start+1+r.IntN(12), len(at)-1)
			literal := text[at[start]:at[end]]
			if r.IntN(3) == 0 && !strings.ContainsAny(literal, "\x1b\u009b") {
				literal = swapCase(literal)
			}
			phrase := Expr(Quoted(literal))
			if phrase == "" {
				continue
			}
			if !f.match(phrase)[i+1] {
				t.Errorf("%+q in %+q: %+q does not find it", literal, text, phrase)
			}
			m := Contains(text, literal)
			if asked[m]++; m < Folded {
				t.Errorf("%+q in %+q: match %d", literal, text, m)
			}
		}
	}
	if asked[Verbatim] < 4000 || asked[Folded] < 400 {
		t.Errorf("%v: the texts prove nothing", asked)
	}
}

// A text holds a literal to the letter if, and only if, it does so rune by rune.
func TestContainsExactly(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	count := map[bool]int{}
	for range 6000 {
		text, literal := randomText(r, 40), randomText(r, 3)
		if r.IntN(2) == 0 { // any part of the text, also of a token
			start := r.IntN(len(text))
			literal = swapCase(text[start : start+r.IntN(len(text)-start)])
		}
		if literal = strings.ToValidUTF8(literal, ""); literal == "" {
			continue
		}
		seenLiteral, _ := plain(literal)
		if len(foldedRunes(seenLiteral)) == 0 {
			continue
		}
		want := containsRunes(text, literal)
		count[want]++
		if got := Contains(text, literal); got >= Folded != want {
			t.Errorf("%+q in %+q: match %d, want at least folded: %v", literal, text, got, want)
		}
		seen, cuts := plain(text)
		for piece := 1; piece < len(seen); piece += 1 + piece/2 {
			if got := containsFolded(seen, cuts, seenLiteral, piece); got != want {
				t.Errorf("%+q in %+q: %v in pieces of %d", literal, text, got, piece)
			}
		}
	}
	if count[true] < 1000 || count[false] < 1000 {
		t.Errorf("%v: the texts prove nothing", count)
	}
}

// foldedRune is a character without case and diacritics, and where it comes from.
type foldedRune struct {
	r  rune
	at int
}

func foldedRunes(text string) []foldedRune {
	var runes []foldedRune
	var c classifier
	for i, r := range text {
		k, folded := c.kind(r), r
		switch {
		case r >= utf8.RuneSelf:
			_, folded = c.class(r)
		case 'A' <= r && r <= 'Z':
			folded = r | 0x20
		}
		if k != mark {
			runes = append(runes, foldedRune{folded, i})
		}
	}
	return runes
}

// containsRunes is Contains at its simplest.
func containsRunes(text, literal string) bool {
	seen, _ := plain(literal)
	want := foldedRunes(seen)
	var have []foldedRune
	in := inside(text)
	for start := 0; start <= len(text); { // from escape sequence to escape sequence
		end, next := start, len(text)+1
		for ; end < len(text); end++ {
			if n := Escape(text[end:]); n > 0 {
				next = end + n
				break
			}
		}
		for _, f := range foldedRunes(text[start:end]) {
			have = append(have, foldedRune{f.r, start + f.at})
		}
		start = next
	}
	// A token goes on between two characters if it does at every place between them.
	goesOn := func(i int) bool {
		return i > 0 && i < len(have) && !slices.Contains(in[have[i-1].at+1:have[i].at+1], false)
	}
	for i := 0; i+len(want) <= len(have); i++ {
		equal := slices.EqualFunc(have[i:i+len(want)], want, func(a, b foldedRune) bool { return a.r == b.r })
		if equal && !goesOn(i) && !goesOn(i+len(want)) {
			return true
		}
	}
	return false
}
