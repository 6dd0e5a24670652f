package compose

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"piarchive/internal/jsonl"
	"piarchive/internal/jsonl/syntax"
)

type value = syntax.Value

// parse reads a text that is one JSON value, nested no deeper than the standard
// library goes.
func parse(text string) (value, bool) {
	if !json.Valid([]byte(text)) {
		return value{}, false
	}
	v, err := syntax.Parse(syntax.Valid(text))
	return v, err == nil
}

// objectText is a JSON object that grows.
type objectText struct{ strings.Builder }

// add adds a member; a text that is empty is none.
func (o *objectText) add(name, text string) {
	if text == "" {
		return
	}
	if o.Len() == 0 {
		o.WriteByte('{')
	} else {
		o.WriteByte(',')
	}
	o.WriteString(Quote(name) + ":" + text)
}

func (o *objectText) end() string { return o.String() + "}" }

// ordered holds values by name in the order in which the names came.
type ordered []draftMember

func (o *ordered) set(name, text string) {
	for i := range *o {
		if (*o)[i].name == name {
			(*o)[i].text = text
			return
		}
	}
	*o = append(*o, draftMember{name, text})
}

func (o *ordered) remove(name string) {
	for i := range *o {
		if (*o)[i].name == name {
			*o = append((*o)[:i:i], (*o)[i+1:]...)
			return
		}
	}
}

// Timestamp is a time as the programs write it.
func Timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// OneLine is the name of a session as pi keeps it.
func OneLine(name string) string {
	lines := strings.FieldsFunc(name, func(r rune) bool { return r == '\n' || r == '\r' })
	if strings.HasPrefix(name, "\n") || strings.HasPrefix(name, "\r") {
		lines = append([]string{""}, lines...)
	}
	return jsonl.Trim(strings.Join(lines, " "))
}

// compact is JSON without white space between its tokens.
func compact(text string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(text)) != nil {
		return text // valid, but deeper than the standard library goes
	}
	return b.String()
}

// Quote writes a string as JavaScript does: nothing is escaped that need not be.
func Quote(s string) string {
	const hex = "0123456789abcdef"
	b := make([]byte, 0, len(s)+2)
	b = append(b, '"')
	for _, c := range []byte(syntax.Valid(s)) {
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\r':
			b = append(b, `\r`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c == '\b':
			b = append(b, `\b`...)
		case c == '\f':
			b = append(b, `\f`...)
		case c < 0x20:
			b = append(b, `\u00`...)
			b = append(b, hex[c>>4], hex[c&15])
		default:
			b = append(b, c)
		}
	}
	return string(append(b, '"'))
}
