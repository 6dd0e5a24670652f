package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// The lengths of things in 331 real sessions: the least, nine quantiles, the most.
// Between them lengths are spread evenly by their logarithm.
type lengths [11]float64

var (
	quantiles = [11]float64{0, .01, .10, .25, .50, .75, .90, .95, .99, .999, 1}

	fileLengths     = lengths{1200, 1500, 9000, 20600, 64000, 201000, 495000, 1.1e6, 2.3e6, 6e6, 1e7}
	userLengths     = lengths{1, 2, 14, 39, 88, 205, 766, 3180, 22705, 95695, 181356}
	answerLengths   = lengths{1, 2, 10, 43, 109, 475, 1531, 2363, 5246, 16462, 22330}
	thinkingLengths = lengths{0, 10, 65, 109, 242, 737, 2336, 4699, 13530, 40469, 99539}
	argumentLengths = lengths{2, 10, 53, 85, 133, 574, 1538, 2592, 8541, 21008, 59904}
	imageLengths    = lengths{4000, 5004, 20000, 27700, 56024, 68584, 84460, 150000, 300000, 625820, 625820}
	secondsBetween  = lengths{0, 0, 1, 2, 4, 12, 45, 120, 900, 20000, 90000}
)

var tools = []struct {
	name, argument string
	share          float64 // of all calls, with those before it
	output         lengths
}{
	{"bash", "command", .42, lengths{0, 3, 11, 47, 231, 1027, 2574, 4052, 12210, 51324, 51330}},
	{"read", "path", .66, lengths{1, 27, 195, 703, 1685, 4141, 9063, 12180, 41871, 51268, 51268}},
	{"edit", "path", .81, lengths{20, 22, 71, 89, 108, 148, 158, 173, 1075, 3662, 3662}},
	{"delegate", "task", .93, lengths{5, 11, 242, 854, 2835, 6299, 10509, 13496, 30269, 32423, 130712}},
	{"grep", "pattern", .97, lengths{0, 5, 16, 79, 447, 2234, 6296, 8686, 14064, 14914, 14914}},
	{"write", "path", 1, lengths{20, 22, 49, 65, 86, 100, 121, 173, 280, 334, 334}},
}

var (
	models   = []string{"claude-opus-4-5", "claude-sonnet-4-5", "gpt-5.5", "gemini-3-pro"}
	commands = []string{"npm run check", "go test ./...", "git status --short", "git diff --stat", "cargo build", "make test"}
	common   = strings.Fields(`the of and to in is that for it with as on be this file not error are test from or by if
		function return const let an import string run type we can value will line code should have at when all was
		new path but error: use config name which there now output check default user data so read true false build
		set list session null confirm parser token module version server conflict configure client handler`)
)

// A maker makes sessions, each time the same.
type maker struct {
	rand  *rand.Rand
	words []string // as often as they are used
	seen  []string // texts of this project: what is read once is read again

	out      bytes.Buffer
	encoder  *json.Encoder
	left     int // bytes that the session may still take
	at       time.Time
	ids      []string
	parent   *string
	model    string
	prompted int // tokens
}

// An entry has the fields in the order in which pi writes them.
type entry struct {
	Type          string   `json:"type"`
	Version       int      `json:"version,omitempty"`
	ID            string   `json:"id"`
	ParentID      *string  `json:"parentId,omitempty"`
	Timestamp     string   `json:"timestamp"`
	Cwd           string   `json:"cwd,omitempty"`
	ParentSession string   `json:"parentSession,omitempty"`
	Provider      string   `json:"provider,omitempty"`
	ModelID       string   `json:"modelId,omitempty"`
	Name          string   `json:"name,omitempty"`
	Summary       string   `json:"summary,omitempty"`
	FirstKept     string   `json:"firstKeptEntryId,omitempty"`
	TokensBefore  int      `json:"tokensBefore,omitempty"`
	FromID        string   `json:"fromId,omitempty"`
	TargetID      string   `json:"targetId,omitempty"`
	Label         string   `json:"label,omitempty"`
	Message       *message `json:"message,omitempty"`
}

type message struct {
	Role       string  `json:"role"`
	ToolCallID string  `json:"toolCallId,omitempty"`
	ToolName   string  `json:"toolName,omitempty"`
	Content    []block `json:"content"`
	Details    any     `json:"details,omitempty"`
	IsError    *bool   `json:"isError,omitempty"`
	API        string  `json:"api,omitempty"`
	Provider   string  `json:"provider,omitempty"`
	Model      string  `json:"model,omitempty"`
	Usage      any     `json:"usage,omitempty"`
	StopReason string  `json:"stopReason,omitempty"`
	Timestamp  int64   `json:"timestamp"`
}

