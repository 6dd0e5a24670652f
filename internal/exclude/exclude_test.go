package exclude

import "testing"

func TestProjects(t *testing.T) {
	tests := []struct {
		glob, project string
		want          bool
	}{
		{"/home/mira/private", "/home/mira/private", true},
		{"/home/mira/private/", "/home/mira/private/a/b", true},
		{"/home/mira/private", "/home/mira/private2", false},
		{"/home/mira/private", "/home/mira", false},
		{"/home/*/private", "/home/lin/private/x", true},
		{"/home/*", "/home", false},
		{"*/secret-*", "/x/secret-1", false},
		{"/*/secret-?", "/x/secret-1", true},
		{"/", "/home", false},
		{`C:\work\*`, `C:\work\pos\src`, true},
		{"/home/mira/private", "", false},
	}
	for _, test := range tests {
		if got := (Projects{test.glob}).match(test.project); got != test.want {
			t.Errorf("%s of %s: %v", test.project, test.glob, got)
		}
	}
}
