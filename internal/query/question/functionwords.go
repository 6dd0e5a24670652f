package question

import (
	_ "embed"
	"slices"
	"strings"
)

//go:embed functionwords.txt
var functionWords string

// isFunction reports for each of some words, cut into tokens, whether it only holds a sentence
// together, in English or in the other language that knows most of them. One such
// word does not make a language: "font" is a French verb, and in most questions a
// font.
func isFunction(tokens [][]string) []bool {
	const fewest = 2
	english := make([]bool, len(tokens))
	best, most := english, fewest-1
	for line := range strings.Lines(functionWords) {
		name, list, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if name == "#" {
			continue
		}
		known := make([]bool, len(tokens))
		for i, t := range tokens {
			known[i] = allIn(" "+list, t)
		}
		if n := count(known); name == "english" {
			english = known
		} else if n > most {
			best, most = known, n
		}
	}
	if count(english) >= most {
		return english
	}
	for i := range best {
		best[i] = best[i] || english[i]
	}
	return best
}

// allIn reports whether a list, with spaces around each of its words, has all of
// some tokens: of "don't" there are two.
func allIn(list string, tokens []string) bool {
	return len(tokens) > 0 && !slices.ContainsFunc(tokens, func(t string) bool { return !strings.Contains(list, " "+t+" ") })
}

func count(flags []bool) int {
	n := 0
	for _, f := range flags {
		if f {
			n++
		}
	}
	return n
}
