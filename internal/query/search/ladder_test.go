package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"piarchive/internal/ingest/ingesttest"
	"piarchive/internal/query/question"
)

// ladderTexts are what is said in the sessions that the questions of TestLadder are
// asked of. The first of a session stands on line 2.
func ladderTexts() map[string][]string {
	return map[string][]string{
		"019f0001-aaaa": {
			"cd /tmp && rm -rf build and start over",
			"rm the old log, the other rf module stays",
			"bash ls -la themes",
			`git commit -m "x" && npm install -g piarchive`,
			"MCP error -32001: Request timed out",
			"grep -rn TODO src",
			"    at m4 (file:///home/u/app.js:10:5)",
			`package.json has "type": "module" and role:admin stands in the fixture`,
			"hermes has a tool chat-send, an .env file and don't forget --force",
			"C:\\work\\pos-terminal\\EscPos.cs and 50% of bob@example.com",
		},
		"019f0002-bbbb": {
			"the flaky websocket reconnect was fixed by a backoff with jitter",
			"we decided to keep the retry budget per tenant",
			"parseStampLine reads resolveTerminalPath",
			"仓管员同时提交库存扣减会出现负数",
			"서버를 다시 시작했다",
			"The migration of the ledger table takes an hour",
			"sed -i s/8080/8090/g config.yml",
		},
		"019f0003-cccc": {"nothing about that here", "websocket budgets differ"},
	}
}

// TestLadder asks as people do, and tells which line comes first and how it was found.
func TestLadder(t *testing.T) {
	a := newArchiveOf(t, ingesttest.Sessions(t, ladderTexts()))
	tests := []struct{ query, rung, first, note string }{
		// Pasted text is text.
		{"rm -rf", "phrase", "019f0001@2", ""},
		{"ls -la", "phrase", "019f0001@4", ""},
		{`git commit -m "x"`, "phrase", "019f0001@5", ""},
		{"npm install -g", "phrase", "019f0001@5", ""},
		{"MCP error -32001: Request timed out", "phrase", "019f0001@6", ""},
		{"grep -rn TODO src", "phrase", "019f0001@7", ""},
		{"at m4 (file:///home", "phrase", "019f0001@8", ""},
		{"file:///home", "and", "019f0001@8", ""},
		{"type:module", "and", "019f0001@9", "nothing has type:module: it is searched for as text"},
		{"role:usr", "or", "019f0001@9", "nothing has role:usr: it is searched for as text; did you mean role:user?"},
		{"system:p jitter", "and", "", "nothing has system:p; did you mean system:pi?"},
		{"system:plan9 jitter", "and", "", "nothing has system:plan9; there are pi"},
		{"role:admin", "and", "019f0001@9", "nothing has role:admin: it is searched for as text"},
		{"role:admin fixture", "and", "019f0001@9", "nothing has role:admin: it is searched for as text"},
		{"rm -stays", "and", "019f0001@2", "left out: entries with stays (in quotes, -stays is text)"},
		{"sed -i s/8080/9090/", "or", "019f0002@8", ""},
		{"error -32009: timed", "or", "019f0001@6", ""},
		// What neighbours fail at.
		{"chat-send", "and", "019f0001@10", ""},
		{".env", "and", "019f0001@10", ""},
		{"don't", "and", "019f0001@10", ""},
		{"--force", "and", "019f0001@10", ""},
		{"bob@example.com", "and", "019f0001@11", ""},
		{`C:\work\pos-terminal`, "and", "019f0001@11", ""},
		{`foo"bar websocket`, "or", "019f0003@3", ""},
		// What is named comes first.
		{"019f0002-bbbb", "id", "019f0002@0", ""},
		{"019f0002", "id", "019f0002@0", ""},
		{"019F0002", "id", "019f0002@0", ""},
		{"session 019f0002", "id", "019f0002@0", ""},
		{"019f0002@3", "id", "019f0002@3", ""},
		{"019f0002-bbbb.jsonl", "id", "019f0002@0", ""},
		// Sentences, slips, and some of the words.
		{"what did we decide about the retry budget", "typo", "019f0002@3", `"decide" occurs nowhere: looked for decided`},
		{"flaky websocket backoff with unicorns and jitter", "or", "019f0002@2", ""},
		{"how was the websocket reconnect fixed", "and", "019f0002@2", "not looked for: how, was, the (--exact asks for every word)"},
		{"websocket recconect", "typo", "019f0002@2", `"recconect" occurs nowhere: looked for reconnect`},
		{"jitter unicorns", "or", "019f0002@2", ""},
		{"parsestamp", "typo", "019f0002@4", `"parsestamp" occurs nowhere: looked for parse_stamp`},
		{"库存出现负数", "or", "019f0002@5", `"库存出现负数" occurs nowhere: looked for its parts`},
		{"서버에서", "or", "019f0002@6", `"서버에서" occurs nowhere: looked for its parts`},
		// Quoted text is never touched.
		{`"websocket recconect"`, "and", "", ""},
		{`"websocket recconect" jitter`, "and", "", ""},
		{"websocket -flaky zebracorn in:call", "and", "", `"zebracorn" occurs nowhere`},
		// No answer explains itself.
		{"migratory", "and", "", `"migratory" occurs nowhere; there are migration`},
		{"jitter role:assistant", "and", "", "1 hit without role:assistant"},
	}
	for _, test := range tests {
		r, err := Answer(t.Context(), a, question.Parse(test.query), Options{})
		if err != nil {
			t.Fatalf("%s: %v", test.query, err)
		}
		first := ""
		if len(r.Hits) > 0 {
			first = strings.Fields(place(r.Hits[0]))[0]
		}
		if r.Rung != test.rung || first != test.first || (test.note != "" && !slices.Contains(r.Notes, test.note)) {
			t.Errorf("%s: %s by %s %q, want %s by %s %q", test.query, first, r.Rung, r.Notes, test.first, test.rung, test.note)
		}
		checkResult(t, test.query, r)
		exact, err := Answer(t.Context(), a, question.Parse(test.query), Options{Strict: true})
		if err != nil || exact.Rung != rungAnd && exact.Rung != rungTokens || exact.Below > 0 {
			t.Errorf("%s with --exact: found by %s, %d below (%v)", test.query, exact.Rung, exact.Below, err)
		}
	}
}

