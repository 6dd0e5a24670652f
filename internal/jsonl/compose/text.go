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
type objectText struct{ syntax.Object }

func (o *objectText) add(name, text string) { o.Add(syntax.Quote(name), text) }

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
