package session

import (
	"slices"
	"strings"
	"unicode/utf16"
)

// fuzzy reports whether text holds the characters of word in their order, and how
// well they lie there: the lower the better. Both are in lower case. A word of
// letters and digits is also tried with the two swapped.
func fuzzy(word, text string) (score float64, ok bool) {
	in := utf16.Encode([]rune(text)) // positions count as in JavaScript
	if score, ok = fuzzyAt(utf16.Encode([]rune(word)), in); ok {
		return score, true
	}
	if swapped := swapDigits(word); swapped != "" {
		score, ok = fuzzyAt(utf16.Encode([]rune(swapped)), in)
		return score + 5, ok
	}
	return 0, false
}

// fuzzyAt takes for each character the next place it occurs at, then tries every
// place where the word stands as a whole, for that may be better.
func fuzzyAt(word, text []uint16) (score float64, ok bool) {
	places := make([]int, 0, len(word))
	next := 0
	for _, c := range word {
		i := slices.Index(text[next:], c)
		if i < 0 {
			return 0, false
		}
		places = append(places, next+i)
		next += i + 1
	}
	score = scorePlaces(places, text)
	for start := 0; start+len(word) <= len(text); start++ {
		if !slices.Equal(text[start:start+len(word)], word) {
			continue
		}
		for i := range places {
			places[i] = start + i
		}
		score = min(score, scorePlaces(places, text))
	}
	if slices.Equal(word, text) {
		score -= 100
	}
	return score, true
}

// scorePlaces rewards runs and beginnings of words, and counts against gaps and
// places far into the text. A character at place 0 counts as the continuation
// of a run.
func scorePlaces(places []int, text []uint16) (score float64) {
	last, run := -1, 0
	for _, i := range places {
		if i == last+1 {
			run++
			score -= float64(5 * run)
		} else {
			run = 0
			if last >= 0 {
				score += float64(2 * (i - last - 1))
			}
		}
		if i == 0 || beginsWord(rune(text[i-1])) {
			score -= 10
		}
		score += float64(float64(i) * 0.1) // rounded twice, not fused, on every processor
		last = i
	}
	return score
}

// beginsWord reports whether what follows r begins a word.
func beginsWord(r rune) bool { return strings.ContainsRune("-_./:", r) || jsSpace(r) }

// swapDigits turns "v2" into "2v" and back; it is "" for all other words.
func swapDigits(word string) string {
	const letters, digits = "abcdefghijklmnopqrstuvwxyz", "0123456789"
	for _, order := range [][2]string{{letters, digits}, {digits, letters}} {
		rest := strings.TrimLeft(word, order[0])
		if rest != "" && rest != word && strings.Trim(rest, order[1]) == "" {
			return rest + word[:len(word)-len(rest)]
		}
	}
	return ""
}
