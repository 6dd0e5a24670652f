package memory

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"piarchive/internal/jsonl"
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
			invocations(words)
		}
		if n > 2*len(line) {
			t.Errorf("%d bytes of words", n)
		}
		gists(line)
	})
}

func TestMatches(t *testing.T) {
	tests := []struct {
		program, others []string
		line            string
		want            bool
	}{
		{[]string{"npm"}, nil, "npm test", true},
		{[]string{"npm"}, nil, "cd a && CI=1 sudo -u me /usr/bin/npm test", true},
		{[]string{"npm"}, nil, "echo npm", false},
		{[]string{"npm"}, nil, "cat <<E\nnpm test\nE", false},
		{[]string{"npm"}, nil, "git commit -m 'npm test'", false},
		{[]string{"npm", "test"}, nil, "npm test -- x", true},
		{[]string{"npm", "test"}, nil, "npm run test", false},
		{[]string{"npm"}, []string{"TEST"}, "npm run test", true},
		{[]string{"npm"}, []string{"test"}, "npm i && go test", false},
		{[]string{"./gradlew"}, nil, "cd a; gradlew build", true},
		{[]string{"gradlew"}, nil, "./gradlew build", true},
		{[]string{"node"}, nil, "timeout 60 node x.js", true},
		{[]string{"timeout"}, nil, "timeout 60 node x.js", true},
		{[]string{"60"}, nil, "timeout 60 node x.js", false},
		{[]string{"grep"}, nil, "find . | xargs -n 1 grep -l x", true},
		{[]string{"vitest"}, nil, "for i in 1 2; do npx vitest run; done", true},
		{[]string{"make"}, nil, "bash -c 'cd x && make'", true},
		{[]string{"make"}, nil, "if make; then echo ok; fi", true},
		{[]string{"bash"}, []string{"docker"}, "cd x; docker ps", true}, // the tool
		{[]string{"bash"}, []string{"docker"}, "cd x", false},
	}
	for _, tt := range tests {
		if got := (asked{tt.program, tt.others}).matches("bash", tt.line); got != tt.want {
			t.Errorf("%q with %q in %q: %v", tt.program, tt.others, tt.line, got)
		}
	}
}

func TestTriesAgain(t *testing.T) {
	tests := []struct {
		failed, done string
		want         bool
	}{
		{"cd a && npm run check 2>&1 | tail", "npm run check", true},
		{"npm run check", "npm run build", false},
		{"npm run check", "npm test", false},
		{"npx vitest run a.test.ts", "npx vitest run", true},
		{"go test ./a", "cd b && go test -race ./...", true},
		{"go test ./a", "go vet ./a", false},
		{"go run ./a", "go run ./b", false},
		{"git add -A && git commit -m x && git push", "git push --force", true},
		{"git add -A && git commit -m x && git push", "git add -A", false},
		{"timeout 5 node a.js", "node a.js; echo done", true},
		{"cp $(npm root -g)/a b", "cp ./a b", true},
		{"tsc a.ts", "tsc", true},
		{"node a.js", "node b.js", false},
		{"cat a", "cat a", true},
		{"cat a", "cat b", false},
	}
	for _, tt := range tests {
		if got := triesAgain(jsonl.Action{Command: tt.done}, jsonl.Action{Command: tt.failed}); got != tt.want {
			t.Errorf("%q after %q: %v", tt.done, tt.failed, got)
		}
	}
	edit := jsonl.Action{Tool: "edit", Path: "a.go"}
	if !triesAgain(edit, edit) || triesAgain(jsonl.Action{Tool: "edit", Path: "b.go"}, edit) {
		t.Error("edits of a file are told by its path")
	}
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
		if got := [2]bool{onlyLooks(jsonl.Action{Tool: "bash", Command: line}), hidesFailure(line)}; got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}
