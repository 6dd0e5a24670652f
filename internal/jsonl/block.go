package jsonl

import (
	"encoding/base64"
	"strings"

	"piarchive/internal/jsonl/syntax"
)

// Block is one piece of an entry as a person reads it, in the order of the
// entry.
type Block struct {
	Kind      string // text, thinking, image, call, diff, details; other kinds as they are named in the file
	Text      string // of text, thinking, diff, and details: what a result has beside its content
	Name      string // of a call: the tool; of an entry that sets something: which field the text is
	CallID    string
	Arguments []Argument // of a call, in order
	Mime      string     // of an image
	Size      int        // of an image: bytes, where the file holds them
	Blob      string     // of an image outside the file: its SHA-256
	Path      string     // of such an image: where it lies; who decodes the entry does not know
	Missing   bool       // it does not
	Truncated bool       // omp cut it when it wrote the file
}

// Argument is one argument of a tool call; a value that is no string is JSON.
type Argument struct {
	Name, Value string
}

// ParseBlocks decodes what the entry on a line shows. id picks one of the
// entries that a version 4 line may hold.
func ParseBlocks(line []byte, id string) []Block {
	f, ok := parseLine(line, id)
	if !ok {
		return nil
	}
	var blocks []Block
	switch f.Get("type").Str() {
	case "message":
		blocks = messageBlocks(f.Get("message"))
	default:
		blocks = entryBlocks(f)
	}
	for i := range blocks {
		b := &blocks[i]
		b.Truncated = b.Truncated || truncated(b.Text)
		for _, a := range b.Arguments {
			b.Truncated = b.Truncated || truncated(a.Value)
		}
	}
	return blocks
}

// truncatedMark ends texts that omp cut when it wrote them.
const truncatedMark = "\n\n[Session persistence truncated large content]"

func truncated(text string) bool { return strings.HasSuffix(text, truncatedMark) }

// settingFields are the fields that say what an entry sets, the first before all.
func settingFields(entryType string) []string {
	switch entryType {
	case "thinking_level_change":
		return []string{"thinkingLevel", "configured"}
	case "mode_change":
		return []string{"mode"}
	case "service_tier_change":
		return []string{"serviceTier"}
	case "ttsr_injection":
		return []string{"injectedRules"}
	case "mcp_tool_selection":
		return []string{"selectedToolNames"}
	case "credential_pin":
		return []string{"provider"}
	case "title_change":
		return []string{"title", "previousTitle", "source", "trigger"}
	case "session_init": // what a subagent of omp begins with
		return []string{"task", "systemPrompt", "agent", "resolvedModel", "tools"}
	}
	return nil
}

// settingText is what a field is set to: a list of names in one line, a value that
// has parts as JSON.
func settingText(v value) string {
	if v.IsObject() {
		return syntax.Valid(v.Raw())
	}
	if !v.IsArray() {
		return scalar(v)
	}
	var names []string
	for name := range v.Items() {
		names = append(names, settingText(name))
	}
	return strings.Join(names, ", ")
}

// entryBlocks is what entries other than messages show.
func entryBlocks(f value) (blocks []Block) {
	for _, name := range settingFields(f.Get("type").Str()) {
		if text := settingText(f.Get(name)); text != "" {
			blocks = append(blocks, Block{Kind: "text", Name: name, Text: text})
		}
	}
	if blocks != nil {
		return blocks
	}
	for _, name := range []string{"summary", "content", "name", "title", "label", "note"} {
		if v, ok := f.Look(name); ok && (v.IsString() || v.IsArray()) {
			return contentBlocks(v)
		}
	}
	return nil
}

