package memory

import (
	"strings"
	"testing"
)

func TestFit(t *testing.T) {
	file := []string{"package a", "", "func Open() error {", "\treturn open(path)", "}", "", "func Close() {", "\tclose(path)", "}"}
	tests := []struct {
		old, new string
		line     int // from 0
		want     fit
	}{
		{"", strings.Join(file, "\n"), 3, inside},
		{"", strings.Join(file, "\n"), 8, inside},
		{"", "x\n\treturn open(path)\ny", 3, alike},
		{"", "x", 3, none},
		{"\treturn nil", "\treturn open(path)", 3, inside},
		{"nil", "open(path)", 3, inside}, // a part of the line
		{"nil", ")", 3, none},            // too little of it
		{"return nil\n}", "return open(path)\n}", 3, inside},
		{"func Open() error {\n\treturn nil", "func Open() error {\n\treturn open(path)", 2, none}, // kept
		{"func Open() error {\n\treturn nil", "func Open() error {\n\treturn open(path)", 3, inside},
		{"\treturn open(path)\nx", "y\n\treturn open(path)", 3, none}, // in both
		{"x", "func Close() {\n\tclose(path)\n}", 8, inside},
		{"x", "func Close() {\n\tclose(path)\n}", 4, none}, // another bracket
		{"x", "}", 4, none},
		{"\treturn open(path)", "", 3, none},
	}
	for _, tt := range tests {
		var before []string
		if tt.old != "" {
			before = lines(tt.old)
		}
		if got := (File{Near: file, At: tt.line}).fit(before, lines(tt.new)); got != tt.want {
			t.Errorf("line %d: %q instead of %q: %v, want %v", tt.line, tt.new, tt.old, got, tt.want)
		}
	}
}

func TestFileIs(t *testing.T) {
	file := File{Name: "src/a.go", Path: "/w/src/a.go", Home: "/home/me"}
	tests := []struct {
		given, cwd  string
		exact, tail bool
	}{
		{"src/a.go", "/w", true, true},
		{"./src/../src/a.go", "/w", true, true},
		{"a.go", "/w/src", true, true},
		{"/w/src/a.go", "/x", true, true},
		{"src/a.go", "/x", false, true},
		{"/x/src/a.go", "/w", false, true},
		{"~/src/a.go", "/w", false, true},
		{`C:\x\src\a.go`, `C:\x`, false, true},
		{"a.go", "/w", false, false},
		{"/x/mysrc/a.go", "/w", false, false},
	}
	for _, tt := range tests {
		given := file.given(tt.given, tt.cwd)
		if exact, tail := file.is(given, true), file.is(given, false); exact != tt.exact || tail != tt.tail {
			t.Errorf("%q in %q: %v %v", tt.given, tt.cwd, exact, tail)
		}
	}
	if given := file.given("~/a.go", "/w"); given != "/home/me/a.go" {
		t.Error(given)
	}
}
