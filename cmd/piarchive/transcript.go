package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"piarchive/internal/jsonl"
	"piarchive/internal/query"
	"piarchive/internal/query/session"
	"piarchive/internal/terminal"
)

// transcript walks the entries of one path and hands them to a page, which
// knows how they look.
type transcript struct {
	call    *call
	archive *query.Archive
	session query.SessionRef
	options showOptions
	page    page
	results map[session.Call]session.Step // of the calls on this path
	shown   map[int64]bool                // results printed with their calls
	model   string                        // of the last answer
}

// page is one look of a transcript. Texts come as the session has them: a page
// makes them harmless.
type page interface {
	title(name, project, about string)
	speaker(who, about string, s session.Step)
	say(text string)
	think(text string)
	call(c toolLine)
	divider(what, about, text string)
	note(text string)
	end()
}

// toolLine is a tool call with its result, if there is one.
type toolLine struct {
	name, brief string // what it was called with, in one line
	arguments   []jsonl.Argument
	open        bool // with everything
	answered    bool
	failed      bool
	result      []jsonl.Block
}

func (t *transcript) print(ctx context.Context, steps []session.Step) error {
	if err := t.pair(ctx, steps); err != nil {
		return err
	}
	labels, err := session.Labels(ctx, t.archive, t.session.Key)
	if err != nil {
		return err
	}
	t.head(steps)
	for _, s := range steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if t.shown[s.Row] {
			continue
		}
		p, err := session.ReadPart(ctx, t.archive, s)
		if err != nil {
			return err
		}
		p.Label = labels[s.Row].Text
		if err := t.part(ctx, p); err != nil {
			return err
		}
	}
	t.page.end()
	return nil
}

// pair finds the result of every call that has one on this path.
func (t *transcript) pair(ctx context.Context, steps []session.Step) error {
	results, err := session.Results(ctx, t.archive, t.session.Key)
	if err != nil {
		return err
	}
	onPath := make(map[int64]session.Step, len(steps))
	for _, s := range steps {
		onPath[s.Row] = s
	}
	t.results, t.shown = map[session.Call]session.Step{}, map[int64]bool{}
	for call, rows := range results {
		if _, ok := onPath[call.Entry]; !ok {
			continue
		}
		for _, row := range rows {
			if s, ok := onPath[row]; ok {
				t.results[call] = s
				t.shown[row] = true
			}
		}
	}
	return nil
}

// head prints what the session is.
func (t *transcript) head(steps []session.Step) {
	name := t.session.Name
	if name == "" {
		name = t.session.ID
	}
	messages := 0
	var first, last *time.Time
	for _, s := range steps {
		if s.Type == "message" {
			messages++
		}
		if s.Time != nil {
			if first == nil {
				first = s.Time
			}
			last = s.Time
		}
	}
	about := []string{terminal.Count(int64(messages)) + " messages"}
	if first != nil {
		local := func(at *time.Time) string { return at.In(t.call.now().Location()).Format("2006-01-02 15:04") }
		about = append(about, local(first)+" to "+local(last))
	}
	if t.session.Missing {
		about = append(about, "file gone")
	}
	t.page.title(name, t.session.CWD, strings.Join(about, " · "))
}

// part prints one entry.
func (t *transcript) part(ctx context.Context, p session.Part) error {
	if p.Label != "" {
		t.page.note("⚑ " + p.Label)
	}
	if p.Entry == nil {
		t.page.note("line " + fmt.Sprint(p.Line) + " cannot be decoded")
		return nil
	}
	switch p.Type {
	case "message":
		return t.message(ctx, p)
	case "compaction":
		about := ""
		if p.Entry.Compaction != nil && p.Entry.Compaction.TokensBefore > 0 {
			about = terminal.Short(int64(p.Entry.Compaction.TokensBefore)) + " tokens before"
		}
		t.page.divider("compaction", about, plainText(p.Blocks))
	case "branch_summary":
		t.page.divider("branch summary", "", plainText(p.Blocks))
	case "reset_boundary":
		t.page.divider("cleared", "", "")
	case "custom_message":
		t.page.speaker(orElse(p.Entry.Custom, "extension"), "", p.Step)
		t.blocks(p.Blocks)
	default:
		t.setting(p)
	}
	return nil
}

// setting prints entries that change something beside the conversation.
func (t *transcript) setting(p session.Part) {
	text := firstLine(plainText(p.Blocks))
	switch p.Type {
	case "session_info", "title_change":
		t.page.note("named " + orElse(text, "nothing"))
	case "model_change":
		t.page.note("model " + modelName(p.Entry))
	case "session_init":
		t.page.divider("task", "", plainText(p.Blocks))
	case "label", "custom", "thinking_level_change", "usage", "model_usage", "credential_pin", "service_tier_change", "mcp_tool_selection":
		if t.options.all {
			t.page.note(p.Type + " " + orElse(p.Entry.Custom, text))
		}
	default:
		t.page.note(strings.TrimSpace(p.Type + " " + orElse(text, firstLine(p.Entry.Text.Notes))))
	}
}