type block struct {
	Type      string            `json:"type"`
	Text      string            `json:"text,omitempty"`
	Thinking  string            `json:"thinking,omitempty"`
	Signature string            `json:"thinkingSignature,omitempty"`
	Data      string            `json:"data,omitempty"`
	MimeType  string            `json:"mimeType,omitempty"`
	ID        string            `json:"id,omitempty"`
	Name      string            `json:"name,omitempty"`
	Arguments map[string]string `json:"arguments,omitempty"`
}

// makeSessions writes so many files of so many bytes in all below a directory. Their
// lengths spread as those of real sessions do, and they lie in forty projects, most of
// them in few.
func makeSessions(root string, count int, total float64) error {
	m := &maker{rand: rand.New(rand.NewPCG(7, 7))}
	m.words = vocabulary(m.rand)
	m.encoder = json.NewEncoder(&m.out)
	m.encoder.SetEscapeHTML(false)
	sizes, sum := make([]float64, count), 0.0
	for i := range sizes {
		sizes[i] = fileLengths.at(m.rand.Float64())
		sum += sizes[i]
	}
	type project struct {
		dir, cwd, last string
		seen           []string
	}
	var projects [40]project
	for i := range projects {
		p := &projects[i]
		p.cwd = fmt.Sprintf("/home/mira/src/%s-%d", m.word(), i)
		p.dir = filepath.Join(root, "--"+strings.ReplaceAll(p.cwd[1:], "/", "-")+"--")
		if err := os.MkdirAll(p.dir, 0o700); err != nil {
			return err
		}
	}
	for i, size := range sizes {
		p := &projects[int(40*math.Pow(m.rand.Float64(), 3))]
		m.at = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(i) * 300 * 24 * time.Hour / time.Duration(count))
		m.seen, m.left = p.seen, int(size*total/sum)
		stamp := m.at.Format("2006-01-02T15-04-05-000Z")
		id := fmt.Sprintf("%08x-%04x-7000-8000-%012x", m.rand.Uint32(), i>>16, i)
		path := filepath.Join(p.dir, stamp+"_"+id+".jsonl")
		if err := m.session(i, id, p.cwd, p.last); err != nil {
			return err
		}
		if err := os.WriteFile(path, m.out.Bytes(), 0o600); err != nil {
			return err
		}
		if err := os.Chtimes(path, m.at, m.at); err != nil {
			return err
		}
		p.seen, p.last = m.seen, path
	}
	return nil
}

// session makes one session: in 2 of 100 a fork that begins with the lines of another.
func (m *maker) session(number int, id, cwd, last string) error {
	m.out.Reset()
	m.ids, m.parent, m.prompted = m.ids[:0], nil, 12000
	m.model = models[min(m.rand.IntN(len(models)), m.rand.IntN(len(models)))]
	header := entry{Type: "session", Version: 3, ID: id, Timestamp: m.time(), Cwd: cwd}
	var copied [][]byte
	if last != "" && m.rand.Float64() < .02 {
		text, err := os.ReadFile(last)
		if err != nil {
			return err
		}
		header.ParentSession = last
		for _, line := range bytes.SplitAfter(text, []byte("\n"))[1:] {
			if m.left -= len(line); m.left < 0 || len(line) == 0 {
				break
			}
			copied = append(copied, line)
		}
	}
	if err := m.encoder.Encode(header); err != nil {
		return err
	}
	for _, line := range copied {
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
		m.out.Write(line)
		m.ids, m.parent = append(m.ids, e.ID), &e.ID
	}
	m.add(entry{Type: "model_change", Provider: "anthropic", ModelID: m.model})
	if m.rand.Float64() < .04 {
		m.add(entry{Type: "session_info", Name: m.prose(10 + m.rand.IntN(50))})
	}
	branches, labels, compacts := m.rand.Float64() < .04, m.rand.Float64() < .03, m.rand.Float64() < .03
	for turn := 0; turn == 0 || m.left > 0; turn++ {
		question := m.prose(m.length(userLengths))
		if turn == 0 {
			question += " unique" + strings.Map(func(digit rune) rune { return digit - '0' + 'a' }, strconv.Itoa(number))
		}
		m.turn(question)
		switch earlier := m.ids[m.rand.IntN(len(m.ids))]; {
		case branches && m.rand.Float64() < .2:
			m.parent = &earlier
			m.add(entry{Type: "branch_summary", FromID: m.ids[len(m.ids)-1], Summary: m.prose(400 + m.length(answerLengths))})
		case labels && m.rand.Float64() < .2:
			m.add(entry{Type: "label", TargetID: earlier, Label: m.prose(10)})
		case (compacts || turn > 400) && m.rand.Float64() < .05:
			m.add(entry{Type: "compaction", Summary: m.prose(3000 + m.length(userLengths)), FirstKept: m.ids[len(m.ids)-1], TokensBefore: 150000})
		}
	}
	return nil
}

