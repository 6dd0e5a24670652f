package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The cases of this file are those that pi's own session manager is tested with,
// restated: trees, branches, labels and contexts. Entries are numbered as they are
// written.

// writtenCase is what is done to a new session, and what is true of it then.
type writtenCase struct {
	name  string
	steps string // one a line, see writtenSession.step
	want  map[string]string
}

var writtenCases = []writtenCase{
	// Appending.
	{"messages form a chain", "user 1\nassistant 2\nuser 3", map[string]string{"tree": "1(2(3))", "leaf": "3", "entries": "message message message"}},
	{"a thinking level is a node", "user hello\nthinking high\nassistant response", map[string]string{"tree": "1(2(3))", "entries": "message thinking_level_change message", "thinking": "high"}},
	{"a model is a node", "user hello\nmodel openai gpt-4", map[string]string{"tree": "1(2)", "entries": "message model_change", "model": "openai/gpt-4"}},
	{"an answer after a model change names the model", "user hello\nmodel openai gpt-4\nassistant hi", map[string]string{"tree": "1(2(3))", "model": "p/m"}},
	{"a compaction is a node", "user 1\nassistant 2\ncompact 1 summary\nuser 3", map[string]string{"tree": "1(2(3(4)))", "context": "compactionSummary:summary user:1 assistant:2 user:3"}},
	{"a custom entry is a node and no message", "user hello\ncustom my_data\nassistant response", map[string]string{"tree": "1(2(3))", "context": "user:hello assistant:response"}},
	{"the leaf is what came last", "user 1\nassistant 2\nthinking high", map[string]string{"leaf": "3"}},
	// Paths.
	{"an empty session has none", "", map[string]string{"path": "", "tree": "", "leaf": "", "context": "", "thinking": "off", "model": ""}},
	{"a path of one", "user hello", map[string]string{"path": "1"}},
	{"a path from the root to the leaf", "user 1\nassistant 2\nthinking high\nuser 3", map[string]string{"path": "1 2 3 4"}},
	{"a path from an entry", "user 1\nassistant 2\nuser 3\nassistant 4", map[string]string{"path@2": "1 2"}},
	// Trees and branches.
	{"a line has one root", "user 1\nassistant 2\nuser 3", map[string]string{"tree": "1(2(3))"}},
	{"a branch is a sibling", "user 1\nassistant 2\nuser 3\nat 2\nuser 4", map[string]string{"tree": "1(2(3 4))", "path": "1 2 4", "context": "user:1 assistant:2 user:4"}},
	{"three branches at one point", "user r\nassistant 2\nat 2\nuser A\nat 2\nuser B\nat 2\nuser C", map[string]string{"tree": "1(2(3 4 5))"}},
	{"branches of branches", "user 1\nassistant 2\nuser 3\nassistant 4\nat 2\nuser 5\nassistant 6\nat 5\nuser 7", map[string]string{"tree": "1(2(3(4) 5(6 7)))", "path": "1 2 5 7"}},
	{"a branch from the first entry", "user 1\nassistant 2\nat 1\nuser branched", map[string]string{"tree": "1(2 3)", "path": "1 3"}},
	{"a root beside the first", "user 1\ntop\nuser 2", map[string]string{"tree": "1 2", "path": "2", "context": "user:2"}},
	{"a branch with a summary", "user 1\nassistant 2\nuser 3\nsummary 1 left behind", map[string]string{"tree": "1(2(3) 4)", "leaf": "4", "context": "user:1 branchSummary:left behind"}},
	{"a branch without a word", "user 1\nassistant 2\nsummary 1", map[string]string{"tree": "1(2 3)", "leaf": "3", "context": "user:1"}},
	{"no branch from what is not there", "user 1\nat nonexistent\nuser 2", map[string]string{"fails": `no entry "nonexistent" in session ID`, "tree": "1"}},
	{"no summary where nothing is", "user 1\nsummary nonexistent s", map[string]string{"fails": `no entry "nonexistent" in session ID`, "tree": "1"}},
	// Forks.
	{"a fork has the path", "user 1\nassistant 2\nuser 3\nassistant 4\nat 3\nuser 5\nfork 2", map[string]string{"tree": "1(2)"}},
	{"a fork of a branch", "user 1\nassistant 2\nuser 3\nat 2\nuser 4\nassistant 5\nfork 5", map[string]string{"tree": "1(2(4(5)))", "context": "user:1 assistant:2 user:4 assistant:5"}},
	{"no fork at what is not there", "user hello\nfork nonexistent", map[string]string{"fails": `no entry "nonexistent" in session ID`}},
	{"a fork goes on", "user 1\nassistant 2\nuser 3\nfork 2\nuser anew", map[string]string{"tree": "1(2(4))", "context": "user:1 assistant:2 user:anew"}},
	{"a fork keeps a compaction's first entry where a label stood", "user 1\nassistant 2\nlabel 1 x\nuser 4\ncompact 3 s\nfork 5", map[string]string{"tree": "1(2(4(5(+))))", "context": "compactionSummary:s user:4"}},
	// Labels.
	{"a label is an entry behind the leaf", "user hello\nlabel 1 checkpoint", map[string]string{"labels": "1=checkpoint", "tree": "1(2)"}},
	{"the last label counts", "user hello\nlabel 1 first\nlabel 1 second\nlabel 1 third", map[string]string{"labels": "1=third"}},
	{"a label is cleared", "user hello\nlabel 1 checkpoint\nclear 1", map[string]string{"labels": ""}},
	{"labels of several entries", "user 1\nassistant 2\nlabel 1 start\nlabel 2 response", map[string]string{"labels": "1=start 2=response"}},
	{"a label of what is not there", "user 1\nlabel nonexistent x", map[string]string{"fails": `no entry "nonexistent" in session ID`, "labels": ""}},
	{"labels on the path go into a fork", "user 1\nassistant 2\nlabel 1 start\nuser 4\nlabel 2 answer\nfork 4", map[string]string{"labels": "1=start 2=answer", "tree": "1(2(4(+(+))))"}},
	{"labels off the path do not", "user 1\nassistant 2\nuser 3\nlabel 1 one\nlabel 2 two\nlabel 3 three\nfork 2", map[string]string{"labels": "1=one 2=two", "tree": "1(2(+(+)))"}},
	{"labels are no messages", "user hello\nlabel 1 checkpoint\nassistant hi", map[string]string{"context": "user:hello assistant:hi"}},
	// Contexts.
	{"a hidden message is sent", "user hello\nhidden secret\nassistant hi", map[string]string{"context": "user:hello custom:secret assistant:hi"}},
	{"a conversation", "user hello\nassistant hi there\nuser how are you\nassistant great", map[string]string{"context": "user:hello assistant:hi there user:how are you assistant:great", "model": "p/m", "thinking": "off"}},
	{"a summary before what is kept", "user first\nassistant r1\nuser second\nassistant r2\ncompact 3 S\nuser third\nassistant r3", map[string]string{"context": "compactionSummary:S user:second assistant:r2 user:third assistant:r3"}},
	{"all is kept from the first on", "user first\nassistant r\ncompact 1 S\nuser second", map[string]string{"context": "compactionSummary:S user:first assistant:r user:second"}},
	{"nothing is kept", "user first\nassistant r\ncompact 0 S\nuser second", map[string]string{"context": "compactionSummary:S user:second"}},
	{"the latest compaction counts", "user a\nassistant b\ncompact 1 S1\nuser c\nassistant d\ncompact 4 S2\nuser e", map[string]string{"context": "compactionSummary:S2 user:c assistant:d user:e"}},
	{"a leaf is asked for", "user start\nassistant r\nuser A\nat 2\nuser B", map[string]string{"context@3": "user:start assistant:r user:A", "context@4": "user:start assistant:r user:B"}},
	{"branches and a compaction", "user start\nassistant r1\nuser q2\nassistant r2\ncompact 3 S\nuser q3\nassistant r3\nat 3\nuser wrong\nassistant wrong too\nsummary 3 tried\nuser better",
		map[string]string{"context@7": "compactionSummary:S user:q2 assistant:r2 user:q3 assistant:r3", "context": "user:start assistant:r1 user:q2 branchSummary:tried user:better"}},
	{"an unknown leaf means the last entry", "user hello\nassistant hi", map[string]string{"context@nonexistent": "user:hello assistant:hi"}},
	// Names.
	{"the last name counts", "user 1\nname first\nname second", map[string]string{"name": "second"}},
	{"a name loses its ends and line feeds", "user 1\nname  two lines ", map[string]string{"name": "two lines"}},
	{"an empty name clears", "user 1\nname first\nunname", map[string]string{"name": ""}},
}

