package jsonl

import (
	"slices"
	"strings"
)

// contentText is the text of a content field, a string or a list of blocks, and notes
// the images among them.
func (e *Entry) contentText(content value) string {
	if content.IsString() {
		return content.Str()
	}
	var parts []string
	for block := range content.Items() {
		switch block.Get("type").Str() {
		case "image":
			e.image(block.Get("data"))
		case "text":
			parts = append(parts, block.Get("text").Str())
		}
	}
	return lines(parts...)
}

// image notes an image and the bytes that it takes of the line.
func (e *Entry) image(data value) {
	e.Flags |= HasImage
	if data.IsString() {
		e.Images += int64(len(data.Raw())) - 2 // the quotes
	}
}

// listingText is pi's text of a message: a string as it is, else the text of
// its text blocks joined by one space, missing text counting as empty. ok is
// false where pi would give up on the whole session.
func listingText(content value) (text string, ok bool) {
	switch {
	case content.IsString():
		return content.Str(), true
	case !content.IsArray():
		return "", false
	}
	var parts []string
	ok = true
	for block := range content.Items() {
		if block.IsNull() {
			ok = false
		} else if block.Get("type").Str() == "text" {
			parts = append(parts, joined(block.Get("text"), 0))
		}
	}
	return strings.Join(parts, " "), ok
}

// joined is how JavaScript's Array.join writes a value that lies in so many
// arrays. Every level copies what the one in it says, so there are few.
func joined(v value, depth int) string {
	const maxDepth = 16
	switch {
	case v.IsNull() || depth > maxDepth:
		return ""
	case v.IsObject():
		return "[object Object]"
	case v.IsArray():
		var parts []string
		for v := range v.Items() {
			parts = append(parts, joined(v, depth+1))
		}
		return strings.Join(parts, ",")
	}
	return scalar(v)
}

// argumentText is the text of tool call arguments: every string and, at the
// top, every number, but no keys.
func argumentText(arguments value) string {
	if arguments.IsString() {
		return arguments.Str()
	}
	var b strings.Builder
	writeStrings(&b, arguments)
	for _, v := range arguments.Members() {
		if v.IsNumber() {
			b.WriteByte('\n')
			b.WriteString(v.Raw())
		}
	}
	return b.String()
}

// unknownText is what can be searched of an entry whose type nobody knows: its
// strings, without ids, times, signatures and encoded data.
func unknownText(object value) string {
	var b strings.Builder
	writeStrings(&b, object, "type", "id", "parentId", "timestamp", "data", "signature", "thinkingSignature", "textSignature", "thoughtSignature", "role", "mimeType")
	return b.String()
}

// writeStrings writes the strings below a value, each on a line, but for encoded data and
// what some keys have.
func writeStrings(b *strings.Builder, v value, without ...string) {
	v.Strings(func(key, text string) {
		if text == "" || slices.Contains(without, key) || encoded(text) {
			return
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(text)
	})
}

// encoded tells base64 and the like from text: long, and without anything that
// separates words.
func encoded(s string) bool {
	if len(s) < 512 {
		return false
	}
	for i := range 512 {
		switch c := s[i]; {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '+', c == '/', c == '=', c == '-', c == '_':
		default:
			return false
		}
	}
	return !strings.ContainsAny(s, " \n\t")
}
