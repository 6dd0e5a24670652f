package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestTreeCases asks for what the cases of testdata/tree expect. A case is a
// text file: what it is about, the files of a sessions root, and behind
// "-- want --" the answers, each with a question before the colon:
//
//	leaf: ID                  the current leaf
//	tree: a(b c(d)) e         the nodes, children in parentheses
//	lost: ID...               entries that no root leads to
//	path [ENTRY]: ID...       from the root
//	problem [ENTRY]: P        of that path: none, orphan, cycle
//	bridged [ENTRY]: ID...    the path with --bridge, from the archive
//	bridges [ENTRY]: ID>ID... where it goes on: from an orphan, over entries of
//	                          another session, to an entry
//	children ENTRY: ID...
//	labels: ID=LABEL|...      in the order they were set
//	labelled: ID TIME|...     nodes with a label, and when it was set
//	copies: ID=N...           nodes whose line is repeated
//	preview ENTRY: TEXT
//	context [LEAF]:           below it the messages and, behind "=", thinking
//	                          level and model
//	error COMMAND ENTRY: TEXT
//
// Entries without ids of their own are named @LINE. Each question is asked of
// the file, and of an archive of it.
func TestTreeCases(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "tree", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases (%v)", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			parts := readCase(t, file)
			dir := filepath.Join(root, "--w--")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			for _, name := range slices.Sorted(maps.Keys(parts)) {
				if strings.HasSuffix(name, ".jsonl") {
					if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.ReplaceAll(parts[name], "$DIR", dir)), 0o600); err != nil {
						t.Fatal(err)
					}
				}
			}
			db := filepath.Join(root, "archive.db")
			session := filepath.Join(dir, "session.jsonl")
			(&treeCase{t: t, db: db, session: session, alone: true}).check("file", parts["want"])
			runJSON(t, new(any), "--db", db, "index", "--json", root)
			(&treeCase{t: t, db: db, session: session}).check("archive", parts["want"])
		})
	}
}

// readCase splits a case into its parts by name.
func readCase(t *testing.T, file string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]string{}
	name := ""
	for line := range strings.Lines(string(data)) {
		if title, ok := strings.CutPrefix(line, "-- "); ok {
			name = strings.TrimSuffix(strings.TrimSpace(title), " --")
			continue
		}
		parts[name] += line
	}
	return parts
}

// treeCase answers the questions of a case.
type treeCase struct {
	t       *testing.T
	db      string
	session string
	alone   bool // there is no archive
	tree    treeAnswer
}

type treeAnswer struct {
	LeafID *string
	Nodes  []treeAnswerNode
	Lost   []answeredEntry
}

type treeAnswerNode struct {
	answeredEntry
	Depth, Copies  int
	LabelTimestamp string
}

type answeredEntry struct {
	ID             string
	Line           int
	Label, Preview string
}

// name is how a case names an entry.
func (e answeredEntry) name() string {
	if strings.HasPrefix(e.ID, "~") {
		return fmt.Sprintf("@%d", e.Line)
	}
	return e.ID
}

func names(entries []answeredEntry) string {
	var list []string
	for _, e := range entries {
		list = append(list, e.name())
	}
	return strings.Join(list, " ")
}

func (c *treeCase) check(from, want string) {
	c.t.Helper()
	runJSON(c.t, &c.tree, "--db", c.db, "tree", "--json", c.session)
	var question, answer string
	asked := 0
	ask := func() {
		if question == "" || c.alone && strings.HasPrefix(question, "bridge") {
			return
		}
		asked++
		if got := c.answer(question); strings.TrimSpace(got) != strings.TrimSpace(answer) {
			c.t.Errorf("from the %s, %s:\n got %s\nwant %s", from, question, got, answer)
		}
	}
	for line := range strings.Lines(want) {
		if text, ok := strings.CutPrefix(line, "  "); ok {
			answer += text
			continue
		}
		ask()
		question, answer, _ = strings.Cut(line, ":")
	}
	ask()
	if asked == 0 {
		c.t.Error("the case asks nothing")
	}
}

func (c *treeCase) answer(question string) string {
	what, entry, _ := strings.Cut(question, " ")
	switch what {
	case "leaf":
		return c.leaf()
	case "tree":
		return c.outline()
	case "lost":
		return names(c.tree.Lost)
	case "path", "problem":
		return c.path(what, entry)
	case "bridged", "bridges":
		return c.bridge(what, entry)
	case "children":
		var doc struct{ Entries []answeredEntry }
		c.askJSON(&doc, "children", c.session, entry)
		return names(doc.Entries)
	case "labels":
		return c.labels()
	case "context":
		return c.context(entry)
	case "error":
		command, ref, _ := strings.Cut(entry, " ")
		return c.failure(command, ref)
	}
	var list []string
	for _, n := range c.tree.Nodes {
		switch {
		case what == "labelled" && n.Label != "":
			list = append(list, n.name()+" "+n.LabelTimestamp)
		case what == "copies" && n.Copies > 0:
			list = append(list, fmt.Sprintf("%s=%d", n.name(), n.Copies))
		case what == "preview" && n.name() == entry:
			list = append(list, n.Preview)
		}
	}
	separator := " "
	if what == "labelled" {
		separator = "|"
	}
	return strings.Join(list, separator)
}

