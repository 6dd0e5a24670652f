package query

import "testing"

func TestParseRange(t *testing.T) {
	const most = 1e300
	tests := []struct {
		text      string
		low, high float64
	}{
		{"5", 5, 5},
		{"0.25", 0.25, 0.25},
		{"$1.50", 1.5, 1.5},
		{"10k..50k", 10_000, 50_000},
		{"2M..", 2e6, most},
		{"..3", -most, 3},
		{">=5", 5, most},
		{"<=5", -most, 5},
		{">5", 5.000000000000001, most},
		{"<5", -most, 4.999999999999999},
		{">0", 5e-324, most},
		{"-1", -1, -1},
	}
	for _, test := range tests {
		if low, high, ok := parseRange(test.text); !ok || low != test.low || high != test.high {
			t.Errorf("%s: got %v to %v (%v), want %v to %v", test.text, low, high, ok, test.low, test.high)
		}
	}
	for _, text := range []string{"", "..", ">", "k", "1..2..3", "x..2", "1 000", "NaN", "Inf", "1e999", "$", "1K"} {
		if low, high, ok := parseRange(text); ok {
			t.Errorf("%q: got %v to %v, want a refusal", text, low, high)
		}
	}
}

// TestMatch compares values with columns as SQLite does.
func TestMatch(t *testing.T) {
	a := newSampleArchive(t)
	tests := []struct {
		value, column   string
		equal, contains bool
	}{
		{"bash", "bash", true, true},
		{"BASH", "bash", true, true},
		{"bash", "Bash", true, true},
		{"bas", "bash", false, true},
		{"ash", "bash", false, true},
		{"b*", "bash", true, true},
		{"a*", "bash", false, false},
		{"*a*", "bash", true, true},
		{"ba?h", "bash", true, true},
		{"?", "bash", false, false},
		{"[ab]", "a", false, false},
		{"[ab]", "x[ab]y", false, true},
		{"*[ab]*", "x[ab]y", true, true},
		{"]", "a]", false, true},
		{"^a", "^a", true, true},
		{"a-z", "m", false, false},
		{"über", "Über", true, true},
		{"ÜBER", "über", true, true},
		{"ÜBER", "Überall", false, true},
		{"ÉTÉ", "l'Été", false, true},
		{"σας", "ΣΑΣ", true, true},
		{"é?é", "ÉTÉ", true, true},
		{"库存", "库存系统", false, true},
		{"%", "a", false, false},
		{"_", "a", false, false},
	}
	for _, test := range tests {
		for what, c := range map[string]condition{"match": match("?", test.value), "contains": contains("?", test.value)} {
			want := test.equal
			if what == "contains" {
				want = test.contains
			}
			var got bool
			if err := a.db.Get(&got, "SELECT "+c.sql, append([]any{test.column}, c.args...)...); err != nil {
				t.Fatalf("%s %q: %v", what, test.value, err)
			}
			if got != want {
				t.Errorf("%s %q in %q: got %v", what, test.value, test.column, got)
			}
		}
	}
}

func TestNearQualifier(t *testing.T) {
	for name, want := range map[string]string{
		"role": "", // is one
		"rol":  "role", "roles": "role", "rloe": "role", "rule": "role", "tol": "tool", "typ": "type", "sesion": "session", "projetc": "project",
		"i": "", "inn": "", "http": "", "id": "", "date": "", "": "",
	} {
		if isQualifier(name) {
			continue
		}
		if got := nearQualifier(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
