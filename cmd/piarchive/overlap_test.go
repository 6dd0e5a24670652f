package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// crowd is many processes of the program at one archive, while one goroutine
// plays the agents that write the session files.
//
// Agents add whole turns of three entries, each turn with one write and of one
// length, so that the size of a file tells whether it was read in the middle of
// one. A file is only ever replaced by a rename. Everything in a file names its
// generation, so that a mixture of two shows.
type crowd struct {
	*testing.T
	dir     string
	program string
	until   time.Time

	mu     sync.Mutex
	counts map[string]int
	agents map[string]*agent // by file name; nothing but the agents' goroutine uses it
}

// agent is the writer of one file.
type agent struct{ generation, turns int }

const turnEntries = 3

func newCrowd(t *testing.T) *crowd {
	t.Helper()
	program, err := exec.LookPath("piarchive")
	if err != nil {
		t.Fatalf("the test binary under the program's name: %v", err)
	}
	lasts := 3 * time.Second
	if asked := os.Getenv("PIARCHIVE_OVERLAP"); asked != "" {
		if lasts, err = time.ParseDuration(asked); err != nil {
			t.Fatalf("PIARCHIVE_OVERLAP: %v", err)
		}
	}
	c := &crowd{T: t, dir: t.TempDir(), program: program, until: time.Now().Add(lasts), counts: map[string]int{}, agents: map[string]*agent{}}
	for n := range 6 {
		c.begin(fmt.Sprintf("proj%d/s%d.jsonl", n%2, n))
	}
	return c
}

func (c *crowd) lasts() bool { return time.Now().Before(c.until) && !c.Failed() }

func (c *crowd) count(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts[what]++
}

func (c *crowd) file(name string) string { return filepath.Join(c.dir, "sessions", name) }

func (c *crowd) archive() string { return filepath.Join(c.dir, "archive.db") }

func sessionHead(name string, generation int) string {
	var n int
	fmt.Sscanf(filepath.Base(name), "s%d.jsonl", &n)
	return fmt.Sprintf(`{"type":"session","version":3,"id":"%08d-%04d-4000-8000-000000000000","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/proj"}`+"\n", n, generation)
}

// turn is what an agent writes at once: a question, its answer, and a mark.
func (a *agent) turn() string {
	before := "null"
	if a.turns > 0 {
		before = fmt.Sprintf(`"m%05d"`, a.turns-1)
	} else {
		before += strings.Repeat(" ", 4)
	}
	n, g := a.turns, a.generation
	a.turns++
	const at = `"timestamp":"2026-01-02T03:04:06.000Z"`
	return fmt.Sprintf(`{"type":"message","id":"q%05d","parentId":%s,%s,"message":{"role":"user","content":"generation%04d asks turn%05d","timestamp":1767323046000}}`+"\n", n, before, at, g, n) +
		fmt.Sprintf(`{"type":"message","id":"a%05d","parentId":"q%05d",%s,"message":{"role":"assistant","content":[{"type":"text","text":"generation%04d answers turn%05d"}],"provider":"p","model":"m","stopReason":"stop","timestamp":1767323046000}}`+"\n", n, n, at, g, n) +
		fmt.Sprintf(`{"type":"custom","id":"m%05d","parentId":"a%05d",%s,"customType":"mark","data":{"generation":%4d}}`+"\n", n, n, at, g)
}

// askedTurns is how many turns every file has at least. Readers search for these:
// a word that stands nowhere is answered with words near it.
const askedTurns = 4

// begin writes a file anew, of the next generation and with a few turns.
func (c *crowd) begin(name string) {
	a := c.agents[name]
	if a == nil {
		a = &agent{}
		c.agents[name] = a
	}
	a.generation, a.turns = a.generation+1, 0
	content := sessionHead(name, a.generation)
	for range askedTurns + rand.IntN(5) {
		content += a.turn()
	}
	path := c.file(name)
	err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path+".new", []byte(content), 0o644), os.Rename(path+".new", path))
	if err != nil {
		c.Error(err)
	}
}

// write plays the agents. The first file only ever grows.
func (c *crowd) write() {
	for step := 0; c.lasts(); step++ {
		name := slices.Sorted(maps.Keys(c.agents))[rand.IntN(len(c.agents))]
		a := c.agents[name]
		_, err := os.Stat(c.file(name))
		switch {
		case err != nil:
			c.begin(name)
			c.count("files back")
		case a.generation > 1 && rand.IntN(10) == 0, name != "proj0/s0.jsonl" && rand.IntN(15) == 0:
			c.begin(name)
			c.count("files rewritten")
		case name != "proj0/s0.jsonl" && rand.IntN(20) == 0:
			os.Remove(c.file(name))
			c.count("files removed")
		case rand.IntN(25) == 0 && len(c.agents) < 60:
			c.begin(fmt.Sprintf("proj%d/s%d.jsonl", step%5, len(c.agents)))
			c.count("files new")
		default:
			f, err := os.OpenFile(c.file(name), os.O_APPEND|os.O_WRONLY, 0o644)
			if err == nil {
				_, err = f.WriteString(a.turn())
				err = errors.Join(err, f.Close())
			}
			if err != nil {
				c.Error(err)
			}
			c.count("turns written")
		}
		time.Sleep(time.Duration(1+rand.IntN(15)) * time.Millisecond)
	}
}

// trouble is what nobody may ever be told while others are at work.
var trouble = regexp.MustCompile(`(?i)locked|busy|another program|malformed|corrupt|disk I/O|not an archive|panic|no such table|newer`)

