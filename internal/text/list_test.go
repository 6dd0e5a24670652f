package text

import (
	"strings"
	"testing"

	"piarchive/internal/query/session"
)

func TestListRow(t *testing.T) {
	p := Page{Home: "/home/mira", Width: 40}
	tests := []struct {
		info           session.Info
		title, project string
	}{
		{session.Info{First: "what  is\n\tthis?", CWD: "/home/mira"}, "what is this?", "~"},
		{session.Info{Name: "named", First: "not this", CWD: "/home/miranda/x"}, "named", "/home/miranda/x"},
		{session.Info{First: " \n\u200b ", CWD: "/home/mira/a\x1bb"}, "(blank)", "~/a␛b"},
		{session.Info{Name: "\x1b[31mred\u202e"}, "␛[31mred", ""},
		{session.Info{Name: "x", Missing: true, Depth: 2}, "    [missing] x", ""},
		{session.Info{Name: "x", Kind: "subagent", Depth: 99}, strings.Repeat(" ", 16) + "[subagent] x", ""},
		{session.Info{First: strings.Repeat("日本", 500)}, strings.Repeat("日本", 9) + "日…", ""},
		{session.Info{First: strings.Repeat(" ", 500) + "late"}, "…", ""},
	}
	for _, test := range tests {
		r := p.listRow(Sessions{Threaded: true}, &test.info, "", "")
		if r.title != test.title || r.project != test.project {
			t.Errorf("%.40q: got %q in %q, want %q in %q", test.info.Name+test.info.First, r.title, r.project, test.title, test.project)
		}
	}
}
