package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The sessions of testdata/retrieval are kept as people would jot them down; a
// composer writes each as a version 3 file of pi. testdata/retrieval/README.md
// explains the shorthand.

type composedMessage struct {
	Role       string `json:"role"`
	Content    any    `json:"content,omitempty"`
	Command    string `json:"command,omitempty"`
	Output     string `json:"output,omitempty"`
	ExitCode   *int   `json:"exitCode,omitempty"`
	ToolCallID string `json:"toolCallId,omitempty"`
	ToolName   string `json:"toolName,omitempty"`
	IsError    *bool  `json:"isError,omitempty"`
	API        string `json:"api,omitempty"`
	Provider   string `json:"provider,omitempty"`
	Model      string `json:"model,omitempty"`
	Usage      any    `json:"usage,omitempty"`
	StopReason string `json:"stopReason,omitempty"`
	Timestamp  int64  `json:"timestamp"`
}

type composedEntry struct {
	Type             string           `json:"type"`
	ID               string           `json:"id"`
	ParentID         *string          `json:"parentId"`
	Timestamp        string           `json:"timestamp"`
	Message          *composedMessage `json:"message,omitempty"`
	Name             string           `json:"name,omitempty"`
	Summary          string           `json:"summary,omitempty"`
	FirstKeptEntryID string           `json:"firstKeptEntryId,omitempty"`
	TokensBefore     int              `json:"tokensBefore,omitempty"`
}

type composedBlock struct {
	Type      string            `json:"type"`
	Text      string            `json:"text,omitempty"`
	Thinking  string            `json:"thinking,omitempty"`
	ID        string            `json:"id,omitempty"`
	Name      string            `json:"name,omitempty"`
	Arguments map[string]string `json:"arguments,omitempty"`
}

// composer writes one session.
type composer struct {
	slug, id string
	file     bytes.Buffer
	at       time.Time
	parent   *string
	blocks   []composedBlock // of the answer that is under way
	open     []composedBlock // calls without a result
	counts   map[byte]int    // entries of each kind
	entries  map[string]string
}

// retrievalWorld is what queries name: sessions by slug, entries by slug:kind
// and number, each with its id.
type retrievalWorld struct {
	root string
	ids  map[string]string
}

// composeRetrieval writes the sessions of all notes.
func composeRetrieval(t *testing.T) *retrievalWorld {
	t.Helper()
	world := &retrievalWorld{root: t.TempDir(), ids: map[string]string{}}
	notes, err := filepath.Glob(filepath.Join("testdata", "retrieval", "*.txt"))
	if err != nil || len(notes) == 0 {
		t.Fatalf("no notes of sessions: %v", err)
	}
	for _, note := range notes {
		text, err := os.ReadFile(note)
		if err != nil {
			t.Fatal(err)
		}
		head, rest, _ := strings.Cut(string(text), "\n\n== ")
		cwd := strings.TrimSpace(strings.TrimPrefix(head, "cwd "))
		for _, session := range strings.Split(rest, "\n\n== ") {
			if err := world.add(cwd, session); err != nil {
				t.Fatalf("%s: %v", note, err)
			}
		}
	}
	return world
}

// add writes a session; its first line is its slug and when it began.
func (w *retrievalWorld) add(cwd, text string) error {
	first, body, _ := strings.Cut(text, "\n")
	slug, began, _ := strings.Cut(first, " ")
	at, err := time.Parse("2006-01-02T15:04", began)
	if err != nil {
		return err
	}
	if w.ids[slug] != "" {
		return fmt.Errorf("two sessions are called %s", slug)
	}
	sum := sha256.Sum256([]byte(slug))
	c := &composer{slug: slug, at: at, counts: map[byte]int{}, entries: w.ids}
	c.id = fmt.Sprintf("%012x-7%03x-a%03x-%x", at.UnixMilli(), uint(sum[0])<<4|uint(sum[1])>>4, uint(sum[2])<<4|uint(sum[3])>>4, sum[4:10])
	c.id = c.id[:8] + "-" + c.id[8:]
	w.ids[slug] = c.id
	stamp := at.Format("2006-01-02T15:04:05.000Z")
	fmt.Fprintf(&c.file, `{"type":"session","version":3,"id":"%s","timestamp":"%s","cwd":"%s"}`+"\n", c.id, stamp, cwd)
	for _, piece := range pieces(body) {
		if err := c.piece(piece); err != nil {
			return fmt.Errorf("%s: %w", slug, err)
		}
	}
	c.answer()
	dir := filepath.Join(w.root, "--"+strings.ReplaceAll(strings.TrimPrefix(cwd, "/"), "/", "-")+"--")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	name := strings.NewReplacer(":", "-", ".", "-").Replace(stamp) + "_" + c.id + ".jsonl"
	return os.WriteFile(filepath.Join(dir, name), c.file.Bytes(), 0o600)
}

// pieces are the parts of a note: a sign and its text. Indented lines go on
// with the text, and so do lines of output behind each other. An error behind
// what the user said is one that the user pasted.
func pieces(body string) []string {
	var all []string
	for _, line := range strings.Split(strings.TrimSuffix(body, "\n"), "\n") {
		last := len(all) - 1
		switch {
		case last >= 0 && strings.HasPrefix(line, "  "):
			all[last] += "\n" + line[2:]
		case last >= 0 && line[0] == 'x' && all[last][0] == 'u', last >= 0 && strings.ContainsRune("|x", rune(line[0])) && all[last][0] == line[0]:
			all[last] += "\n" + strings.TrimPrefix(line[1:], " ")
		default:
			all = append(all, line)
		}
	}
	return all
}

