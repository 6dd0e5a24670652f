package documents

import "testing"

func TestExact(t *testing.T) {
	tests := []struct {
		value any
		want  string
	}{
		{nil, ""}, {int64(-9223372036854775808), "-9223372036854775808"}, {1.0, "1.0"}, {-0.1, "-0.1"}, {1e300, "1e+300"},
		{0.30000000000000004, "0.30000000000000004"}, {"x", "x"}, {[]byte{0, 255}, "00ff"},
	}
	for _, test := range tests {
		if got := Exact(test.value); got != test.want {
			t.Errorf("Exact(%v) = %q, want %q", test.value, got, test.want)
		}
	}
}