func (t *transcript) message(ctx context.Context, p session.Part) error {
	about := ""
	switch p.Role {
	case "assistant":
		if m := modelName(p.Entry); m != t.model {
			t.model, about = m, m
		}
		if p.Entry.Flags&jsonl.IsAborted != 0 {
			about = strings.TrimPrefix(about+" · aborted", " · ")
		}
	case "system":
		if !t.options.all {
			t.page.note("system prompt, " + terminal.Count(int64(len([]rune(plainText(p.Blocks))))) + " characters")
			return nil
		}
	case "toolResult":
		t.page.speaker("result of "+orElse(p.Entry.Tool, "a tool"), "", p.Step)
		t.page.call(toolLine{name: p.Entry.Tool, open: t.options.tools, answered: true, failed: p.Entry.Flags&jsonl.IsError != 0, result: p.Blocks})
		return nil
	case "bashExecution", "pythonExecution", "fileMention":
		t.page.speaker("user", p.Entry.Tool, p.Step)
		t.execution(p)
		return nil
	}
	if t.silent(p) {
		return nil
	}
	t.page.speaker(orElse(p.Role, "message"), about, p.Step)
	return t.talk(ctx, p)
}

// silent says that an answer has nothing that is to be shown.
func (t *transcript) silent(p session.Part) bool {
	for _, b := range p.Blocks {
		switch {
		case b.Kind == "thinking" && (!t.options.thinking || b.Text == ""):
		case b.Kind == "text" && strings.TrimSpace(b.Text) == "":
		default:
			return false
		}
	}
	return len(p.Blocks) > 0
}

// talk prints the blocks of a message, calls with their results.
func (t *transcript) talk(ctx context.Context, p session.Part) error {
	n := 0
	for _, b := range p.Blocks {
		if b.Kind != "call" {
			t.blocks([]jsonl.Block{b})
			continue
		}
		line := toolLine{name: b.Name, brief: brief(b.Arguments), arguments: b.Arguments, open: t.options.tools}
		if s, ok := t.results[session.Call{Entry: p.Row, N: n}]; ok {
			result, err := session.ReadPart(ctx, t.archive, s)
			if err != nil {
				return err
			}
			line.answered, line.result = true, result.Blocks
			line.failed = result.Entry != nil && result.Entry.Flags&jsonl.IsError != 0
		}
		t.page.call(line)
		n++
	}
	return nil
}

// execution prints what the user ran or mentioned: calls, each with its text.
func (t *transcript) execution(p session.Part) {
	for i, b := range p.Blocks {
		if b.Kind != "call" {
			continue
		}
		line := toolLine{name: b.Name, brief: brief(b.Arguments), arguments: b.Arguments, open: t.options.tools, failed: p.Entry.Flags&jsonl.IsError != 0}
		if i+1 < len(p.Blocks) && p.Blocks[i+1].Kind == "text" {
			line.answered, line.result = true, p.Blocks[i+1:i+2]
		}
		t.page.call(line)
	}
}

func (t *transcript) blocks(blocks []jsonl.Block) {
	for _, b := range blocks {
		switch b.Kind {
		case "text":
			if strings.TrimSpace(b.Text) != "" {
				t.page.say(b.Text)
			}
		case "thinking":
			if t.options.thinking && b.Text != "" {
				t.page.think(b.Text)
			}
		case "image":
			t.page.note(imageText(b))
		case "error":
			t.page.note("error: " + b.Text)
		case "diff":
		default:
			t.page.note("[" + b.Kind + "]")
		}
	}
}

// imageText stands for an image: [image/png 34 kB].
func imageText(b jsonl.Block) string {
	if b.Blob != "" {
		return "[" + orElse(b.Mime, "image") + " blob " + b.Blob[:min(12, len(b.Blob))] + "]"
	}
	return "[" + orElse(b.Mime, "image") + " " + terminal.Size(int64(b.Size)) + "]"
}

// brief is the arguments of a call in one line: the one that says most first.
func brief(arguments []jsonl.Argument) string {
	for _, name := range []string{"command", "pattern", "query", "path", "file_path", "url", "task", "code"} {
		for _, a := range arguments {
			if a.Name == name {
				return firstLine(a.Value)
			}
		}
	}
	parts := make([]string, len(arguments))
	for i, a := range arguments {
		parts[i] = a.Name + "=" + firstLine(a.Value)
	}
	return strings.Join(parts, " ")
}

func plainText(blocks []jsonl.Block) string {
	var parts []string
	for _, b := range blocks {
		switch b.Kind {
		case "text", "error":
			parts = append(parts, b.Text)
		case "image":
			parts = append(parts, imageText(b))
		}
	}
	return strings.Join(parts, "\n")
}

func modelName(e *jsonl.Entry) string {
	return strings.TrimPrefix(e.Provider+"/"+e.Model, "/")
}

func firstLine(s string) string {
	line, rest, _ := strings.Cut(strings.TrimSpace(s), "\n")
	if strings.TrimSpace(rest) != "" {
		line += " …"
	}
	return line
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
