package main

import (
	"regexp"
	"strings"
	"testing"
)

// TestHyperlinks: words that name hits lead to the file of the session, where a
// terminal takes that.
func TestHyperlinks(t *testing.T) {
	b := newSampleBench(t)
	link := regexp.MustCompile(`\x1b\]8;;file:///[A-Za-z0-9._~/:%-]+\.jsonl\x1b\\[0-9a-f]{8}@\d+\x1b\]8;;\x1b\\  `)
	getenv := b.env.Getenv
	tests := []struct {
		vars  map[string]string
		pipe  bool
		flags string
		want  bool
	}{
		{map[string]string{"TERM": "xterm-256color"}, false, "", true},
		{map[string]string{"TERM": "xterm-256color", "PAGER": "/usr/bin/less -S"}, false, "--hyperlinks=never", false},
		{map[string]string{"TERM": "xterm-256color", "NO_COLOR": "1"}, false, "", false},
		{map[string]string{"TERM": "dumb"}, false, "", false},
		{map[string]string{"TERM": "linux"}, false, "", false},
		{map[string]string{"WT_SESSION": "1"}, false, "", true},
		{nil, false, "", false},
		{nil, false, "--hyperlinks=always", true},
		{map[string]string{"TERM": "xterm"}, true, "", false},
		{map[string]string{"TERM": "xterm"}, true, "--format=text", false},
		{map[string]string{"TERM": "dumb", "NO_COLOR": "1"}, true, "--format=text --hyperlinks=always", true},
		{map[string]string{"TERM": "xterm"}, true, "--hyperlinks=always", false}, // fields
	}
	for _, test := range tests {
		b.env.Getenv = func(key string) string {
			if value, ok := test.vars[key]; ok && key != "PAGER" {
				return value
			}
			return getenv(key)
		}
		b.env.IsTerminal = func(int) bool { return !test.pipe }
		b.env.Width = func() int { return 80 }
		args := append([]string{"search", "dvorak", "--color=never"}, strings.Fields(test.flags)...)
		stdout, _ := b.run(t, 0, args...)
		if got := len(link.FindAllString(stdout, -1)); got != map[bool]int{true: 3}[test.want] {
			t.Errorf("%+v: %d links in %q", test, got, stdout)
		}
		if !test.want && strings.Contains(stdout, "\x1b") {
			t.Errorf("%+v: %q", test, stdout)
		}
	}
}
