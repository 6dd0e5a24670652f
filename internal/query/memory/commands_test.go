package memory

import (
	"testing"

	"piarchive/internal/jsonl"
)

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
