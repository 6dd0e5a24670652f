package main

import (
	"regexp"
	"unicode"
	"unicode/utf8"
)

// obeyed returns the beginning of the first line with something that a terminal
// would act on or not show, apart from our own colours. It asks no code of ours.
func obeyed(text string, colours bool) string {
	if colours {
		text = regexp.MustCompile(`\x1b\]8;;(file:///[A-Za-z0-9._~/:%-]+)?\x1b\\`).ReplaceAllString(text, "")
		text = regexp.MustCompile(`\x1b\[(0|1|2|1;31|3[1256])m`).ReplaceAllString(text, "")
	}
	for i, r := range text {
		joiner := r == '\u200c' || r == '\u200d'
		switch _, n := utf8.DecodeRuneInString(text[i:]); {
		case r == '\n' || r == '\t':
		case r < ' ', r >= 0x7f && r < 0xa0, r == '\u2028', r == '\u2029', r == utf8.RuneError && n == 1, !joiner && unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point):
			return text[max(0, i-40):min(len(text), i+20)]
		}
	}
	return ""
}