// anID is the name of a session in an error: no run makes the same.
var anID = regexp.MustCompile(`session [0-9a-f-]{8,}`)

// TestWrittenCases runs the cases through the commands.
func TestWrittenCases(t *testing.T) {
	for _, c := range writtenCases {
		t.Run(c.name, func(t *testing.T) {
			s := &writtenSession{t: t, root: t.TempDir()}
			s.path = s.do("new", "--dir", filepath.Join(s.root, "--w--"), s.root)
			for step := range strings.Lines(c.steps) {
				s.step(strings.TrimSuffix(step, "\n"))
			}
			for what, want := range c.want {
				if got := anID.ReplaceAllString(s.ask(what), "session ID"); got != want {
					t.Errorf("%s is %q, want %q", what, got, want)
				}
			}
		})
	}
}

// writtenSession is a session of a case.
type writtenSession struct {
	t          *testing.T
	root, path string
	ids        []string
	at         string // an option or @ID for the next entry
	failure    string
	clock      time.Duration
}

// do runs a command, and returns what it prints.
func (s *writtenSession) do(args ...string) string {
	s.t.Helper()
	var stdout, stderr bytes.Buffer
	e := testEnv(&stdout, &stderr, nil)
	s.clock += time.Second
	e.Now = func() time.Time { return time.Date(2026, 3, 4, 15, 0, 0, 0, time.UTC).Add(s.clock) }
	args = append([]string{"--db", filepath.Join(s.root, "archive.db"), "--root", s.root}, args...)
	if status := run(s.t.Context(), e, args); status > 1 {
		s.failure = stderr.String()
	}
	return strings.TrimSuffix(stdout.String(), "\n")
}

