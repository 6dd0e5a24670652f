package question

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

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
		if low, high, ok := ParseRange(test.text); !ok || low != test.low || high != test.high {
			t.Errorf("%s: got %v to %v (%v), want %v to %v", test.text, low, high, ok, test.low, test.high)
		}
	}
	for _, text := range []string{"", "..", ">", "k", "1..2..3", "x..2", "1 000", "NaN", "Inf", "1e999", "$", "1K"} {
		if low, high, ok := ParseRange(text); ok {
			t.Errorf("%q: got %v to %v, want a refusal", text, low, high)
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

// TestQualifierNames: what is suggested is what is understood.
func TestQualifierNames(t *testing.T) {
	names := Qualifiers()
	if len(names) != len(Filters())+2 {
		t.Errorf("%d names of %d qualifiers", len(names), len(Filters()))
	}
	var dates []string
	for _, name := range names {
		if !isQualifier(name) {
			t.Errorf("%s is no qualifier", name)
		}
		if IsDate(name) {
			dates = append(dates, name)
		}
		for _, v := range KnownValues(name) {
			if q := Parse(name + ":" + v); len(q.Hints) > 0 || strings.Contains(fmt.Sprintf("%#v", q.Expr), "Word") {
				t.Errorf("%s:%s is not understood: %q", name, v, q.Hints)
			}
		}
	}
	if want := []string{"after", "until", "on", "before"}; !slices.Equal(dates, want) {
		t.Errorf("dates are %q", dates)
	}
	hint := "sort: takes " + strings.Join(KnownValues("sort")[:3], ", ") + " or " + KnownValues("sort")[3]
	if got := Parse("sort:sideways").Hints; !slices.Contains(got, hint) {
		t.Errorf("the parser says %q, not %q", got, hint)
	}
}
