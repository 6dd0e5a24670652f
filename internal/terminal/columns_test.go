package terminal

import (
	"errors"
	"testing"
)

func TestColumns(t *testing.T) {
	tests := []struct {
		columns string
		cells   int
		err     error
		want    int
	}{
		{"", 120, nil, 120},
		{"60", 120, nil, 60},
		{"wide", 120, nil, 120},
		{"-1", 120, nil, 120},
		{"", 0, errors.New("no terminal"), 80},
		{"", 0, nil, 80},
	}
	for _, test := range tests {
		getenv := func(string) string { return test.columns }
		size := func() (int, error) { return test.cells, test.err }
		if got := Columns(getenv, size); got != test.want {
			t.Errorf("%+v: got %d", test, got)
		}
	}
}
