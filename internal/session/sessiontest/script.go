package sessiontest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"piarchive/internal/jsonl/syntax"
	"piarchive/internal/session"
)

// Operation is one step of a script, as the driver of pi takes it. Target is the
// position of the operation that appended an entry.
type Operation struct {
	Op       string          `json:"op"`
	Target   *int            `json:"target,omitempty"`
	Text     string          `json:"text"`
	Provider string          `json:"provider,omitempty"`
	Note     string          `json:"note,omitempty"`
	Tokens   int             `json:"tokens,omitempty"`
	Flag     bool            `json:"flag"`
	Message  json.RawMessage `json:"message,omitempty"`
	Content  json.RawMessage `json:"content,omitempty"`
	Data     json.RawMessage `json:"data,omitempty"`
	Usage    json.RawMessage `json:"usage,omitempty"`
}

// Rounds is how many scripts a test runs: few, or as many as are asked for.
func Rounds(asked string, few int) int {
	if n, err := strconv.Atoi(asked); err == nil && n > 0 {
		return n
	}
	return few
}

// Script makes a random one. For the newest pi it has what only that knows, and labels
// on the way of a fork, where earlier ones tear the path. It begins with messages that
// make pi write a file.
func Script(r *rand.Rand, newest bool) []Operation {
	s := &maker{Rand: r, newest: newest, leaf: -1}
	s.message("user")
	if !newest {
		s.message("assistant")
	}
	for range 3 + r.IntN(30) {
		s.step()
	}
	return s.list
}

// maker keeps the tree of a script, to name only what is there.
type maker struct {
	*rand.Rand
	newest bool
	list   []Operation
	parent []int // of what each operation appended; -1 for roots, -2 where it appended nothing
	leaf   int   // -1 for none
	labels bool
}

func (s *maker) add(o Operation) {
	s.list = append(s.list, o)
	s.parent = append(s.parent, s.leaf)
	s.leaf = len(s.list) - 1
}

func (s *maker) move(o Operation, leaf int) {
	s.list = append(s.list, o)
	s.parent = append(s.parent, -2)
	s.leaf = leaf
}

// any picks an operation that appended something which the present session has.
func (s *maker) any() int {
	for {
		if n := s.IntN(len(s.list)); s.parent[n] > -2 {
			return n
		}
	}
}

// path are the operations from the leaf to the root.
func (s *maker) path() (path []int) {
	for n := s.leaf; n >= 0; n = s.parent[n] {
		path = append(path, n)
	}
	return path
}

func (s *maker) step() {
	switch s.IntN(16) {
	case 0, 1, 2:
		s.message("user")
	case 3, 4, 5:
		s.message("assistant")
	case 6:
		s.message([]string{"toolResult", "bashExecution", "custom"}[s.IntN(3)])
	case 7:
		s.add(Operation{Op: "thinking", Text: []string{"off", "low", "high"}[s.IntN(3)]})
		s.add(Operation{Op: "model", Provider: s.word(), Text: s.word() + "/" + s.word()})
	case 8:
		s.compaction()
	case 9:
		s.add(Operation{Op: "custom", Text: s.word(), Data: s.data()})
	case 10:
		s.add(Operation{Op: "custom_message", Text: s.word(), Content: s.content(), Flag: s.flip(), Data: s.data()})
	case 11:
		s.add(Operation{Op: "name", Text: []string{s.word(), " " + s.word() + " ", "", "two\r\n\nlines\n" + s.word()}[s.IntN(s.upTo(3, 4))]})
	case 12:
		target := s.any()
		s.add(Operation{Op: "label", Target: &target, Text: []string{s.word(), s.text(), ""}[s.IntN(3)]})
		s.labels = true
	case 13:
		if n := s.any(); s.flip() {
			s.move(Operation{Op: "branch", Target: &n}, n)
		} else if s.IntN(4) == 0 {
			s.move(Operation{Op: "reset"}, -1)
		} else {
			s.leaf = n
			s.add(Operation{Op: "summary", Target: &n, Text: []string{s.text(), ""}[s.IntN(2)], Flag: s.flip(), Data: s.data()})
		}
	case 14:
		s.newer()
	case 15:
		s.fork()
	}
}

// upTo is old for releases of pi that are not the newest.
func (s *maker) upTo(old, newest int) int {
	if s.newest {
		return newest
	}
	return old
}

func (s *maker) flip() bool { return s.IntN(2) == 0 }

func (s *maker) compaction() {
	o := Operation{Op: "compaction", Text: s.text(), Tokens: s.IntN(100_000), Flag: s.flip(), Data: s.data()}
	if path := s.path(); len(path) > 0 && (!s.newest || s.IntN(3) > 0) {
		o.Target = &path[s.IntN(len(path))]
	} else if !s.newest {
		return
	}
	s.add(o)
}

