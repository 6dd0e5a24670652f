package search

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piarchive/internal/query"
	"piarchive/internal/query/question"
)

// known is a line of a made-up session, and all there is to know of it.
type known struct {
	session      *knownSession
	line         int
	id, parent   string // "" is a root
	kind, role   string
	at           int64 // 0: no time
	thinking     bool
	json         string
	target, text string // of a label

	active, leaf bool
	label        string // in force on it
	columns      [6]string
	key          string // equal in copies; "" where nothing tells them
	row          int64
}

type knownSession struct {
	id, cwd, name, source string // source is the file of the session it was forked from
	created               int64
	entries               []*known
}

// moment is when something was said: without a time, when its session began.
func (e *known) moment() int64 { return cmp.Or(e.at, e.session.created) }

func (e *known) String() string {
	return fmt.Sprintf("%s@%d %s %q", e.session.id, e.line, cmp.Or(e.role, e.kind), fmt.Sprintf("%.150s", strings.Join(e.columns[:], "|")))
}

// saidWords are what sessions are about: words that hold, begin, join and split
// each other, punctuation, scripts without spaces.
var saidWords = []string{"terminal", "path", "resolveTerminalPath", "terminal_path", "TerminalPath", "terminalpath", "readFile", "read-file", "read file",
	"read", "file", "=> {", "->", "error", "errors", "error: timeout", "timeout", "kernel", "日暮里", "西日暮里駅", "仓管员同时", "v0.73.1", "0.73.1", "bash.ts",
	"src/tools/bash.ts", "sk", "task"}

func saying(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(6) {
		word := saidWords[r.IntN(len(saidWords))]
		switch r.IntN(12) {
		case 0:
			word = strings.ToUpper(word)
		case 1:
			word = "\x1b[31m" + word + "\x1b[0m"
		case 2:
			word = "(" + word + "),"
		}
		b.WriteString([]string{"", " ", " ", " ", "\n"}[min(b.Len(), 1)*(1+r.IntN(4))])
		b.WriteString(word)
	}
	return b.String()
}

// longSaying is said with so much else around it.
func longSaying(r *rand.Rand, length int) string {
	before := r.IntN(length)
	return strings.Repeat("so on. ", before/7) + saying(r) + strings.Repeat(" and on", (length-before)/7)
}

// message makes the payload of a message in some role.
func (e *known) message(r *rand.Rand, say func() string) map[string]any {
	m := map[string]any{"role": e.role}
	block := func(kind, key string, v any) map[string]any { return map[string]any{"type": kind, key: v} }
	switch e.role {
	case "user":
		m["content"] = say()
	case "assistant":
		blocks := []any{}
		if r.IntN(3) > 0 {
			blocks = append(blocks, block("text", "text", say()))
		}
		if e.thinking = r.IntN(3) == 0; e.thinking {
			blocks = append(blocks, block("thinking", "thinking", say()))
		}
		if r.IntN(3) == 0 {
			call := block("toolCall", "name", "bash")
			call["id"], call["arguments"] = "c1", map[string]any{"command": say(), "file": saidWords[r.IntN(len(saidWords))]}
			blocks = append(blocks, call)
		}
		m["content"] = blocks // may be empty: an entry without text
	case "toolResult":
		m["toolCallId"], m["toolName"], m["isError"] = "c1", "bash", false
		m["content"] = []any{block("text", "text", say())}
	}
	return m
}

// grow appends n entries: mostly a chain, sometimes a branch.
func (s *knownSession) grow(r *rand.Rand, n int, from time.Time, say func() string) {
	for range n {
		from = from.Add(time.Duration(1+r.IntN(40_000_000)) * time.Millisecond)
		e := &known{session: s, line: len(s.entries) + 2, id: fmt.Sprintf("%08x", r.Uint32()), kind: "message"}
		e.role = []string{"user", "assistant", "assistant", "toolResult"}[r.IntN(4)]
		if last := len(s.entries) - 1; last >= 0 {
			e.parent = s.entries[last].id
			if r.IntN(10) == 0 {
				e.parent = s.entries[r.IntN(last+1)].id
			}
		}
		object := map[string]any{"id": e.id, "parentId": nil}
		switch k := r.IntN(14); {
		case k == 0 && len(s.entries) > 0:
			e.kind, e.role = "label", ""
			e.target, e.text = s.entries[r.IntN(len(s.entries))].id, []string{"", "milestone", "Terminal works"}[r.IntN(3)]
			object["targetId"], object["label"] = e.target, e.text
		case k == 1:
			e.kind, e.role = "session_info", ""
			s.name = "work on the " + []string{"kernel", "Terminal", "path"}[r.IntN(3)]
			object["name"] = s.name
		default:
			object["message"] = e.message(r, say)
		}
		if object["type"] = e.kind; e.parent != "" {
			object["parentId"] = e.parent
		}
		if r.IntN(12) > 0 {
			e.at = from.UnixMilli()
			object["timestamp"] = from.Format("2006-01-02T15:04:05.000Z")
		}
		e.json = asJSON(object, r.IntN(2) == 0)
		s.entries = append(s.entries, e)
	}
}