// turn is a question, and calls of tools until there is an answer.
func (m *maker) turn(question string) {
	content := []block{{Type: "text", Text: question}}
	if m.rand.Float64() < .01 {
		content = append(content, m.image())
	}
	m.say(message{Role: "user", Content: content})
	for m.left > 0 && m.rand.Float64() < .85 {
		tool := tools[0]
		for i, x := 0, m.rand.Float64(); tools[i].share < x; i++ {
			tool = tools[i+1]
		}
		arguments := map[string]string{tool.argument: "src/" + m.word() + "/" + m.word() + ".ts"}
		switch n := m.length(argumentLengths); {
		case tool.name == "edit":
			arguments["oldText"], arguments["newText"] = m.code(n/2), m.code(n/2)
		case tool.name == "write":
			arguments["content"] = m.code(3 * n)
		case tool.name == "bash":
			arguments["command"] = commands[m.rand.IntN(len(commands))]
			if m.rand.Float64() < .8 {
				arguments["command"] += " && " + m.code(n)
			}
		case tool.argument != "path":
			arguments[tool.argument] = m.prose(n)
		}
		call := block{Type: "toolCall", ID: fmt.Sprintf("toolu_%016x", m.rand.Uint64()), Name: tool.name, Arguments: arguments}
		m.answer("toolUse", call)
		failed := m.rand.Float64() < .085
		n := m.length(tool.output)
		result := message{Role: "toolResult", ToolCallID: call.ID, ToolName: tool.name, IsError: &failed, Content: []block{{Type: "text", Text: m.output(n)}}}
		switch tool.name {
		case "edit":
			result.Details = map[string]any{"diff": m.code(300 + m.length(argumentLengths)), "firstChangedLine": m.rand.IntN(900)}
		case "delegate":
			result.Details = map[string]any{"agent": "worker", "output": m.prose(n / 2)}
		}
		m.say(result)
	}
	m.answer("stop", block{Type: "text", Text: m.prose(m.length(answerLengths))})
}

// answer is a message of the model, with what it cost.
func (m *maker) answer(stop string, last block) {
	var content []block
	if m.rand.Float64() < .75 {
		content = append(content, block{Type: "thinking", Thinking: m.prose(m.length(thinkingLengths)), Signature: "reasoning_content"})
	}
	if last.Type == "toolCall" && m.rand.Float64() < .4 {
		content = append(content, block{Type: "text", Text: m.prose(m.length(answerLengths))})
	}
	output := 20 + m.rand.IntN(1500)
	if m.prompted += output + m.rand.IntN(3000); m.prompted > 180000 {
		m.prompted = 20000
	}
	input := m.prompted / 10
	cost := map[string]float64{"input": float64(input) * 3e-6, "output": float64(output) * 15e-6, "cacheRead": float64(m.prompted-input) * 3e-7, "cacheWrite": 0}
	cost["total"] = cost["input"] + cost["output"] + cost["cacheRead"]
	m.say(message{Role: "assistant", Content: append(content, last), API: "anthropic-messages", Provider: "anthropic", Model: m.model, StopReason: stop, Usage: map[string]any{
		"input": input, "output": output, "cacheRead": m.prompted - input, "cacheWrite": 0, "totalTokens": m.prompted + output, "cost": cost,
	}})
}

func (m *maker) say(what message) {
	what.Timestamp = m.at.UnixMilli()
	m.add(entry{Type: "message", Message: &what})
}

func (m *maker) add(e entry) {
	m.at = m.at.Add(time.Duration(m.length(secondsBetween))*time.Second + time.Duration(m.rand.IntN(900))*time.Millisecond)
	e.ID, e.ParentID, e.Timestamp = fmt.Sprintf("%08x", m.rand.Uint32()), m.parent, m.time()
	before := m.out.Len()
	if err := m.encoder.Encode(e); err != nil {
		panic(err) // an entry has no cycles and no NaN
	}
	m.left -= m.out.Len() - before
	m.ids, m.parent = append(m.ids, e.ID), &e.ID
}

func (m *maker) time() string { return m.at.Format("2006-01-02T15:04:05.000Z") }