// newer adds what only the newest pi writes.
func (s *maker) newer() {
	if !s.newest {
		return
	}
	switch s.IntN(3) {
	case 0:
		s.add(Operation{Op: "usage", Text: "cache_warm", Provider: s.word(), Note: s.word(), Usage: usage})
	case 1:
		s.message("system")
	case 2:
		for _, n := range s.path() {
			role := messageRole(s.list[n])
			if s.list[n].Op == "custom_message" || role == "user" || role == "assistant" || role == "toolResult" {
				o := Operation{Op: "edit", Target: &n}
				if s.flip() {
					o.Content = s.content()
				}
				s.add(o)
				return
			}
		}
	}
}

func messageRole(o Operation) string {
	var m struct{ Role string }
	json.Unmarshal(o.Message, &m)
	return m.Role
}

// fork goes on in a new session, in which only the path is left, without its labels.
func (s *maker) fork() {
	path := s.path()
	conversation := false
	for _, n := range path {
		role := messageRole(s.list[n])
		conversation = conversation || role == "assistant" || s.newest && role == "user"
	}
	if len(path) == 0 || !conversation || !s.newest && s.labels || s.list[s.leaf].Op == "label" {
		return // pi would not write it yet, or not link it rightly
	}
	on := map[int]bool{}
	above := -1
	for i := len(path) - 1; i >= 0; i-- {
		if n := path[i]; s.list[n].Op != "label" {
			on[n] = true
			s.parent[n], above = above, n
		}
	}
	for n := range s.parent {
		if !on[n] {
			s.parent[n] = -2
		}
	}
	leaf := s.leaf
	s.move(Operation{Op: "fork", Target: &leaf}, leaf)
	// The leaf is the last of the labels that were written anew: go on from an entry
	// that has a name.
	s.move(Operation{Op: "branch", Target: &leaf}, leaf)
}

const usageText = `{"input":12,"output":7,"cacheRead":0,"cacheWrite":0,"totalTokens":19,"cost":{"input":0.001,"output":0.002,"cacheRead":0,"cacheWrite":0,"total":0.003}}`

var usage = json.RawMessage(usageText)

func (s *maker) message(role string) {
	at := s.moment().UnixMilli()
	var text string
	switch role {
	case "user":
		text = fmt.Sprintf(`{"role":"user","content":%s,"timestamp":%d}`, s.content(), at)
	case "assistant":
		text = fmt.Sprintf(`{"role":"assistant","content":[{"type":"text","text":%s},{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"ls"}}],"api":"a","provider":%s,"model":%s,"usage":%s,"stopReason":"stop","timestamp":%d}`,
			quote(s.text()), quote(s.word()), quote(s.word()), usageText, at)
	case "toolResult":
		text = fmt.Sprintf(`{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[{"type":"text","text":%s}],"isError":%v,"timestamp":%d}`, quote(s.text()), s.flip(), at)
	case "bashExecution":
		text = fmt.Sprintf(`{"role":"bashExecution","command":"ls","output":%s,"exitCode":0,"cancelled":false,"truncated":false,"timestamp":%d}`, quote(s.text()), at)
	case "custom":
		text = fmt.Sprintf(`{"role":"custom","customType":"x","content":%s,"display":true,"timestamp":%d}`, s.content(), at)
	case "system":
		text = fmt.Sprintf(`{"role":"system","content":%s,"sections":{"a":%s,"b":null},"toolsAdded":[{"name":%s,"description":"d","parameters":{}}],"toolsRemoved":[{"name":"x"}],"timestamp":%d}`,
			quote(s.text()), quote(s.word()), quote(s.word()), at)
	}
	s.add(Operation{Op: "message", Message: json.RawMessage(text)})
}

func (s *maker) moment() time.Time {
	return time.Date(2026, 1, 1, 0, 0, s.IntN(1e6), s.IntN(1000)*1e6, time.UTC)
}

func (s *maker) word() string { return []string{"alpha", "be", "gamma", "x", "käse"}[s.IntN(5)] }

func (s *maker) text() string {
	all := []string{"a line", "two\nlines\tand a tab", `quotes " and \ back`, "竞态 und <b>&</b>", "\u2028 and \u007f", "", "🙂", "\x01\x1f"}
	return all[s.IntN(len(all))] + " " + s.word()
}

func (s *maker) content() json.RawMessage {
	if s.flip() {
		return json.RawMessage(quote(s.text()))
	}
	return json.RawMessage(`[{"type":"text","text":` + quote(s.text()) + `},{"type":"image","data":"aGk=","mimeType":"image/png"}]`)
}