// askJSON runs a command that may find nothing.
func (c *treeCase) askJSON(doc any, args ...string) {
	c.t.Helper()
	var stdout, stderr bytes.Buffer
	args = append([]string{"--db", c.db, "--json"}, args...)
	if code := run(c.t.Context(), testEnv(&stdout, &stderr, nil), args); code > 1 {
		c.t.Fatalf("%q: exit status %d, %s", args, code, stderr.String())
	}
	if err := json.Unmarshal(stdout.Bytes(), doc); err != nil {
		c.t.Fatalf("%q: %v", args, err)
	}
}

func (c *treeCase) leaf() string {
	for _, n := range c.tree.Nodes {
		if c.tree.LeafID != nil && n.ID == *c.tree.LeafID {
			return n.name()
		}
	}
	return ""
}

// outline writes the tree in one line.
func (c *treeCase) outline() string {
	var b strings.Builder
	depth := 0
	for i, n := range c.tree.Nodes {
		switch {
		case i == 0:
		case n.Depth > depth:
			b.WriteString("(")
		default:
			b.WriteString(strings.Repeat(")", depth-n.Depth) + " ")
		}
		depth = n.Depth
		b.WriteString(n.name())
	}
	return b.String() + strings.Repeat(")", depth)
}

func (c *treeCase) path(what, entry string) string {
	var doc struct {
		LeafID   *string
		Entries  []answeredEntry
		Complete bool
		Problem  *string
	}
	args := []string{"path", c.session}
	if entry != "" {
		args = append(args, entry)
	}
	c.askJSON(&doc, args...)
	if doc.Complete != (doc.Problem == nil) {
		c.t.Errorf("path %s: complete %v, problem %v", entry, doc.Complete, doc.Problem)
	}
	if what == "path" {
		return names(doc.Entries)
	}
	none := "none"
	return *cmp.Or(doc.Problem, &none)
}

func (c *treeCase) bridge(what, entry string) string {
	var doc struct {
		Entries []answeredEntry
		Bridges []struct {
			ID, To  string
			Missing []answeredEntry
		}
	}
	args := []string{"path", "--bridge", c.session}
	if entry != "" {
		args = append(args, entry)
	}
	c.askJSON(&doc, args...)
	if what == "bridged" {
		return names(doc.Entries)
	}
	var list []string
	for _, b := range doc.Bridges {
		way := []string{b.ID}
		for _, m := range slices.Backward(b.Missing) {
			way = append(way, m.ID)
		}
		list = append(list, strings.Join(append(way, b.To), ">"))
	}
	return strings.Join(list, " ")
}

func (c *treeCase) labels() string {
	var doc struct {
		Labels []struct{ TargetID, Label string }
	}
	c.askJSON(&doc, "labels", c.session)
	var list []string
	for _, l := range doc.Labels {
		list = append(list, l.TargetID+"="+l.Label)
	}
	return strings.Join(list, "|")
}

// context writes a context as a case does. Members of the messages have an
// order of their own, which is kept.
func (c *treeCase) context(leaf string) string {
	var doc struct {
		Messages      []json.RawMessage
		ThinkingLevel json.RawMessage
		Model         json.RawMessage
	}
	args := []string{"context", "--as", "pi", c.session}
	if leaf != "" {
		args = append(args, "--leaf", leaf)
	}
	c.askJSON(&doc, args...)
	var b strings.Builder
	b.WriteString("\n")
	for _, m := range doc.Messages {
		fmt.Fprintf(&b, "%s\n", m)
	}
	fmt.Fprintf(&b, "= %s %s\n", doc.ThinkingLevel, doc.Model)
	return b.String()
}

// failure is the error of a question about an entry that is not there.
func (c *treeCase) failure(command, ref string) string {
	args := []string{"--db", c.db, command, c.session, ref}
	if command == "context" {
		args = slices.Insert(args, 4, "--leaf")
	}
	var stdout, stderr bytes.Buffer
	if code := run(c.t.Context(), testEnv(&stdout, &stderr, nil), args); code == 0 {
		c.t.Errorf("%q is no error", args)
	}
	line, _, _ := strings.Cut(stderr.String(), "\n")
	return strings.TrimPrefix(line, "piarchive: ")
}
