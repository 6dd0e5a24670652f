package main

import (
	"fmt"
	"strings"
	"testing"

	"piarchive/internal/words"
)

// Of an entry with more different words than are searched, those in front are
// found, the others by regular expressions; and it is told.
func TestTooManyWords(t *testing.T) {
	var text strings.Builder
	text.WriteString("early words ")
	for i := range words.MostWords {
		fmt.Fprintf(&text, "%06x ", i+1<<20)
	}
	text.WriteString("late words")
	b := newBench(t)
	b.write(t, "many.jsonl", `{"type":"session","version":3,"id":"22222222-0000-4000-8000-000000000002","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/proj"}
{"type":"message","id":"b1","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"toolResult","toolCallId":"c","toolName":"bash","content":[{"type":"text","text":"`+text.String()+`"}],"timestamp":1767323046000}}
{"type":"message","id":"b2","parentId":"b1","timestamp":"2026-01-02T03:04:07.000Z","message":{"role":"user","content":"late to dinner","timestamp":1767323047000}}
`)
	if stdout, _ := b.run(t, 0, "index"); !strings.Contains(stdout, "1 problem ") {
		t.Errorf("stdout %q", stdout)
	}
	for query, lines := range map[string]string{
		"early":            "@2",
		"late":             "@3",
		"/early words/":    "@2",
		"/late [a-z]+/":    "@2 @3",
		"/ late words/":    "@2", // of which "late" must be a word
		"/late dinner/":    "",
		"/(late|x) words/": "@2",
		"late in:output":   "",
	} {
		status := 0
		if lines == "" {
			status = 1
		}
		stdout, _ := b.run(t, status, "search", "--entries", "--sort", "old", "--timeout", "0", query)
		var found []string
		for line := range strings.Lines(stdout) {
			found = append(found, line[strings.LastIndexAny(strings.TrimSpace(line), " \t")+1:len(line)-1])
		}
		if got := strings.Join(found, " "); got != lines {
			t.Errorf("%s finds %q, want %q", query, got, lines)
		}
	}
	if stdout, _ := b.run(t, 0, "info", "--problems"); !strings.HasSuffix(stdout, "many.jsonl:2: too-many-words: more than 250000 different words; what comes behind them is found by regular expressions alone\n") {
		t.Errorf("stdout %q", stdout)
	}
	if stdout, _ := b.run(t, 0, "search", "--json", "early"); !strings.Contains(stdout, `"problems":1,"missing"`) {
		t.Errorf("stdout %.500q", stdout)
	}
	b.write(t, "more.jsonl", sampleSession)
	b.run(t, 0, "index", "-q")
	b.run(t, 0, "verify", "--deep")
}
