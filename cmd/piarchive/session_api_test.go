package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"piarchive/internal/session/sessiontest"
)

const apiPage = "../../docs/session-api.md"

// TestSessionAPIExamples runs the examples of the page, one after the other.
func TestSessionAPIExamples(t *testing.T) {
	home := t.TempDir()
	project := filepath.Join(home, "proj")
	if err := os.Mkdir(project, 0o700); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, row := range regexp.MustCompile("(?m)^\\|.*\\| `piarchive (.*)` \\|$").FindAllStringSubmatch(string(content(t, apiPage)), -1) {
		n++
		var stdout, stderr bytes.Buffer
		e := testEnv(&stdout, &stderr, map[string]string{"XDG_DATA_HOME": filepath.Join(home, "data")})
		e.Home, e.Now = home, time.Now
		e.CWD = func() (string, error) { return project, nil }
		if status := run(t.Context(), e, shellWords(row[1])); status != 0 {
			t.Errorf("piarchive %s: exit %d: %s", row[1], status, &stderr)
		}
	}
	if n < 50 {
		t.Errorf("only %d examples", n)
	}
}

// shellWords are those of a command line, with quotes as in a shell.
func shellWords(line string) (list []string) {
	for _, word := range regexp.MustCompile(`'[^']*'|"[^"]*"|\S+`).FindAllString(line, -1) {
		if word[0] == '\'' || word[0] == '"' {
			word = word[1 : len(word)-1]
		}
		list = append(list, word)
	}
	return list
}

// TestSessionAPIWhole: the page has every method of the real session manager.
func TestSessionAPIWhole(t *testing.T) {
	page := string(content(t, apiPage))
	for _, name := range strings.Fields(`create open continueRecent inMemory forkFrom list listAll newSession setSessionFile appendMessage
		appendThinkingLevelChange appendModelChange appendCompaction appendCustomEntry appendCustomMessageEntry appendSessionInfo appendLabelChange
		appendSessionInit appendTtsrInjection getLeafId getLeafEntry getEntry getChildren getLabel getBranch getPath getTree branch resetLeaf
		branchWithSummary createBranchedSession buildSessionContext getHeader getEntries getSessionName getCwd getSessionDir getSessionId
		getSessionFile isPersisted`) {
		if !regexp.MustCompile("`" + name + "\\b").MatchString(page) {
			t.Errorf("%s is not on the page", name)
		}
	}
	sessiontest.EachPi(t, os.Getenv("PIARCHIVE_PI"), func(t *testing.T, pi *sessiontest.Pi) {
		var methods []string
		if err := pi.Ask(t, "methods", nil, &methods); err != nil {
			t.Fatal(err)
		}
		for _, name := range methods {
			inner := strings.HasPrefix(name, "_") || slices.Contains([]string{"length", "name", "prototype", "constructor"}, name)
			if !inner && !regexp.MustCompile("`"+name+"\\b").MatchString(page) {
				t.Errorf("%s is not on the page", name)
			}
		}
	})
}
