package completion

import "strings"

// word is one word of a command line that is being typed.
type word struct {
	text string // without quotes and backslashes
	open byte   // the quote that is not closed, 0 if none
	bare int    // where in text the part begins that bash takes for the word
	odd  bool   // bash cannot continue it: part of it stands in quotes
}

// split cuts a command line at white space as a shell does. The last word,
// perhaps empty, is the one being typed. Nothing is expanded. breaks are the
// characters at which bash begins a new word for completion only: is:err are
// two of its words and three of our characters.
func split(line, breaks string) []word {
	words := []word{{}}
	inWord := false
	for i := 0; i < len(line); i++ {
		w, c := &words[len(words)-1], line[i]
		switch {
		case w.open != 0 && c == w.open:
			w.open, w.odd = 0, true
		case c == '\\' && w.open != '\'' && i+1 < len(line) && (w.open == 0 || strings.IndexByte("$`\"\\", line[i+1]) >= 0):
			i++
			w.text += line[i : i+1]
			w.odd = w.odd || w.open != 0
		case w.open != 0:
			w.text += line[i : i+1]
		case c == '"' || c == '\'':
			w.open, w.bare = c, len(w.text)
		case c == ' ' || c == '\t' || c == '\n':
			if inWord {
				words = append(words, word{})
			}
			inWord = false
			continue
		default:
			w.text += line[i : i+1]
			switch {
			case c == '@' && strings.IndexByte(breaks, c) >= 0:
				w.bare = len(w.text) - 1 // bash leaves this one in the word
			case strings.IndexByte(breaks, c) >= 0:
				w.bare = len(w.text)
			}
		}
		inWord = true
	}
	return words
}
