package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAgentsAnswers asks what an agent might, through mcp, the questions of
// testdata/retrieval/answers.tsv: session, question, what the answer says. The session
// has to be in the first answer, and what answers the question mostly, too, so that no
// second call is needed.
func TestAgentsAnswers(t *testing.T) {
	world := composeRetrieval(t)
	b := newRetrievalBench(t, world.root, filepath.Join(repository, "testdata", "sessions"))
	text, err := os.ReadFile(filepath.Join("testdata", "retrieval", "answers.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var requests bytes.Buffer
	requests.WriteString(mcpStart)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for i, line := range lines {
		question, err := json.Marshal(strings.Split(line, "\t")[1])
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&requests, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"search_sessions","arguments":{"query":%s}}}`+"\n", i+1, question)
	}
	b.env.Stdin = &requests
	stdout, _ := b.run(t, 0, "mcp", "--no-fresh")
	type answer struct {
		ID     int
		Result struct{ Content []struct{ Text string } }
	}
	answers := map[int]string{}
	for line := range strings.Lines(stdout) {
		var a answer
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatal(err)
		}
		if len(a.Result.Content) > 0 {
			answers[a.ID] = a.Result.Content[0].Text
		}
	}
	found, said := 0, 0
	for i, line := range lines {
		fields := strings.Split(line, "\t")
		session, question, words := fields[0], fields[1], fields[2]
		id := world.ids[session]
		if id == "" {
			t.Fatalf("answers.tsv:%d: there is no %s", i+1, session)
		}
		switch got := answers[i+1]; {
		case !strings.Contains(got, id[:8]):
			t.Logf("%s: not found: %s", session, question)
		case !strings.Contains(got, words):
			found++
			t.Logf("%s: found, but without %q: %s", session, words, question)
		default:
			found, said = found+1, said+1
		}
	}
	t.Logf("of %d questions, %d found in the first answer, %d answered by it", len(lines), found, said)
	if found*10 < len(lines)*9 || said*10 < len(lines)*8 {
		t.Errorf("of %d questions, %d found and %d answered by the first answer", len(lines), found, said)
	}
}