// id is that of the entry of a number, or the word itself.
func (s *writtenSession) id(number string) string {
	if n, err := strconv.Atoi(number); err == nil && n > 0 && n <= len(s.ids) {
		return s.ids[n-1]
	}
	return number
}

// step does one thing: a word that says what, and its text.
func (s *writtenSession) step(line string) {
	s.t.Helper()
	word, text, _ := strings.Cut(line, " ")
	number, rest, _ := strings.Cut(text, " ")
	ref := s.path + "@" + s.id(number)
	entry := ""
	quoted := func(text string) string {
		b, _ := json.Marshal(text)
		return string(b)
	}
	switch word {
	case "user":
		entry = `{"role":"user","content":` + quoted(text) + `}`
	case "assistant":
		entry = `{"role":"assistant","content":[{"type":"text","text":` + quoted(text) + `}],"api":"a","provider":"p","model":"m","stopReason":"stop",
			"usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"total":0}}}`
	case "thinking":
		entry = `{"type":"thinking_level_change","thinkingLevel":` + quoted(text) + `}`
	case "model":
		entry = `{"type":"model_change","provider":` + quoted(number) + `,"modelId":` + quoted(rest) + `}`
	case "custom":
		entry = `{"type":"custom","customType":` + quoted(text) + `,"data":{"key":"value"}}`
	case "hidden":
		entry = `{"type":"custom_message","customType":"x","content":` + quoted(text) + `,"display":false}`
	case "compact":
		kept := ""
		if number != "0" {
			kept = `"firstKeptEntryId":` + quoted(s.id(number)) + ","
		}
		entry = `{"type":"compaction",` + kept + `"summary":` + quoted(rest) + `,"tokensBefore":1000}`
	case "at":
		s.at = "@" + s.id(text)
		return
	case "top":
		s.at = "--top"
		return
	case "fork":
		if path := s.do("fork", ref); path != "" {
			s.path = path
		}
		return
	case "label":
		s.wrote(s.do("label", ref, rest))
	case "clear":
		s.wrote(s.do("label", ref, "--clear"))
	case "summary":
		s.wrote(s.do("branch", ref, rest))
	case "name":
		s.wrote(s.do("rename", s.path, text))
	case "unname":
		s.wrote(s.do("rename", s.path, "--clear"))
	default:
		s.t.Fatalf("no step %q", line)
	}
	switch {
	case entry == "":
	case s.at == "--top":
		s.wrote(s.do("append", "--top", s.path, entry))
	default:
		s.wrote(s.do("append", s.path+s.at, entry))
	}
	s.at = ""
}