func (s *maker) data() json.RawMessage {
	return []json.RawMessage{nil, json.RawMessage(`{"n":1.5,"list":[1,null,"x"],"a":{}}`), json.RawMessage(`"text"`), json.RawMessage("0")}[s.IntN(4)]
}

func quote(s string) string { return syntax.Quote(s) }

// Play runs a script through this program, and returns the files that it made.
func Play(list []Operation, n session.New, now func() time.Time) ([]string, error) {
	n.At = now()
	made, err := session.Create(n)
	if err == nil {
		err = made.Write()
	}
	if err != nil {
		return nil, err
	}
	p := &player{files: []string{made.Path}, new: n, now: now}
	if p.s, err = session.Open(made.Path); err != nil {
		return nil, err
	}
	defer func() { p.s.Close() }()
	for i, o := range list {
		if err := p.play(o); err != nil {
			return p.files, fmt.Errorf("operation %d, %s: %w", i, o.Op, err)
		}
	}
	return p.files, nil
}

// player is a script that is running.
type player struct {
	s     *session.Session
	files []string
	ids   []string
	at    session.Place // where the next entry goes
	new   session.New
	now   func() time.Time
}

func (p *player) play(o Operation) error {
	target := ""
	if o.Target != nil {
		target = p.ids[*o.Target]
	}
	switch o.Op {
	case "branch", "reset":
		p.at = session.Place{Entry: target, Root: o.Op == "reset"}
		p.ids = append(p.ids, "")
		return nil
	case "fork":
		return p.fork(target)
	}
	text := o.entry(target)
	if o.Op == "summary" {
		left := p.s.Leaf() // of pi's memory, which knows of moves
		if p.at != (session.Place{}) {
			left = cmp.Or(p.at.Entry, "root")
		}
		text = strings.TrimSuffix(text, "}") + `,"fromId":` + quote(left) + "}"
		p.at = session.Place{Entry: target}
	}
	d, err := p.s.Draft([]byte(text))
	if err != nil {
		return err
	}
	w, err := p.s.Append(d, p.at, session.Appending{Now: p.now})
	if err != nil {
		return err
	}
	p.at = session.Place{}
	p.ids = append(p.ids, w.ID)
	return nil
}

func (p *player) fork(target string) error {
	p.ids = append(p.ids, "")
	p.new.At = p.now()
	made, err := p.s.Fork(target, p.new)
	if err == nil {
		err = made.Write()
	}
	if err != nil {
		return err
	}
	p.s.Close()
	p.files = append(p.files, made.Path)
	p.s, err = session.Open(made.Path)
	return err
}

// entry is what an operation appends.
func (o Operation) entry(target string) string {
	optional := func(name string, v json.RawMessage) string {
		if v == nil {
			return ""
		}
		return `,"` + name + `":` + string(v)
	}
	text, at, flag := quote(o.Text), quote(target), strconv.FormatBool(o.Flag)
	switch o.Op {
	case "message":
		return string(o.Message)
	case "thinking":
		return `{"type":"thinking_level_change","thinkingLevel":` + text + "}"
	case "model":
		return `{"type":"model_change","provider":` + quote(o.Provider) + `,"modelId":` + text + "}"
	case "usage":
		return `{"type":"usage","kind":` + text + `,"provider":` + quote(o.Provider) + `,"model":"m","usage":` + string(o.Usage) + `,"note":` + quote(o.Note) + "}"
	case "compaction":
		kept := ""
		if target != "" {
			kept = `,"firstKeptEntryId":` + at
		}
		return `{"type":"compaction","summary":` + text + kept + `,"tokensBefore":` + strconv.Itoa(o.Tokens) + optional("details", o.Data) + `,"fromHook":` + flag + "}"
	case "custom":
		return `{"type":"custom","customType":` + text + optional("data", o.Data) + "}"
	case "custom_message":
		return `{"type":"custom_message","customType":` + text + `,"content":` + string(o.Content) + `,"display":` + flag + optional("details", o.Data) + "}"
	case "name":
		return `{"type":"session_info","name":` + text + "}"
	case "label":
		if o.Text == "" {
			return `{"type":"label","targetId":` + at + "}"
		}
		return `{"type":"label","targetId":` + at + `,"label":` + text + "}"
	case "edit":
		if o.Content == nil {
			return `{"type":"context_edit","targetId":` + at + `,"replacement":null}`
		}
		return `{"type":"context_edit","targetId":` + at + `,"replacement":{"content":` + string(o.Content) + "}}"
	case "summary":
		return `{"type":"branch_summary","summary":` + text + optional("details", o.Data) + `,"fromHook":` + flag + "}"
	}
	panic("no operation " + o.Op)
}
