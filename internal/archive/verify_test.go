package archive

import (
	"path/filepath"
	"testing"
)

func TestWithin(t *testing.T) {
	s := string(filepath.Separator)
	tests := []struct {
		path   string
		places []string
		want   bool
	}{
		{s + "a" + s + "b", nil, true},
		{s + "a" + s + "b", []string{s + "a" + s + "b"}, true},
		{s + "a" + s + "b", []string{s + "c", s + "a"}, true},
		{s + "a" + s + "b", []string{s}, true},
		{s + "ab", []string{s + "a"}, false},
		{s + "a", []string{s + "a" + s + "b"}, false},
	}
	for _, test := range tests {
		if got := within(test.path, test.places); got != test.want {
			t.Errorf("within(%q, %q) = %v", test.path, test.places, got)
		}
	}
}
