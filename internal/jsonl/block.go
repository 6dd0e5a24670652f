package jsonl

import (
	"encoding/base64"
	"strings"
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
	object, ok := parseLine(line, id)
	if !ok {
		return nil
	}
	f := members(object)
	var blocks []Block
	switch f.str("type") {
	case "message":
		blocks = messageBlocks(members(f.get("message")))
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
		return Valid(v.Raw)
	}
	if !v.IsArray() {
		return scalar(v)
	}
	var names []string
	items(v, func(name value) { names = append(names, settingText(name)) })
	return strings.Join(names, ", ")
}

// entryBlocks is what entries other than messages show.
func entryBlocks(f fields) (blocks []Block) {
	for _, name := range settingFields(f.str("type")) {
		if text := settingText(f.get(name)); text != "" {
			blocks = append(blocks, Block{Kind: "text", Name: name, Text: text})
		}
	}
	if blocks != nil {
		return blocks
	}
	for _, name := range []string{"summary", "content", "name", "title", "label", "note"} {
		if v, ok := f.look(name); ok && (isString(v) || v.IsArray()) {
			return contentBlocks(v)
		}
	}
	return nil
}

func messageBlocks(f fields) []Block {
	switch f.str("role") {
	case "bashExecution":
		blocks := []Block{{Kind: "call", Name: "bash", Arguments: []Argument{{"command", f.str("command")}}}, {Kind: "text", Text: f.str("output")}}
		return append(blocks, contentBlocks(f.get("images"))...)
	case "pythonExecution":
		return []Block{{Kind: "call", Name: "python", Arguments: []Argument{{"code", f.str("code")}}}, {Kind: "text", Text: f.str("output")}}
	case "fileMention":
		return mentionBlocks(f.get("files"))
	case "branchSummary", "compactionSummary":
		return contentBlocks(f.get("summary"))
	}
	blocks := contentBlocks(f.get("content"))
	each(f.get("sections"), func(_ string, section value) {
		if s := str(section); s != "" {
			blocks = append(blocks, Block{Kind: "text", Text: s})
		}
	})
	items(f.get("attachments"), func(a value) { blocks = append(blocks, attachmentBlock(members(a))) })
	details := members(f.get("details"))
	if f.str("role") == "toolResult" {
		var shown []string
		for _, b := range blocks {
			shown = append(shown, b.Text)
		}
		if text := detailText(details, outputKeys, lines(shown...)); text != "" {
			blocks = append(blocks, Block{Kind: "details", Text: text})
		}
	}
	if diff := details.str(changeKey); diff != "" {
		blocks = append(blocks, Block{Kind: changeKey, Text: diff})
	}
	if m := f.str("errorMessage"); m != "" {
		blocks = append(blocks, Block{Kind: "error", Text: m})
	}
	return blocks
}

func contentBlocks(content value) []Block {
	if isString(content) {
		return []Block{{Kind: "text", Text: str(content)}}
	}
	var blocks []Block
	items(content, func(v value) {
		f := members(v)
		switch kind := f.str("type"); kind {
		case "text":
			blocks = append(blocks, Block{Kind: kind, Text: f.str("text")})
		case "thinking":
			blocks = append(blocks, Block{Kind: kind, Text: f.str("thinking")})
		case "redactedThinking":
			blocks = append(blocks, Block{Kind: "thinking"})
		case "image":
			blocks = append(blocks, imageBlock(f.str("mimeType"), f.str("data")))
		case "toolCall":
			blocks = append(blocks, callBlock(f))
		case "":
		default:
			blocks = append(blocks, Block{Kind: kind})
		}
	})
	return blocks
}

func callBlock(f fields) Block {
	b := Block{Kind: "call", Name: f.str("name"), CallID: f.str("id")}
	each(f.get("arguments"), func(name string, v value) {
		text := str(v)
		if !isString(v) {
			text = Valid(v.Raw)
		}
		b.Arguments = append(b.Arguments, Argument{name, text})
	})
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

func attachmentBlock(f fields) Block {
	if f.str("type") == "image" {
		return imageBlock(f.str("mimeType"), f.str("content"))
	}
	return Block{Kind: "text", Text: lines(f.str("fileName"), f.str("extractedText"))}
}

func mentionBlocks(files value) []Block {
	var blocks []Block
	items(files, func(v value) {
		f := members(v)
		blocks = append(blocks, Block{Kind: "call", Name: "file", Arguments: []Argument{{"path", f.str("path")}}}, Block{Kind: "text", Text: f.str("content")})
		if image := members(f.get("image")); image.str("data") != "" {
			blocks = append(blocks, imageBlock(image.str("mimeType"), image.str("data")))
		}
	})
	return blocks
}
