package terminal

import "testing"

func TestStyleFor(t *testing.T) {
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
		getenv := func(name string) string { return test.vars[name] }
		if got := StyleFor(test.when, test.terminal, getenv); got.On != test.want {
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
		getenv := func(name string) string { return test.vars[name] }
		if got := GlyphsFor(getenv).None; got != test.want {
			t.Errorf("%v: %q", test.vars, got)
		}
	}
}
