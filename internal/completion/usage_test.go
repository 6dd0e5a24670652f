package completion

import "testing"

func TestArity(t *testing.T) {
	tests := []struct {
		usage       string
		least, most int
	}{
		{"", 0, 0},
		{"SESSION", 1, 1},
		{"SESSION [ENTRY]", 1, 2},
		{"[QUERY | -f FILE]", 0, 1},
		{"QUERY…", 1, -1},
		{"[ROOT…]", 0, -1},
		{"bash|zsh|fish", 1, 1},
		{"SESSION ENTRY [TEXT | --clear]", 2, 3},
	}
	for _, test := range tests {
		if least, most := Arity(test.usage); least != test.least || most != test.most {
			t.Errorf("Arity(%q) = %d, %d, want %d, %d", test.usage, least, most, test.least, test.most)
		}
	}
}
