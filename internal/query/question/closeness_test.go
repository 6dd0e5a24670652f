package question

import (
	"testing"

	"piarchive/internal/words"
)

// TestCloseness: an entry is as close as the least close quoted text that is
// asked for, and as the closest of alternatives.
func TestCloseness(t *testing.T) {
	text := &[6]string{0: "first (second) Third", 4: "FOURTH fifth"}
	for question, want := range map[string]words.Match{
		`"first (second)"`:                  words.Verbatim,
		`"First (second)"`:                  words.Folded,
		`"first second"`:                    words.Tokens,
		`"second first"`:                    words.None,
		`"first (second)" "fourth fifth"`:   words.Folded,
		`"first second" OR "fourth fifth"`:  words.Folded,
		`"second first" OR third`:           words.Verbatim,
		`"second first" OR thi*`:            words.Verbatim,
		`"second first" OR sixth`:           words.None,
		`"second first" OR -sixth`:          words.Verbatim,
		`"second first" OR -third`:          words.None,
		`("first second" OR sixth) "fifth"`: words.Tokens,
	} {
		if got := Closeness(Parse(question).Expr, text, AllColumns); got != want {
			t.Errorf("%s: got %v, want %v", question, got, want)
		}
	}
}