func (c *composer) piece(piece string) error {
	text := strings.TrimPrefix(piece[1:], " ")
	first, rest, _ := strings.Cut(text, "\n")
	call := func(tool string, arguments map[string]string) {
		block := composedBlock{Type: "toolCall", ID: fmt.Sprintf("toolu_%s_%d", c.slug, c.counts['a']*10+len(c.blocks)), Name: tool, Arguments: arguments}
		c.blocks = append(c.blocks, block)
		c.open = append(c.open, block)
	}
	if !strings.ContainsRune("ta$>+~/", rune(piece[0])) {
		c.answer()
	}
	switch piece[0] {
	case 't':
		c.blocks = append(c.blocks, composedBlock{Type: "thinking", Thinking: text})
	case 'a':
		c.blocks = append(c.blocks, composedBlock{Type: "text", Text: text})
	case '$':
		call("bash", map[string]string{"command": text})
	case '>':
		call("read", map[string]string{"path": text})
	case '+':
		call("write", map[string]string{"path": first, "content": rest})
	case '~':
		before, after := sides(rest)
		call("edit", map[string]string{"path": first, "oldText": before, "newText": after})
	case '/':
		i := strings.LastIndex(text, " in ")
		if i < 0 {
			return fmt.Errorf("%q does not say where", piece)
		}
		call("grep", map[string]string{"pattern": text[:i], "path": text[i+len(" in "):]})
	case 'u':
		c.message('u', &composedMessage{Role: "user", Content: []composedBlock{{Type: "text", Text: text}}})
	case '|', 'x':
		failed := piece[0] == 'x'
		m := &composedMessage{Role: "toolResult", Content: []composedBlock{{Type: "text", Text: cmp.Or(text, "(no output)")}}, IsError: &failed}
		if len(c.open) == 0 {
			return fmt.Errorf("%q is the output of nothing", piece)
		}
		m.ToolCallID, m.ToolName = c.open[0].ID, c.open[0].Name
		c.open = c.open[1:]
		c.message('r', m)
	case '!':
		zero := 0
		c.message('b', &composedMessage{Role: "bashExecution", Command: first, Output: rest, ExitCode: &zero})
	case 'n':
		c.entry('n', composedEntry{Type: "session_info", Name: text})
	case 'c':
		c.entry('c', composedEntry{Type: "compaction", Summary: text, FirstKeptEntryID: *c.parent, TokensBefore: 90_000})
	case '^': // what follows leaves the session here, and what came between is abandoned
		_, id, ok := strings.Cut(c.entries[c.slug+":"+text], " ")
		if !ok {
			return fmt.Errorf("no entry %s to go back to", text)
		}
		c.parent = &id
	default:
		return fmt.Errorf("%q begins with no sign", piece)
	}
	return nil
}

// sides are what an edit takes away and what it puts there.
func sides(diff string) (before, after string) {
	var sides [2][]string
	for _, line := range strings.Split(diff, "\n") {
		side := 0
		if strings.HasPrefix(line, "+") {
			side = 1
		}
		sides[side] = append(sides[side], strings.TrimLeft(line, "-+"))
	}
	return strings.Join(sides[0], "\n"), strings.Join(sides[1], "\n")
}

// answer ends the answer that is under way.
func (c *composer) answer() {
	if len(c.blocks) == 0 {
		return
	}
	stop := "stop"
	if slices.ContainsFunc(c.blocks, func(b composedBlock) bool { return b.Type == "toolCall" }) {
		stop = "toolUse"
	}
	c.message('a', &composedMessage{
		Role: "assistant", Content: c.blocks, API: "anthropic-messages", Provider: "anthropic", Model: "claude-sonnet-4-5",
		Usage:      map[string]any{"input": 900, "output": 120, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 1020, "cost": map[string]any{"input": 0.0027, "output": 0.0018, "cacheRead": 0, "cacheWrite": 0, "total": 0.0045}},
		StopReason: stop,
	})
	c.blocks = nil
}

func (c *composer) message(kind byte, m *composedMessage) {
	m.Timestamp = c.at.Add(5 * time.Second).UnixMilli()
	c.entry(kind, composedEntry{Type: "message", Message: m})
}

// entry writes a line, known as slug:kind and number from now on.
func (c *composer) entry(kind byte, e composedEntry) {
	c.counts[kind]++
	c.at = c.at.Add(11 * time.Second)
	ref := fmt.Sprintf("%s:%c%d", c.slug, kind, c.counts[kind])
	sum := sha256.Sum256([]byte(ref))
	e.ID, e.ParentID, e.Timestamp = fmt.Sprintf("%x", sum[:4]), c.parent, c.at.Format("2006-01-02T15:04:05.000Z")
	line, err := json.Marshal(e)
	if err != nil {
		panic(err) // strings and numbers alone
	}
	c.file.Write(append(line, '\n'))
	c.entries[ref] = placeName(c.id, e.ID)
	c.parent = &e.ID
}
