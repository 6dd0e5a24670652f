package pick

import (
	"strings"
	"testing"
)

func TestAsked(t *testing.T) {
	tests := map[string]string{
		"":              "",
		"a":             "a",
		"ab":            "ab*",
		"a bc":          "a bc*",
		"bc ":           "bc ",
		"  lead":        "lead*",
		"role:us":       "role:us",
		"after:2026-01": "after:2026-01",
		`"open quo`:     `"open quo`,
		`"shut" quo`:    `"shut" quo*`,
		"/re ge":        "/re ge",
		"x /re ge":      "x /re ge",
		"-not":          "-not",
		"one OR":        "one OR",
		"conf*":         "conf*",
		"竞态":            "竞态",
		"snake_ca":      "snake_ca*",
	}
	for text, want := range tests {
		if got := asked(text); got != want {
			t.Errorf("%q asks for %q, want %q", text, got, want)
		}
	}
}

func TestLine(t *testing.T) {
	tests := []struct {
		keys []string
		want string // with the cursor as |
	}{
		{nil, "one two|"},
		{[]string{"left", "left"}, "one t|wo"},
		{[]string{"home", "right", "ctrl+k"}, "o|"},
		{[]string{"ctrl+a", "delete", "ctrl+d"}, "|e two"},
		{[]string{"ctrl+w", "ctrl+w", "backspace"}, "|"},
		{[]string{"left", "ctrl+w", "end"}, "one o|"},
		{[]string{"left", "ctrl+u"}, "|o"},
		{[]string{"=e\u0301", "left"}, "one two|e\u0301"},
		{[]string{"=e\u0301", "ctrl+h"}, "one two|"},
		{[]string{"=e\u0301x", "home", "end", "left", "left", "delete"}, "one two|x"},
		{[]string{"home", "left", "backspace", "end", "right", "delete"}, "one two|"},
		{[]string{"=\n\x1b[2J\u202e"}, "one two ␛[2J|"},
	}
	for _, test := range tests {
		l := newLine("one two")
		for _, key := range test.keys {
			if typed, ok := strings.CutPrefix(key, "="); ok {
				l.insert(typed)
			} else if !l.edit(key) {
				t.Errorf("%s is no key of a line", key)
			}
		}
		if got := string(l.text[:l.at]) + "|" + string(l.text[l.at:]); got != test.want {
			t.Errorf("%q: %q, want %q", test.keys, got, test.want)
		}
	}
}
