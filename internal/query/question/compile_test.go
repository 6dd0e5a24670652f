package question

import (
	"fmt"
	"strings"
	"testing"
)

// numbered is a text n times, each with its number.
func numbered(n int, format, separator string) string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(texts, separator)
}

// spelled is numbered with letters for digits, so that each word is one clause.
func spelled(n int, format, separator string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r - '0' + 'a'
		}
		return r
	}, numbered(n, format, separator))
}

// TestCompileLimits: of very long questions a part is looked for, each word
// once.
func TestCompileLimits(t *testing.T) {
	tests := []struct {
		text       string
		words      int // alternatives in the expression
		conditions int
		notes      string
	}{
		{spelled(128, "word%d", " "), 128, 0, ""},
		{spelled(130, "word%d", " "), 128, 0, "130 words are too many: only the first 128 are looked for"},
		{spelled(130, "word%d", " OR "), 128, 0, "130 words are too many: only the first 128 are looked for"},
		{strings.Repeat("again ", 1000), 1, 0, ""},
		{spelled(10, "word%d*", " "), 8, 0, "10 words are too many: only the first 8 are looked for"},
		{"x " + numbered(100, "role:r%d", " "), 1, 100, ""},
		{"x " + numbered(101, "role:r%d", " "), 1, 100, "101 qualifiers are too many: only the first 100 count"},
		{"x role:" + numbered(200, "r%d", ","), 1, 0, "200 qualifiers are too many: only the first 100 count"},
	}
	for _, test := range tests {
		p := Parse(test.text).Compile()
		if n := strings.Count(p.Match.String(), "AND") + strings.Count(p.Match.String(), "OR") + 1; n != test.words {
			t.Errorf("%.20s…: %d words, want %d", test.text, n, test.words)
		}
		if len(p.Where) != test.conditions {
			t.Errorf("%.20s…: %d conditions, want %d", test.text, len(p.Where), test.conditions)
		}
		if got := strings.Join(p.Notes, "; "); got != test.notes {
			t.Errorf("%.20s…: notes %q, want %q", test.text, got, test.notes)
		}
	}
	phrase := Parse(`"` + strings.Repeat("long ", 500) + `"`).Compile()
	if n := strings.Count(phrase.Match.String(), "long"); n != maxPhrase || len(phrase.Patterns[0].Tokens) != 500 {
		t.Errorf("a phrase of 500 words: %d are asked for, %d are marked", n, len(phrase.Patterns[0].Tokens))
	}
}