// wrote notes the entry that a command tells of.
func (s *writtenSession) wrote(printed string) {
	if _, id, ok := strings.Cut(printed, "@"); ok {
		s.ids = append(s.ids, id)
	}
}

// number names an entry: + for one that a fork has made.
func (s *writtenSession) number(id string) string {
	if i := slices.Index(s.ids, id); i >= 0 {
		return strconv.Itoa(i + 1)
	}
	return "+"
}

// ask is what a case wants to know.
func (s *writtenSession) ask(what string) string {
	what, at, _ := strings.Cut(what, "@")
	switch what {
	case "fails":
		_, failure, _ := strings.Cut(s.failure, "piarchive: ")
		failure, _, _ = strings.Cut(failure, "\n")
		return failure
	case "context", "thinking", "model":
		return s.context(what, at)
	case "path":
		var path struct{ Entries []struct{ ID string } }
		args := []string{"path", "--json", s.path}
		if at != "" {
			args = append(args, s.id(at))
		}
		json.Unmarshal([]byte(s.do(args...)), &path)
		var all []string
		for _, e := range path.Entries {
			all = append(all, s.number(e.ID))
		}
		return strings.Join(all, " ")
	}
	var tree struct {
		Session struct{ Name string }
		LeafID  string
		Nodes   []struct {
			ID, Type, Label string
			Depth           int
		}
	}
	json.Unmarshal([]byte(s.do("tree", "--json", s.path)), &tree)
	var drawn strings.Builder
	var types, labels []string
	depth := -1
	for _, n := range tree.Nodes {
		switch {
		case n.Depth > depth && depth >= 0:
			drawn.WriteString("(")
		case depth >= 0:
			drawn.WriteString(strings.Repeat(")", depth-n.Depth) + " ")
		}
		depth = n.Depth
		drawn.WriteString(s.number(n.ID))
		types = append(types, n.Type)
		if n.Label != "" {
			labels = append(labels, s.number(n.ID)+"="+n.Label)
		}
	}
	drawn.WriteString(strings.Repeat(")", max(0, depth)))
	return map[string]string{"tree": drawn.String(), "entries": strings.Join(types, " "), "labels": strings.Join(labels, " "),
		"name": tree.Session.Name, "leaf": strings.TrimPrefix(s.number(cmp.Or(tree.LeafID, "+")), "+")}[what]
}

// context is what the model is sent, or with what.
func (s *writtenSession) context(what, leaf string) string {
	args := []string{"context", s.path}
	if leaf != "" {
		args = append(args, "--leaf", s.id(leaf))
	}
	var built struct {
		Messages []struct {
			Role, Summary string
			Content       any
		}
		ThinkingLevel string
		Model         *struct{ Provider, ModelID string }
	}
	json.Unmarshal([]byte(s.do(args...)), &built)
	switch {
	case what == "thinking":
		return built.ThinkingLevel
	case what == "model" && built.Model == nil:
		return ""
	case what == "model":
		return built.Model.Provider + "/" + built.Model.ModelID
	}
	var all []string
	for _, m := range built.Messages {
		text := m.Summary
		switch content := m.Content.(type) {
		case string:
			text = content
		case []any:
			text = fmt.Sprint(content[0].(map[string]any)["text"])
		}
		all = append(all, m.Role+":"+text)
	}
	return strings.Join(all, " ")
}
