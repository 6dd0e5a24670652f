package words

import (
	"fmt"
	"maps"
	"strings"
	"testing"
)

// fedWords are the different words that FTS5 has for texts.
func fedWords(texts []string) map[string]bool {
	found := map[string]bool{}
	var f Feeder
	for _, t := range texts {
		s := scanner{text: f.Feed(nil, t).Text(), exact: true}
		for s.next() {
			found[string(s.token())] = true
		}
	}
	delete(found, string(filler))
	return found
}

// manyWords writes n times a format, each time with other letters.
func manyWords(n int, format string) string {
	var b strings.Builder
	for i := range n {
		letters := ""
		for ; i > 0 || letters == ""; i /= 26 {
			letters += string(rune('a' + i%26))
		}
		fmt.Fprintf(&b, format+" ", "q"+letters)
	}
	return b.String()
}

// Texts are cut where there are too many different words, and nowhere else.
func TestFit(t *testing.T) {
	tests := map[string]struct {
		texts []string
		cut   []bool
	}{
		"nothing":          {[]string{"", ""}, []bool{false, false}},
		"as many as fit":   {[]string{manyWords(MostWords, "%s"), ""}, []bool{false, false}},
		"one too many":     {[]string{manyWords(MostWords+1, "%s"), ""}, []bool{true, false}},
		"a million":        {[]string{manyWords(1_000_000, "%s"), ""}, []bool{true, false}},
		"the same again":   {[]string{strings.Repeat(manyWords(1000, "%s"), 400), ""}, []bool{false, false}},
		"in other cases":   {[]string{manyWords(MostWords, "%s"), strings.ToUpper(manyWords(MostWords, "%s"))}, []bool{false, false}},
		"the last is kept": {[]string{manyWords(MostWords, "%s"), "what people said"}, []bool{true, false}},
		"parts":            {[]string{manyWords(MostWords/2-5, "%sFooBar"), ""}, []bool{false, false}},
		"too many parts":   {[]string{manyWords(MostWords/2, "%[1]sX%[1]s"), ""}, []bool{true, false}},
		"ideographs":       {[]string{strings.Repeat("庫存系統", 100_000), ""}, []bool{false, false}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var f Feeder
			texts := append([]string{}, test.texts...)
			f.Feed(nil, "what a Feeder did before does not count")
			cut := f.Fit(texts)
			for i, was := range test.texts {
				if !strings.HasPrefix(was, texts[i]) || (len(texts[i]) < len(was)) != test.cut[i] {
					t.Errorf("%d of %d bytes of text %d are left", len(texts[i]), len(was), i)
				}
			}
			if cut != (test.cut[0] || test.cut[1]) {
				t.Errorf("it says %t", cut)
			}
			if n := len(fedWords(texts)); n > MostWords || cut && n < MostWords-10 {
				t.Errorf("%d words are left", n)
			}
			if f.seen.n > 0 || len(f.seen.slots) > keptSlots {
				t.Errorf("%d words stay in %d slots of memory", f.seen.n, len(f.seen.slots))
			}
		})
	}
}

// Fit counts the words that FTS5 will have.
func TestFitCounts(t *testing.T) {
	for _, text := range []string{
		"resolveTerminalPath in openFile, terminal_path, HTTPServer2 and v2 deadbeef12",
		"naïve NAIVE naive ƏßÉ \x1b[31mred\x1b[0m 🫠 库存系统 ภาษา",
		"aB ab a b AB",
	} {
		var f Feeder
		f.seen.clear()
		f.fits(text)
		if want := fedWords([]string{text}); f.seen.n < len(want) {
			t.Errorf("%q: counts %d words of %d: %v", text, f.seen.n, len(want), maps.Keys(want))
		}
	}
}
