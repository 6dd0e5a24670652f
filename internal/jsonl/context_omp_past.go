package jsonl

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"piarchive/internal/jsonl/syntax"
)

// openAIPayload is what OpenAI gave in place of all that a compaction replaces,
// "" if it gave nothing.
func openAIPayload(preserved value) string {
	f := preserved.Get("openaiRemoteCompaction")
	history := f.Get("replacementHistory")
	whole := history.IsArray()
	for item := range history.Items() {
		whole = whole && item.IsObject()
	}
	if !whole || f.Get("provider").Str() == "" {
		return ""
	}
	return made("type", `"openaiResponsesHistory"`, "provider", f.Get("provider").Raw(), "items", history.Raw())
}

// anthropicPayload is the summary that Anthropic made and wants back as it is, "" if
// it made none.
func anthropicPayload(preserved value) string {
	f := preserved.Get("anthropicCompaction")
	text := func(name string) string { // JSON, "" for an empty one
		if f.Get(name).Str() == "" {
			return ""
		}
		return f.Get(name).Raw()
	}
	if text("provider") == "" || text("content") == "" {
		return ""
	}
	return made("type", `"anthropicCompaction"`, "provider", text("provider"), "content", text("content"),
		"encryptedContent", text("encryptedContent"), "filesText", text("filesText"))
}

// What omp sends of the pictures that its snapcompact made of the past, in bytes of
// base64, and from where on it sends none of those that were made without naming
// their font: requests with them failed.
const (
	picturesBudget   = 3_000_000
	riskyPictures    = 16
	riskyText        = 250_000
	riskyTruncations = 1_000_000
)

// past is what snapcompact keeps of a conversation: pictures of its text, and the
// text itself at both ends.
type past struct {
	pictures   []value
	text       string
	head, tail string
	truncated  float64
}

func readPast(preserved value) (p past) {
	f := preserved.Get("snapcompact")
	p.text, p.head, p.tail = f.Get("text").Str(), f.Get("textHead").Str(), f.Get("textTail").Str()
	p.truncated = f.Get("truncatedChars").Num()
	cut := false
	for f := range f.Get("frames").Items() {
		if f.Get("data").Str() != "" && f.Get("mimeType").IsString() && f.Get("cols").IsNumber() && f.Get("rows").IsNumber() && f.Get("chars").IsNumber() {
			p.pictures = append(p.pictures, f)
			cut = cut || truncated(f.Get("data").Str())
		}
	}
	if cut && p.text != "" {
		p.pictures, p.head, p.tail = nil, p.text, ""
	} else if cut {
		p.pictures = slices.DeleteFunc(p.pictures, func(f value) bool { return truncated(f.Get("data").Str()) })
	}
	return p
}

// budget is how many bytes of pictures are sent.
func (p past) budget() int {
	bytes, old := 0, false
	for _, f := range p.pictures {
		bytes += len(f.Get("data").Str())
		_, font := f.Look("font")
		_, variant := f.Look("variant")
		old = old || !font && !variant
	}
	text := p.text
	if text == "" {
		text = strings.Trim(p.head+"█"+p.tail, "█")
	}
	many := len(p.pictures) >= riskyPictures
	if old && (many || bytes >= picturesBudget) && (many || p.truncated >= riskyTruncations || utf16Len(undrawn(text)) >= riskyText) {
		return 0
	}
	return picturesBudget
}

func utf16Len(s string) int { return len(utf16.Encode([]rune(s))) }

// undrawn is text without the marks that it had for being drawn, and without images
// in it.
func undrawn(text string) string {
	return withoutDataURLs(strings.NewReplacer("\x0e", "", "\x0f", "", "█", "\n").Replace(text))
}

// withoutDataURLs tells of images that stand in a text as data URLs, instead of
// them, and of their Markdown. One may be cut, or have a mark that a part was left
// out.
func withoutDataURLs(text string) string {
	if !strings.Contains(strings.ToLower(text), ";base64,") {
		return text
	}
	const parameter, omission = `;[\w!#$%&'*+.^|~-]+=[\w!#$%&'*+.^|~-]+`, `\s*\[(?:…|\.{3})(\d+)ch elided(?:…|\.{3})\]\s*`
	url := regexp.MustCompile(`(?i)data:([a-z][\w.+-]*/[\w.+-]+(?:` + parameter + `)*);base64,([a-z0-9+/=]*)(?:` + omission + `([a-z0-9+/=]*))?(\s*\))?`)
	label := regexp.MustCompile(`!?\[[^\]\n]*\]\(\s*$`)
	var b strings.Builder
	end := 0
	for _, at := range url.FindAllStringSubmatchIndex(text, -1) {
		part := func(n int) string { return text[max(at[2*n], 0):max(at[2*n+1], 0)] }
		omitted, _ := strconv.Atoi(part(3))
		told := fmt.Sprintf("[data URL omitted: %s, %d base64 chars]", part(1), len(part(2))+omitted+len(part(4)))
		before, behind := text[end:at[0]], part(5)
		if begin := label.FindStringIndex(before); begin != nil && behind != "" {
			before, behind = before[:begin[0]], ""
		}
		b.WriteString(before + told + behind)
		end = at[1]
	}
	return b.String() + text[end:]
}

