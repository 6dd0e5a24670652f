package transcript

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"piarchive/internal/jsonl"
	"piarchive/internal/query/session"
	"piarchive/internal/terminal"
)

// part prints one entry.
func (w *walk) part(ctx context.Context, p session.Part) error {
	if p.Label != "" {
		w.page.Note("⚑ " + p.Label)
	}
	if p.Entry == nil {
		w.page.Note("line " + fmt.Sprint(p.Line) + " cannot be decoded")
		return nil
	}
	switch p.Type {
	case "message":
		return w.message(ctx, p)
	case "compaction":
		about := ""
		if p.Entry.Compaction != nil && p.Entry.Compaction.TokensBefore > 0 {
			about = terminal.Short(int64(p.Entry.Compaction.TokensBefore)) + " tokens before"
		}
		w.page.Divider("compaction", about, plainText(p.Blocks))
	case "branch_summary":
		w.page.Divider("branch summary", "", plainText(p.Blocks))
	case "reset_boundary":
		w.page.Divider("cleared", "", "")
	case "custom_message":
		w.page.Speaker(cmp.Or(p.Entry.Custom, "extension"), "", p.Step)
		w.blocks(p.Blocks)
	default:
		w.setting(p)
	}
	return nil
}

// setting prints entries that change something beside the conversation.
func (w *walk) setting(p session.Part) {
	text := firstLine(plainText(p.Blocks[:min(1, len(p.Blocks))]))
	switch p.Type {
	case "session_info":
		w.page.Note("named " + cmp.Or(nameLine(text), "nothing"))
	case "title_change":
		w.page.Note("named " + cmp.Or(nameLine(text), "nothing") + before(" by ", named(p, "source")) + before(", before: ", nameLine(named(p, "previousTitle"))))
	case "model_change":
		w.page.Note("model " + modelName(p.Entry))
	case "session_init":
		w.begun(p)
	case "label", "custom", "thinking_level_change", "usage", "model_usage", "credential_pin", "service_tier_change", "mcp_tool_selection":
		if w.options.All {
			w.page.Note(p.Type + " " + cmp.Or(p.Entry.Custom, text))
		}
	default:
		w.page.Note(strings.TrimSpace(p.Type + " " + cmp.Or(text, firstLine(p.Entry.Text.Notes))))
	}
}

// begun prints what a subagent was begun with.
func (w *walk) begun(p session.Part) {
	var about []string
	for _, name := range []string{"agent", "resolvedModel"} {
		if text := named(p, name); text != "" {
			about = append(about, firstLine(text))
		}
	}
	w.page.Divider("task", strings.Join(about, " · "), named(p, "task"))
	if tools := named(p, "tools"); tools != "" {
		w.page.Note("tools " + tools)
	}
	switch prompt := named(p, "systemPrompt"); {
	case prompt == "":
	case w.options.All:
		w.page.Divider("system prompt", "", prompt)
	default:
		w.page.Note(promptNote(prompt))
	}
	w.cut(p.Blocks...)
}

// promptNote stands for a system prompt.
func promptNote(prompt string) string {
	return "system prompt, " + terminal.Count(int64(len([]rune(prompt)))) + " characters"
}

// named is the text of a field of an entry that sets something.
func named(p session.Part, name string) string {
	for _, b := range p.Blocks {
		if b.Name == name {
			return b.Text
		}
	}
	return ""
}

// before is a text behind what leads to it, or nothing.
func before(lead, text string) string {
	if text == "" {
		return ""
	}
	return lead + text
}

// cut says so where omp cut one of the blocks.
func (w *walk) cut(blocks ...jsonl.Block) {
	if slices.ContainsFunc(blocks, func(b jsonl.Block) bool { return b.Truncated && b.Kind != "image" }) {
		w.page.Note("omp cut this when it wrote the file")
	}
}

