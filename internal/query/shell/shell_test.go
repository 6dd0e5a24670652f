package shell

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSimpleCommands(t *testing.T) {
	tests := []struct {
		line string
		want [][]string
	}{
		{"ls", [][]string{{"ls"}}},
		{"", nil},
		{" ; && |", nil},
		{"cd /w && npm test", [][]string{{"cd", "/w"}, {"npm", "test"}}},
		{"a || b; c & d\ne", [][]string{{"a"}, {"b"}, {"c"}, {"d"}, {"e"}}},
		{"(cd x; ls) | wc -l", [][]string{{"cd", "x"}, {"ls"}, {"wc", "-l"}}},
		{`echo "a | b" 'c && d' e\ f ""`, [][]string{{"echo", "a | b", "c && d", "e f", ""}}},
		{`echo "say \"hi\" for \$5"`, [][]string{{"echo", `say "hi" for $5`}}},
		{"npm test 2>&1 | tail -3", [][]string{{"npm", "test"}, {"tail", "-3"}}},
		{"make >out.txt 2> /dev/null -j2 &> all <in", [][]string{{"make", "-j2"}}},
		{"echo a2>x", [][]string{{"echo", "a2"}}},
		{"echo $(date | cut -c1-4) `id | wc` ${x:-a;b}", [][]string{{"echo", "$(date | cut -c1-4)", "`id | wc`", "${x:-a;b}"}}},
		{"echo $HOME $", [][]string{{"echo", "$HOME", "$"}}},
		{"ls # rm -rf\nwc", [][]string{{"ls"}, {"wc"}}},
		{"echo a#b", [][]string{{"echo", "a#b"}}},
		{"cat <<'EOF' > f && sh f\nrm -rf x\nEOF\nls", [][]string{{"cat"}, {"sh", "f"}, {"ls"}}},
		{"cat <<-END\n\trm x\n\tEND\nls", [][]string{{"cat"}, {"ls"}}},
		{"cat <<EOF\nnever ended", [][]string{{"cat"}}},
		{"wc <<< \"git log\"", [][]string{{"wc"}}},
		{"a \\\n b", [][]string{{"a", "b"}}},
		{`bash -lc "cd x && make"`, [][]string{{"bash", "-lc", "cd x && make"}, {"cd", "x"}, {"make"}}},
		{"echo 'open", [][]string{{"echo", "open"}}},
		{"a \\", [][]string{{"a"}}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, simpleCommands(tt.line)); diff != "" {
			t.Errorf("%q\n%s", tt.line, diff)
		}
	}
}

// FuzzSimpleCommands: whatever is called, it is cut, and no word is made up.
func FuzzSimpleCommands(f *testing.F) {
	f.Add("cat <<A <<B | 'x' \"y\" $( ` \\")
	f.Fuzz(func(t *testing.T, line string) {
		n := 0
		for _, words := range simpleCommands(line) {
			if len(words) == 0 {
				t.Error("a command without words")
			}
			for _, w := range words {
				n += len(w)
			}
		}
		if n > 2*len(line) {
			t.Errorf("%d bytes of words", n)
		}
		Runs(line)
		Goals(line)
	})
}

func TestLooking(t *testing.T) {
	for line, want := range map[string][2]bool{ // only looks, hides a failure
		"cat a | grep b":       {true, false},
		"sed -n 1p a":          {true, false},
		"sed -i s/a/b/ a":      {false, false},
		"git log":              {true, false},
		"git commit":           {false, false},
		"npm test":             {false, false},
		"npm test 2>&1 | tail": {false, true},
		"npm test || true":     {false, true},
		"cd a && npm test":     {false, false},
	} {
		if got := [2]bool{OnlyLooks(line), HidesFailure(line)}; got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}