// TestLadderIsAboveNothing: for random words, whatever holds all of them is found as
// it is without the ladder, and what is found besides holds some of them, once.
func TestLadderIsAboveNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 1))
	vocabulary := strings.Fields("amber basalt cobalt dune ember fjord garnet heath inlet juniper")
	texts := map[string][]string{}
	for s := range 6 {
		for range 30 {
			var words []string
			for range 1 + r.IntN(5) {
				words = append(words, vocabulary[r.IntN(len(vocabulary))])
			}
			texts[fmt.Sprintf("s%d", s)] = append(texts[fmt.Sprintf("s%d", s)], strings.Join(words, " "))
		}
	}
	a := newArchiveOf(t, ingesttest.Sessions(t, texts))
	for range 200 {
		var words []string
		for range 2 + r.IntN(2) {
			words = append(words, vocabulary[r.IntN(len(vocabulary))])
		}
		q := question.Parse(strings.Join(words, " "))
		strict, err := Answer(t.Context(), a, q, Options{Strict: true})
		if err != nil {
			t.Fatal(err)
		}
		loose, err := Answer(t.Context(), a, q, Options{})
		if err != nil {
			t.Fatal(err)
		}
		seen := map[int64]bool{}
		for i, h := range loose.Hits {
			full := len(loose.Hits) - loose.Below
			held := 0
			for _, w := range words {
				if strings.Contains(h.Snippet, w) {
					held++
				}
			}
			switch {
			case seen[h.row]:
				t.Errorf("%s: %s twice", q, place(h))
			case held == 0 || strict.Total > 0 && i < full && held < len(words):
				t.Errorf("%s: hit %d of %d holds %d words: %s", q, i, full, held, h.Snippet)
			case i < len(strict.Hits) && h.row != strict.Hits[i].row:
				t.Errorf("%s: hit %d is %s, without the ladder %s", q, i, place(h), place(strict.Hits[i]))
			}
			seen[h.row] = true
		}
		if strict.Total > 0 && loose.Total != strict.Total || len(loose.Hits) < min(fewHits, strict.Total) {
			t.Errorf("%s: %d hits of %d, without the ladder of %d", q, len(loose.Hits), loose.Total, strict.Total)
		}
	}
}
