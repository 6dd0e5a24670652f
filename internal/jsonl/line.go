package jsonl

import (
	"bytes"

	"piarchive/internal/jsonl/syntax"
)

// ParseEntry decodes the entry on one line, as a [Scanner] would, without what
// depends on the lines before it: migrated ids and parents. id picks one of the
// entries that a version 4 line may hold; elsewhere it is not looked at. The
// result is nil if the line holds no entry.
func ParseEntry(line []byte, id string) *Entry {
	object, ok := parseLine(line, id)
	if !ok {
		return nil
	}
	return decodeEntry(object)
}

// ParseMessage decodes a message that stands alone, as a context has it.
func ParseMessage(message []byte) *Entry {
	e := &Entry{Type: "message"}
	if v, err := syntax.Parse(string(message)); err == nil {
		e.decodeMessage(v)
	}
	return e
}

// parseLine returns the object on a line or, of the writes on a version 4 line,
// the entry id.
func parseLine(line []byte, id string) (object value, ok bool) {
	line = bytes.TrimSuffix(line, []byte("\n"))
	if len(line) > MaxLine {
		return value{}, false
	}
	v, err := syntax.Parse(string(unmarked(line)))
	if err != nil || v.IsObject() {
		return v, err == nil
	}
	for write := range v.Items() {
		if write.Get("kind").Str() == "entry" && scalar(write.Get("id")) == id {
			object = write
		}
	}
	return object, object.Exists()
}

// ParseTitle returns the display title of a line that is a header or omp's
// title slot. What follows its LF is not looked at.
func ParseTitle(line []byte) string {
	line, _, _ = bytes.Cut(line, []byte("\n"))
	object, _ := parseLine(line, "")
	return object.Get("title").Str()
}

// IsTitleSlot reports whether a line is the title slot that omp edits in place.
func IsTitleSlot(line []byte) bool {
	object, _ := parseLine(line, "")
	_, is := decodeTitleSlot(object)
	return is
}
