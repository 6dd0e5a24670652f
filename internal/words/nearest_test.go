package words

import "testing"

func TestDistance(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "ab", 2}, {"list", "list", 0}, {"lst", "list", 1}, {"lists", "list", 1},
		{"lsit", "list", 1}, {"lost", "list", 1}, {"serach", "search", 1}, {"show", "info", 4},
	}
	for _, test := range tests {
		if got := distance(test.a, test.b); got != test.want {
			t.Errorf("distance(%q, %q) = %d, want %d", test.a, test.b, got, test.want)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"list", "last", "show", "du", "info"}
	for name, want := range map[string]string{"lst": "list", "lasst": "last", "shwo": "show", "list": "list", "xxxx": "", "d": "du", "xy": "", "": ""} {
		if got := Nearest(name, names, 2); got != want {
			t.Errorf("%q: %q, not %q", name, got, want)
		}
	}
	if got := Nearest("shwo", names, 0); got != "" {
		t.Errorf("no slip makes %q", got)
	}
}
