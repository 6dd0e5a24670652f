package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	tests := []struct{ text, want, err string }{
		{"", "", ""},
		{"# nothing\n", "", ""},
		{"color = \"never\"\n\nwidth = 100 # cells\n", "1 color=never\n3 width=100\n", ""},
		{"roots = [\n  '~/a',\n  \"/b\"]\n[search]\nlimit = 5\nexact = true\nsince = 2026-01-02\nx = 1.5\n",
			"1 roots=~/a|/b\n5 search.limit=5\n6 search.exact=true\n7 search.since=2026-01-02\n8 search.x=1.5\n", ""},
		{"search.limit = 5\nsearch.sort = \"new\"\n", "1 search.limit=5\n2 search.sort=new\n", ""},
		{"search = { limit = 5 }\n", "", "FILE:1: limit: the settings of a command stand below [COMMAND]"},
		{"\"a b\" = \"\"\"\nwidth = 1\n\"\"\"\n", "1 a b=width = 1\n\n", ""},
		{"roots = []\n", "1 roots=\n", ""},
		{"[search]\n", "", ""},
		{"color = never\n", "", "FILE:1: "},
		{"a = 1\na = 2\n", "", "FILE:2: "},
		{"a = 1\nb = [[1]]\nc = 3\n", "1 a=1\n3 c=3\n", "FILE:2: b: it takes"},
		{"a = 1\n[x.y]\nz = 1\n", "1 a=1\n", "FILE:2: y: it takes"},
		{"a = nan\n", "", "FILE:1: a: it takes"},
		{"a = \"\x1b\"\n", "", "FILE:1: "},
		{"a = \"\xff\"\n", "", "FILE:1: "},
	}
	for _, test := range tests {
		path := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, wrong := Read(path)
		err := errors.Join(wrong...)
		var got strings.Builder
		for _, s := range f.Settings {
			fmt.Fprintf(&got, "%d %s=%s\n", s.Line, s.Name(), strings.Join(s.Values, "|"))
			if found, ok := f.Get(s.Table, s.Key); !ok || found.Line != s.Line {
				t.Errorf("%q: %s is not found", test.text, s.Name())
			}
		}
		if got.String() != test.want {
			t.Errorf("%q:\n got %q\nwant %q", test.text, got.String(), test.want)
		}
		said := ""
		if err != nil {
			said = strings.ReplaceAll(err.Error(), path, "FILE")
		}
		if !strings.HasPrefix(said, test.err) || test.err == "" && err != nil {
			t.Errorf("%q: error %q, want %q", test.text, said, test.err)
		}
	}
	if f, err := Read(filepath.Join(t.TempDir(), "none", "config.toml")); err != nil || len(f.Settings) > 0 {
		t.Errorf("a file that is not there: %v, %v", f, err)
	}
	if _, err := Read(t.TempDir()); err == nil {
		t.Error("a directory is taken for settings")
	}
}