func asJSON(v any, escape bool) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(escape)
	if err := encoder.Encode(v); err != nil {
		panic(err)
	}
	return b.String()
}

// fork copies the first k entries and goes on; name and labels are those of the
// copies.
func (s *knownSession) fork(id string, created time.Time, k int) *knownSession {
	f := &knownSession{id: id, cwd: s.cwd, created: created.UnixMilli(), source: "/gone/" + s.id + ".jsonl"}
	for _, e := range s.entries[:k] {
		c := *e
		c.session = f
		if f.entries = append(f.entries, &c); c.kind == "session_info" {
			var named struct{ Name string }
			if err := json.Unmarshal([]byte(c.json), &named); err != nil {
				panic(err)
			}
			f.name = named.Name
		}
	}
	return f
}

// settle finds out what the whole of a session says about its entries.
func (s *knownSession) settle() {
	byID := map[string]*known{}
	for _, e := range s.entries {
		byID[e.id] = e
		e.leaf = true
	}
	for _, e := range s.entries {
		if e.parent != "" {
			byID[e.parent].leaf = false
		}
		if e.kind == "label" {
			byID[e.target].label = e.text
		}
	}
	for e := s.entries[len(s.entries)-1]; e != nil; e = byID[e.parent] {
		e.active = true
	}
}

// world is an archive of made-up sessions.
type world struct {
	archive  *query.Archive
	sessions []*knownSession
	entries  []*known // of all sessions
	byPlace  map[string]*known
	copies   map[string]int // entries by key
	memo     map[string][2][]question.ColumnSet
}

// newWorld makes an archive; many is how many entries one of its sessions has
// that all say "common".
func newWorld(t *testing.T, seed uint64, many int) *world {
	r := rand.New(rand.NewPCG(seed, 17))
	w := &world{byPlace: map[string]*known{}, copies: map[string]int{}, memo: map[string][2][]question.ColumnSet{}}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	short := func() string { return saying(r) }
	for i := range 5 + r.IntN(8) {
		created := start.AddDate(0, 0, r.IntN(200))
		id := fmt.Sprintf("%02d%06x-s", i, r.IntN(1<<24))
		s := &knownSession{id: id, cwd: []string{"/home/u/proj", "/home/u/proj/sub", "/srv/other-proj"}[r.IntN(3)], created: created.UnixMilli()}
		if i > 0 && r.IntN(3) == 0 {
			of := w.sessions[r.IntN(i)]
			s = of.fork(id, created, 1+r.IntN(len(of.entries)))
		}
		w.sessions = append(w.sessions, s)
		s.grow(r, 3+r.IntN(12), created, short)
		switch {
		case i == 0:
			s.grow(r, many, created, func() string { return "common " + []string{"", "", "rare", "read file"}[r.IntN(4)] })
		case i == 1:
			s.grow(r, 3, created, func() string { return longSaying(r, 40_000+r.IntN(160_000)) })
		}
		if r.IntN(3) == 0 { // taken up again, long after
			s.grow(r, 1+r.IntN(6), start.AddDate(1, 0, r.IntN(20)), short)
		}
	}
	root := t.TempDir()
	for _, s := range w.sessions {
		header := map[string]any{"type": "session", "version": 3, "id": s.id, "cwd": s.cwd, "timestamp": time.UnixMilli(s.created).UTC().Format("2006-01-02T15:04:05.000Z")}
		if s.source != "" {
			header["parentSession"] = s.source
		}
		text := []string{asJSON(header, false)}
		for _, e := range s.entries {
			text = append(text, e.json)
			w.byPlace[fmt.Sprintf("%s@%d", s.id, e.line)] = e
		}
		s.settle()
		w.entries = append(w.entries, s.entries...)
		if err := os.WriteFile(filepath.Join(root, s.id+".jsonl"), []byte(strings.Join(text, "")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.archive = newArchiveOf(t, root)
	w.read(t)
	return w
}

// read takes the texts of all entries, by column, from the archive.
func (w *world) read(t *testing.T) {
	t.Helper()
	var rows []candidate
	if err := w.archive.DB().Select(&rows, `SELECT id, 0.0 AS score FROM _entry ORDER BY id`); err != nil || len(rows) != len(w.entries) {
		t.Fatalf("%d entries of %d: %v", len(rows), len(w.entries), err)
	}
	hits, err := readHits(t.Context(), w.archive, rows)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hits {
		columns, err := readColumns(t.Context(), w.archive, h)
		if err != nil {
			t.Fatal(err)
		}
		e := w.of(*h)
		e.columns, e.row = *columns, h.row
		switch {
		case e.columns != [6]string{}:
			e.key = fmt.Sprintf("%d %s %s %q", e.at, e.kind, e.role, e.columns)
		case e.kind == "message" && e.at != 0:
			e.key = fmt.Sprintf("%d %s %s", e.at, e.role, e.id)
		}
		w.copies[e.key]++
	}
}

func (w *world) of(h Hit) *known {
	if h.Entry == nil {
		return nil
	}
	return w.byPlace[fmt.Sprintf("%s@%d", h.Session.ID, h.Entry.Line)]
}
