package main

import (
	"bytes"
	"go/ast"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestReadmeQueries runs the SQL of the README over the sample sessions: every
// example must answer with rows.
func TestReadmeQueries(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllSubmatch(readme, -1)
	if len(blocks) < 5 {
		t.Fatalf("the README has %d examples of SQL", len(blocks))
	}
	db := filepath.Join(t.TempDir(), "archive.db")
	command := func(args ...string) string {
		var stdout, stderr bytes.Buffer
		e := testEnv(&stdout, &stderr, nil)
		if status := run(t.Context(), e, append([]string{"--db", db}, args...)); status != 0 {
			t.Fatalf("piarchive %s: exit %d: %s", strings.Join(args, " "), status, stderr.String())
		}
		return stdout.String()
	}
	sessions, err := filepath.Abs("../../testdata/sessions")
	if err != nil {
		t.Fatal(err)
	}
	command("index", "-q", sessions)
	for _, b := range blocks {
		if out := command("sql", "--format=tsv", string(b[1])); strings.Count(out, "\n") < 2 {
			t.Errorf("no rows:\n%s\n%s", b[1], out)
		}
	}
}

// TestReadmeTranscript: what the README begins with is what the demo prints.
func TestReadmeTranscript(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the demo is a shell script")
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```console\n(.*?)```").FindSubmatch(readme)
	if block == nil {
		t.Fatal("the README shows no transcript")
	}
	program, err := exec.LookPath("piarchive")
	if err != nil {
		t.Fatal(err)
	}
	demo := exec.Command("sh", "testdata/demo.sh", "bin/piarchive") // as make calls it
	demo.Dir = t.TempDir()
	for from, to := range map[string]string{"bin": filepath.Dir(program), "testdata": filepath.Join(repository, "testdata")} {
		if to, err = filepath.Abs(to); err == nil {
			err = os.Symlink(to, filepath.Join(demo.Dir, from))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	demo.Env = append(os.Environ(), "NO_COLOR=1")
	printed, err := demo.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	answers := strings.Split("\n"+string(printed), "\n\n$ ")
	for i, want := range strings.Split("\n\n"+strings.TrimSuffix(string(block[1]), "\n"), "\n\n$ ") {
		if i > 0 && !slices.Contains(answers, want) && !slices.Contains(answers, want+"\n") {
			t.Errorf("the README shows what the demo does not print:\n$ %s\nin\n%s", want, printed)
		}
	}
}

// TestHousePage: the files that docs/house.md names are there, and so is every
// function and method.
func TestHousePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/house.md")
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]bool{}
	word := regexp.MustCompile(`\w+`)
	eachFile(t, 0, func(name string, _ *token.FileSet, _ *ast.File) {
		text, err := os.ReadFile(filepath.Join(repository, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range word.FindAllString(string(text), -1) {
			words[w] = true
		}
	})
	for _, m := range regexp.MustCompile("`([^` ]+)`").FindAllStringSubmatch(string(page), -1) {
		switch name := m[1]; {
		case strings.ContainsAny(name, "*{"):
		case strings.Contains(name, "/"):
			if _, err := os.Stat(filepath.Join(repository, name)); err != nil && !strings.HasPrefix(name, "index/") {
				t.Error(err)
			}
		case strings.HasSuffix(name, ".go"):
		default:
			last := name[strings.LastIndexByte(name, '.')+1:]
			if !words[last] {
				t.Errorf("nothing in the code is called %s", name)
			}
		}
	}
}