// pastBlocks are the blocks, and of them the images, by which a summary brings back
// what snapcompact keeps: JSON arrays, "" without any. Where all is not wanted, the
// newest pictures come that a request has room for.
func pastBlocks(preserved value, all bool) (blocks, images string) {
	p := readPast(preserved)
	budget := math.MaxInt
	if !all {
		budget = p.budget()
	}
	var list, pictures []string
	for _, b := range p.blocks(budget) {
		if b.picture != "" {
			pictures = append(pictures, b.picture)
		}
		list = append(list, cmp.Or(b.picture, made("type", `"text"`, "text", syntax.Quote(b.text))))
	}
	return jsonArray(list), jsonArray(pictures)
}

func jsonArray(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return "[" + strings.Join(list, ",") + "]"
}

// pastBlock is a picture, as JSON, or a text.
type pastBlock struct{ picture, text string }

// blocks is the text at the beginning, the pictures, and the text at the end.
func (p past) blocks(budget int) (list []pastBlock) {
	middle := p.middle(budget)
	drawn := slices.ContainsFunc(middle, func(b pastBlock) bool { return b.picture != "" })
	told := slices.ContainsFunc(middle, func(b pastBlock) bool { return b.picture == "" })
	if p.head != "" {
		text := undrawn(p.head)
		if drawn {
			text += "\n-------------- imaged middle below\n"
		}
		list = append(list, pastBlock{text: text})
	}
	list = append(list, middle...)
	if p.tail == "" {
		return list
	}
	text := undrawn(p.tail)
	switch {
	case drawn:
		text = "-------------- imaged middle above\n" + text
	case told || p.truncated > 0:
		text = "\n-------------- middle history omitted above\n" + text
	}
	if n := len(list); n > 0 && list[n-1].picture == "" {
		list[n-1].text += text
		return list
	}
	return append(list, pastBlock{text: text})
}

// middle is the pictures that the budget has room for, beginning with the newest,
// and what is said in place of others.
func (p past) middle(budget int) (list []pastBlock) {
	const here, outside, tooMany = 0, 1, 2
	states := make([]int, len(p.pictures))
	for i, f := range slices.Backward(p.pictures) {
		switch data := f.Get("data").Str(); {
		case strings.HasPrefix(data, blobPrefix):
			states[i] = outside
		case len(data) > budget:
			states[i] = tooMany
		default:
			budget -= len(data)
		}
	}
	for i := 0; i < len(states); {
		from, bytes := i, 0
		for ; i < len(states) && states[i] == states[from]; i++ {
			f := p.pictures[i]
			bytes += len(f.Get("data").Str())
			if states[i] == here {
				detail := ""
				if truthy(f.Get("detail")) {
					detail = f.Get("detail").Raw()
				}
				list = append(list, pastBlock{picture: made("type", `"image"`, "data", f.Get("data").Raw(), "mimeType", f.Get("mimeType").Raw(), "detail", detail)})
			}
		}
		count := strconv.Itoa(i-from) + " archived image frame"
		if i-from > 1 {
			count += "s"
		}
		switch states[from] {
		case outside:
			list = append(list, pastBlock{text: "-------------- " + count + " unavailable here --------------"})
		case tooMany:
			list = append(list, pastBlock{text: fmt.Sprintf("-------------- snapcompact image middle omitted\n%s could not be included. %s of base64 exceeded the per-request snapcompact payload budget. The compacted summary and visible text edges remain available.\n--------------", count, byteCount(bytes))})
		}
	}
	return list
}

// byteCount is a number of bytes as omp says it.
func byteCount(n int) string {
	switch {
	case n >= 1_000_000:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	case n >= 1_000:
		return fmt.Sprintf("%.1f KB", float64(n)/1e3)
	}
	return strconv.Itoa(n) + " B"
}