func (w *walk) message(ctx context.Context, p session.Part) error {
	about := ""
	switch p.Role {
	case "assistant":
		if m := modelName(p.Entry); m != w.model {
			w.model, about = m, m
		}
		if p.Entry.Flags&jsonl.IsAborted != 0 {
			about = strings.TrimPrefix(about+" · aborted", " · ")
		}
	case "system":
		if !w.options.All {
			w.page.Note(promptNote(plainText(p.Blocks)))
			return nil
		}
	case "toolResult":
		w.page.Speaker("result of "+cmp.Or(p.Entry.Tool, "a tool"), "", p.Step)
		w.page.Call(Call{Name: p.Entry.Tool, Open: w.options.Tools, Answered: true, Failed: p.Entry.Flags&jsonl.IsError != 0, Result: p.Blocks})
		w.cut(p.Blocks...)
		return nil
	case "bashExecution", "pythonExecution", "fileMention":
		w.page.Speaker("user", p.Entry.Tool, p.Step)
		w.execution(p)
		return nil
	}
	if w.silent(p) {
		return nil
	}
	w.page.Speaker(cmp.Or(p.Role, "message"), about, p.Step)
	return w.talk(ctx, p)
}

// silent reports whether an answer has nothing that is to be shown.
func (w *walk) silent(p session.Part) bool {
	for _, b := range p.Blocks {
		switch {
		case b.Kind == "thinking" && (!w.options.Thinking || b.Text == ""):
		case b.Kind == "text" && strings.TrimSpace(b.Text) == "":
		default:
			return false
		}
	}
	return len(p.Blocks) > 0
}

// talk prints the blocks of a message, calls with their results.
func (w *walk) talk(ctx context.Context, p session.Part) error {
	n := 0
	for _, b := range p.Blocks {
		if b.Kind != "call" {
			w.blocks([]jsonl.Block{b})
			continue
		}
		line := Call{Name: b.Name, Brief: brief(b.Arguments), Arguments: b.Arguments, Open: w.options.Tools}
		if s, ok := w.results[session.Call{Entry: p.Row, N: n}]; ok {
			result, err := session.ReadPart(ctx, w.Archive, s, w.Blobs)
			if err != nil {
				return err
			}
			line.Answered, line.Asked, line.Result = true, s.Row == w.Asked, result.Blocks
			line.Failed = result.Entry != nil && result.Entry.Flags&jsonl.IsError != 0
		}
		w.page.Call(line)
		w.cut(append([]jsonl.Block{b}, line.Result...)...)
		n++
	}
	return nil
}

// execution prints what the user ran or mentioned: calls, each with its text.
func (w *walk) execution(p session.Part) {
	for i, b := range p.Blocks {
		if b.Kind == "image" {
			w.blocks(p.Blocks[i : i+1])
		}
		if b.Kind != "call" {
			continue
		}
		line := Call{Name: b.Name, Brief: brief(b.Arguments), Arguments: b.Arguments, Open: w.options.Tools, Failed: p.Entry.Flags&jsonl.IsError != 0}
		if i+1 < len(p.Blocks) && p.Blocks[i+1].Kind == "text" {
			line.Answered, line.Result = true, p.Blocks[i+1:i+2]
		}
		w.page.Call(line)
		w.cut(append([]jsonl.Block{b}, line.Result...)...)
	}
}

func (w *walk) blocks(blocks []jsonl.Block) {
	for _, b := range blocks {
		switch b.Kind {
		case "text":
			if strings.TrimSpace(b.Text) != "" {
				w.page.Say(b.Text)
			}
		case "thinking":
			if w.options.Thinking && b.Text != "" {
				w.page.Think(b.Text)
			}
		case "image":
			w.page.Note(imageText(b))
		case "error":
			w.page.Note("error: " + b.Text)
		case "diff", "details":
		default:
			w.page.Note("[" + b.Kind + "]")
		}
		w.cut(b)
	}
}

// imageText stands for an image: [image/png 34 kB].
func imageText(b jsonl.Block) string {
	words := []string{cmp.Or(b.Mime, "image")}
	switch {
	case b.Truncated:
		words = append(words, "that omp cut")
	case b.Blob == "" || b.Path != "":
		words = append(words, terminal.Size(int64(b.Size)))
	}
	if b.Blob != "" {
		words = append(words, "blob", b.Blob[:min(12, len(b.Blob))])
	}
	if b.Missing {
		words = append(words, "is missing")
	}
	return "[" + strings.Join(words, " ") + "]"
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
		case "text", "error", "details":
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

// nameLine is the name of a session in one line, however long it is.
func nameLine(name string) string { return terminal.Fit(terminal.Safe(firstLine(name)), mostName) }