// exec runs the program in a process of its own. Any status but the allowed
// ones fails the test, and so does any sign that one process was in another's way.
func (c *crowd) exec(allowed []int, args ...string) (stdout []byte, status int) {
	cmd := exec.CommandContext(c.Context(), c.program, append([]string{"--db", c.archive(), "--root", filepath.Join(c.dir, "sessions")}, args...)...)
	var out, talk bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &talk
	err := cmd.Run()
	status = cmd.ProcessState.ExitCode()
	if err != nil && status < 0 {
		c.Errorf("%q: %v", args, err)
	}
	c.count(args[0])
	if !slices.Contains(allowed, status) {
		c.Errorf("%q: exit status %d; stderr %q", args, status, talk.String())
	}
	if status == 75 {
		c.count("turned away")
		if !strings.Contains(talk.String(), "piarchive: another run is writing the archive\nhint: ") {
			c.Errorf("%q: stderr %q", args, talk.String())
		}
	} else if status == 2 && slices.Contains(allowed, 2) && !strings.HasPrefix(talk.String(), "piarchive: no session ") {
		c.Errorf("%q: stderr %q", args, talk.String())
	} else if trouble.Match(talk.Bytes()) {
		c.Errorf("%q: stderr %q", args, talk.String())
	}
	return out.Bytes(), status
}

// ask decodes what a command that reads prints as JSON.
func (c *crowd) ask(doc any, args ...string) bool {
	out, status := c.exec([]int{0, 1}, append(args, "--json")...)
	if status != 0 {
		return false
	}
	if err := json.Unmarshal(out, doc); err != nil {
		c.Errorf("%q: %v in %.200q", args, err, out)
		return false
	}
	return true
}

// index is the cron line, more often than any cron.
func (c *crowd) index() {
	for c.lasts() {
		c.exec([]int{0}, "index", "-q")
	}
}

// maintain is everything else that writes, or reads all of the archive.
func (c *crowd) maintain() {
	for n := 0; c.lasts(); n++ {
		switch n % 6 {
		case 0, 3:
			c.exec([]int{0, 75}, "index", "--wait", "0")
		case 1:
			c.exec([]int{0}, "index", "--full", "-q")
			c.count("full builds")
		case 2:
			c.exec([]int{0, 1}, "forget", "--missing", "--yes", "-q")
		case 4:
			c.backup(filepath.Join(c.dir, fmt.Sprintf("backup%d.db", n)))
		case 5:
			c.exec([]int{0}, "forget", "--compact", "--yes", "-q")
		}
	}
}

// backup copies the archive and holds the copy to what every reader may expect.
func (c *crowd) backup(file string) {
	c.exec([]int{0}, "backup", file)
	cmd := exec.CommandContext(c.Context(), c.program, "--db", file, "sql", "--json", wholeSQL)
	out, err := cmd.Output()
	if err != nil {
		c.Errorf("the backup: %v", err)
	}
	c.whole(out)
	os.Remove(file)
}

// wholeSQL tells, in one statement and so from one state, what must fit together.
const wholeSQL = `SELECT s.path, s.bytes, s.messages, s.entries, count(e.entry) AS n, count(e.parent_id) - count(e.parent) AS lost,
 sum(e.type = 'custom') AS marks, s.leaves, (SELECT count(DISTINCT substr(m.text, 1, 14)) FROM messages m WHERE m.session = s.session) AS generations
 FROM sessions s LEFT JOIN entries e ON e.session = s.session GROUP BY s.session`

func (c *crowd) whole(answer []byte) {
	var doc struct{ Rows [][]any }
	if err := json.Unmarshal(answer, &doc); err != nil || len(doc.Rows) == 0 {
		c.Errorf("%v in %.300q", err, answer)
		return
	}
	for _, row := range doc.Rows {
		number := func(i int) int { n, _ := row[i].(float64); return int(n) }
		bytes, messages, entries, n, lost, marks, leaves, generations := number(1), number(2), number(3), number(4), number(5), number(6), number(7), number(8)
		switch {
		case entries != n || lost != 0 || generations > 1 || n > 0 && leaves != 1:
			c.Errorf("torn: %v", row)
		case !wholeTurns(bytes):
			c.count("files read in the middle of a turn")
		case n != turnEntries*wholeTurnsIn(bytes) || marks*2 != messages || marks*turnEntries != n:
			c.Errorf("torn: %v", row)
		}
	}
}

// wholeTurnsIn says how many turns a file of a size holds.
func wholeTurnsIn(size int) int {
	return (size - len(sessionHead("", 0))) / len(new(agent).turn())
}

func wholeTurns(size int) bool {
	return size >= len(sessionHead("", 0)) && (size-len(sessionHead("", 0)))%len(new(agent).turn()) == 0
}

// Two writers and eight readers, each a process after the other, and files that
// change under them: nobody fails, nobody waits for a writer, and nobody sees a
// session that is not whole. PIARCHIVE_OVERLAP=60s makes it last longer.
func TestOverlap(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: it runs hundreds of processes for some seconds")
	}
	c := newCrowd(t)
	c.exec([]int{0}, "index", "-q")
	var all sync.WaitGroup
	all.Go(c.write)
	all.Go(c.index)
	all.Go(c.maintain)
	for n := range 8 {
		all.Go(func() { c.read(n) })
	}
	all.Wait()

	c.exec([]int{0}, "index", "-q")
	var doc struct {
		Drift   []any
		Pending int
	}
	if !c.ask(&doc, "verify", "--deep") || len(doc.Drift) > 0 || doc.Pending > 0 {
		t.Errorf("in the end: %+v", doc)
	}
	if left, err := filepath.Glob(c.archive() + ".building*"); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
	t.Log(c.counts)
}
