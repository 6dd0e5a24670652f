package main

import (
	"strings"
	"testing"
)

// TestFence: a fence is longer than any in the text as it is printed.
func TestFence(t *testing.T) {
	var b strings.Builder
	(&markdownPage{out: &b}).fenced("``\u200b`\x1b[1m`\n# title")
	if want := "\n`````\n````\n# title\n`````\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

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
		got, err := chooseStyle(e, test.when)
		if err != nil || got.On != test.want {
			t.Errorf("%+v: got %v, %v", test, got.On, err)
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