func messageBlocks(f value) []Block {
	switch f.Get("role").Str() {
	case "bashExecution":
		blocks := []Block{{Kind: "call", Name: "bash", Arguments: []Argument{{"command", f.Get("command").Str()}}}, {Kind: "text", Text: f.Get("output").Str()}}
		return append(blocks, contentBlocks(f.Get("images"))...)
	case "pythonExecution":
		return []Block{{Kind: "call", Name: "python", Arguments: []Argument{{"code", f.Get("code").Str()}}}, {Kind: "text", Text: f.Get("output").Str()}}
	case "fileMention":
		return mentionBlocks(f.Get("files"))
	case "branchSummary", "compactionSummary":
		return contentBlocks(f.Get("summary"))
	}
	blocks := contentBlocks(f.Get("content"))
	for _, section := range f.Get("sections").Members() {
		if s := section.Str(); s != "" {
			blocks = append(blocks, Block{Kind: "text", Text: s})
		}
	}
	for a := range f.Get("attachments").Items() {
		blocks = append(blocks, attachmentBlock(a))
	}
	details := f.Get("details")
	if f.Get("role").Str() == "toolResult" {
		var shown []string
		for _, b := range blocks {
			shown = append(shown, b.Text)
		}
		if text := detailText(details, detailKeys[1:], lines(shown...)); text != "" {
			blocks = append(blocks, Block{Kind: "details", Text: text})
		}
	}
	if diff := details.Get(changeKey).Str(); diff != "" {
		blocks = append(blocks, Block{Kind: changeKey, Text: diff})
	}
	if m := f.Get("errorMessage").Str(); m != "" {
		blocks = append(blocks, Block{Kind: "error", Text: m})
	}
	return blocks
}

func contentBlocks(content value) []Block {
	if content.IsString() {
		return []Block{{Kind: "text", Text: content.Str()}}
	}
	var blocks []Block
	for f := range content.Items() {
		switch kind := f.Get("type").Str(); kind {
		case "text":
			blocks = append(blocks, Block{Kind: kind, Text: f.Get("text").Str()})
		case "thinking":
			blocks = append(blocks, Block{Kind: kind, Text: f.Get("thinking").Str()})
		case "redactedThinking":
			blocks = append(blocks, Block{Kind: "thinking"})
		case "image":
			blocks = append(blocks, imageBlock(f.Get("mimeType").Str(), f.Get("data").Str()))
		case "toolCall":
			blocks = append(blocks, callBlock(f))
		case "":
		default:
			blocks = append(blocks, Block{Kind: kind})
		}
	}
	return blocks
}

func callBlock(f value) Block {
	b := Block{Kind: "call", Name: f.Get("name").Str(), CallID: f.Get("id").Str()}
	for name, v := range f.Get("arguments").Members() {
		text := v.Str()
		if !v.IsString() {
			text = syntax.Valid(v.Raw())
		}
		b.Arguments = append(b.Arguments, Argument{name.Str(), text})
	}
	return b
}

// blobPrefix begins the data of an image that omp keeps outside the session.
const blobPrefix = "blob:sha256:"

func imageBlock(mime, data string) Block {
	b := Block{Kind: "image", Mime: mime}
	if len(data) > len(blobPrefix) && data[:len(blobPrefix)] == blobPrefix {
		b.Blob = data[len(blobPrefix):]
	} else if b.Truncated = truncated(data); !b.Truncated {
		b.Size = base64.StdEncoding.DecodedLen(len(data))
	}
	return b
}

func attachmentBlock(f value) Block {
	if f.Get("type").Str() == "image" {
		return imageBlock(f.Get("mimeType").Str(), f.Get("content").Str())
	}
	return Block{Kind: "text", Text: lines(f.Get("fileName").Str(), f.Get("extractedText").Str())}
}

func mentionBlocks(files value) []Block {
	var blocks []Block
	for f := range files.Items() {
		blocks = append(blocks, Block{Kind: "call", Name: "file", Arguments: []Argument{{"path", f.Get("path").Str()}}}, Block{Kind: "text", Text: f.Get("content").Str()})
		if image := f.Get("image"); image.Get("data").Str() != "" {
			blocks = append(blocks, imageBlock(image.Get("mimeType").Str(), image.Get("data").Str()))
		}
	}
	return blocks
}
