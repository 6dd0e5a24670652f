package text

import (
	"testing"

	"piarchive/internal/query/numbers"
)

// TestRatioForms: a ratio is written as its measure says.
func TestRatioForms(t *testing.T) {
	r := numbers.Ratio{Part: 5000, All: 4}
	for form, want := range map[numbers.Form]string{numbers.Plain: "1250.00", numbers.Percent: "125000.0%", numbers.Milliseconds: "1.2s"} {
		if got := ratio(r, form); got != want {
			t.Errorf("form %d: got %s, want %s", form, got, want)
		}
	}
}
