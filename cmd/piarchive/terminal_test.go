package main

import (
	"regexp"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestChooseStyle(t *testing.T) {
	tests := []struct {
		when     string
		vars     map[string]string
		terminal bool
		want     bool
	}{
		{"auto", nil, true, true},
		{"auto", nil, false, false},
		{"auto", map[string]string{"NO_COLOR": "1"}, true, false},
		{"auto", map[string]string{"NO_COLOR": "1", "CLICOLOR_FORCE": "1"}, true, false},
		{"auto", map[string]string{"CLICOLOR_FORCE": "1"}, false, true},
		{"auto", map[string]string{"CLICOLOR_FORCE": "0"}, false, false},
		{"auto", map[string]string{"TERM": "dumb"}, true, false},
		{"always", map[string]string{"NO_COLOR": "1"}, false, true},
		{"never", map[string]string{"CLICOLOR_FORCE": "1"}, true, false},
	}
	for _, test := range tests {
		e := testEnv(nil, nil, test.vars)
		e.isTerminal = func(fd int) bool { return test.terminal && fd == 1 }
		if got := chooseStyle(e, test.when); got.On != test.want {
			t.Errorf("%+v: got %v", test, got.On)
		}
	}
}

func TestGlyphsFor(t *testing.T) {
	for _, test := range []struct {
		vars map[string]string
		want string
	}{
		{nil, "–"}, {map[string]string{"LANG": "de_DE.UTF-8"}, "–"}, {map[string]string{"LANG": "C"}, "-"},
		{map[string]string{"LC_ALL": "C", "LANG": "C.utf8"}, "-"}, {map[string]string{"LC_CTYPE": "C.utf8", "LANG": "C"}, "–"},
	} {
		if got := glyphsFor(testEnv(nil, nil, test.vars)).None; got != test.want {
			t.Errorf("%v: %q", test.vars, got)
		}
	}
}

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
